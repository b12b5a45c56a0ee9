// Lesson 22's "Thinking Machines": the numbers that ./heed run 22 prints, each step's sum, and edits by mouse and keyboard.
export default async function ({ page, play, expect, everySize }) {
  const { root, state } = await play("thinking_machines");
  const start = await state(), [one, two] = start.heads;
  expect.equal([one.Q, one.K, one.V], [[[2, 0], [1, 2]], [[1, 1], [2, 1]], [[1, 1], [1, 4]]], "Q, K, V of head 1");
  expect.near(one.S, [[1.414, 2.828], [2.121, 2.828]], 5e-4, "scores of head 1");
  expect.near(one.A, [[0.196, 0.804], [0.330, 0.670]], 5e-4, "weights of head 1");
  expect.near(one.Z, [[1, 3.413], [1, 3.009]], 5e-4, "Z of head 1");
  expect.equal([two.Q, two.K, two.V], [[[0, 1], [2, 1]], [[2, 1], [1, 0]], [[2, 0], [1, 1]]], "Q, K, V of head 2");
  expect.near(two.S, [[0.707, 0], [3.536, 1.414]], 5e-4, "scores of head 2");
  expect.near(two.A, [[0.670, 0.330], [0.893, 0.107]], 5e-4, "weights of head 2");
  expect.near(two.Z, [[1.670, 0.330], [1.893, 0.107]], 5e-4, "Z of head 2");
  expect.near(start.output, [[1.330, 3.413, 1.670, -0.340], [1.107, 3.009, 1.893, -0.786]], 5e-4, "the output, as printed");

  // Twelve steps with the keyboard; each writes out its first sum.
  const next = root.getByRole("button", { name: "Next step →" }), sums = {};
  await next.focus();
  for (let i = 2; i <= 12; ++i) {
    await page.keyboard.press("Enter");
    const now = await state();
    expect.equal(now.step, i, "one step on");
    sums[i] = now.sum;
  }
  expect.equal(sums[2], "Q₁[Thinking, 1] = 1·1 + 0·0 + 1·1 + 0·0 = 2", "step 2");
  expect.equal(sums[5], "Q₁K₁ᵀ[Thinking, Thinking] = 2·1 + 0·1 = 2", "step 5");
  expect.equal(sums[6], "scores₁[Thinking, Thinking] = 2 / √2 = 2 / 1.414 = 1.414", "step 6");
  expect.equal(sums[7], "weights A₁[Thinking, Thinking] = e^1.414 / (e^1.414 + e^2.828) = 4.113 / 21.032 = 0.196", "step 7");
  expect.equal(sums[8], "Z₁[Thinking, 1] = 0.196·1 + 0.804·1 = 1", "step 8");
  expect.equal(sums[11], '[Z₁, Z₂][Thinking, 1] = 1: number 1 of head 1 for "Thinking"', "step 11");
  expect.equal(sums[12], "output[Thinking, 1] = 1·1 + 3.413·0 + 1.670·0 + 0.330·1 = 1.330", "step 12");
  expect.ok(await next.isDisabled(), "nothing after step 12");

  // The row and the column of a chosen cell are lit: 4 numbers of X and 4 of W.
  await root.getByRole("button", { name: "Step 2:" }).click();
  await root.getByRole("button", { name: "Q₁, row Machines, column 2" }).click();
  expect.equal((await state()).sum, "Q₁[Machines, 2] = 0·0 + 1·1 + 1·0 + 1·1 = 2", "the cell that was clicked");
  expect.equal(await root.locator("td.lit").count(), 8, "its row of X and its column of W");
  expect.equal(await root.locator("td.target").count(), 1, "and the cell itself");
  await page.keyboard.press("ArrowUp");
  expect.equal((await state()).sum, "Q₁[Thinking, 2] = 1·0 + 0·1 + 1·0 + 0·1 = 0", "an arrow goes to the cell above");

  // W^Q of head 1 doubled in one place: recomputed by hand. q = [2, 0] becomes [4, 0] if W^Q[3, 1] is 3.
  const cell = root.getByRole("textbox", { name: "W^Q₁, row 3, column 1" });
  await cell.fill("3");
  const edited = await state();
  expect.equal(edited.heads[0].Q, [[4, 0], [3, 2]], "Q with the new number");
  const w = 1 / (1 + Math.exp(4 / Math.SQRT2));
  expect.near(edited.heads[0].A[0], [w, 1 - w], 1e-12, "its weights: scores 4 and 8 over the root of 2");
  expect.near(edited.output[0][1], w + 4 * (1 - w), 1e-12, "and its output");
  expect.ok((await root.locator("td.lit").count()) > 8, "changed numbers of the output are marked");
  await cell.fill("three");
  expect.equal(await cell.getAttribute("aria-invalid"), "true", "a word is no number");
  expect.equal((await state()).given.Q1[2][0], 3, "and changes nothing");
  await root.getByRole("button", { name: "The lesson's numbers" }).click();
  expect.equal((await state()).output, start.output, "back to the lesson's numbers");
  await root.getByRole("button", { name: "Step 5:" }).click();
  await everySize("thinking_machines_5");
  await root.getByRole("button", { name: "Step 10:" }).click();
  await everySize("thinking_machines");
}

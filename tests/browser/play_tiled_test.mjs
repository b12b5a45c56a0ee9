// Tiled attention: the first blocks by hand, every block size against the plain softmax, and the fault of not rescaling.
export default async function ({ page, play, expect, everySize, slide }) {
  const { root, state } = await play("tiled");
  const press = async (name) => { await root.getByRole("button", { name, exact: true }).click(); return state(); };
  const e = [1, 3, 2, 0, 4, 1, -1, 2], v = [2, 0, 1, 4, 3, 5, 1, 2], x = Math.exp;
  const z = e.reduce((sum, s) => sum + x(s), 0), plain = e.reduce((sum, s, i) => sum + x(s) * v[i], 0) / z;
  expect.near((await state()).plain, plain, 1e-12, "the plain softmax, by hand");
  const one = (await press("Next block")).steps[0];
  expect.near([one.m, one.l, one.a], [3, x(-2) + 1, 2 * x(-2)], 1e-12, "block 1: scores 1 and 3");
  await root.getByRole("button", { name: "Next block" }).press("Enter");
  const two = (await state()).steps[1];
  expect.near([two.m, two.r, two.l, two.a], [3, 1, x(-2) + 1 + x(-1) + x(-3), 2 * x(-2) + x(-1) + 4 * x(-3)], 1e-12, "block 2: the maximum stays");
  const three = (await press("Next block")).steps[2];
  expect.near([three.m, three.r, three.l], [4, x(-1), x(-1) * two.l + 1 + x(-3)], 1e-12, "block 3: 4 is larger, the sums shrink by exp(-1)");
  expect.match(await root.textContent(), /m = 4, was 3: what was summed so far is multiplied by exp\(3 − 4\) = 0\.3679/, "and the page says so");
  const end = await press("Next block");
  expect.near(end.answer, plain, 1e-12, "the answer of the last block");
  expect.match(end.verdict, /The same as the plain softmax/, "is noticed");
  expect.ok(await root.getByRole("button", { name: "Next block" }).isDisabled(), "no block is left");

  const size = page.getByRole("slider", { name: "keys in a block" });
  for (let b = 1; b <= 8; ++b) {
    await slide(size, b);
    expect.equal((await state()).done, 0, `${b} keys in a block: from the start`);
    const now = await press("All blocks");
    expect.equal(now.steps.length, Math.ceil(8 / b), "so many blocks");
    expect.near(now.answer, plain, 1e-12, `${b} keys in a block: the same answer`);
  }
  await size.focus();
  for (let i = 0; i < 6; ++i) await page.keyboard.press("ArrowLeft");
  expect.equal((await state()).block, 2, "the block size with the keyboard");
  await press("All blocks");
  const wrong = await press("Forget to rescale");
  expect.match(wrong.verdict, /WRONG/, "without rescaling the answer is wrong");
  const l = x(-2) + 1 + x(-1) + x(-3) + 1 + x(-3) + x(-5) + x(-2), a = 2 * x(-2) + x(-1) + 4 * x(-3) + 3 + 5 * x(-3) + x(-5) + 2 * x(-2);
  expect.near(wrong.answer, a / l, 1e-12, "by as much as the sums of different maxima say");
  await press("Forget to rescale");

  await root.getByRole("textbox", { name: /scores.*row 1, column 8/ }).fill("1000");
  const huge = await press("All blocks");
  expect.near(huge.answer, 2, 1e-12, "a score of 1000 overflows nothing: its value alone");
  expect.near([huge.dense, huge.tile], [4 * 4096 ** 2, 4 * 2 * (2 + 2 + 64)], 0, "bytes at 4096 words");
  await slide(page.getByRole("slider", { name: "words of the text" }), 17);
  expect.match(await root.textContent(), /131,072 × 131,072 weights, 64 GiB\. A tile of 2 queries and 2 keys needs 544 B/, "64 GiB against 544 bytes");
  await root.getByRole("textbox", { name: /scores.*row 1, column 8/ }).fill("2");
  await press("Next block");
  await press("Next block");
  await press("Next block");
  await everySize("tiled");
}

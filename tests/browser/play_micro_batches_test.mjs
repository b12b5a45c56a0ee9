// Micro-batches: both divisors by hand, cuts with the mouse and the keyboard, and a step that goes the wrong way.
export default async function ({ page, play, expect, everySize, slide }) {
  const { root, state } = await play("micro_batches");
  const press = async (name) => { await root.getByRole("button", { name }).click(); return state(); };
  const one = await state();
  expect.near([one.gradient, one.right, one.end], [0.5, 0.5, 2], 1e-12, "one batch: 2.5 minus the mean of the targets, 24 / 12");
  const four = await press("A micro-batch for each sentence");
  expect.equal(four.parts.map((part) => part.length), [1, 2, 4, 5], "four sentences");
  expect.near(four.weights, [1 / 4, 1 / 8, 1 / 8, ...Array(4).fill(1 / 16), ...Array(5).fill(1 / 20)], 1e-12, "mean of means: a word of a short one counts more");
  expect.near([four.end, four.gradient], [(5 + 4 + 6 / 4 + 1) / 4, 2.5 - (5 + 4 + 6 / 4 + 1) / 4], 1e-12, "by hand");
  expect.equal(four.goals, [false, true, false], "the wrong way");
  expect.match(await root.textContent(), /Gradient −0\.375\. That of the whole batch is 0\.500: the step goes the wrong way/, "which is said");
  const right = await press("the words of the whole step");
  expect.near([right.gradient, right.end], [0.5, 2], 1e-12, "one divisor: the same step");
  await press(/mean of means/);
  await slide(page.getByRole("slider", { name: "parameter w" }), 5);
  const far = await state();
  expect.near([far.right, far.gradient], [3, 5 - 2.875], 1e-12, "far away both go down");
  expect.match(await root.textContent(), /another step/, "but not by as much");

  await press("One batch");
  for (const word of ["the", "here", "an"]) await root.getByRole("button", { name: new RegExp(`^${word},`) }).press("Enter");
  const threes = await state();
  expect.equal([threes.parts.map((part) => part.length), threes.most, threes.goals[0]], [[3, 3, 3, 3], 3, true], "four times three: the mean of means is right");
  await root.getByRole("button", { name: /^the,.*begins it/ }).press("Enter");
  expect.equal((await state()).parts.map((part) => part.length), [6, 3, 3], "a second press joins again");
  await press("One batch");
  await press(/^Go!/);
  expect.equal((await state()).parts.length, 1, "the first word begins the first micro-batch anyway");
  for (const word of ["I", "know", "the", "cat", "sleeps", "here", "we", "saw", "an", "old", "house"]) await press(new RegExp(`^${word},`));
  const least = await state();
  expect.equal([least.most, least.goals], [1, [true, true, true]], "one word at a time");
  expect.near(least.gradient, least.right, 1e-12, "and the right gradient");
  await press("A micro-batch for each sentence");
  await everySize("micro_batches");
}

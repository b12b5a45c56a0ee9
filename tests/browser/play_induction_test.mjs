// An induction head in two steps: the text as it is, texts that are typed, both steps switched off, and another distance.
export default async function ({ page, play, expect, everySize, slide }) {
  const { root, state } = await play("induction");
  const press = async (name) => { await root.getByRole("button", { name, exact: true }).click(); return state(); };
  const type = async (text) => { await page.getByRole("textbox", { name: "a text of your own" }).fill(text); return state(); };
  const first = await state();
  let e = Math.exp(2);
  expect.equal([first.best[0].word, first.top], ["fox", 3], "red was followed by fox, on which the weight is");
  expect.near(first.weights[3], e / (e + 7), 1e-12, "the softmax by hand");
  expect.equal(first.goals, [false, false, false, false], "no goal is reached at the start");
  expect.match(await root.textContent(), /red … then comes fox/, "in words");
  await slide(page.getByRole("slider", { name: "sharpness s" }), 6);
  e = Math.exp(6);
  expect.equal((await state()).goals[0], true, "sharper: certain");
  await slide(page.getByRole("slider", { name: "words back o" }), 3);
  const far = await state();
  expect.equal([far.best[0].word, far.top, far.goals[3]], ["fox", 5, true], "the same answer, read two places later");
  await slide(page.getByRole("slider", { name: "words back o" }), 1);
  const off = await press("Switch off step 1");
  expect.near(off.weights, Array(8).fill(1 / 8), 1e-12, "no labels: all places alike");
  expect.equal(off.goals[2], true, "a goal");
  await press("Switch off step 1");
  expect.near((await press("Switch off step 2")).weights, Array(8).fill(1 / 8), 1e-12, "no matching: the same");
  await press("Switch off step 2");
  const two = await type("red fox red owl red");
  expect.near(two.best.slice(0, 2).map((one) => one.value), [e / (2 * e + 3), e / (2 * e + 3)], 1e-12, "two continuations share");
  expect.equal(two.goals[1], true, "the last goal");
  expect.equal((await type("")).words, [], "an empty text");
  expect.match(await root.textContent(), /Type some words/, "is said");
  await type("new");
  expect.match(await root.textContent(), /a guess/, "a word alone");
  await type("tea owl red fox key tea owl red");
  await everySize("induction");
}

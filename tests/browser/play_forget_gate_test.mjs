// A memory that forgets: the weights as powers of the gate, the lesson's three biases, closed gates and the goals.
export default async function ({ page, play, expect, everySize, slide }) {
  const { root, state } = await play("forget_gate");
  const press = async (name) => { await root.getByRole("button", { name }).click(); return state(); };
  expect.equal((await state()).weights, [], "nothing is read");
  await root.getByRole("button", { name: "Next word" }).press("Enter");
  await press("Next word");
  expect.near((await press("Next word")).weights, [0.25, 0.5, 1], 1e-12, "b = 0: half is kept at each word");
  expect.match(await root.textContent(), /memory = 1\.00 had \+ 0\.50 who \+ 0\.25 Anna/, "written out");
  expect.match(await root.textContent(), /Anna: 0\.500 multiplied 2 times = 0\.25/, "and Anna's share");

  // The lesson: over 20 steps 1e-6, 0.002 and 0.38 are left for b = 0, 1 and 3; the plain RNN keeps 1.7e-5.
  const bias = page.getByRole("slider", { name: "forget bias b" });
  const end = await press("All words");
  expect.equal(end.words.length, 21, "20 steps after the first word");
  expect.near(end.weights[0], 2 ** -20, 1e-12, "b = 0");
  expect.near(end.plain, 3 ** -10, 1e-12, "the plain RNN");
  expect.ok(await root.getByRole("button", { name: "Next word" }).isDisabled(), "no word is left");
  for (const [b, left, tolerance] of [[1, 0.002, 0.0005], [3, 0.38, 0.005]]) {
    await slide(bias, b);
    expect.near((await state()).weights[0], left, tolerance, `b = ${b}`);
  }
  const open = await state();
  expect.equal(open.goals, [true, false, false], "Anna is remembered");
  await bias.focus();
  await page.keyboard.press("ArrowRight");
  expect.equal((await state()).bias, 3.25, "the bias by keyboard");

  // A gate closed at "went": the key is gone, and Anna with it.
  await press(/^went, word/);
  const shut = await state(), went = shut.words.indexOf("went"), f = 1 / (1 + Math.exp(-3.25));
  expect.equal(shut.weights.slice(0, went), Array(went).fill(0), "all before the closed gate is forgotten");
  expect.near(shut.weights[went], f ** (20 - went), 1e-12, "all after it is kept as before");
  expect.equal(shut.goals, [true, false, true], "the key is forgotten on purpose");
  expect.match(await root.textContent(), /a gate was closed, so 0\.00 is left/, "in words");
  await slide(bias, -4);
  expect.equal((await state()).goals[1], false, "a closed gate does not count for the last word alone");
  await root.getByRole("button", { name: /^went, word.*closes the gate/ }).press("Enter");
  const last = await state();
  expect.near(last.weights.slice(-2), [1 / (1 + Math.exp(4)), 1], 1e-12, "b = -4: 0.018 of the word before");
  expect.equal(last.goals, [true, true, true], "the last word alone");
  await slide(bias, 2);
  await press(/^park, word/);
  await everySize("forget_gate");
}

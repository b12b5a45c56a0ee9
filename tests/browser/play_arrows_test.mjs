// Two arrows and a mean of words: both by hand, with the mouse and with the keyboard, and every goal.
export default async function ({ page, play, expect, everySize, slide, drag }) {
  const { root, state } = await play("arrows");
  const orange = page.getByRole("slider", { name: "orange", exact: true }), blue = page.getByRole("slider", { name: "blue", exact: true });
  expect.equal((await state()).number, 3 * 1 + 1 * 3, "(3, 1) and (1, 3)");
  expect.match(await root.textContent(), /dot product: 3 × 1 \+ 1 × 3 = 6/, "written out");
  expect.equal((await state()).angle, 53, "acos(6 / 10)");
  await orange.focus();
  for (let i = 0; i < 2; ++i) await page.keyboard.press("ArrowLeft");
  const right = await state();
  expect.equal([right.orange, right.number, right.angle], [[-1, 3], 0, 90], "two arrows to the left: a right angle");
  expect.match(await root.textContent(), /At a right angle the number is 0/, "which is said");
  expect.equal(right.goals, [true, false, false, false, false, false], "the first goal alone");
  const unit = (await root.locator("svg[role=group]").first().boundingBox()).width / 10;
  await drag(orange, -2 * unit, 4 * unit);
  const against = await state();
  expect.equal([against.orange, against.number], [[-3, -1], -10], "dragged to the opposite of blue, on the grid");
  expect.match(await root.textContent(), /The angle is 180°: they point nearly opposite ways/, "in words");
  await page.keyboard.press("Shift+ArrowLeft");
  expect.equal((await state()).orange, [-3.5, -1], "Shift: half a step, which is the grid");
  await drag(orange, 8.5 * unit, -4 * unit);
  await blue.focus();
  for (let i = 0; i < 2; ++i) await page.keyboard.press("ArrowRight");
  const long = await state();
  expect.equal([long.blue, long.orange, long.number], [[5, 1], [5, 3], 28], "long arrows, the same way");
  expect.equal(long.goals.slice(0, 3), [true, true, true], "all goals of the arrows");

  expect.near((await state()).mean, [0, -0.5], 1e-12, "as much cat as wolf: half of (4, -2) + (-4, 1)");
  const parts = async (...counts) => {
    for (const [i, name] of ["cat", "horse", "wolf"].entries()) await slide(page.getByRole("slider", { name: `parts of ${name}` }), counts[i]);
    return state();
  };
  expect.equal((await parts(0, 3, 0)).mean, [2, 4], "nothing but horse");
  expect.near((await parts(2, 2, 2)).mean, [2 / 3, 1], 1e-12, "as much of each");
  const wolf = await parts(1, 1, 4);
  expect.near(wolf.mean, [-10 / 6, 1], 1e-12, "mostly wolf");
  expect.match(await root.textContent(), /mean: 1\/6 × \(4, −2\) \+ 1\/6 × \(2, 4\) \+ 4\/6 × \(−4, 1\) ≈ \(−1\.67, 1\)/, "written out");
  expect.near(wolf.weights.reduce((a, b) => a + b), 1, 1e-12, "weights sum to 1");
  expect.equal(wolf.goals, Array(6).fill(true), "all goals");
  expect.equal((await parts(0, 0, 0)).mean, null, "no parts: no mean");
  expect.match(await root.textContent(), /Nothing to mix/, "in words");
  await parts(1, 2, 1);
  for (const point of [blue, orange]) {
    await point.focus();
    for (let i = 0; i < 2; ++i) await page.keyboard.press("ArrowLeft");
  }
  await everySize("arrows");
}

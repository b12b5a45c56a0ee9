// Paths through a valley: the powers of plain SGD by hand, momentum computed again, the limit of the rate, and the goals.
export default async function ({ page, play, expect, everySize, slide, drag }) {
  const { root, state } = await play("valley");
  const rate = page.getByRole("slider", { name: "learning rate" }), momentum = page.getByRole("slider", { name: "momentum" }),
    steep = page.getByRole("slider", { name: "steepness c" });
  const first = await state();
  expect.near(first.path.slice(0, 5), [...Array(5).keys()].map((t) => [4.5 * 0.95 ** t, 2 * 0.5 ** t]), 1e-9, "rate 0.05, c 10: powers of 0.95 and 0.5");
  expect.equal([first.arrived, first.goals], [true, Array(4).fill(false)], "it arrives, slowly");
  await slide(rate, 0.2);
  const limit = await state();
  expect.ok(!limit.arrived && !limit.exploded, "at 2 / c it jumps for ever");
  await rate.focus();
  await page.keyboard.press("ArrowRight");
  const over = await state();
  expect.near(over.rate, 0.205, 1e-12, "one arrow more");
  expect.ok(over.exploded && over.goals[0], "explodes");
  expect.match(await root.textContent(), /y by −1\.050, so y grows.*2 \/ c = 0\.2/, "and the page says why");
  await slide(rate, 0.18);
  const best = await state();
  expect.ok(best.goals[1] && best.steps <= 25, "near 2 / (1 + c) plain SGD needs the fewest");

  await slide(rate, 0.2);
  await slide(momentum, 0.3);
  const now = await state();
  let w = [4.5, 2], v = [0, 0], steps = 0;
  while (Math.hypot(...w) > 0.01 * Math.hypot(4.5, 2)) {
    v = [0.3 * v[0] + w[0], 0.3 * v[1] + 10 * w[1]];
    w = [w[0] - 0.2 * v[0], w[1] - 0.2 * v[1]];
    ++steps;
  }
  expect.equal([now.steps, now.goals[2]], [steps, true], `momentum 0.3: ${steps} steps`);
  expect.near(now.path.at(-1), w, 1e-9, "where it ends");
  expect.equal(now.record, steps, "the fewest so far");
  await slide(steep, 40);
  await slide(momentum, 0.5);
  await slide(rate, 0.06);
  const valley = await state();
  expect.equal([valley.goals[3], valley.steps <= 40, valley.record], [true, true, valley.steps], "a steeper valley, its own record");
  const unit = (await root.locator("svg[role=group]").boundingBox()).width / 10;
  await drag(page.getByRole("slider", { name: "start", exact: true }), -3 * unit, -unit);
  const moved = await state();
  expect.near(moved.start, [1.5, 3], 0.05, "another start");
  await page.keyboard.press("ArrowLeft");
  expect.near((await state()).start[0], moved.start[0] - 0.5, 1e-9, "by keyboard, too");
  await slide(steep, 10);
  await slide(momentum, 0.6);
  await everySize("valley");
  await slide(momentum, 0);
  await slide(rate, 0.4);
  await everySize("valley");
}

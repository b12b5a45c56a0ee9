// The look-up of lesson 11: its numbers are the lesson's own (its README and what `./heed run 11` prints), and every
// control is driven with the mouse and with the keyboard.
export default async function ({ page, play, expect, everySize, slide, drag }) {
  const { root, state } = await play("soft_lookup");
  const fruit = await state();
  expect.near(fruit.question, [3, Math.log(1.5) / 3, 0, 0], 1e-12, "fruit, as in table.h");
  expect.near(fruit.scores, [9 + Math.log(1.5), 9, 0], 1e-12, "scores 9.405, 9, 0");
  const z = 1.5 * Math.exp(9) + Math.exp(9) + 1;
  expect.near(fruit.weights, [1.5 * Math.exp(9) / z, Math.exp(9) / z, 1 / z], 1e-12, "weights, by hand");
  expect.near(fruit.answer, 8.0, 0.001, "fruit gives 8.0");
  expect.near(fruit.slope, 5.1, 0.05, "the gradient the lesson prints at t = 1");
  expect.match(await root.textContent(), /answer 8\.00 = 0\.60 × 10 \+ 0\.40 × 5 \+ 0\.00 × 2/, "the answer written out");

  // The lesson's table "Fruit at six temperatures".
  const heat = page.getByRole("slider", { name: "temperature t" });
  for (const [power, answer, slope, tolerance] of [[4, 6.32, 0.38, 0.005], [2, 7.36, 1.3, 0.05], [-2, 9.18, 12, 0.5], [-4, 9.99, 0.52, 0.005], [-6, 10, 7.3e-9, 1e-10]]) {
    await slide(heat, power);
    const now = await state();
    expect.near(now.answer, answer, 0.006, `fruit at t = ${2 ** power}`);
    expect.near(now.slope, slope, tolerance, `gradient at t = ${2 ** power}`);
  }
  await slide(heat, 0);
  await heat.focus();
  await page.keyboard.press("ArrowRight");
  expect.near((await state()).temperature, 2 ** 0.25, 1e-12, "one arrow is a quarter of a power of two");
  await page.keyboard.press("ArrowLeft");

  // With the keyboard to 7: 0.4 of the apple and 0.6 of the banana need round - long = ln(0.4/0.6)/3.
  const point = page.getByRole("slider", { name: "fruit" });
  await point.focus();
  for (let i = 0; i < 3; ++i) await page.keyboard.press("ArrowLeft");
  expect.near((await state()).question, [3, 0, 0.3 - Math.log(1.5) / 3, 0], 1e-9, "three arrows to the left: long");
  for (let i = 0; i < 3; ++i) await page.keyboard.press("Shift+ArrowRight");
  const seven = await state();
  expect.near(seven.answer, 7, 0.1, "the answer is 7");
  expect.equal(seven.done, [true, false, false], "which the page notices");

  // Hard: one value and no gradient; the temperature is out of use.
  await root.getByRole("button", { name: "Make it hard" }).click();
  const hard = await state();
  expect.equal([hard.weights, hard.answer, hard.slope], [[0, 1, 0], 5, 0], "hard takes the banana");
  expect.ok(await heat.isDisabled(), "no temperature in a hard look-up");
  await root.getByRole("button", { name: "Make it hard" }).press("Enter");
  expect.ok(!(await state()).hard, "and back, with the keyboard");

  // With the mouse to 4: between banana and chair. The plane is 8 wide.
  await root.getByRole("button", { name: "Back to fruit" }).click();
  expect.near((await state()).answer, fruit.answer, 1e-12, "back to fruit");
  const box = await root.locator("svg[role=group]").boundingBox(), unit = box.width / 8;
  const start = await state();
  await drag(point, (-2 - start.question[1]) * unit, (-1.77 - 3) * -unit);
  const four = await state();
  expect.near(four.question, [0, 0, 2, 1.77], 0.06, "dragged to long 2, legs 1.77");
  expect.near(four.answer, 4, 0.15, "near 4");
  await point.focus();
  for (let i = 0; i < 20 && !(await state()).done[1]; ++i) await page.keyboard.press((await state()).answer > 4 ? "Shift+ArrowDown" : "Shift+ArrowUp");
  expect.equal((await state()).done, [true, true, false], "4 is noticed, and 7 stays noticed");
  await page.mouse.click(box.x + box.width / 2, box.y + box.height / 2);
  const middle = await state();
  expect.near(middle.answer, 17 / 3, 0.05, "a click in the middle asks for nothing: the mean");
  expect.equal(middle.done, [true, true, true], "all three goals");
  await root.getByRole("button", { name: "Back to fruit" }).click();
  await everySize("soft_lookup");
}

// Six poolings of five outputs: each by hand, the query with the mouse and the keyboard, padding that is counted, the goals.
export default async function ({ page, play, expect, everySize, slide, drag }) {
  const { root, state } = await play("pooling");
  const pick = async (name) => { await root.getByRole("button", { name, exact: true }).press("Enter"); return state(); };
  const query = page.getByRole("slider", { name: "query", exact: true }), pads = page.getByRole("slider", { name: "padding" });
  const first = await state(), a = first.outputs, z = a.map(([x, y]) => Math.exp(0.5 * x + y)), sum = z.reduce((p, q) => p + q);
  expect.near(first.weights, z.map((e) => e / sum), 1e-12, "attention with q = (0.5, 1)");
  expect.near(first.vector, [0, 1].map((k) => a.reduce((p, out, t) => p + z[t] / sum * out[k], 0)), 1e-12, "its vector");
  const wanted = { last: [2.5, -2.5], sum: [2.5, -2], mean: [0.5, -0.4], weighted: [(0.5 - 4 + 9 - 6 + 12.5) / 15, (-0.5 + 3 + 6 - 10 - 12.5) / 15], max: [3, 2] };
  for (const [name, vector] of Object.entries(wanted)) expect.near((await pick(name)).vector, vector, 1e-12, name);
  expect.match(await root.textContent(), /there are no weights/, "the maximum has none");

  await slide(pads, 3);
  expect.near((await state()).moved, 0, 0, "padding that is left out changes nothing");
  expect.match(await root.textContent(), /3 zeros at the end, left out by the length/, "which is said");
  expect.equal((await pick("Count the padding")).goals, [false, false, true, false], "the maximum does not notice: each entry has a positive one");
  const three = { last: [0, 0], sum: [2.5, -2], mean: [2.5 / 8, -2 / 8], weighted: [12 / 36, -14 / 36] };
  for (const [name, vector] of Object.entries(three)) expect.near((await pick(name)).vector, vector, 1e-12, `${name}, three zeros counted`);
  expect.match(await root.textContent(), /the vector has moved by/, "in words");
  const torn = await pick("attention");
  expect.near(torn.lost, 3 / (sum + 3), 1e-12, "attention gives the zeros exp(0) each");
  await slide(pads, 8);
  await query.focus();
  for (let i = 0; i < 5; ++i) await page.keyboard.press("ArrowRight");
  const sharp = await state();
  expect.near(sharp.query, [3, 1], 1e-9, "half a step each");
  expect.equal(sharp.goals[3], true, "a query far out gives zeros next to nothing");
  await pick("Count the padding");
  const unit = (await root.locator("svg[role=group]").boundingBox()).width / 8;
  await drag(query, -5 * unit, -unit);
  const old = await state();
  expect.near(old.query, [-2, 2], 0.1, "dragged to old");
  expect.ok(old.weights[1] > 0.95 && old.goals[0], "which gets the attention");
  await query.focus();
  for (let i = 0; i < 90 && (await state()).query[0] < -0.01; ++i) await page.keyboard.press("Shift+ArrowRight");
  for (let i = 0; i < 90 && (await state()).query[1] > 0.01; ++i) await page.keyboard.press("Shift+ArrowDown");
  const none = await state();
  expect.near(none.vector, [0.5, -0.4], 1e-12, "a query of zeros: the mean");
  expect.equal(none.goals, [true, true, true, true], "all goals");
  await drag(query, 1.5 * unit, -unit);
  await pick("Count the padding");
  await everySize("pooling");
}

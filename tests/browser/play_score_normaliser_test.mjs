// Every score and every normaliser against a computation by hand; sparsemax and entmax by the conditions that define them.
export default async function ({ page, play, expect, everySize, slide, drag }) {
  const { root, state } = await play("score_normaliser");
  const pick = async (group, name) => { await root.getByRole("group", { name: group }).getByRole("button", { name, exact: true }).click(); return state(); };
  const first = await state(), q = first.query, keys = first.keys, dots = keys.map((k) => q[0] * k[0] + q[1] * k[1]);
  const size = (a) => Math.sqrt(a[0] ** 2 + a[1] ** 2), sum = (a) => a.reduce((x, y) => x + y, 0);
  const exps = dots.map(Math.exp);
  expect.near(first.scores, dots, 1e-12, "dot");
  expect.near(first.weights, exps.map((x) => x / sum(exps)), 1e-12, "softmax");
  expect.equal([first.zeros, first.total.toFixed(9)], [0, "1.000000000"], "softmax has no zero and sums to 1");

  expect.near((await pick("score", "scaled dot")).scores, dots.map((e) => e / 1.4142135623730951), 1e-12, "scaled dot");
  expect.near((await pick("score", "cosine")).scores, keys.map((k, i) => 4 * dots[i] / size(k) / size(q)), 1e-9, "cosine, beta 4");
  await slide(root.getByRole("slider", { name: "β" }), 10);
  expect.near((await state()).scores, keys.map((k, i) => 10 * dots[i] / size(k) / size(q)), 1e-9, "cosine, beta 10");
  expect.near((await pick("score", "general")).scores, keys.map((k) => q[0] * k[1] - q[1] * k[0]), 1e-12, "general, W a quarter turn");
  await root.getByRole("textbox", { name: "W, row 1, column 1" }).fill("0.5");
  expect.near((await state()).scores, keys.map((k) => 0.5 * q[0] * k[0] + q[0] * k[1] - q[1] * k[0]), 1e-12, "general, W edited");
  expect.near((await pick("score", "additive")).scores, keys.map((k) => Math.tanh(q[0] + k[0]) + Math.tanh(q[1] + k[1])), 1e-12, "additive");
  expect.near((await pick("score", "distance")).scores, keys.map((k) => -(size([q[0] - k[0], q[1] - k[1]]) ** 2) / 2), 1e-12, "distance");

  // Sparsemax: within the support w = e - tau with one tau; outside e <= tau. Entmax: the same for the root of w and e / 2.
  await pick("score", "additive");
  await page.getByRole("slider", { name: "query" }).focus();
  for (let i = 0; i < 8; ++i) await page.keyboard.press("ArrowRight");
  for (let i = 0; i < 6; ++i) await page.keyboard.press("ArrowDown");
  expect.near((await state()).query, [2, 1], 1e-9, "the query is moved to where two additive scores are close");
  for (const [name, root_of, share] of [["sparsemax", (w) => w, 1], ["entmax 1.5", Math.sqrt, 0.5]]) {
    const now = await pick("normaliser", name), taus = now.weights.flatMap((w, i) => (w > 0 ? [share * now.scores[i] - root_of(w)] : []));
    expect.near(sum(now.weights), 1, 1e-12, `${name} sums to 1`);
    expect.near(taus, taus.map(() => taus[0]), 1e-9, `${name} has one threshold`);
    expect.ok(now.weights.every((w, i) => w > 0 || share * now.scores[i] <= taus[0] + 1e-12), `${name}: zeros are below the threshold`);
    expect.ok(now.zeros >= 1 && now.weights.filter((w) => w > 0).length >= 2, `${name}: some zeros, some weights`);
    expect.equal(await root.locator("svg text", { hasText: "exactly 0" }).count(), now.zeros, `${name}: exact zeros are marked`);
  }
  const scores = (await state()).scores, order = [...scores].sort((a, b) => b - a);
  const two = await pick("normaliser", "top-k"), z = Math.exp(order[0]) + Math.exp(order[1]);
  expect.near(two.weights, scores.map((e) => (e >= order[1] ? Math.exp(e) / z : 0)), 1e-12, "top-2");
  await slide(root.getByRole("slider", { name: "k", exact: true }), 1);
  expect.equal((await state()).zeros, 3, "top-1 leaves three zeros");
  const gates = await pick("normaliser", "sigmoid");
  expect.near(gates.weights, scores.map((e) => 1 / (1 + Math.exp(-e))), 1e-12, "sigmoid");
  expect.match(await root.textContent(), /sum to \d\.\d\d, not to 1/, "sigmoid does not sum to 1");
  expect.equal((await pick("normaliser", "hard")).weights, scores.map((e) => (e === order[0] ? 1 : 0)), "hard");

  // Keyboard, and the mouse. Under cosine the length of a key does not count; under dot it does.
  await root.getByRole("button", { name: "Reset the points" }).click();
  await pick("score", "cosine");
  const before = await state(), key = page.getByRole("slider", { name: "k₁" });
  const unit = (await root.locator("svg[role=group]").boundingBox()).width / 8;
  await drag(key, 1.2 * unit, -0.6 * unit);
  const pulled = await state();
  expect.near(pulled.keys[0], [3.6, 1.8], 0.05, "k1 pulled outwards");
  expect.near(pulled.scores, before.scores, 0.02 * 10, "cosine hardly moves");
  await page.getByRole("slider", { name: "query" }).focus();
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("Shift+ArrowUp");
  expect.near((await state()).query, [1.3, 1.61], 1e-9, "arrows move the query");
  await root.getByRole("button", { name: "Reset the points" }).press("Enter");
  expect.equal([(await state()).query, (await state()).keys], [q, keys], "and reset puts them back");
  await pick("score", "additive");
  await pick("normaliser", "sparsemax");
  await everySize("score_normaliser");
}

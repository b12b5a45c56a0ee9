// A stack of layers: each kind computed again from the page's weights, and its gradient against differences.
export default async function ({ page, play, expect, everySize, slide }) {
  const { root, state } = await play("layers");
  const pick = async (name) => { await root.getByRole("button", { name, exact: true }).press("Enter"); return state(); };
  const dot = (a, b) => a.reduce((sum, x, i) => sum + x * b[i], 0), rms = (x) => Math.sqrt(dot(x, x) / x.length);
  const norm = (x) => {
    const mean = dot(x, x.map(() => 1)) / x.length, variance = x.reduce((sum, e) => sum + (e - mean) ** 2, 0) / x.length;
    return x.map((e) => (e - mean) / Math.sqrt(variance + 1e-5));
  };
  const layer = { plain: (x, f) => f(x), residual: (x, f) => x.map((e, i) => e + f(x)[i]), last: (x, f) => norm(x.map((e, i) => e + f(x)[i])),
    first: (x, f) => { const y = f(norm(x)); return x.map((e, i) => e + y[i]); } };
  const from = (now, at, x) => {  // from the x after layer `at` to the end
    for (let l = at; l < now.count; ++l) x = layer[now.kind](x, (y) => now.W[l].map((w) => Math.tanh(now.scale * dot(w, y))));
    return x;
  };
  const check = (now) => {
    expect.near(now.xs[now.count], from(now, 0, now.xs[0]), 1e-9, `${now.kind}: the last x`);
    expect.near(now.sizes, now.xs.map(rms), 1e-12, `${now.kind}: sizes`);
    for (const at of [0, now.count - 1]) {
      const slope = now.xs[at].map((_, i) => {
        const moved = (by) => dot(now.r, from(now, at, now.xs[at].map((e, j) => e + (i === j ? by : 0))));
        return (moved(1e-5) - moved(-1e-5)) / 2e-5;
      });
      expect.near(now.gs[at], slope, 1e-7, `${now.kind}: gradient at x ${at}`);
      expect.near(now.gradients[at], rms(slope) / rms(now.r), 1e-7, `${now.kind}: its size`);
    }
  };
  const scale = page.getByRole("slider", { name: "scale s of the weights" }), count = page.getByRole("slider", { name: "number of layers" });
  const plain = await state();
  expect.equal([plain.kind, plain.count, plain.scale, plain.goals[0]], ["plain", 12, 1, false], "twelve layers without a residual");
  check(plain);
  await slide(scale, 0.5);
  expect.ok((await state()).goals[0], "small weights: the gradient vanishes");
  await slide(scale, 1);
  const last = await pick("norm last");
  check(last);
  expect.near(last.sizes.slice(1), Array(12).fill(1), 1e-4, "norm last keeps the size 1");
  expect.equal(last.goals, [true, false, true, false], "and loses most of the gradient");
  check(await pick("norm first"));
  await count.focus();
  for (let i = 0; i < 12; ++i) await page.keyboard.press("ArrowRight");
  const deep = await state();
  expect.equal([deep.count, deep.goals[3]], [24, true], "24 layers with the norm first: the gradient arrives");
  const grows = await pick("residual");
  check(grows);
  expect.equal(grows.goals, [true, true, true, true], "a residual alone: x grows");
  expect.match(await root.textContent(), /x: [\d.]+ at the words, 4\.\d+ after layer 24/, "in words");
  await everySize("layers");
}

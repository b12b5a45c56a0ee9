// Lesson 24 to play with: what a stack of layers does to a vector on its way up, and to the gradient on its way down.
//
//   no residual   x = f(x)              residual      x = x + f(x)
//   norm last     x = norm(x + f(x))    norm first    x = x + f(norm(x))
//   f(x) = tanh(s W x)                  norm(x) = (x - mean) / sqrt(variance + 1e-5)
//
// x has D = 8 numbers. Each layer has one W, untrained: D x D numbers from a fixed seed, uniform, with the variance 1 / D. s is the
// scale of all of them. One f stands for attention and feed-forward network. The gradient is that of a loss r . x with a
// fixed r, computed backwards through every layer.
"use strict";
heed.play("layers", (root) => {
  const { slider, choice, goals, dot } = heed.parts;
  const D = 8, most = 24, eps = 1e-5, kinds = [["plain", "no residual"], ["residual", "residual"], ["last", "norm last"], ["first", "norm first"]];
  let kind = "plain", count = 12, scale = 1, draw = () => {}, mix = 24;
  const uniform = () => {  // mulberry32, from -1 to 1
    mix = (mix + 0x6d2b79f5) | 0;
    let t = Math.imul(mix ^ (mix >>> 15), mix | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return 2 * ((t ^ (t >>> 14)) >>> 0) / 2 ** 32 - 1;
  };
  const vector = (high) => Array.from({ length: D }, () => high * uniform());
  const W = Array.from({ length: most }, () => Array.from({ length: D }, () => vector(Math.sqrt(3 / D)))), start = vector(Math.sqrt(3)), r = vector(Math.sqrt(3));
  const size = (x) => Math.sqrt(dot(x, x) / D);  // root mean square

  const norm = (x) => {
    const mean = x.reduce((a, b) => a + b) / D, deviation = Math.sqrt(x.reduce((sum, e) => sum + (e - mean) ** 2, 0) / D + eps);
    return { y: x.map((e) => (e - mean) / deviation), deviation };
  };
  const norm_back = ({ y, deviation }, g) => {  // the mean and what points along y have no effect, so they get no gradient
    const mean = g.reduce((a, b) => a + b) / D, along = dot(g, y) / D;
    return g.map((e, i) => (e - mean - along * y[i]) / deviation);
  };
  const run = () => {
    const xs = [start], tape = [], gs = [r];
    for (let l = 0; l < count; ++l) {
      const x = xs[l], pre = kind === "first" ? norm(x) : null, f = W[l].map((w) => Math.tanh(scale * dot(w, pre ? pre.y : x)));
      const sum = kind === "plain" ? f : x.map((e, i) => e + f[i]), post = kind === "last" ? norm(sum) : null;
      tape.push({ pre, f, post });
      xs.push(post ? post.y : sum);
    }
    for (let l = count; l-- > 0;) {
      const { pre, f, post } = tape[l], g = post ? norm_back(post, gs[0]) : gs[0];
      const inner = g.map((e, i) => e * (1 - f[i] ** 2) * scale), through = start.map((_, j) => W[l].reduce((sum, w, i) => sum + w[j] * inner[i], 0));
      const branch = pre ? norm_back(pre, through) : through;
      gs.unshift(kind === "plain" ? branch : g.map((e, i) => e + branch[i]));
    }
    return { xs, gs, sizes: xs.map(size), gradients: gs.map((g) => size(g) / size(r)) };
  };

  const how = choice({ label: "layers", options: kinds, value: kind, onpick: (to) => { kind = to; draw(); } });
  const n = slider({ label: "number of layers", min: 2, max: most, step: 1, value: count, onmove: (to) => { count = to; draw(); } });
  const s = slider({ label: "scale s of the weights", min: 0.25, max: 2, step: 0.25, value: scale, text: (to) => heed.number(to),
    onmove: (to) => { scale = to; draw(); } });
  const sizes = heed.el("div", {}), gradients = heed.el("div", {}), told = heed.el("p", { class: "play-lead play-below", "aria-live": "polite" });
  const aims = goals(["Without a residual, change the weights until less than a thousandth of the gradient comes back to the words.",
    "With a residual alone, change the weights until x is more than four times as large at the end as at the start.",
    "With the norm last, lose more than three quarters of the gradient on the way, although x keeps its size.",
    "Stack 24 layers whose gradient comes back as large as it was at the end, or at most a quarter larger or smaller."]);
  root.append(heed.el("p", { class: "play-lead" }, "Layers that have learned nothing yet. What reaches the top, and what comes back?"),
    heed.el("div", {}, how.node), heed.el("div", { class: "controls" }, n.node, s.node),
    heed.el("div", { class: "play-grid" }, heed.el("div", {}, heed.el("p", { class: "caption" }, "size of x (root mean square) after each layer"), sizes),
      heed.el("div", {}, heed.el("p", { class: "caption" }, "gradient at each x, as a share of that at the end"), gradients)), told, aims.node);

  // Columns on a logarithmic scale, from a thousandth to a hundred; a line marks 1.
  const columns = (theme, values, label, colour, room) => {
    const low = -3, high = 2, tall = 150, left = 38, step = (room - left) / values.length,
      y = (value) => heed.px(8 + (high - Math.max(low, Math.min(high, Math.log10(value)))) / (high - low) * tall);
    const picture = heed.drawing(room, tall + 34, label);
    for (const tick of [0.001, 0.01, 0.1, 1, 10, 100]) picture.append(heed.svg("line",
      { x1: left, x2: room, y1: y(tick), y2: y(tick), stroke: tick === 1 ? theme.faint : theme.line }),
      heed.text(left - 5, y(tick) + 4, String(tick), { fill: theme.soft, "text-anchor": "end", "font-size": 11 }));
    values.forEach((value, l) => picture.append(heed.svg("rect", { x: heed.px(left + l * step + 1), width: heed.px(Math.max(2, step - 2)), y: y(value),
      height: heed.px(8 + tall - y(value)), fill: colour,
      "data-tip": `${l ? `after layer ${l}` : "the words"}: ${heed.number(value)}` })));
    picture.append(heed.text(left, tall + 26, "words", { fill: theme.soft }), heed.text(room, tall + 26, `layer ${values.length - 1}`,
      { fill: theme.soft, "text-anchor": "end" }));
    return picture;
  };
  draw = (theme = heed.theme()) => {
    const now = run(), end = now.sizes[count], first = now.gradients[0], room = Math.min(480, sizes.clientWidth || 320);
    sizes.replaceChildren(columns(theme, now.sizes, "size of x after each layer", theme.accent, room));
    gradients.replaceChildren(columns(theme, now.gradients, "gradient at each layer", theme.gold, room));
    told.textContent = `x: ${heed.number(now.sizes[0])} at the words, ${heed.number(end)} after layer ${count}. ` +
      `Gradient at the words: ${heed.number(first)} times that at the end.`;
    aims.check(0, kind === "plain" && first < 1e-3);
    aims.check(1, kind === "residual" && end > 4 * now.sizes[0]);
    aims.check(2, kind === "last" && first < 0.25);
    aims.check(3, count === most && Math.abs(first - 1) <= 0.25);
    root.playState = { kind, count, scale, ...now, W: W.slice(0, count), r, goals: [...aims.done] };
  };
  return draw;
});

// Lessons 14 and 17 to play with: four keys and a query in the plane, any score with any normaliser.
//
//   score       e_i of q and k_i: dot, scaled dot, cosine, general q W k, additive, squared distance
//   normaliser  weights w of e: softmax, sparsemax, 1.5-entmax, top-k, sigmoid, hard
//
// Sparsemax: Martins and Astudillo, ICML 2016. 1.5-entmax: Peters, Niculae and Martins, ACL 2019, w = max(e/2 - tau, 0)^2.
// The plane is coloured by the weights that a query at each place would get.
"use strict";
heed.play("score_normaliser", (root) => {
  const { plane, slider, choice, button, matrix, bars, softmax, dot, rgb, fixed } = heed.parts;
  const start = { q: [1.2, 1.6], keys: [[2.4, 1.2], [-1.4, 2.2], [-2.2, -1.4], [1.6, -2.2]], W: [[0, 1], [-1, 0]], beta: 4, k: 2 };
  const names = ["k₁", "k₂", "k₃", "k₄"];
  const given = { W: start.W.map((row) => [...row]), beta: start.beta, k: start.k };
  const length = (a) => Math.hypot(...a) + 1e-12;
  const scores = {
    dot: ["dot", "q · k", "Longer keys win: pull a key outwards along its direction and its score grows.", (q, k) => dot(q, k)],
    scaled: ["scaled dot", "q · k / √2", "The same order as the dot product, closer together: softmax is softer. √2 is the root of the width 2.",
      (q, k) => dot(q, k) / Math.SQRT2],
    cosine: ["cosine", "β q · k / (|q| |k|)", "Only the direction counts. Pull a key outwards: nothing changes. β decides how sharp the weights are.",
      (q, k) => given.beta * dot(q, k) / (length(q) * length(k))],
    general: ["general", "q W k", "W lets queries speak another language than keys. This W is a quarter turn: edit it.",
      (q, k) => q[0] * dot(given.W[0], k) + q[1] * dot(given.W[1], k)],
    additive: ["additive", "v · tanh(q + k), v = (1, 1)", "A small network. tanh is bounded, so no score leaves −2 to 2 and softmax never becomes hard.",
      (q, k) => Math.tanh(q[0] + k[0]) + Math.tanh(q[1] + k[1])],
    distance: ["distance", "−|q − k|² / 2", "The nearest key wins, wherever it is. With softmax this is the regression of Nadaraya and Watson.",
      (q, k) => -((q[0] - k[0]) ** 2 + (q[1] - k[1]) ** 2) / 2],
  };
  const sorted = (e) => [...e].sort((a, b) => b - a);
  const top = (e, k) => {  // ties are decided in favour of the first
    const order = e.map((_, i) => i).sort((a, b) => e[b] - e[a] || a - b);
    return e.map((x, i) => (order.indexOf(i) < k ? x : -Infinity));
  };
  const normalisers = {
    softmax: ["softmax", "exp(e) / sum", "Every key gets something. No weight is ever exactly 0.", softmax],
    sparsemax: ["sparsemax", "max(e − τ, 0)", "Keys more than 1 behind get exactly 0, often earlier. The regions with one colour are one-hot.", (e) => {
      let sum = 0, tau = 0;
      sorted(e).forEach((x, i) => { sum += x; if (1 + (i + 1) * x > sum) tau = (sum - 1) / (i + 1); });
      return e.map((x) => Math.max(x - tau, 0));
    }],
    entmax: ["entmax 1.5", "max(e/2 − τ, 0)²", "Between softmax and sparsemax: exact zeros, and smooth where they begin.", (e) => {
      const high = Math.max(...e), half = e.map((x) => (x - high) / 2), order = sorted(half);
      let tau = 0, sum = 0, squares = 0;
      for (let i = 0; i < order.length; ++i) {
        sum += order[i], squares += order[i] ** 2;
        const n = i + 1, inside = 1 / n - squares / n + (sum / n) ** 2;
        if (inside < 0) break;
        const found = sum / n - Math.sqrt(inside);
        if (found > order[i]) break;
        tau = found;
      }
      return half.map((x) => Math.max(x - tau, 0) ** 2);
    }],
    topk: ["top-k", "softmax of the k largest", "All but k scores become −∞ before the softmax. The weights jump where the order changes.",
      (e) => softmax(top(e, given.k))],
    sigmoid: ["sigmoid", "1 / (1 + exp(−e))", "Each key for itself: the weights need not sum to 1. Two keys do not compete.",
      (e) => e.map((x) => 1 / (1 + Math.exp(-x)))],
    hard: ["hard", "1 for the largest", "One key takes all. The weights never move a little, so no gradient passes.",
      (e) => top(e, 1).map((x) => (x > -Infinity ? 1 : 0))],
  };
  let score = "dot", normaliser = "softmax", field = null, draw = () => {};

  const colours = (theme) => [0, 5, 2, 3].map((i) => theme.series[i]);
  const key_points = names.map((name, i) => ({ name, x: start.keys[i][0], y: start.keys[i][1], colour: (theme) => colours(theme)[i] }));
  const query = { name: "query", x: start.q[0], y: start.q[1], lead: true, colour: (theme) => theme.gold };
  const look = (q) => {
    const e = key_points.map((key) => scores[score][3](q, [key.x, key.y]));
    return { scores: e, weights: normalisers[normaliser][3](e) };
  };
  const backdrop = (theme) => {
    const name = JSON.stringify([heed.themeName, score, normaliser, given, key_points.map((key) => [key.x, key.y])]);
    if (field && field.name === name) return field.url;
    const side = 48, canvas = heed.el("canvas", { width: side, height: side }), context = canvas.getContext("2d"), pixels = context.createImageData(side, side);
    const inks = colours(theme).map(rgb), paper = rgb(theme.card);
    for (let i = 0; i < side; ++i) {
      for (let j = 0; j < side; ++j) {
        const { weights } = look([(j + 0.5) / side * 8 - 4, 4 - (i + 0.5) / side * 8]), sum = Math.max(1, weights.reduce((a, b) => a + b, 0));
        pixels.data.set([...paper.map((back, c) => back + 0.55 * weights.reduce((all, w, s) => all + w / sum * (inks[s][c] - back), 0)), 255],
          4 * (i * side + j));
      }
    }
    context.putImageData(pixels, 0, 0);
    field = { name, url: canvas.toDataURL() };
    return field.url;
  };
  const under = (theme, at, size) => {
    const { weights } = look([query.x, query.y]), from = at(query.x, query.y), middle = at(0, 0);
    return [heed.svg("image", { href: backdrop(theme), width: size, height: size, preserveAspectRatio: "none" }),
      heed.svg("path", { d: `M0 ${middle[1]}H${size}M${middle[0]} 0V${size}`, stroke: theme.faint, "stroke-opacity": 0.45 }),
      heed.svg("rect", { width: size, height: size, fill: "none", stroke: theme.line }),
      ...key_points.map((key, i) => {  // a line as thick as the weight; a dashed one is exactly zero
        const [x, y] = at(key.x, key.y);
        return heed.svg("line", { x1: from[0], y1: from[1], x2: x, y2: y, stroke: weights[i] === 0 ? theme.faint : theme.ink, "stroke-width": weights[i] === 0
          ? 1 : 8 * weights[i],
          "stroke-dasharray": weights[i] === 0 ? "2 6" : null, "stroke-opacity": 0.65, "stroke-linecap": "round" });
      })];
  };
  const map = plane({ label: "Four keys and a query, coloured by the weights", range: [-4, 4], step: 0.1, under, onmove: () => draw(),
    points: [...key_points, query] });
  const scored = choice({ label: "score", options: Object.entries(scores).map(([id, [words]]) => [id, words]), value: score,
    onpick: (id) => { score = id; draw(); } });
  const normalised = choice({ label: "normaliser", options: Object.entries(normalisers).map(([id, [words]]) => [id, words]), value: normaliser,
    onpick: (id) => { normaliser = id; draw(); } });
  const weight = matrix({ name: "W", values: given.W, editable: true, onedit: (i, j, value) => { given.W[i][j] = value; draw(); } });
  const beta = slider({ label: "β", min: 0, max: 20, step: 0.5, value: given.beta, onmove: (to) => { given.beta = to; draw(); } });
  const kept = slider({ label: "k", min: 1, max: 4, step: 1, value: given.k, onmove: (to) => { given.k = to; draw(); } });
  const reset = button("Reset the points", () => {
    key_points.forEach((key, i) => { [key.x, key.y] = start.keys[i]; });
    [query.x, query.y] = start.q;
    draw();
  });
  const score_text = heed.el("p", { class: "play-note" }), normaliser_text = heed.el("p", { class: "play-note" });
  const score_bars = heed.el("div", {}), weight_bars = heed.el("div", {}), sum = heed.el("p", { class: "play-lead", "aria-live": "polite" });
  root.append(heed.el("p", { class: "play-lead" }, "Drag the query, or a key. The lines are as thick as the weights."),
    heed.el("div", { class: "play-grid" }, heed.el("div", {}, map.node, heed.el("div", { class: "controls play-below" }, reset)),
      heed.el("div", {}, scored.node, heed.el("div", { class: "controls" }, beta.node), weight.node, score_text, score_bars,
        normalised.node, heed.el("div", { class: "controls" }, kept.node), normaliser_text, weight_bars, sum)));

  draw = (theme = heed.theme()) => {
    map.paint(theme);
    const now = look([query.x, query.y]), room = Math.min(460, score_bars.clientWidth || 320), inks = colours(theme),
      total = now.weights.reduce((a, b) => a + b, 0);
    beta.node.parentNode.hidden = score !== "cosine";
    weight.node.hidden = score !== "general";
    kept.node.parentNode.hidden = normaliser !== "topk";
    for (const node of [beta.node.parentNode, weight.node, kept.node.parentNode]) node.style.display = node.hidden ? "none" : "";
    weight.paint();
    const printed = heed.rounded(now.weights, 3), reach = [1, 2, 5, 10, 20, 50, 100, 1e4].find((limit) => now.scores.every((e) => Math.abs(e) <= limit)) || 1e6;
    score_bars.replaceChildren(bars({ label: `scores ${scores[score][0]}`, theme, room, low: -reach, high: reach, left: 30,
      rows: now.scores.map((e, i) => ({ name: names[i], value: e, text: fixed(e, 3), colour: inks[i] })) }));
    weight_bars.replaceChildren(bars({ label: `weights ${normalisers[normaliser][0]}`, theme, room, high: 1, left: 30,
      rows: now.weights.map((w, i) => ({ name: names[i], value: w,
      text: w === 0 ? "exactly 0" : w < 0.0005 ? w.toExponential(0).replace("-", "−") : printed[i], colour: inks[i], hollow: w === 0, zero: w === 0 })) }));
    score_text.textContent = `${scores[score][1]}. ${scores[score][2]}`;
    normaliser_text.textContent = `${normalisers[normaliser][1]}. ${normalisers[normaliser][2]}`;
    const zeros = now.weights.filter((w) => w === 0).length;
    const counted = zeros === 0 ? "none is" : zeros === 1 ? "one is" : `${zeros} are`;
    sum.textContent = `The weights sum to ${fixed(total)}${Math.abs(total - 1) > 1e-9 ? ", not to 1" : ""}; ${counted} exactly 0.`;
    root.playState = { score, normaliser, query: [query.x, query.y], keys: key_points.map((key) => [key.x, key.y]), ...now, total, zeros, ...given };
  };
  return draw;
});

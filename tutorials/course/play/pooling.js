// Lesson 09 to play with: the outputs of five words become one vector, in six ways.
//
//   last a_n    sum    mean    weighted sum t a_t / sum t    max of each entry    attention sum w_t a_t, w = softmax(q . a_t)
//
// The outputs are two numbers each and made by hand, and so is the query. Padding adds outputs of zeros at the end. A pooling
// that knows the length leaves them out; one that does not is what the lesson's masks are there to prevent.
"use strict";
heed.play("pooling", (root) => {
  const { plane, slider, choice, toggle, goals, bars, softmax, dot, fixed } = heed.parts;
  const words = ["the", "old", "cat", "slept", "well"], outputs = [[0.5, -0.5], [-2, 1.5], [3, 2], [-1.5, -2.5], [2.5, -2.5]];
  const ways = ["last", "sum", "mean", "weighted", "max", "attention"];
  let way = "attention", padding = 0, counted = false, draw = () => {};

  const pooled = (name, pads = counted ? padding : 0) => {
    const a = [...outputs, ...Array.from({ length: pads }, () => [0, 0])], n = a.length, entries = [0, 1].map((k) => a.map((output) => output[k]));
    if (name === "max") return { vector: entries.map((entry) => Math.max(...entry)), weights: null };
    const position = a.map((_, t) => t + 1), sum = position.reduce((x, y) => x + y, 0);
    const weights = { last: a.map((_, t) => (t === n - 1 ? 1 : 0)), sum: a.map(() => 1), mean: a.map(() => 1 / n), weighted: position.map((t) => t / sum),
      attention: softmax(a.map((output) => dot([query.x, query.y], output))) }[name];
    return { vector: entries.map((entry) => dot(weights, entry)), weights };
  };
  const query = { name: "query", x: 0.5, y: 1, lead: true, colour: (theme) => theme.gold };
  const result = { name: "", x: 0, y: 0, fixed: true, colour: (theme) => theme.bad };
  const map = plane({ label: "Outputs of five words, the query and the pooled vector", range: [-4, 4], step: 0.5, snap: 0.05, onmove: () => draw(), most: 400,
    points: [...words.map((name, t) => ({ name, x: outputs[t][0], y: outputs[t][1], fixed: true, colour: (theme) => theme.series[0] })), result, query],
    under: (theme, at, size) => {
      const [x, y] = at(0, 0), { weights } = pooled(way), [rx, ry] = at(result.x, result.y);
      return [heed.svg("rect", { width: size, height: size, fill: theme.tint, rx: 3 }),
        heed.svg("path", { d: `M${x} 0V${size}M0 ${y}H${size}`, stroke: theme.faint, "stroke-opacity": 0.5 }),
        ...(weights || []).slice(0, 5).map((w, t) => heed.svg("line", { x1: rx, y1: ry, x2: at(...outputs[t])[0], y2: at(...outputs[t])[1],
        stroke: theme.series[0], "stroke-width": heed.px(Math.min(8, 8 * w)), "stroke-opacity": 0.6 })),
        way === "attention" ? heed.svg("line", { x1: x, y1: y, x2: at(query.x, query.y)[0], y2: at(query.x, query.y)[1], stroke: theme.gold,
        "stroke-width": 2.5 }) : ""];
    } });
  const how = choice({ label: "pooling", options: ways.map((name) => [name, name]), value: way, onpick: (to) => { way = to; draw(); } });
  const pads = slider({ label: "padding", min: 0, max: 8, step: 1, value: 0, onmove: (to) => { padding = to; draw(); } });
  const broken = toggle("Count the padding", (on) => { counted = on; draw(); });
  const chart = heed.el("div", {}), told = heed.el("p", { class: "play-lead", "aria-live": "polite" }), note = heed.el("p", { class: "play-note" });
  const aims = goals(["Drag the query until “old” gets more than 0.95 of the attention.", "Drag the query to where its attention is the mean.",
    "Let some padding count, and choose a pooling that it does not change.",
    "Let eight zeros count, and drag the query until they get less than 0.01 of the attention."]);
  root.append(heed.el("p", { class: "play-lead" }, "Five vectors become one, the red point. What is left of each word?"),
    heed.el("div", {}, how.node), heed.el("div", { class: "controls" }, pads.node, broken),
    heed.el("div", { class: "play-grid" }, heed.el("div", {}, map.node), heed.el("div", {}, chart, told, note, aims.node)));

  draw = (theme = heed.theme()) => {
    const now = pooled(way), clean = pooled(way, 0), moved = Math.hypot(...now.vector.map((x, k) => x - clean.vector[k]));
    [result.x, result.y] = now.vector;
    map.paint(theme);
    const lost = now.weights ? now.weights.slice(5).reduce((a, b) => a + b, 0) : 0, extra = counted && padding;
    chart.replaceChildren(heed.el("p", { class: "caption" }, now.weights ? "how much of each word is in the vector"
      : "the maximum takes each entry from another word; there are no weights"), ...(now.weights
      ? [bars({ label: "weights", high: 1, theme, room: Math.min(420, chart.clientWidth || 320),
      rows: [...words.map((name, t) => ({ name, value: now.weights[t], text: fixed(now.weights[t], 3), colour: theme.series[0] })),
      ...(extra ? [{ name: "padding", value: lost, text: fixed(lost, 3), colour: theme.bad }] : [])] })] : []));
    told.textContent = `${way}: (${now.vector.map((x) => fixed(x)).join(", ")})`;
    note.textContent = !padding ? "No padding: all poolings see the five words." : !counted ? `${padding} zeros at the end, left out by the length: nothing changes.`
      : moved < 1e-9 ? `${padding} zeros are counted, and this pooling does not notice.`
        : `${padding} zeros are counted: the vector has moved by ${fixed(moved)}, although no word has changed.`;
    aims.check(0, way === "attention" && now.weights[1] > 0.95);
    aims.check(1, way === "attention" && !extra && Math.hypot(query.x, query.y) < 1e-9);
    aims.check(2, extra > 0 && moved < 1e-9);
    aims.check(3, way === "attention" && extra === 8 && lost < 0.01);
    root.playState = { way, padding, counted, query: [query.x, query.y], ...now, outputs, lost, moved, goals: [...aims.done] };
  };
  return draw;
});

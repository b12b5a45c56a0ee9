// Lesson 00 to play with: two arrows and their dot product, then a weighted mean of three words. Both are all that
// attention does: it compares by dot products and mixes by weights.
//
//   dot product    a . b = a_1 b_1 + a_2 b_2 = |a| |b| cos(angle)
//   mean           m = sum_i w_i v_i      w_i = parts_i / sum_j parts_j
//
// The three words and their places are made by hand: to the right a word lives with people, upwards it is large.
"use strict";
heed.play("arrows", (root) => {
  const { plane, slider, goals, dot, fixed } = heed.parts;
  const words = ["cat", "horse", "wolf"], places = [[4, -2], [2, 4], [-4, 1]], parts = [1, 0, 1];
  let draw = () => {};
  const short = (x) => fixed(x, Number.isInteger(x) ? 0 : Number.isInteger(2 * x) ? 1 : 2), pair = (v) => `(${v.map(short).join(", ")})`;

  const grid = (theme, at, size) => {
    const lines = [];
    for (let i = -5; i <= 5; ++i) {
      const [x, y] = at(i, i);
      lines.push(heed.svg("path", { d: `M${x} 0V${size}M0 ${y}H${size}`, stroke: i ? theme.line : theme.faint, "stroke-opacity": i ? 0.7 : 0.8 }));
    }
    return lines;
  };
  const line = (at, from, to, colour, more = {}) => {
    const [x1, y1] = at(...from), [x2, y2] = at(...to);
    return heed.svg("line", { x1, y1, x2, y2, stroke: colour, "stroke-width": 3.5, ...more });
  };
  const blue = { name: "blue", x: 3, y: 1, colour: (theme) => theme.accent }, orange = { name: "orange", x: 1, y: 3, lead: true, colour: (theme) => theme.gold };
  const vector = (point) => [point.x, point.y], length = (v) => Math.hypot(...v);
  const shadow = () => {  // where a line from the tip of orange meets the line of blue at a right angle
    const b = vector(blue), share = dot(b, b) ? dot(b, vector(orange)) / dot(b, b) : 0;
    return b.map((x) => share * x);
  };
  const two = plane({ label: "Two arrows from the middle", range: [-5, 5], step: 1, snap: 0.5, points: [blue, orange], onmove: () => draw(), most: 360,
    under: (theme, at, size) => [...grid(theme, at, size),
      line(at, vector(orange), shadow(), theme.faint, { "stroke-width": 1.5, "stroke-dasharray": "4 4" }),
      line(at, [0, 0], shadow(), theme.gold, { "stroke-width": 9, "stroke-opacity": 0.35 }),
      line(at, [0, 0], vector(blue), theme.accent), line(at, [0, 0], vector(orange), theme.gold)] });
  const product = heed.el("p", { class: "play-lead play-below", "aria-live": "polite" }), meaning = heed.el("p", { class: "play-note" });

  const shares = () => { const sum = parts.reduce((a, b) => a + b, 0); return parts.map((part) => (sum ? part / sum : 0)); };
  const mean = () => [0, 1].map((axis) => dot(shares(), places.map((place) => place[axis])));
  const mixed = { name: "", x: 0, y: 0, fixed: true, colour: (theme) => theme.gold };
  const three = plane({ label: "Three words and their mean", range: [-5, 5], step: 1, onmove: () => {}, most: 360,
    points: [...words.map((name, i) => ({ name, x: places[i][0], y: places[i][1], fixed: true, colour: (theme) => theme.series[[0, 2, 3][i]] })), mixed],
    under: (theme, at, size) => [...grid(theme, at, size),
      heed.svg("polygon", { points: places.map((place) => at(...place).join(",")).join(" "), fill: theme.gold, "fill-opacity": 0.12 }),
      ...(parts.some((part) => part) ? shares().map((w, i) => line(at, [mixed.x, mixed.y], places[i], theme.series[[0, 2, 3][i]],
        { "stroke-width": heed.px(8 * w), "stroke-opacity": 0.6 })) : []),
      ...[[size - 6, at(0, 0)[1] - 6, "with people →", "end"], [at(0, 0)[0] + 6, 14, "↑ large", "start"]].map(([x, y, text, anchor]) =>
        heed.text(x, y, text, { fill: theme.soft, "font-size": 12, "text-anchor": anchor }))] });
  const sliders = words.map((name, i) => slider({ label: `parts of ${name}`, min: 0, max: 4, step: 1, value: parts[i],
    onmove: (to) => { parts[i] = to; draw(); } }));
  const sum = heed.el("p", { class: "play-lead play-below", "aria-live": "polite" }), told = heed.el("p", { class: "play-note" });
  const first = goals(["Make the number 0 with two arrows that both have a length.", "Make it −10 or less.", "Make it larger than 20."]);
  const second = goals(["Put the mean exactly on horse.", "Put it in the middle: as much of each word.",
    "Make a mean that is nearer to the wolf than to the others, with some of each word in it."]);
  root.append(heed.el("div", { class: "play-grid" },
    heed.el("div", {}, heed.el("p", { class: "play-lead" }, "1. Compare: drag the tips of the two arrows."), two.node, product, meaning, first.node),
    heed.el("div", {}, heed.el("p", { class: "play-lead" }, "2. Mix: how much of each word?"), three.node,
      heed.el("div", { class: "controls play-below" }, ...sliders.map((one) => one.node)), sum, told, second.node)));

  draw = (theme = heed.theme()) => {
    const a = vector(blue), b = vector(orange), number = dot(a, b), some = length(a) > 0 && length(b) > 0;
    const angle = some ? Math.round(Math.acos(Math.max(-1, Math.min(1, number / length(a) / length(b)))) * 180 / Math.PI) : 0;
    product.textContent = `dot product: ${short(a[0])} × ${short(b[0])} + ${short(a[1])} × ${short(b[1])} = ${short(number)}`;
    meaning.textContent = `Blue is ${pair(a)}: to the right, then up. Orange is ${pair(b)}. ` + (!some ? "An arrow without a length has no direction."
      : number === 0 ? "At a right angle the number is 0: neither arrow has a part along the other."
        : `The angle is ${angle}°: they point ${angle < 30 || angle > 150 ? "nearly" : "partly"} ${number > 0 ? "the same way" : "opposite ways"}, ` +
          `so the number is ${number > 0 ? "positive" : "negative"}. It is the length of blue times the shadow of orange on its line${number > 0 ? "" : ", which points backwards"}.`);
    const w = shares(), exact = [0, 1].every((k) => Number.isInteger(4 * mean()[k])), total = parts.reduce((x, y) => x + y, 0);
    [mixed.x, mixed.y] = mean();
    mixed.name = total ? "mean" : "";
    two.paint(theme);
    three.paint(theme);
    three.points[3].words.textContent = mixed.name;
    sum.textContent = total ? `mean: ${parts.map((part, i) => `${part}/${total} × ${pair(places[i])}`).join(" + ")} ` +
      `${exact ? "=" : "≈"} ${pair([mixed.x, mixed.y])}`
      : "Nothing to mix: all parts are 0.";
    told.textContent = total ? `The shares ${heed.rounded(w, 2).join(", ")} are the weights. They sum to 1, so the mean stays inside the triangle.` : "";
    const far = places.map((place) => Math.hypot(place[0] - mixed.x, place[1] - mixed.y));
    first.check(0, some && number === 0);
    first.check(1, number <= -10);
    first.check(2, number > 20);
    second.check(0, w[1] === 1);
    second.check(1, total > 0 && parts.every((part) => part === parts[0]));
    second.check(2, parts.every((part) => part > 0) && far[2] < far[0] && far[2] < far[1]);
    root.playState = { blue: a, orange: b, number, angle, weights: w, mean: total ? [mixed.x, mixed.y] : null, goals: [...first.done, ...second.done] };
  };
  return draw;
});

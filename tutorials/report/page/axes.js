// Axes that curves and bars share: scales, round ticks, grid lines and titles.
"use strict";

// At most about `count` round numbers (1, 2, 5 times a power of ten) that cover [low, high].
heed.ticks = (low, high, count) => {
  const rough = (high - low) / Math.max(count, 1), power = 10 ** Math.floor(Math.log10(rough)), part = rough / power;
  const step = (part > 5 ? 10 : part > 2 ? 5 : part > 1 ? 2 : 1) * power, ticks = [];
  for (let k = Math.ceil(low / step - 1e-9); k * step <= high + step * 1e-9; ++k) ticks.push(Number((k * step).toPrecision(12)));
  return ticks;
};
heed.logTicks = (low, high) => {
  const ticks = [], decades = Math.log10(high / low), every = Math.max(1, Math.ceil(decades / 7));
  for (let power = Math.floor(Math.log10(low)); power <= Math.ceil(Math.log10(high)); ++power) {
    if (power % every) continue;
    for (const part of decades < 2 ? [1, 2, 5] : [1]) {
      const value = part * 10 ** power;
      if (value >= low * 0.999 && value <= high * 1.001) ticks.push(value);
    }
  }
  return ticks.length > 1 ? ticks : heed.ticks(low, high, 4);
};

// { low, high, log, from, to, count }: place(value) in pixels and ticks.
heed.axis = (a) => {
  let { low, high } = a;
  if (!(low < high)) { const pad = low === 0 || !Number.isFinite(low) ? 1 : Math.abs(low) * 0.5; low = (Number.isFinite(low) ? low : 0) - (a.log ? 0 : pad); high = low + 2 * pad; }
  if (a.log && low <= 0) low = high / 1000;
  const share = a.log ? (value) => Math.log(value / low) / Math.log(high / low) : (value) => (value - low) / (high - low);
  return { low, high, place: (value) => a.from + share(value) * (a.to - a.from), ticks: a.log ? heed.logTicks(low, high) : heed.ticks(low, high, a.count) };
};

// A number of an axis: 10⁹ and 2·10⁻⁵, not 1.00e9.
heed.tickText = (value) => {
  const [mantissa, power] = heed.number(value).split("e");
  if (power === undefined) return mantissa;
  const raised = power.replace(/./g, (c) => (c === "-" ? "⁻" : "⁰¹²³⁴⁵⁶⁷⁸⁹"[c])), number = Number(mantissa);
  return `${number === 1 ? "" : number === -1 ? "−" : `${number}·`}10${raised}`;
};

heed.grid = (box, x, y, theme, titles) => {
  const group = heed.svg("g", { "font-size": 12, fill: theme.soft });
  for (const tick of y.ticks) {
    const at = heed.px(y.place(tick));
    group.append(heed.svg("line", { x1: box.left, x2: box.right, y1: at, y2: at, stroke: theme.line, "shape-rendering": "crispEdges" }));
    group.append(heed.text(box.left - 8, at + 4, heed.tickText(tick), { "text-anchor": "end" }));
  }
  let free = -Infinity;  // where the last number ended
  for (const tick of x ? x.ticks : []) {
    const at = heed.px(x.place(tick)), half = heed.width(heed.tickText(tick), 12) / 2;
    group.append(heed.svg("line", { x1: at, x2: at, y1: box.bottom, y2: box.bottom + 5, stroke: theme.faint, "shape-rendering": "crispEdges" }));
    if (at - half < free) continue;
    group.append(heed.text(at, box.bottom + 19, heed.tickText(tick), { "text-anchor": "middle" }));
    free = at + half + 6;
  }
  group.append(heed.svg("line", { x1: box.left, x2: box.right, y1: box.bottom, y2: box.bottom, stroke: theme.faint, "shape-rendering": "crispEdges" }));
  if (titles.x) group.append(heed.text(Math.max((box.left + box.right) / 2, heed.width(titles.x, 12) / 2 + 2), box.bottom + 40, titles.x, { "text-anchor": "middle" }));
  if (titles.y) group.append(heed.text(box.left - 8, box.top - 14, titles.y, { "text-anchor": "start", x: 0 }));
  return group;
};

// The shape of the points of series i, r their radius: a circle, a triangle, a square.
heed.marker = (i, r) => [`M${-r} 0a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0z`, `M0 ${-1.3 * r}L${1.3 * r} ${r}H${-1.3 * r}z`, `M${-r} ${-r}h${2 * r}v${2 * r}h${-2 * r}z`][i % 3];

// Buttons that show and hide named series; `visible` is an array of flags; solid: "square" or "marker" instead of a line.
heed.legend = (frame, names, visible, solid) => {
  const paint = () => buttons.forEach((button, i) => {
    button.setAttribute("aria-pressed", String(visible[i]));
    button.firstChild.replaceWith(heed.svg("svg", { width: solid ? 12 : 20, height: 12, "aria-hidden": "true" }, solid
      ? heed.svg("path", { d: solid === "marker" ? heed.marker(i, 4.6) : "M-6 -6h12v12h-12z", transform: "translate(6 6)", fill: heed.theme().series[i % 8] })
      : heed.svg("line", { x1: 0, x2: 20, y1: 6, y2: 6, stroke: heed.theme().series[i % 8], "stroke-width": 2.5, "stroke-dasharray": heed.dash(i) })));
  });
  const buttons = names.map((name, i) => heed.el("button", { type: "button", class: "series", title: "Show or hide", onclick: () => {
    visible[i] = !visible[i];
    frame.draw();
  } }, heed.svg("svg", {}), heed.el("span", {}, ...heed.words(name))));
  frame.controls.append(...buttons);
  return paint;
};
// The ninth line has the colour of the first and the dashes of the second, so 32 lines are all different.
heed.dash = (i) => [undefined, "7 3", "2 3", "9 3 2 3"][(i + Math.floor(i / 8)) % 4];

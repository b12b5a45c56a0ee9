// A matrix as a heat map with labels: the drawing that alignment, heads and plain matrices share.
// Value on hover, arrow keys move a cursor, exact zeros are hatched, outlines mark gold links, row sums stand at the right.
"use strict";

// A colour for a value: from 0 up along one ramp, or blue below zero and orange above where `low` is negative.
heed.scale = (theme, low, high) => (value) => {
  if (low >= 0) return heed.between(theme.ramp, high > low ? (value - low) / (high - low) : 0);
  const reach = Math.max(-low, high) || 1;
  return value < 0 ? heed.between(theme.cold, -value / reach) : heed.between(theme.warm, value / reach);
};

// Weights travel as 16-bit shares of their maximum in base64, or as plain numbers.
heed.unpack = (packed) => {
  if (packed.values) return packed.values;
  const bytes = atob(packed.base64), values = new Array(bytes.length / 2);
  for (let i = 0; i < values.length; ++i) values[i] = (bytes.charCodeAt(2 * i) + 256 * bytes.charCodeAt(2 * i + 1)) / 65535 * packed.scale;
  return values;
};

// { rows, columns: labels; values: row-major; low, high; theme; room; label; rowTitle, columnTitle; sums, hatch, hatched, numbers,
//   outline(i, j): "sure" | "possible" | undefined }
heed.matrix = (m) => {
  const { theme, values } = m, rows = m.rows.length, columns = m.columns.length, colour = heed.scale(theme, m.low, m.high);
  const widest = (labels, size) => Math.max(0, ...labels.map((label) => heed.width(label, size)));
  const names = Math.min(170, Math.max(90, m.room * 0.38));  // room for the names of the rows
  const left = Math.max(Math.min(widest(m.rows), names), m.rowTitle ? heed.width(`${m.rowTitle} ↓`, 12) : 0) + 12, sums = m.sums ? 52 : 0;
  const cell = Math.max(11, Math.min(m.numbers ? 52 : 32, Math.floor((m.room - left - sums - 40) / Math.max(columns, 1))));
  const size = cell >= 15 ? 13 : 11, numbers = m.numbers && cell >= 34;
  const every = cell < 16 && m.columns.every((label) => /^\d+$/.test(label)) ? 5 : 1;  // numbers, closer than they are high
  const flat = m.columns.every((label) => heed.width(label, size) < every * cell - 2);  // short labels need not lean
  const longest = Math.min(widest(m.columns, size), 150);
  const top = (m.columnTitle ? 22 : 0) + (flat ? 22 : longest * 0.78 + 16);
  const lean = flat ? 0 : Math.max(0, ...m.columns.map((label, j) => Math.min(heed.width(label, size), 150) * 0.64 - (columns - 1 - j) * cell));
  let legendTop = top + rows * cell + 22;
  const width = left + columns * cell + Math.max(sums, lean) + 8, height = legendTop + 34;
  const picture = heed.drawing(width, height, m.label), hatch = heed.id("hatch");
  picture.setAttribute("tabindex", "0");
  picture.append(heed.svg("defs", {}, heed.svg("pattern", { id: hatch, width: 5, height: 5, patternUnits: "userSpaceOnUse", patternTransform: "rotate(45)" },
    heed.svg("line", { x1: 0, y1: 0, x2: 0, y2: 5, stroke: theme.faint, "stroke-width": 1, opacity: 0.55 }))));

  const rowNames = m.rows.map((label, i) => heed.text(left - 10, top + (i + 0.5) * cell + 4.5, heed.shorten(label, names),
    { "text-anchor": "end", fill: theme.ink, "font-size": Math.min(13, cell) }));
  const columnNames = m.columns.map((label, j) => {
    const x = left + (j + 0.5) * cell, words = j % every ? "" : heed.shorten(label, 150, size);
    if (flat) return heed.text(x, top - 8, words, { "text-anchor": "middle", fill: theme.ink, "font-size": size });
    return heed.text(x + 3, top - 8, words, { fill: theme.ink, "font-size": size, transform: `rotate(-50 ${heed.px(x + 3)} ${heed.px(top - 8)})` });
  });
  picture.append(...rowNames, ...columnNames);
  if (m.columnTitle) picture.append(heed.text(left, 13, m.columnTitle + " →", { fill: theme.faint, "font-size": 12 }));
  if (m.rowTitle) picture.append(heed.text(left - 10, top - 8, m.rowTitle + " ↓", { fill: theme.faint, "font-size": 12, "text-anchor": "end" }));

  const cells = heed.svg("g", {}), marks = heed.svg("g", { "pointer-events": "none" });
  const describe = (i, j) => {
    const value = values[i * columns + j], mark = m.outline ? m.outline(i, j) : undefined;
    return `${m.rows[i]} ← ${m.columns[j]}\n${heed.number(value)}${mark ? ` · gold link, ${mark}` : ""}${m.sums ? ` · row sum ${rowSum(i).toFixed(3)}` : ""}`;
  };
  const rowSum = (i) => values.slice(i * columns, (i + 1) * columns).reduce((sum, value) => sum + (value || 0), 0);
  const gap = cell >= 18 ? 1 : 0.5;
  const whole = values.every((value) => Number.isInteger(value));  // counts: no decimals
  const shares = (row) => row.every((value) => value >= 0) && Math.abs(row.reduce((sum, value) => sum + value, 0) - 1) < 1e-3;
  const row = (i) => Array.from(values.slice(i * columns, (i + 1) * columns), (value) => (value === null ? NaN : value));
  const column = (j) => m.rows.map((_, i) => row(i)[j]);
  const upright = !m.rows.every((_, i) => shares(row(i))) && m.columns.every((_, j) => shares(column(j)));  // softmax of columns
  const together = (some) => (shares(some) ? heed.rounded(some, 2) : some.map((value) => value.toFixed(2)));
  const printed = upright ? m.columns.map((_, j) => together(column(j))) : m.rows.map((_, i) => together(row(i)));
  const fine = Math.max(Math.abs(m.low), Math.abs(m.high)) < 0.1;  // all are small: each with its own digits
  for (let i = 0; i < rows; ++i) {
    for (let j = 0; j < columns; ++j) {
      const value = values[i * columns + j], x = left + j * cell, y = top + i * cell, side = heed.px(cell - gap);
      const missing = value === null || Number.isNaN(value), paint = missing ? theme.tint : colour(value);
      const box = { x: heed.px(x), y: heed.px(y), width: side, height: side, rx: cell >= 18 ? 2 : 0 };
      cells.append(heed.svg("rect", { ...box, fill: paint, "data-tip": describe(i, j), "data-cell": `${i},${j}` }));
      if (m.hatch && value === 0) marks.append(heed.svg("rect", { ...box, fill: `url(#${hatch})` }));
      const mark = m.outline ? m.outline(i, j) : undefined;
      if (mark) {
        marks.append(heed.svg("rect", { x: heed.px(x + 1), y: heed.px(y + 1), width: heed.px(side - 2), height: heed.px(side - 2), rx: 2, fill: "none",
          stroke: theme.gold, "stroke-width": 2, "stroke-dasharray": mark === "possible" ? "3 2.5" : undefined }));
      }
      if ((numbers && !(m.hatched && value === 0)) || missing) {
        const words = missing ? "?" : !whole && Math.abs(value) < 10 && (Math.abs(value) >= 0.005 || (value !== 0 && !fine)) ? (upright ? printed[j][i] : printed[i][j]).replace(/^(-?)0\./, "$1.") : heed.number(value);
        marks.append(heed.text(x + cell / 2, y + cell / 2 + 4, words, { "text-anchor": "middle", "font-size": heed.width(words, 12) > cell - 4 ? 9 : 12,
          fill: heed.onto(paint) }));
      }
    }
    if (m.sums) marks.append(heed.text(left + columns * cell + 10, top + (i + 0.5) * cell + 4, rowSum(i).toFixed(2), { fill: theme.faint, "font-size": Math.min(12, cell) }));
  }
  if (m.sums && !(lean > 0 && !flat)) marks.append(heed.text(left + columns * cell + 10, top - 8, "sum", { fill: theme.faint, "font-size": 12 }));
  picture.append(cells, marks);

  // legend: the scale, then what hatching and outlines mean
  const gradient = heed.id("ramp"), stops = [];
  for (let k = 0; k <= 12; ++k) stops.push(heed.svg("stop", { offset: heed.px(k / 12), "stop-color": colour(m.low + (m.high - m.low) * k / 12) }));
  picture.querySelector("defs").append(heed.svg("linearGradient", { id: gradient }, ...stops));
  const legendLeft = left + 330 > m.room ? 0 : left;
  let x = legendLeft, right = 0;
  const words = (text) => { picture.append(heed.text(x, legendTop + 10, text, { fill: theme.soft, "font-size": 12 })); right = Math.max(right, x + heed.width(text, 12)); x += heed.width(text, 12) + 6; };
  words(heed.number(m.low));
  picture.append(heed.svg("rect", { x: heed.px(x), y: legendTop, width: 110, height: 12, rx: 2, fill: `url(#${gradient})`, stroke: theme.line }));
  x += 116;
  words(heed.number(m.high));
  const signs = "orange: above 0, blue: below";
  if (m.low < 0) {
    x += 6;
    if (x + heed.width(signs, 12) > Math.max(m.room, width)) { x = legendLeft; legendTop += 20; }
    words(signs);
  }
  const key = (attributes, text) => {
    x += 12;
    if (x + 18 + heed.width(text, 12) > Math.max(m.room, width)) { x = legendLeft; legendTop += 20; }
    picture.append(heed.svg("rect", { x: heed.px(x), y: legendTop, width: 12, height: 12, rx: 2, stroke: theme.line, ...attributes }));
    x += 18;
    words(text);
  };
  if (m.hatch && values.some((value) => value === 0)) key({ fill: `url(#${hatch})` }, m.hatched || "exactly zero");
  const kinds = new Set();
  if (m.outline) for (let i = 0; i < rows; ++i) for (let j = 0; j < columns; ++j) kinds.add(m.outline(i, j));
  if (kinds.has("sure")) key({ fill: "none", stroke: theme.gold, "stroke-width": 2 }, "gold link");
  if (kinds.has("possible")) key({ fill: "none", stroke: theme.gold, "stroke-width": 2, "stroke-dasharray": "3 2.5" }, "possible");
  const drawn = Math.ceil(Math.max(width, right + 4)), tall = Math.ceil(legendTop + 34);
  picture.setAttribute("width", drawn);
  picture.setAttribute("height", tall);
  picture.setAttribute("viewBox", `0 0 ${drawn} ${tall}`);

  // the cell under pointer or cursor: its labels turn bold
  let at = null;
  const choose = (i, j) => {
    if (at) { rowNames[at[0]].removeAttribute("font-weight"); columnNames[at[1]].removeAttribute("font-weight"); }
    at = i === null ? null : [i, j];
    if (at) { rowNames[i].setAttribute("font-weight", 700); columnNames[j].setAttribute("font-weight", 700); }
  };
  picture.addEventListener("pointermove", (event) => {
    const place = event.target.dataset && event.target.dataset.cell ? event.target.dataset.cell.split(",").map(Number) : null;
    choose(place ? place[0] : null, place ? place[1] : null);
  });
  picture.addEventListener("pointerleave", () => choose(null, null));
  const cursor = heed.svg("rect", { fill: "none", stroke: theme.accent, "stroke-width": 2, rx: 2, visibility: "hidden", width: cell, height: cell, "pointer-events": "none" });
  picture.append(cursor);
  picture.addEventListener("keydown", (event) => {
    const move = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] }[event.key];
    if (!move || rows === 0 || columns === 0) return;
    event.preventDefault();
    const i = at ? Math.max(0, Math.min(rows - 1, at[0] + move[0])) : 0, j = at ? Math.max(0, Math.min(columns - 1, at[1] + move[1])) : 0;
    choose(i, j);
    heed.fill(cursor, { x: heed.px(left + j * cell - gap / 2), y: heed.px(top + i * cell - gap / 2), visibility: "visible" }, []);
    const box = cells.children[i * columns + j].getBoundingClientRect();
    heed.tip(describe(i, j), box.right - 8, box.bottom - 12);
    heed.say(describe(i, j));
  });
  picture.addEventListener("blur", () => { cursor.setAttribute("visibility", "hidden"); choose(null, null); heed.tip(""); });
  return picture;
};

// The parts that pages which compute share: a slider, a choice, a line of goals, a plane with points that are dragged,
// a matrix with cells that are edited, bars. Each is built once and has paint(theme), which the page calls from its own.
//
//   const { slider, plane } = heed.parts;
//
// Every control works with the keyboard: arrows move a point by `step`, with Shift by a tenth of it.
"use strict";
heed.parts = {};

// A constructed style sheet: page.css describes the report, this one the pages that compute.
heed.parts.style = `
.play { display: block; font-size: 15px; }
.play p { margin: 0; }
.play-lead { font-size: 16px; font-weight: 600; margin: 0 0 10px !important; }
.play-below { margin-top: 10px !important; }
.play-grid { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 310px), 1fr)); gap: 18px 32px; align-items: start; }
.play-grid > * { min-width: 0; }
.play .controls { margin: 0 0 10px; }
.play .controls input[type=range] { width: 170px; flex: 1 1 90px; min-width: 90px; }
.play .controls label { flex-wrap: wrap; max-width: 100%; }
.play .controls label > span { white-space: nowrap; }
.play .controls output { min-width: 5ch; font-weight: 600; }
.play-choice { display: inline-flex; flex-wrap: wrap; gap: 4px; align-items: center; }
.play-choice { margin: 6px 0; }
.play-choice > span { margin-right: 4px; }
.play button[aria-pressed=true] { background: var(--accent); border-color: var(--accent); color: var(--card); }
.play button.main { background: var(--accent); border-color: var(--accent); color: var(--card); font-weight: 600; }
.play-goal { display: flex; gap: 9px; align-items: baseline; color: var(--soft); padding: 2px 0; }
.play-goal b { flex: none; display: inline-block; width: 18px; height: 18px; line-height: 16px; text-align: center; border: 1px solid var(--faint); border-radius: 50%; font-size: 12px; color: transparent; }
.play-goal.done { color: var(--good); font-weight: 600; }
.play-goal.done b { background: var(--good); border-color: var(--good); color: var(--card); }
.play-note { color: var(--soft); min-height: 3.1em; }
.play svg { display: block; max-width: 100%; overflow: visible; }
.play-point { cursor: grab; touch-action: none; outline: none; }
.play-point:active { cursor: grabbing; }
.play-point:focus-visible .ring { stroke-opacity: 1; }
.play-row { cursor: pointer; outline: none; }
.play-row:focus-visible .ring { stroke: var(--accent); stroke-width: 2.5; }
.play-matrix { display: inline-block; vertical-align: top; margin: 0 14px 10px 0; }
.play-matrix > span { display: block; font-size: 13px; color: var(--soft); margin: 0 0 2px; }
.play .play-matrix table { min-width: 0; border-collapse: separate; border-spacing: 2px; font-size: 13.5px; }
.play .play-matrix th { min-width: 0; padding: 0 6px 0 0; border: 0; font-weight: 400; font-size: 12.5px; }
.play .play-matrix td { min-width: 0; padding: 0; border: 0 !important; }
.play-matrix .cell { display: block; box-sizing: border-box; width: 52px; height: 29px; line-height: 27px; text-align: center; border: 1px solid transparent;
  border-radius: 4px; background: var(--tint); color: var(--ink); font: inherit; line-height: 27px; padding: 0; }
.play-matrix input.cell { background: var(--card); border-color: var(--line); border-bottom-color: var(--faint); cursor: text; }
.play-matrix .lit .cell { background: color-mix(in srgb, var(--gold) 26%, var(--card)); }
.play-matrix .target .cell { border: 2px solid var(--gold); line-height: 25px; font-weight: 650; }
.play-matrix .veiled .cell { color: transparent; background: var(--tint); }
.play-matrix button.cell { cursor: pointer; }
.play-matrix input.wrong { border-color: var(--bad); color: var(--bad); }
.play-stage { min-height: 250px; margin: 12px 0 16px; padding: 14px 0 4px; border-top: 1px solid var(--line); border-bottom: 1px solid var(--line); }
.play-stage > p { margin-bottom: 8px; }
.play-steps button { min-width: 38px; }
.play-product { display: flex; flex-wrap: wrap; align-items: center; gap: 0 4px; }
.play-product > b { font-size: 20px; font-weight: 400; color: var(--soft); margin: 14px 12px 0 0; }
.play-drawing { margin: 14px 0 6px; overflow-x: auto; }
.play-figures { display: flex; flex-wrap: wrap; gap: 10px 28px; margin: 10px 0; }
.play-figures > div > span { display: block; font-size: 13px; color: var(--soft); }
.play-figures > div > b { font-size: 22px; font-weight: 620; }
.play-figures > .changed > b { color: var(--goldInk); }
.play-narrow .play-matrix { display: block; }
@media (max-width: 640px) { .play-narrow .play-matrix .cell { width: 36px; font-size: 12px; } }
.play-wide { flex: 1; }
.play-source, .play-number { font: 16px ui-monospace, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace; color: var(--ink); background: var(--card);
  border: 1px solid var(--faint); border-radius: 6px; padding: 7px 10px; min-width: 0; }
.play-source { flex: 1; width: 100%; max-width: 460px; }
.play-number { width: 92px; padding: 4px 8px; }
.play-error { color: var(--bad); }
.play-error:empty { display: none; }
.play-story { display: flex; flex-wrap: wrap; gap: 2px 28px; margin: 0 0 10px; padding: 0; list-style-position: inside; }
.play .play-story li { margin: 0; }
.play-sum { font: 14px/1.5 ui-monospace, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace; overflow-wrap: anywhere; }
`;
{
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(heed.parts.style);
  document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
}

heed.parts.fixed = (value, digits = 2) => {  // never "-0.00"
  const text = value.toFixed(digits);
  return Number(text) === 0 ? (0).toFixed(digits) : text.replace("-", "−");
};
heed.parts.softmax = (scores) => {  // -Infinity is a masked score; a row without any other is all zeros
  const top = Math.max(...scores);
  if (top === -Infinity) return scores.map(() => 0);
  const parts = scores.map((e) => Math.exp(e - top)), sum = parts.reduce((a, b) => a + b, 0);
  return parts.map((e) => e / sum);
};
// The sign between a sum that is written out and its value: "≈" where what is written gives another last digit.
heed.parts.sign = (written, value, digits) => (heed.parts.fixed(written, digits) === heed.parts.fixed(value, digits) ? "=" : "≈");
heed.parts.dot = (a, b) => a.reduce((sum, x, i) => sum + x * b[i], 0);
heed.parts.matmul = (a, b) => a.map((row) => b[0].map((_, j) => row.reduce((sum, x, k) => sum + x * b[k][j], 0)));
heed.parts.transposed = (a) => a[0].map((_, j) => a.map((row) => row[j]));
heed.parts.joined = (pieces, [a, b]) => {  // a merge of byte-pair encoding, from the left
  const out = [];
  for (let i = 0; i < pieces.length; ++i) {
    const both = pieces[i] === a && pieces[i + 1] === b;
    out.push(both ? a + b : pieces[i]);
    if (both) ++i;
  }
  return out;
};
heed.parts.rgb = (hex) => [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16));
heed.parts.blend = (stops, share) => {  // a colour along the stops as [r, g, b], share in [0, 1]
  const place = Math.max(0, Math.min(1, share)) * (stops.length - 1), left = Math.min(Math.floor(place), stops.length - 2);
  const a = heed.parts.rgb(stops[left]), b = heed.parts.rgb(stops[left + 1]);
  return a.map((value, i) => Math.round(value + (b[i] - value) * (place - left)));
};

// { label, min, max, step, value, text(value), onmove(value) }
heed.parts.slider = ({ label, min, max, step, value, text = String, onmove }) => {
  const input = heed.el("input", { type: "range", min, max, step, value, "aria-label": label });
  const output = heed.el("output", {});
  const part = { node: heed.el("label", {}, heed.el("span", {}, label), input, output), input, value };
  const show = () => { output.textContent = text(part.value); input.setAttribute("aria-valuetext", text(part.value)); };
  part.set = (to) => { part.value = to; input.value = to; show(); };
  input.addEventListener("input", () => { part.value = Number(input.value); show(); onmove(part.value); });
  show();
  return part;
};

// One of several, as buttons in a row. { label, options: [[value, words]], value, onpick(value) }
heed.parts.choice = ({ label, options, value, onpick }) => {
  const part = { node: heed.el("span", { class: "play-choice", role: "group", "aria-label": label }, heed.el("span", {}, label)), value };
  const buttons = options.map(([option, words]) => heed.el("button", { type: "button", onclick: () => { part.set(option); onpick(option); } }, words));
  part.set = (to) => { part.value = to; buttons.forEach((button, i) => button.setAttribute("aria-pressed", String(options[i][0] === to))); };
  part.node.append(...buttons);
  part.set(value);
  return part;
};

heed.parts.button = (words, onclick, kind) => heed.el("button", { type: "button", class: kind, onclick }, words);
heed.parts.toggle = (words, onflip) => {
  const button = heed.el("button", { type: "button", "aria-pressed": "false" }, words);
  button.addEventListener("click", () => {
    const on = button.getAttribute("aria-pressed") !== "true";
    button.setAttribute("aria-pressed", String(on));
    onflip(on);
  });
  return button;
};

// Goals that stay reached: check(i, reached) after each change; the first time is said aloud.
heed.parts.goals = (words) => {
  const lines = words.map((text) => heed.el("div", { class: "play-goal" }, heed.el("b", { "aria-hidden": "true" }, "✓"), heed.el("span", {}, text)));
  const part = { node: heed.el("div", { role: "list" }, ...lines), done: words.map(() => false) };
  lines.forEach((line) => line.setAttribute("role", "listitem"));
  part.check = (i, reached) => {
    if (!reached || part.done[i]) return;
    part.done[i] = true;
    lines[i].classList.add("done");
    heed.say(`Done: ${words[i]}`);
  };
  return part;
};

// A square of the plane. { label, range: [low, high], step, snap: points move on this grid, points: [{ name, x, y, fixed, lead, colour(theme), says(point) }],
//   a click beside all points moves the one with `lead`;
//   under(theme, at, size): drawn below the points, where at(x, y) -> [px, py]; onmove(point); most: widest in px }
heed.parts.plane = ({ label, range, step, snap = 0, points, under, onmove, most = 400 }) => {
  const [low, high] = range, node = heed.el("div", {}), picture = heed.drawing(most, most, label), below = heed.svg("g", {});
  picture.setAttribute("role", "group");
  picture.append(below);
  node.append(picture);
  let size = most;
  const at = (x, y) => [heed.px((x - low) / (high - low) * size), heed.px((high - y) / (high - low) * size)];
  const place = (point, x, y) => {
    [point.x, point.y] = [x, y].map((value) => Math.max(low, Math.min(high, snap ? Math.round(value / snap) * snap : value)));
    onmove(point);
  };
  const under_pointer = (event) => {
    const box = picture.getBoundingClientRect();
    return [low + (event.clientX - box.left) / box.width * (high - low), high - (event.clientY - box.top) / box.height * (high - low)];
  };
  const moved = points.filter((point) => !point.fixed);
  for (const point of points) {
    const ring = heed.svg("circle", { class: "ring", r: 15, fill: "none", "stroke-width": 2, "stroke-opacity": point.fixed ? 0 : 0.35 });
    point.dot = heed.svg("circle", { r: point.fixed ? 6 : 9 });
    point.words = heed.svg("text", { "font-weight": 600, "paint-order": "stroke", "stroke-width": 3.5, "stroke-linejoin": "round" }, point.name);
    point.group = heed.svg("g", point.fixed ? {} : { class: "play-point", tabindex: 0, role: "slider", "aria-label": point.name,
      "aria-roledescription": "point to drag", "data-point": point.name, "aria-valuemin": low, "aria-valuemax": high },
      heed.svg("circle", { r: 24, fill: "transparent" }), ring, point.dot, point.words);
    point.ring = ring;
    picture.append(point.group);
    if (point.fixed) { point.group.setAttribute("pointer-events", "none"); continue; }
    point.group.addEventListener("keydown", (event) => {
      const by = event.shiftKey ? Math.max(step / 10, snap) : step, way = { ArrowLeft: [-by, 0], ArrowRight: [by, 0], ArrowUp: [0, by], ArrowDown: [0, -by] }[event.key];
      if (!way) return;
      event.preventDefault();
      place(point, Math.round((point.x + way[0]) * 1e9) / 1e9, Math.round((point.y + way[1]) * 1e9) / 1e9);
    });
  }
  let held = null, lead = null, off = [0, 0];
  picture.addEventListener("pointerdown", (event) => {
    const [x, y] = under_pointer(event);
    held = moved.find((point) => point.group.contains(event.target));
    if (held) off = [held.x - x, held.y - y];
    else if (event.pointerType === "mouse" && (lead = moved.find((point) => point.lead) || (moved.length === 1 && moved[0]))) {
      held = lead, off = [0, 0];
      place(held, x, y);
    }
    if (!held) return;
    picture.setPointerCapture(event.pointerId);
    held.group.focus({ preventScroll: true });
    event.preventDefault();
  });
  picture.addEventListener("pointermove", (event) => {
    if (!held) return;
    const [x, y] = under_pointer(event);
    place(held, x + off[0], y + off[1]);
  });
  for (const end of ["pointerup", "pointercancel"]) picture.addEventListener(end, () => { held = null; });
  const paint = (theme) => {
    size = Math.min(most, node.clientWidth || most);
    heed.fill(picture, { width: size, height: size, viewBox: `0 0 ${size} ${size}` }, []);
    below.replaceChildren(...under(theme, at, size));
    for (const point of points) {
      const [x, y] = at(point.x, point.y), colour = point.colour(theme), right = point.fixed || x + heed.width(point.name, 13, 600) + 22 < size;
      point.group.setAttribute("transform", `translate(${x} ${y})`);
      point.ring.setAttribute("stroke", colour);
      heed.fill(point.dot, { fill: colour, stroke: theme.card, "stroke-width": 2 }, []);
      heed.fill(point.words, { fill: theme.ink, stroke: theme.card, x: point.fixed ? 0 : right ? 14 : -14, y: point.fixed ? (y < size * 0.8 ? 22 : -12)
        : y < 24 ? 20 : -9,
        "text-anchor": point.fixed ? "middle" : right ? "start" : "end" }, []);
      if (!point.fixed) heed.fill(point.group, { "aria-valuenow": heed.number(point.x), "aria-valuetext": point.says ? point.says(point)
        : `${heed.number(point.x)}, ${heed.number(point.y)}` }, []);
    }
  };
  return { node, paint, points };
};

// { name, values: rows of numbers, rows, columns: labels, digits, editable, onedit(i, j, value), onpick(i, j) }: a matrix as
// a table. marks(i, j) gives the classes of a cell: "lit" (a factor), "target" (the cell computed), "veiled" (not yet).
heed.parts.matrix = ({ name, values, rows = [], columns = [], digits = 3, editable, onedit, onpick, row_picks = false }) => {
  let whole = false;  // are all numbers whole? Then no digits after the point
  const text = (value) => (!Number.isFinite(value) ? (value < 0 ? "−∞" : String(value))
    : whole || (editable && Number.isInteger(value)) ? heed.parts.fixed(value, 0) : heed.parts.fixed(value, digits));
  const cells = values.map((row, i) => row.map((value, j) => {
    const where = `${name}, row ${rows[i] || i + 1}, column ${columns[j] || j + 1}`;
    const cell = editable ? heed.el("input", { class: "cell", type: "text", inputmode: "decimal", "aria-label": where })
      : onpick ? heed.el("button", { class: "cell", type: "button", "aria-label": where, tabindex: row_picks && j ? -1 : 0 })
        : heed.el("span", { class: "cell" });
    if (editable) {
      cell.addEventListener("focus", () => cell.select());
      cell.addEventListener("input", () => {
        const number = Number(cell.value.replace("−", "-").replace(",", "."));
        const right = cell.value.trim() !== "" && Number.isFinite(number) && Math.abs(number) <= 1000;
        cell.classList.toggle("wrong", !right);
        cell.setAttribute("aria-invalid", String(!right));
        if (right) onedit(i, j, number);
      });
      cell.addEventListener("blur", () => { cell.classList.remove("wrong"); cell.removeAttribute("aria-invalid"); part.paint(); });
    } else if (onpick) {
      cell.addEventListener("click", () => onpick(i, j));
      cell.addEventListener("pointerenter", (event) => { if (event.pointerType === "mouse" && !row_picks) onpick(i, j); });
      cell.addEventListener("focus", () => { if (!row_picks) onpick(i, j); });
    }
    return cell;
  }));
  if (onpick) cells.forEach((row, i) => row.forEach((cell, j) => cell.addEventListener("keydown", (event) => {
    const way = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] }[event.key];
    const to = way && cells[i + way[0]] && cells[i + way[0]][j + way[1]];
    if (!to) return;
    event.preventDefault();
    to.focus();
  })));
  const head = columns.length ? heed.el("tr", {}, rows.length ? heed.el("th", {}) : null, ...columns.map((label) => heed.el("th", { scope: "col" },
    label))) : null;
  const body = cells.map((row, i) => heed.el("tr", {}, rows.length ? heed.el("th", { scope: "row" }, rows[i]) : null,
    ...row.map((cell) => heed.el("td", {}, cell))));
  const node = heed.el("div", { class: "play-matrix" }, heed.el("span", {}, name), heed.el("table", { "aria-label": name }, head, ...body));
  const part = { node, cells };
  part.paint = (marks = () => "", now = values) => {
    values = now;
    whole = now.flat().every((value) => !Number.isFinite(value) || Number.isInteger(value));
    cells.forEach((row, i) => row.forEach((cell, j) => {
      cell.parentNode.className = marks(i, j);
      if (!editable) cell.textContent = text(now[i][j]);
      else if (cell !== document.activeElement) cell.value = text(now[i][j]);
    }));
  };
  return part;
};

// Bars to the right of zero (and to the left where low < 0), one per row: [{ name, value, text, colour, hollow }]
// A row with `zero` is hatched: its value is exactly 0, not a small number that was rounded.
heed.parts.bars = ({ label, rows, low = 0, high, room, theme, left }) => {
  const names = left || Math.max(...rows.map((row) => heed.width(row.name, 13))) + 12,
    numbers = Math.max(...rows.map((row) => heed.width(row.text, 13, 600))) + 8;
  const span = Math.max(40, room - names - numbers), height = 26, scale = (value) => (Math.max(low, Math.min(high, value)) - low) / (high - low) * span;
  const picture = heed.drawing(names + span + numbers, rows.length * height + 4, label), zero = names + scale(0);
  const hatch = heed.id("play-hatch");
  if (rows.some((row) => row.zero)) picture.append(heed.svg("defs", {}, heed.svg("pattern", { id: hatch, width: 6, height: 6, patternUnits: "userSpaceOnUse",
    patternTransform: "rotate(45)" },
    heed.svg("line", { x1: 0, y1: 0, x2: 0, y2: 6, stroke: theme.faint, "stroke-width": 1.4, opacity: 0.55 }))));
  rows.forEach((row, i) => {
    const y = i * height + 3, end = names + scale(row.value);
    picture.append(heed.text(0, y + 14.5, row.name, { fill: theme.ink }),
      heed.svg("rect", { x: names, y, width: heed.px(span), height: 20, rx: 3, fill: theme.tint }),
      heed.svg("rect", { x: heed.px(Math.min(zero, end)), y, width: heed.px(Math.abs(end - zero)), height: 20, rx: 3, fill: row.colour }),
      row.zero ? heed.svg("rect", { x: names, y, width: heed.px(span), height: 20, rx: 3, fill: `url(#${hatch})` }) : "",
      heed.text(names + span + 8, y + 14.5, row.text, { fill: row.hollow ? theme.faint : theme.ink, "font-weight": 600 }));
  });
  if (low < 0) picture.append(heed.svg("line", { x1: heed.px(zero), x2: heed.px(zero), y1: 0, y2: rows.length * height, stroke: theme.faint }));
  return picture;
};

// Points in the plane by class, each class with a shape and a colour of its own; behind them a field in [0, 1] of what a
// model says at each place, blue towards the first class, orange towards the second, the boundary at 1/2 drawn as a line;
// a field that is not of classes (a loss) is grey, so that the colours are those of the points alone.
// A field that was watched while its model learned has a slider through its snapshots. Points may carry names; each
// goes where it covers least of what stands there already, with a line to its point where that is not beside it.
"use strict";

heed.panel("scatter", (panel, frame) => {
  const visible = panel.points.map(() => true);
  const legend = heed.legend(frame, panel.points.map((one) => one.name), visible, "marker");
  const fields = panel.fields.map((one) => ({ ...one, values: heed.unpack(one.values) }));
  let now = fields.length - 1;
  if (fields.length > 1) {
    const shown = heed.el("output", {}, fields[now].label);
    const slider = heed.el("input", { type: "range", min: 0, max: now, step: 1, value: now, "aria-label": "Training time", "aria-valuetext": fields[now].label });
    slider.value = now;
    slider.addEventListener("input", () => {
      now = Number(slider.value);
      shown.textContent = fields[now].label;
      slider.setAttribute("aria-valuetext", fields[now].label);
      frame.draw();
    });
    frame.controls.append(heed.el("label", {}, "Training time", slider, shown));
  }

  frame.figure((theme) => {
    legend();
    const size = Math.min(frame.room() - 70, 520), box = { left: 56, right: 56 + size, top: panel.y_label ? 30 : 12 };
    const tall = (size * (panel.y_high - panel.y_low)) / (panel.x_high - panel.x_low);  // one unit is as long on both axes
    box.bottom = box.top + tall;
    const x = heed.axis({ low: panel.x_low, high: panel.x_high, from: box.left, to: box.right, count: 6 });
    const y = heed.axis({ low: panel.y_low, high: panel.y_high, from: box.bottom, to: box.top, count: 6 });
    const state = fields.length ? `, ${fields[now].label}` : "";
    const picture = heed.drawing(box.right + 14, box.bottom + (panel.x_label ? 48 : 28), `${panel.title}: points of ${panel.points.map((one) => one.name).join(", ")}${state}`);
    if (fields.length) {
      const { rows, columns, values } = fields[now], wide = size / columns, high = tall / rows, steps = 16;
      const level = (i, j) => Math.round(values[i * columns + j] * steps);
      const colour = (l) => (!panel.of_classes ? heed.between([theme.card, theme.faint], (0.6 * l) / steps) : 2 * l < steps ? heed.between(theme.cold.slice(0, 2), 1 - (2 * l) / steps) : heed.between(theme.warm.slice(0, 2), (2 * l) / steps - 1));
      const cells = heed.svg("g", { "shape-rendering": "crispEdges" });
      let border = "";
      for (let i = 0; i < rows; ++i) {
        const top = box.top + i * high;
        for (let j = 0, end = 0; j < columns; j = end) {  // a run of one colour is one rectangle
          for (end = j + 1; end < columns && level(i, end) === level(i, j); ++end);
          cells.append(heed.svg("rect", { x: heed.px(box.left + j * wide), y: heed.px(top), width: heed.px((end - j) * wide), height: heed.px(high), fill: colour(level(i, j)),
            "data-tip": `${panel.field_name}  ${heed.number(level(i, j) / steps)}` }));
        }
        // the border between four centres: where the value, thought of as linear between two of them, is 1/2
        for (let j = 0; i + 1 < rows && j + 1 < columns; ++j) {
          const at = (di, dj) => values[(i + di) * columns + j + dj] - 0.5, cuts = [];
          for (const [ai, aj, bi, bj] of [[0, 0, 0, 1], [0, 1, 1, 1], [1, 0, 1, 1], [0, 0, 1, 0]]) {
            const a = at(ai, aj), b = at(bi, bj);
            if (a > 0 === b > 0) continue;
            const share = a / (a - b);
            cuts.push(`${heed.px(box.left + (j + 0.5 + aj + share * (bj - aj)) * wide)} ${heed.px(top + (0.5 + ai + share * (bi - ai)) * high)}`);
          }
          for (let k = 0; k + 1 < cuts.length; k += 2) border += `M${cuts[k]}L${cuts[k + 1]}`;
        }
      }
      picture.append(cells);
      if (border) picture.append(heed.svg("path", { d: border, fill: "none", stroke: theme.ink, "stroke-width": 1.4, "pointer-events": "none" }));
    }
    picture.append(heed.grid({ ...box, left: box.left, right: box.right }, x, { ...y, ticks: [] }, theme, { x: panel.x_label, y: panel.y_label }));
    const ticks = heed.svg("g", { "font-size": 12, fill: theme.soft });
    for (const tick of y.ticks) ticks.append(heed.text(box.left - 8, y.place(tick) + 4, heed.number(tick), { "text-anchor": "end" }));
    picture.append(ticks);
    const many = panel.points.reduce((sum, one) => sum + one.x.length, 0) > 200, r = many ? 2.4 : 4.2;
    panel.points.forEach((one, index) => visible[index] && one.x.forEach((at, k) => picture.append(heed.svg("path", {
      d: heed.marker(index, r), transform: `translate(${heed.px(x.place(at))} ${heed.px(y.place(one.y[k]))})`, fill: theme.series[index % 8], stroke: theme.card, "stroke-width": 0.8,
      "data-tip": `${one.labels ? `${one.labels[k]}\n` : ""}${one.name}\n${heed.number(at)}, ${heed.number(one.y[k])}` }))));
    const taken = panel.points.flatMap((one, index) => visible[index] ? one.x.map((at, k) => {
      const cx = x.place(at), cy = y.place(one.y[k]);
      return { left: cx - r, right: cx + r, top: cy - r, bottom: cy + r };
    }) : []);
    const overlap = (a, b) => Math.max(0, Math.min(a.right, b.right) - Math.max(a.left, b.left)) * Math.max(0, Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top));
    panel.points.forEach((one, index) => visible[index] && (one.labels || []).forEach((label, k) => {
      const cx = x.place(one.x[k]), cy = y.place(one.y[k]), wide = 6.3 * label.length, high = 12, spots = [];
      for (let ring = 0; ring < 9; ++ring) {
        for (let turn = 0; turn < 16; ++turn) {
          const a = (turn * Math.PI) / 8, far = r + 3 + 9 * ring;  // to the nearest point of the label's box
          const left = cx + far * Math.cos(a) + (wide / 2) * (Math.cos(a) - 1), top = cy + far * Math.sin(a) + (high / 2) * (Math.sin(a) - 1);
          const spot = { left, top, right: left + wide, bottom: top + high, far: ring, turn };
          const outside = left < box.left || spot.right > box.right + 12 || top < box.top || spot.bottom > box.bottom ? wide * high : 0;
          spots.push({ ...spot, cost: 6 * ring + (turn ? 1 : 0) + outside + taken.reduce((sum, other) => sum + overlap(spot, other), 0) });
        }
      }
      const best = spots.reduce((a, b) => (b.cost < a.cost ? b : a));
      taken.push(best);
      const end = [Math.max(best.left, Math.min(cx, best.right)), Math.max(best.top + 1, Math.min(cy, best.bottom - 1))];
      if (best.far > 1) picture.append(heed.svg("path", { d: `M${heed.px(cx)} ${heed.px(cy)}L${heed.px(end[0])} ${heed.px(end[1])}`, stroke: theme.series[index % 8], "stroke-width": 0.7, fill: "none", "pointer-events": "none" }));
      picture.append(heed.text(best.left, best.bottom - 2.5, label, { "font-size": 11, fill: theme.ink, "pointer-events": "none" }));
    }));
    return picture;
  });
  frame.csv(() => [["class", panel.x_label || "x", panel.y_label || "y", ...(panel.points.some((one) => one.labels) ? ["label"] : [])],
    ...panel.points.flatMap((one) => one.x.map((at, k) => [one.name, at, one.y[k], ...(one.labels ? [one.labels[k]] : [])]))]);
});

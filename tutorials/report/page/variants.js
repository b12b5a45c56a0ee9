// Several models on one sentence: their weights side by side, a slider through the training, and the difference of two
// of them, orange where the first has more weight and blue where the second has. Of more than three, two are chosen.
"use strict";

heed.panel("variants", (panel, frame) => {
  if (panel.variants.length > 3) return heed.anyTwo(panel, frame);
  const n = panel.variants.length, last = panel.labels.length - 1, state = { step: last, pair: 0 }, pairs = [];
  for (let a = 0; a < n; ++a) for (let b = a + 1; b < n; ++b) pairs.push([a, b]);
  const values = (i) => heed.unpack(panel.variants[i].snapshots[state.step]);
  const minus = ([a, b]) => { const y = values(b); return Array.from(values(a), (x, k) => x - y[k]); };
  const pairName = ([a, b]) => `${panel.variants[a].name} − ${panel.variants[b].name}`;

  const slider = heed.el("input", { type: "range", min: 0, max: last, step: 1, value: last, "aria-label": "Training time" }), shown = heed.el("output", {});
  const refresh = () => {
    slider.value = state.step;
    shown.textContent = panel.labels[state.step];
    slider.setAttribute("aria-valuetext", panel.labels[state.step]);
    frame.draw();
  };
  slider.addEventListener("input", () => { state.step = Number(slider.value); refresh(); });
  if (last > 0) frame.controls.append(heed.el("label", {}, "Training time", slider, shown));
  if (pairs.length > 1) {
    const choice = heed.el("select", { "aria-label": "Difference" }, ...pairs.map((pair, i) => heed.el("option", { value: i }, pairName(pair))));
    choice.addEventListener("change", () => { state.pair = Number(choice.value); frame.draw(); });
    frame.controls.append(heed.el("label", {}, "Difference", choice));
  }

  frame.figure((theme) => {
    const room = frame.room(), gap = 30, all = [...panel.variants.map((one, i) => ({ name: one.name, values: values(i), low: 0 })), { name: pairName(pairs[state.pair]), values: minus(pairs[state.pair]), low: -1 }];
    const least = Math.max(300, 150 + 11 * panel.source.length), across = Math.max(1, Math.min(all.length, Math.floor((room + gap) / (least + gap))));
    const each = (room - gap * (across - 1)) / across, moved = all[n].values.reduce((sum, v) => sum + Math.abs(v), 0) / 2 / Math.max(panel.target.length, 1);
    const picture = heed.drawing(room, 10, `${panel.title}: ${panel.variants.map((one) => one.name).join(", ")}, ${panel.labels[state.step]}; on average ${heed.number(moved)} of a row's weight is elsewhere`);
    let x = 0, y = 0, tallest = 0, widest = 0;
    all.forEach((one, k) => {
      const drawn = heed.matrix({ rows: panel.target, columns: panel.source, values: one.values, low: one.low, high: 1, theme, room: one.low === 0 ? each : each - 52, rowTitle: panel.row_title, columnTitle: panel.column_title,
        sums: one.low === 0, hatch: one.low === 0, label: `${one.name}, ${panel.labels[state.step]}: weights of ${panel.target.length} rows over ${panel.source.length} columns` });
      if (k % across === 0 && k > 0) { x = 0; y += tallest + 26; tallest = 0; }
      picture.append(heed.text(x, y + 14, one.name, { fill: theme.ink, "font-weight": 650 }));
      const note = k === n ? `on average ${(100 * moved).toFixed(0)} % of a row's weight is elsewhere` : "";
      if (note) picture.append(heed.text(x, y + 31, note, { fill: theme.soft, "font-size": 12 }));
      drawn.setAttribute("x", heed.px(x));
      drawn.setAttribute("y", y + 40);
      picture.append(drawn);
      tallest = Math.max(tallest, 40 + Number(drawn.getAttribute("height")));
      widest = Math.max(widest, x + Number(drawn.getAttribute("width")), x + heed.width(note, 12) + 2);
      x += Math.max(each, Number(drawn.getAttribute("width"))) + gap;
    });
    const width = Math.ceil(widest), height = Math.ceil(y + tallest);
    picture.setAttribute("width", width);
    picture.setAttribute("height", height);
    picture.setAttribute("viewBox", `0 0 ${width} ${height}`);
    return picture;
  });
  frame.csv(() => [["model", "snapshot", "target", "source", "weight"], ...panel.variants.flatMap((one) => one.snapshots.flatMap((packed, t) => {
    const weights = heed.unpack(packed);
    return panel.target.flatMap((row, i) => panel.source.map((column, j) => [one.name, panel.labels[t], row, column, heed.number(weights[i * panel.source.length + j])]));
  }))]);
  refresh();
});

heed.anyTwo = (panel, frame) => {
  const state = { chosen: [0, 1], step: panel.labels.length - 1 };
  state.chosen.forEach((start, side) => {
    const choice = heed.el("select", { "aria-label": side ? "Second variant" : "First variant" }, ...panel.variants.map((one, i) => heed.el("option", { value: i, selected: i === start }, one.name)));
    choice.value = start;
    choice.addEventListener("change", () => { state.chosen[side] = Number(choice.value); frame.draw(); });
    frame.controls.append(heed.el("label", {}, side ? "and" : "Compare", choice));
  });
  frame.figure((theme) => {
    const room = frame.room(), gap = 30, two = state.chosen.map((i) => ({ name: panel.variants[i].name, values: Array.from(heed.unpack(panel.variants[i].snapshots[state.step])) }));
    const across = room >= 2 * 280 + gap ? 2 : 1, each = (room - gap * (across - 1)) / across, picture = heed.drawing(room, 10, `${panel.title}: ${two[0].name} and ${two[1].name}`);
    let y = 0, tallest = 0;
    two.forEach((one, k) => {
      const drawn = heed.matrix({ rows: panel.target, columns: panel.source, values: one.values, low: 0, high: 1, theme, room: each, rowTitle: panel.row_title, columnTitle: panel.column_title, sums: true, hatch: true,
        label: `${one.name}: weights of ${panel.target.length} rows over ${panel.source.length} columns` });
      const x = across === 2 ? k * (each + gap) : 0;
      if (across === 1 && k) y += tallest + 26;
      picture.append(heed.text(x, y + 14, one.name, { fill: theme.ink, "font-weight": 650 }));
      drawn.setAttribute("x", heed.px(x));
      drawn.setAttribute("y", y + 28);
      picture.append(drawn);
      tallest = across === 2 ? Math.max(tallest, 28 + Number(drawn.getAttribute("height"))) : 28 + Number(drawn.getAttribute("height"));
    });
    picture.setAttribute("height", Math.ceil(y + tallest));
    picture.setAttribute("viewBox", `0 0 ${Math.ceil(room)} ${Math.ceil(y + tallest)}`);
    return picture;
  });
  frame.csv(() => [["variant", "target", "source", "weight"], ...panel.variants.flatMap((one) => {
    const weights = heed.unpack(one.snapshots[state.step]);
    return panel.target.flatMap((row, i) => panel.source.map((column, j) => [one.name, row, column, heed.number(weights[i * panel.source.length + j])]));
  })]);
};

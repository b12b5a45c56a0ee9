// Who looks at whom: source words are columns, target words rows, a cell is a weight. Several sentences have a selector,
// a sentence that was watched while its model learned has a slider through its snapshots and a button that plays them.
"use strict";

heed.panel("alignment", (panel, frame) => {
  const state = { item: 0, snapshot: 0 };
  const item = () => panel.items[state.item], snapshot = () => item().snapshots[state.snapshot];
  state.snapshot = item().snapshots.length - 1;

  const slider = heed.el("input", { type: "range", min: 0, step: 1, "aria-label": "Training time" });
  const shown = heed.el("output", {}), play = heed.el("button", { type: "button" }, "▶ Play");
  const time = heed.el("label", {}, "Training time", slider, shown), error = heed.el("span", {});
  const refresh = () => {
    const last = item().snapshots.length - 1;
    slider.max = last;
    slider.value = state.snapshot;
    shown.textContent = snapshot().label;
    slider.setAttribute("aria-valuetext", snapshot().label);
    time.hidden = play.hidden = last === 0;
    time.style.display = play.style.display = last === 0 ? "none" : "";
    error.textContent = snapshot().error === undefined ? "" : `Alignment error rate ${heed.number(snapshot().error)}`;
    frame.draw();
  };
  slider.addEventListener("input", () => { state.snapshot = Number(slider.value); refresh(); });
  let timer = 0;
  play.addEventListener("click", () => {
    clearInterval(timer);
    state.snapshot = 0;
    refresh();
    timer = setInterval(() => {
      if (state.snapshot + 1 >= item().snapshots.length) { clearInterval(timer); return; }
      ++state.snapshot;
      refresh();
    }, 700);
  });
  if (panel.items.length > 1) {
    const choice = heed.el("select", { "aria-label": panel.choice || "Sentence" }, ...panel.items.map((entry, i) => heed.el("option", { value: i }, entry.name)));
    choice.addEventListener("change", () => {
      clearInterval(timer);
      state.item = Number(choice.value);
      state.snapshot = item().snapshots.length - 1;
      refresh();
    });
    frame.controls.append(heed.el("label", {}, panel.choice || "Sentence", choice));
  }
  const dynamic = panel.items.some((entry) => entry.snapshots.length > 1);
  const judged = panel.items.some((entry) => entry.snapshots.some((one) => one.error !== undefined));
  if (dynamic) frame.controls.append(time, play);
  if (judged) frame.controls.append(error);

  frame.figure((theme) => {
    const entry = item(), gold = new Map();
    for (const [i, j] of entry.possible || []) gold.set(`${i},${j}`, "possible");
    for (const [i, j] of entry.sure || []) gold.set(`${i},${j}`, "sure");
    return heed.matrix({
      rows: entry.target, columns: entry.source, values: heed.unpack(snapshot().weights), low: 0, high: 1, theme, room: frame.room(),
      rowTitle: panel.row_title, columnTitle: panel.column_title, sums: true, hatch: true, outline: gold.size ? (i, j) => gold.get(`${i},${j}`) : undefined,
      label: `${panel.title}: weights of ${entry.target.length} rows (${entry.target.join(" ")}) over ${entry.source.length} columns (${entry.source.join(" ")}), ${snapshot().label}`,
    });
  });
  frame.csv(() => {
    const entry = item(), values = heed.unpack(snapshot().weights), wide = entry.source.length;
    return [["", ...entry.source], ...entry.target.map((word, i) => [word, ...Array.from(values.slice(i * wide, (i + 1) * wide), heed.number)])];
  });
  refresh();
});

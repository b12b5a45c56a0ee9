// Any matrix with labels: one ramp where all values are positive, blue and orange where signs differ.
"use strict";

heed.panel("heat", (panel, frame) => {
  frame.figure((theme) => heed.matrix({
    rows: panel.rows, columns: panel.columns, values: panel.values, low: panel.low, high: panel.high, theme, room: frame.room(),
    rowTitle: panel.row_title, columnTitle: panel.column_title, hatch: panel.low >= 0, hatched: panel.zero, numbers: panel.columns.length <= 14,
    label: `${panel.title}: matrix of ${panel.rows.length} rows and ${panel.columns.length} columns`,
  }));
  frame.csv(() => [["", ...panel.columns], ...panel.rows.map((name, i) => [name, ...panel.values.slice(i * panel.columns.length, (i + 1) * panel.columns.length)])]);
});

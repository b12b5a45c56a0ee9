// Bars in groups: one group for each label, one bar for each series; an optional line marks a threshold.
"use strict";

heed.panel("bars", (panel, frame) => {
  const visible = panel.series.map(() => true);
  const legend = panel.series.length > 1 ? heed.legend(frame, panel.series.map((one) => one.name), visible, true) : () => {};

  frame.figure((theme, alone) => {
    legend();
    const shown = panel.series.map((one, index) => ({ ...one, index })).filter((one) => visible[one.index]);
    const values = shown.flatMap((one) => one.values).filter((value) => value !== null).concat(0, panel.threshold === undefined ? [] : panel.threshold);
    const width = Math.min(frame.room(), 940), bottomRoom = panel.x_label ? 54 : 34;
    const limit = panel.threshold === undefined ? 0 : heed.width(heed.number(panel.threshold), 11) + 6;  // beside the bars, not over them
    const step = (width - 78 - limit) / Math.max(panel.labels.length, 1), lean = panel.labels.some((label) => heed.width(label, 12) > step - 6);
    const drop = lean ? Math.min(110, Math.max(...panel.labels.map((label) => heed.width(label, 12))) * 0.62) : 0, height = 280 + drop;
    const box = { left: 66, right: width - 20 - limit, top: panel.y_label || panel.series.length > 1 ? 34 : 14, bottom: height - bottomRoom - drop };
    const y = heed.axis({ low: Math.min(...values), high: Math.max(...values) * (Math.max(...values) > 0 ? 1.04 : 1), from: box.bottom, to: box.top, count: 6 });
    const picture = heed.drawing(width, height, `${panel.title}: bar chart of ${panel.series.map((one) => one.name).join(", ")} for ${panel.labels.join(", ")}`,
      heed.grid(box, null, y, theme, { y: alone && panel.series.length > 1 ? "" : panel.y_label }));
    const bar = Math.min(46, step * 0.76 / Math.max(shown.length, 1)), base = y.place(0);
    panel.labels.forEach((label, i) => {
      const middle = box.left + (i + 0.5) * step;
      shown.forEach((one, k) => {
        const value = one.values[i];
        if (value === null || value === undefined) return;
        const top = Math.min(y.place(value), base), left = middle + (k - shown.length / 2) * bar;
        picture.append(heed.svg("rect", { x: heed.px(left + 1), y: heed.px(top), width: heed.px(bar - 2), height: heed.px(Math.max(Math.abs(y.place(value) - base), 0.5)), rx: 1.5,
          fill: theme.series[one.index % 8], "data-tip": `${label}\n${one.name}  ${heed.number(value)}` }));
        if (bar >= 26) picture.append(heed.text(left + bar / 2, value < 0 ? y.place(value) + 14 : top - 5, heed.number(Number(value.toPrecision(3))), { "text-anchor": "middle", "font-size": 11, fill: theme.soft }));
      });
      const words = heed.shorten(label, lean ? 170 : step, 12);
      picture.append(lean ? heed.text(middle + 4, box.bottom + 16, words, { "text-anchor": "end", "font-size": 12, fill: theme.ink, transform: `rotate(-38 ${heed.px(middle + 4)} ${heed.px(box.bottom + 16)})` })
        : heed.text(middle, box.bottom + 19, words, { "text-anchor": "middle", "font-size": 12, fill: theme.ink }));
    });
    picture.append(heed.svg("line", { x1: box.left, x2: box.right, y1: heed.px(base), y2: heed.px(base), stroke: theme.faint, "shape-rendering": "crispEdges" }));
    if (panel.threshold !== undefined) {
      const at = heed.px(y.place(panel.threshold));
      picture.append(heed.svg("line", { x1: box.left, x2: box.right, y1: at, y2: at, stroke: theme.ink, "stroke-width": 1.4, "stroke-dasharray": "5 4", "data-tip": `threshold ${heed.number(panel.threshold)}` }));
      picture.append(heed.text(box.right + 4, at + 4, heed.number(panel.threshold), { "font-size": 11, fill: theme.ink }));
    }
    if (panel.x_label) picture.append(heed.text((box.left + box.right) / 2, height - 8, panel.x_label, { "text-anchor": "middle", "font-size": 12, fill: theme.soft }));
    let x = box.left;
    if (alone && shown.length > 1) shown.forEach((one) => {  // the page has buttons for this
      picture.append(heed.svg("rect", { x: heed.px(x), y: 2, width: 11, height: 11, rx: 2, fill: theme.series[one.index % 8] }), heed.text(x + 16, 12, one.name, { "font-size": 12, fill: theme.soft }));
      x += heed.width(one.name, 12) + 40;
    });
    return picture;
  });
  frame.csv(() => [["", ...panel.series.map((one) => one.name)], ...panel.labels.map((label, i) => [label, ...panel.series.map((one) => one.values[i])])]);
});

// Lines against a common axis: losses, accuracies, accuracy by length; linear or logarithmic, with bands where there are
// several runs. Names stand at the ends of their lines; the pointer or the arrow keys read all lines at one place.
"use strict";

heed.panel("curves", (panel, frame) => {
  const visible = panel.series.map(() => true);
  const legend = panel.series.length > 1 ? heed.legend(frame, panel.series.map((one) => one.name), visible) : () => {};

  frame.figure((theme) => {
    legend();
    const shown = panel.series.filter((_, i) => visible[i]), usable = (value, log) => value !== null && Number.isFinite(value) && (!log || value > 0);
    const reach = (lists, log) => lists.flat().filter((value) => usable(value, log)).reduce(([low, high], value) => [Math.min(low, value), Math.max(high, value)], [Infinity, -Infinity]);
    const width = Math.min(frame.room(), 940), lines = panel.series.length > 1 ? shown.length : 0;
    const height = Math.max(Math.min(360, Math.max(240, width * 0.42)), lines * 15 + 66);  // a row for each name at the right edge
    const wide = Math.min(180, width * 0.28, Math.max(0, ...panel.series.map((one) => heed.width(one.name, 12, 600)))) + 22;
    // Names of which so little fits that two are the same are left to the legend.
    const short = (one) => heed.shorten(one.name, wide - 12, 12, 600), alike = new Set(panel.series.map(short)).size < panel.series.length;
    const names = alike ? 22 : wide;
    const box = { left: 66, right: width - names, top: panel.y_label ? 34 : 14, bottom: height - (panel.x_label ? 48 : 28) };
    const [xLow, xHigh] = reach(shown.map((one) => one.x), panel.log_x);
    let [yLow, yHigh] = reach(shown.flatMap((one) => [one.y, one.low || [], one.high || []]), panel.log_y);
    if (panel.log_y) yLow /= (yHigh / yLow) ** 0.03;
    else if (yLow > 0 && yLow < yHigh * 0.4) yLow = 0;
    const x = heed.axis({ low: xLow, high: xHigh, log: panel.log_x, from: box.left, to: box.right, count: Math.min(10, width / 90) });
    const y = heed.axis({ low: yLow, high: yHigh, log: panel.log_y, from: box.bottom, to: box.top, count: 6 });
    const picture = heed.drawing(width, height, `${panel.title}: line chart of ${panel.series.map((one) => one.name).join(", ")}` +
      (panel.x_label ? ` against ${panel.x_label}` : ""), heed.grid(box, x, y, theme, { x: panel.x_label, y: panel.y_label }));
    picture.setAttribute("tabindex", "0");

    const ends = [];
    panel.series.forEach((one, index) => {
      if (!visible[index]) return;
      const colour = theme.series[index % 8], good = (k) => usable(one.x[k], panel.log_x) && usable(one.y[k], panel.log_y);
      if (one.low) {
        const forth = [], back = [];
        one.x.forEach((at, k) => {
          if (!good(k) || !usable(one.low[k], panel.log_y) || !usable(one.high[k], panel.log_y)) return;
          forth.push(`${heed.px(x.place(at))} ${heed.px(y.place(one.high[k]))}`);
          back.unshift(`${heed.px(x.place(at))} ${heed.px(y.place(one.low[k]))}`);
        });
        if (forth.length > 1) picture.append(heed.svg("path", { d: `M${forth.concat(back).join("L")}Z`, fill: colour, opacity: 0.14 }));
      }
      let path = "", pen = false, last = null, points = 0;
      one.x.forEach((at, k) => {
        if (!good(k)) { pen = false; return; }
        last = [x.place(at), y.place(one.y[k])];
        path += `${pen ? "L" : "M"}${heed.px(last[0])} ${heed.px(last[1])}`;
        pen = true;
        ++points;
      });
      if (!last) return;
      picture.append(heed.svg("path", { d: path, fill: "none", stroke: colour, "stroke-width": 2, "stroke-linejoin": "round", "stroke-dasharray": heed.dash(index) }));
      if (points <= 24) one.x.forEach((at, k) => good(k) && picture.append(heed.svg("circle", { cx: heed.px(x.place(at)), cy: heed.px(y.place(one.y[k])), r: 3, fill: theme.card, stroke: colour, "stroke-width": 1.8 })));
      if (panel.series.length > 1 && !alike) ends.push({ y: last[1], name: short(one), colour, from: last });
    });
    ends.sort((a, b) => a.y - b.y).forEach((end, k) => { if (k > 0) end.y = Math.max(end.y, ends[k - 1].y + 15); });
    for (let k = ends.length - 1, floor = box.bottom + 4; k >= 0; --k, floor -= 15) ends[k].y = Math.min(ends[k].y, floor);
    for (const { from, y: to, colour } of ends) {  // a line that ends early is led to its name
      if (from[0] < box.right - 12) picture.append(heed.svg("path", { d: `M${heed.px(from[0] + 4)} ${heed.px(from[1])}L${heed.px(box.right + 7)} ${heed.px(to)}`, fill: "none", stroke: colour, "stroke-width": 1, "stroke-dasharray": "1 3" }));
    }
    for (const end of ends) picture.append(heed.text(box.right + 10, end.y + 4, end.name, { fill: heed.readable(end.colour, theme), "font-size": 12, "font-weight": 600 }));

    // reading: the nearest known x, a line there, all values in the tip
    const places = [...new Set(shown.flatMap((one) => one.x).filter((value) => usable(value, panel.log_x)))].sort((a, b) => a - b);
    const rule = heed.svg("line", { y1: box.top, y2: box.bottom, stroke: theme.faint, "stroke-dasharray": "3 3", visibility: "hidden" });
    picture.append(rule, heed.svg("rect", { x: box.left, y: box.top, width: heed.px(Math.max(box.right - box.left, 1)), height: heed.px(box.bottom - box.top), fill: "transparent", class: "reader" }));
    let at = -1;
    const read = (k, left, top) => {
      at = Math.max(0, Math.min(places.length - 1, k));
      const value = places[at], place = heed.px(x.place(value));
      heed.fill(rule, { x1: place, x2: place, visibility: "visible" }, []);
      const words = [`${panel.x_label || "x"} ${heed.number(value)}`, ...shown.filter((one) => one.x.includes(value)).map((one) => `${one.name}  ${heed.number(one.y[one.x.indexOf(value)])}`)].join("\n");
      heed.tip(words, left, top);
      heed.say(words);
    };
    picture.addEventListener("pointermove", (event) => {
      if (places.length === 0 || !event.target.classList.contains("reader")) return;
      event.stopPropagation();
      const box = picture.getBoundingClientRect(), pixel = (event.clientX - box.left) * picture.viewBox.baseVal.width / box.width;  // a slide may enlarge it
      let best = 0;
      places.forEach((value, k) => { if (Math.abs(x.place(value) - pixel) < Math.abs(x.place(places[best]) - pixel)) best = k; });
      read(best, event.clientX, event.clientY);
    });
    const leave = () => { rule.setAttribute("visibility", "hidden"); heed.tip(""); };
    picture.addEventListener("pointerleave", leave);
    picture.addEventListener("blur", leave);
    picture.addEventListener("keydown", (event) => {
      const step = { ArrowLeft: -1, ArrowRight: 1, Home: -1e9, End: 1e9 }[event.key];
      if (!step || places.length === 0) return;
      event.preventDefault();
      const frameBox = picture.getBoundingClientRect();
      read(at + step, frameBox.left + x.place(places[Math.max(0, Math.min(places.length - 1, at + step))]), frameBox.top + box.top + 20);
    });
    return picture;
  });
  frame.csv(() => [["series", panel.x_label || "x", panel.y_label || "y", "low", "high"],
    ...panel.series.flatMap((one) => one.x.map((at, k) => [one.name, at, one.y[k], one.low ? one.low[k] : "", one.high ? one.high[k] : ""]))]);
});

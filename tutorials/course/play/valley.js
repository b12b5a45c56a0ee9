// Lesson 06 to play with: paths of SGD with momentum through a valley that is steep in one direction and flat in the other.
//
//   loss = (x^2 + c y^2) / 2      g = (x, c y)      v = m v + g      w = w - rate v        m = 0: plain SGD
//
// Along an axis of curvature c, plain SGD multiplies the distance by 1 - rate c at each step: it shrinks if rate < 2 / c.
"use strict";
heed.play("valley", (root) => {
  const { plane, slider, goals, fixed } = heed.parts;
  const most = 200, begin = [4.5, 2];
  let rate = 0.05, momentum = 0, curvature = 10, record = null, draw = () => {};

  const run = () => {
    let w = [start.x, start.y], v = [0, 0];
    const path = [w], far = Math.hypot(...w);
    while (path.length <= most && Math.hypot(...w) > 0.01 * far && Math.hypot(...w) < 1e3) {
      const g = [w[0], curvature * w[1]];
      v = v.map((e, i) => momentum * e + g[i]);
      w = w.map((e, i) => e - rate * v[i]);
      path.push(w);
    }
    const left = far ? Math.hypot(...w) / far : 0;
    return { path, steps: path.length - 1, arrived: left <= 0.01, exploded: Math.hypot(...w) >= 1e3, left };
  };
  const start = { name: "start", x: begin[0], y: begin[1], colour: (theme) => theme.gold };
  const map = plane({ label: "A valley seen from above", range: [-5, 5], step: 0.5, points: [start], onmove: () => draw(), most: 440, under: (theme, at, size) => {
    const unit = size / 10, [x, y] = at(0, 0), clip = heed.id("play-valley"), now = run(), drawn = now.path.filter((w) => Math.hypot(...w) < 60);
    const rings = [0.5, 2, 4.5, 8, 12.5, 18, 24.5].map((loss) => heed.svg("ellipse", { cx: x, cy: y, rx: heed.px(Math.sqrt(2 * loss) * unit),
      ry: heed.px(Math.sqrt(2 * loss / curvature) * unit),
      fill: "none", stroke: theme.faint, "stroke-opacity": 0.45 }));
    return [heed.svg("defs", {}, heed.svg("clipPath", { id: clip }, heed.svg("rect", { width: size, height: size, rx: 3 }))),
      heed.svg("rect", { width: size, height: size, fill: theme.tint, rx: 3 }),
      ...rings.filter((ring) => Number(ring.getAttribute("rx")) <= size / 2 && Number(ring.getAttribute("ry")) <= size / 2),
      heed.svg("g", { "clip-path": `url(#${clip})` }, heed.svg("polyline", { fill: "none", stroke: theme.accent, "stroke-width": 2,
        points: drawn.map((w) => at(...w).join(",")).join(" ") })),
      ...drawn.filter((w) => w.every((e) => Math.abs(e) < 4.9)).map((w) => heed.svg("circle", { cx: at(...w)[0], cy: at(...w)[1], r: 2.8, fill: theme.accent }))];
  } });
  const again = () => draw();
  const step = slider({ label: "learning rate", min: 0.005, max: 0.5, step: 0.005, value: rate, text: (to) => to.toFixed(3),
    onmove: (to) => { rate = to; again(); } });
  const m = slider({ label: "momentum", min: 0, max: 0.95, step: 0.05, value: momentum, text: (to) => to.toFixed(2), onmove: (to) => { momentum = to; again(); } });
  const c = slider({ label: "steepness c", min: 1, max: 40, step: 1, value: curvature, onmove: (to) => { curvature = to; record = null; again(); } });
  const total = heed.el("p", { class: "play-lead play-below", "aria-live": "polite" }), told = heed.el("p", { class: "play-note" });
  const aims = goals(["Without momentum: make it explode.", "c = 10, without momentum: arrive in 25 steps or fewer.", "c = 10, with momentum: in 15 steps or fewer.",
    "c = 40: arrive in 40 steps or fewer."]);
  root.append(heed.el("p", { class: "play-lead" }, "Down into the middle, in as few steps as possible."),
    heed.el("div", { class: "play-grid" }, heed.el("div", {}, map.node),
      heed.el("div", {}, heed.el("div", { class: "controls" }, step.node, m.node, c.node), total, told, aims.node)));

  draw = (theme = heed.theme()) => {
    map.paint(theme);
    const now = run(), limit = 2 / curvature, flat = 1 - rate, steep = 1 - rate * curvature, far = Math.hypot(start.x, start.y) >= 2;
    if (now.arrived && far && (record === null || now.steps < record)) record = now.steps;
    total.textContent = now.exploded ? `It explodes: after ${now.steps} steps it is farther than 1,000 away.` : now.arrived
      ? `It arrives after ${now.steps} steps (1 % of the way is left, or less).`
      : `After ${most} steps ${fixed(100 * now.left, 1)} % of the way are left.`;
    told.textContent = (momentum ? `With momentum a step adds up what earlier steps wanted: ` +
      `across the valley that cancels, along it it grows up to ${heed.number(1 / (1 - momentum))} times. `
      : `Each step multiplies x by ${fixed(flat, 3)} and y by ${fixed(steep, 3)}${steep < -1 ? ", so y grows" : steep < 0 ? ", so y jumps over the middle" : ""}. ` +
        `The limit for the rate is 2 / c = ${heed.number(limit)}. `) +
      (record === null ? "" : `Fewest steps with this c: ${record}.`);
    aims.check(0, !momentum && now.exploded);
    aims.check(1, far && curvature === 10 && !momentum && now.arrived && now.steps <= 25);
    aims.check(2, far && curvature === 10 && momentum > 0 && now.arrived && now.steps <= 15);
    aims.check(3, far && curvature === 40 && now.arrived && now.steps <= 40);
    root.playState = { rate, momentum, curvature, start: [start.x, start.y], ...now, record, goals: [...aims.done] };
  };
  return draw;
});

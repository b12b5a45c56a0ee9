// Training in the page: a worker of its own takes a few steps, then draws where the untrained decoder looks by now.
"use strict";
heed.panel("play-train", (panel, frame) => {
  const state = { engine: null, running: false, losses: [], step: 0, of: 0, look: null, rate: 0, opening: false };
  frame.section.playState = state;
  const button = heed.el("button", { type: "button", class: "main" }, "▶ Train"), reset = heed.el("button", { type: "button" }, "↺ Reset");
  const seed = heed.el("input", { type: "number", min: 1, max: 9999, value: 1, "aria-label": "Seed" }), shown = heed.el("output", { "aria-live": "off" }, "not started");
  frame.controls.append(button, reset, heed.el("label", {}, "Seed", seed), shown);
  const words = () => { button.textContent = state.running ? "❚❚ Pause" : "▶ Train"; };
  const loop = async () => {
    const mine = state.engine;
    while (state.running && state.engine === mine) {
      const begun = performance.now(), count = state.step < 60 ? 5 : 20;
      const now = await mine.call("train", count);
      if (state.engine !== mine) return;
      state.rate = 1000 * now.losses.length / (performance.now() - begun);
      state.losses.push(...now.losses);
      Object.assign(state, { step: now.step, of: now.of });
      state.look = await mine.call("alignment");
      if (now.done) state.running = false;
      shown.textContent = `step ${now.step} of ${now.of} · loss ${state.losses[state.losses.length - 1].toFixed(2)} · ${state.rate.toFixed(0)} steps a second`;
      words();
      frame.draw();
    }
  };
  const open = async () => {
    state.opening = true;
    shown.textContent = "a new engine starts …";
    const engine = await heed.engine.start({ seed: Number(seed.value) || 1 });
    Object.assign(state, { engine, losses: [], step: 0, look: await engine.call("alignment"), opening: false });
    shown.textContent = "untrained: random weights";
    frame.draw();
  };
  const clear = async () => { state.running = false; words(); if (state.engine) state.engine.stop(); state.engine = null; await open(); };
  button.addEventListener("click", async () => {
    if (state.opening) return;
    if (!state.engine) await open();
    state.running = !state.running && !(state.of && state.step >= state.of);
    words();
    loop().catch((error) => { state.running = false; words(); shown.textContent = error.message; });
  });
  reset.addEventListener("click", () => { if (!state.opening) clear(); });
  seed.addEventListener("change", () => { if (!state.opening) clear(); });

  const curve = (theme, room) => {
    const width = Math.min(room, 620), height = 250, box = { left: 44, right: width - 12, top: 30, bottom: height - 46 };
    const x = heed.axis({ low: 0, high: Math.max(100, state.losses.length), from: box.left, to: box.right, count: width / 90 });
    const y = heed.axis({ low: 0, high: Math.max(1, ...state.losses), from: box.bottom, to: box.top, count: 5 });
    const picture = heed.drawing(width, height, `Training loss after ${state.losses.length} steps`, heed.grid(box, x, y, theme, { x: "step", y: "loss per word" }));
    const line = (values) => values.map((value, i) => `${i ? "L" : "M"}${heed.px(x.place(i + 1))} ${heed.px(y.place(value))}`).join("");
    if (state.losses.length > 1) {
      const smooth = []; state.losses.reduce((mean, value, i) => { const next = i ? 0.93 * mean + 0.07 * value : value; smooth.push(next); return next; }, 0);
      picture.append(heed.svg("path", { d: line(state.losses), fill: "none", stroke: theme.accent, "stroke-width": 1, opacity: 0.35 }), heed.svg("path", { d: line(smooth), fill: "none", stroke: theme.accent, "stroke-width": 2.2 }));
    }
    return picture;
  };
  frame.paint = (theme) => {
    const box = heed.el("div", { class: "looks training" }), room = frame.room(), wide = room > 760;
    if (!state.look) { box.append(heed.el("p", { class: "faint" }, "Press Train. At first the rows of the matrix are grey: the decoder looks everywhere at once. Within some hundred steps the outlined cells, the gold alignment, fill with colour.")); return box; }
    const gold = new Set();
    for (let i = 0; i < state.look.gold.length; i += 2) gold.add(`${state.look.gold[i]},${state.look.gold[i + 1]}`);
    const matrix = heed.matrix({ rows: state.look.target, columns: state.look.source, values: state.look.weights, low: 0, high: 1, theme, room: wide ? Math.floor(room * 0.52) : room, outline: (i, j) => (gold.has(`${i},${j}`) ? "sure" : undefined),
      label: `Alignment of the agreement sentence after ${state.step} training steps` });
    box.append(heed.el("div", {}, curve(theme, wide ? Math.floor(room * 0.46) : room)), heed.el("div", { class: "scroll" }, matrix));
    return box;
  };
});

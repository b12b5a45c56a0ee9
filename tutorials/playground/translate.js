// The translator at work: source words on the left, the translation on the right, and from each translated word an arc to
// every source word, as thick as its weight. The selected step has a handle: drag it, or press the up and down arrows, and
// the decoder sees that source word alone at this step. The rest of the sentence is decoded again, by the engine.
"use strict";
heed.panel("play-translate", (panel, frame) => {
  const calm = matchMedia("(prefers-reduced-motion: reduce)").matches;
  const state = { forced: new Map(), result: null, free: null, step: 0, shown: 0, drag: null };
  frame.section.playState = state;
  const field = heed.el("input", { type: "text", class: "sentence", value: panel.start, spellcheck: "false", autocomplete: "off", "aria-label": "English sentence" });
  const choice = heed.el("select", { "aria-label": "Pick a sentence" }, heed.el("option", { value: "" }, "pick a sentence …"));
  const release = heed.el("button", { type: "button", class: "release" }, "Let the decoder look where it wants");
  const note = heed.el("p", { class: "note", "aria-live": "polite" }, "The engine starts …");
  frame.controls.append(field, choice, release);
  frame.section.insertBefore(note, frame.body);
  const written = (result) => result.steps.map((step) => step.word).filter((word) => word !== "</s>");

  const say = () => {
    const r = state.result, parts = [];
    if (r.unknown.length) parts.push(heed.el("span", { class: "bad" }, `The grammar does not have ${r.unknown.map((word) => `“${word}”`).join(", ")}: the decoder receives <unk>. `));
    if (state.forced.size && state.free) {
      const same = written(r).join(" ") === written(state.free).join(" ");
      parts.push(heed.el("span", {}, same ? "You moved its attention, and the translation stayed the same. " : "You moved its attention. Left alone, it writes: "),
        same ? "" : heed.el("em", {}, written(state.free).join(" ") + ". "));
    }
    parts.push(heed.el("span", { class: "faint" }, `log p = ${r.log_p.toFixed(3)} · ${state.ms.toFixed(1)} ms in the engine`));
    note.replaceChildren(...parts);
    release.hidden = state.forced.size === 0;
  };
  let timer = 0;
  const reveal = (from) => {
    clearInterval(timer);
    const all = state.result.steps.length;
    state.shown = calm ? all : Math.min(from, all);
    frame.draw();
    if (state.shown < all) timer = setInterval(() => { ++state.shown; frame.draw(); if (state.shown >= all) clearInterval(timer); }, 130);
  };
  let asked = 0;
  const translate = async (from = 0) => {
    const mine = ++asked, begun = performance.now(), forced = [...state.forced].map(([step, source]) => [step, source, 1]);
    try {
      const engine = await heed.translator(), result = await engine.call("translate", field.value, forced);
      if (mine !== asked) return;
      state.result = result;
      state.ms = performance.now() - begun;
      if (!state.forced.size) state.free = result;
      state.step = Math.min(state.step, result.steps.length - 1);
      say();
      reveal(from);
      document.dispatchEvent(new CustomEvent("heed-translated", { detail: { sentence: field.value, forced, result } }));
    } catch (error) { note.textContent = error.message; }
  };
  const force = (step, source) => {
    if (state.forced.get(step) === source) return;
    state.forced.set(step, source);
    for (const later of state.forced.keys()) if (later > step) state.forced.delete(later);
    translate(step + 1);
  };
  const fresh = () => { state.forced.clear(); state.step = 0; translate(0); };
  let typing = 0;
  field.addEventListener("input", () => { clearTimeout(typing); typing = setTimeout(fresh, 60); });
  choice.addEventListener("change", () => { if (choice.value) { field.value = choice.value; choice.value = ""; fresh(); } });
  release.addEventListener("click", () => { state.forced.clear(); translate(0); });
  heed.translator().then((engine) => engine.call("examples")).then((list) => choice.append(...list.map((text) => heed.el("option", { value: text }, text))),
    (error) => { note.textContent = `The engine could not start: ${error.message}`; });

  const heaviest = (step) => state.result.steps[step].weights.reduce((best, w, s, all) => (w > all[best] ? s : best), 0);
  const ask = (kind, step, at) => document.dispatchEvent(new CustomEvent("heed-explain", { detail: { kind, step, at, scroll: true } }));

  const arcs = (theme, room) => {
    const r = state.result, rows = Math.max(r.source.length, r.steps.length), tall = 34, top = 34, gold = theme.series[1];
    const widest = (words) => Math.max(40, ...words.map((word) => heed.width(word, 15, 600)));
    const left = Math.min(widest(r.source), room * 0.32) + 14, right = room - Math.min(widest(r.steps.map((step) => step.word)), room * 0.32) - 14;
    const picture = heed.drawing(room, top + rows * tall + 8, `Attention: ${r.source.join(" ")} to ${r.steps.map((step) => step.word).join(" ")}. Left and right arrows choose a translated word, up and down force its attention, Escape releases it, Enter explains.`);
    picture.setAttribute("tabindex", "0");
    picture.classList.add("arcs");
    const place = (index, count) => top + (index + 0.5) * tall * (rows / Math.max(count, 1)) ;
    const ys = (s) => place(s, r.source.length), yt = (t) => place(t, r.steps.length);
    picture.append(heed.text(left - 6, 16, "English", { fill: theme.faint, "text-anchor": "end", "font-size": 12 }), heed.text(room - 2, 16, "French", { fill: theme.faint, "font-size": 12, "text-anchor": "end" }));
    const curve = (s, t) => `M${left} ${heed.px(ys(s))}C${heed.px(left + (right - left) * 0.45)} ${heed.px(ys(s))} ${heed.px(right - (right - left) * 0.45)} ${heed.px(yt(t))} ${right} ${heed.px(yt(t))}`;
    r.steps.slice(0, state.shown).forEach((step, t) => step.weights.forEach((w, s) => {
      if (w < 0.02) return;
      const chosen = t === state.step;
      picture.append(heed.svg("path", { d: curve(s, t), fill: "none", stroke: step.forced ? gold : theme.accent, "stroke-width": heed.px(8.6 * w),
        opacity: heed.px(chosen ? 0.35 + 0.6 * w : 0.08 + 0.3 * w), "stroke-linecap": "round", "data-tip": `${step.word} ← ${r.source[s]}\nweight ${w.toFixed(4)}` }));
    }));
    const looked = state.shown > state.step ? r.steps[state.step] : null;
    r.source.forEach((word, s) => {
      const w = looked ? looked.weights[s] : 0, unknown = r.unknown.includes(word);
      picture.append(heed.svg("rect", { x: 0, y: heed.px(ys(s) - 14), width: left, height: 28, rx: 6, fill: theme.accent, opacity: heed.px(w * 0.28) }));
      picture.append(heed.text(left - 8, ys(s) + 5, heed.shorten(word, left - 8, 15), { "text-anchor": "end", "font-size": 15, fill: unknown ? theme.bad : word === "</s>" ? theme.faint : theme.ink, "font-weight": w > 0.5 ? 650 : 400 }));
      const target = heed.svg("rect", { x: 0, y: heed.px(ys(s) - tall / 2), width: left + 20, height: tall, fill: "transparent", class: "source", "data-source": s, "data-tip": looked ? `${word}: weight ${w.toFixed(4)}\nclick: make the decoder look here` : word });
      target.addEventListener("click", () => force(state.step, s));
      picture.append(target);
    });
    r.steps.slice(0, state.shown).forEach((step, t) => {
      const chosen = t === state.step, changed = state.free && state.forced.size && (!state.free.steps[t] || state.free.steps[t].word !== step.word);
      const words = heed.shorten(step.word, room - right - 10, 15);
      if (chosen) picture.append(heed.svg("rect", { x: right + 2, y: heed.px(yt(t) - 14), width: room - right - 3, height: 28, rx: 6, fill: "none", stroke: step.forced ? gold : theme.accent, "stroke-width": 1.5 }));
      picture.append(heed.text(right + 8, yt(t) + 5, words, { "font-size": 15, fill: changed ? theme.goldInk : word(step) ? theme.ink : theme.faint, "font-weight": chosen ? 650 : 400 }));
      const hit = heed.svg("rect", { x: right - 8, y: heed.px(yt(t) - tall / 2), width: room - right + 8, height: tall, fill: "transparent", class: "target", "data-target": t, "data-tip": `p = ${Math.exp(step.log_p).toFixed(4)}\nclick: choose this step; click again: explain p` });
      hit.addEventListener("click", () => { if (state.step === t) ask("probability", t, step.id); state.step = t; frame.draw(); document.dispatchEvent(new CustomEvent("heed-step", { detail: t })); });
      picture.append(hit);
    });
    if (looked) {  // the handle
      const s = state.drag === null ? heaviest(state.step) : state.drag;
      if (state.drag !== null) picture.append(heed.svg("path", { d: curve(s, state.step), fill: "none", stroke: gold, "stroke-width": 3, "stroke-dasharray": "6 5" }));
      const handle = heed.svg("circle", { cx: left + 6, cy: heed.px(ys(s)), r: 9, fill: looked.forced || state.drag !== null ? gold : theme.accent, stroke: theme.card, "stroke-width": 2.5, class: "handle", "data-tip": "drag: force the decoder to look elsewhere" });
      handle.addEventListener("pointerdown", (event) => {
        event.preventDefault();
        const nearest = (move) => Math.max(0, Math.min(r.source.length - 1, Math.floor((move.clientY - frame.body.querySelector(".arcs").getBoundingClientRect().top - top) / (tall * rows / r.source.length))));
        const moved = (move) => { const to = nearest(move); if (to !== state.drag) { state.drag = to; frame.draw(); } };
        const up = (move) => {
          removeEventListener("pointermove", moved); removeEventListener("pointerup", up);
          const to = nearest(move); state.drag = null;
          if (to !== s) force(state.step, to); else frame.draw();
        };
        addEventListener("pointermove", moved); addEventListener("pointerup", up);
      });
      picture.append(handle);
    }
    picture.addEventListener("keydown", (event) => {
      const last = r.steps.length - 1, here = heaviest(state.step);
      if (event.key === "ArrowLeft" || event.key === "ArrowRight") { state.step = Math.max(0, Math.min(last, state.step + (event.key === "ArrowRight" ? 1 : -1))); frame.draw(); document.dispatchEvent(new CustomEvent("heed-step", { detail: state.step })); }
      else if (event.key === "ArrowUp") force(state.step, Math.max(0, here - 1));
      else if (event.key === "ArrowDown") force(state.step, Math.min(r.source.length - 1, here + 1));
      else if (event.key === "Escape") release.click();
      else if (event.key === "Enter") ask("probability", state.step, r.steps[state.step].id);
      else return;
      event.preventDefault();
      const step = state.result.steps[state.step];
      heed.say(`${step.word}: looks at ${r.source[heaviest(state.step)]}`);
    });
    return picture;
  };
  const word = (step) => step.word !== "</s>";

  frame.paint = (theme) => {
    const box = heed.el("div", { class: "looks" });
    if (!state.result || !state.result.steps.length) return box;
    const room = frame.room(), wide = room > 760, r = state.result, part = wide ? Math.floor(room * 0.54) : room;
    const picture = arcs(theme, part), shown = r.steps.slice(0, Math.max(state.shown, 1));
    const matrix = heed.matrix({ rows: shown.map((step) => step.word), columns: r.source, values: shown.flatMap((step) => step.weights), low: 0, high: 1, theme, room: wide ? room - part - 24 : room,
      label: `Weights of ${shown.length} translated words over ${r.source.length} source words. Click a cell to open its number.` });
    matrix.addEventListener("click", (event) => {
      if (event.target.dataset.cell) { const [t, s] = event.target.dataset.cell.split(",").map(Number); ask("weight", t, s); }
    });
    box.append(heed.el("div", {}, picture), heed.el("div", { class: "scroll" }, matrix, heed.el("p", { class: "faint" }, "Every cell is a weight. Click one to open it.")));
    box.focus = () => picture.focus({ preventScroll: true });
    return box;
  };
  translate(0);
});

// The model: its parameters as a tree, folded, and the encoder-decoder unrolled over a sentence. On the left the encoder,
// a box for each source word; on the right the decoder, a box for each word that it writes; between them attention,
// lines as thick as the weights.
"use strict";

// Rows of [path, shape, count] become { name, count, shape, children }; a node with a single child is joined with it.
heed.parameterTree = (lines) => {
  const root = { name: "model", count: 0, children: new Map() };
  for (const [path, shape, count] of lines) {
    let node = root;
    node.count += count;
    for (const part of path.split(".")) {
      if (!node.children.has(part)) node.children.set(part, { name: part, count: 0, children: new Map() });
      node = node.children.get(part);
      node.count += count;
    }
    node.shape = shape;
  }
  return root;
};

heed.panel("model", (panel, frame) => {
  const root = heed.parameterTree(panel.parameters), run = panel.run, thousands = (n) => n.toLocaleString("en");
  const branch = (node, open) => {
    const name = heed.el("code", {}, node.name), count = heed.el("span", { class: "count" }, thousands(node.count));
    if (node.children.size === 0) return heed.el("div", { class: "leaf" }, name, heed.el("span", { class: "shape" }, node.shape), count);
    return heed.el("details", { open }, heed.el("summary", {}, name, heed.el("span", { class: "share" }, `${(100 * node.count / root.count).toFixed(0)} %`), count), ...Array.from(node.children.values(), (child) => branch(child, false)));
  };
  frame.section.append(heed.el("div", { class: "tree", role: "group", "aria-label": "Parameters" }, branch(root, true)));
  const rows = () => [["parameter", "shape", "numbers"], ...panel.parameters];
  frame.csv(rows);
  if (!run) { frame.body.remove(); frame.controls.remove(); return; }

  const state = { step: run.steps.length }, n = run.steps.length;  // n: all words
  const slider = heed.el("input", { type: "range", min: 0, max: n, step: 1, value: n, "aria-label": "Word that is written" }), shown = heed.el("output", {});
  const refresh = () => {
    slider.value = state.step;
    shown.textContent = state.step === n ? "all words" : `“${run.steps[state.step].word}”`;
    slider.setAttribute("aria-valuetext", shown.textContent);
    frame.draw();
  };
  slider.addEventListener("input", () => { state.step = Number(slider.value); refresh(); });
  frame.controls.append(heed.el("label", {}, "Lines of", slider, shown));

  frame.figure((theme) => {
    const room = Math.min(frame.room(), 720), S = run.source.length, line = 34, box = 22, top = 44;
    const words = Math.min(Math.max(...run.source.map((word) => heed.width(word))) + 12, room * 0.2), out = Math.min(Math.max(...run.steps.map((one) => heed.width(one.word))) + 12, room * 0.2);
    const ex = words + 26 + (run.both_ways ? 10 : 0), dx = room - out - 40, y = (i) => top + i * line + box / 2;
    const height = top + Math.max(S, n) * line + (run.attends ? 8 : 40), arrow = heed.id("arrow");
    const picture = heed.drawing(room, height, `${panel.title}: ${run.encoder} over ${run.source.join(" ")}; ${run.decoder} writes ${run.steps.map((one) => one.word).join(" ")}`);
    picture.setAttribute("tabindex", "0");
    picture.append(heed.svg("defs", {}, heed.svg("marker", { id: arrow, viewBox: "0 0 8 8", refX: 7, refY: 4, markerWidth: 6, markerHeight: 6, orient: "auto" }, heed.svg("path", { d: "M0.5 0.8L7 4L0.5 7.2Z", fill: theme.faint }))));
    const arrowed = (d) => picture.append(heed.svg("path", { d, fill: "none", stroke: theme.faint, "stroke-width": 1.2, "marker-end": `url(#${arrow})` }));
    const title = (x, text, anchor) => picture.append(heed.text(x, 14, heed.shorten(text, room / 2 - 8, 12), { "font-size": 12, fill: theme.soft, "text-anchor": anchor }));
    title(0, run.encoder, "start");
    title(room, run.decoder, "end");
    // attention, below the boxes
    const weights = run.steps.map((one) => heed.unpack(one.weights)), lines = heed.svg("g", { fill: "none", stroke: theme.accent });
    picture.append(lines);
    const a = ex + box + 2, b = dx - 8;
    if (run.attends) weights.forEach((row, t) => {
      if (state.step !== n && t !== state.step) return;
      row.forEach((w, s) => {
        if (w < 0.02) return;
        lines.append(heed.svg("path", { d: `M${heed.px(a)} ${y(s)}C${heed.px((a + b) / 2)} ${y(s)} ${heed.px((a + b) / 2)} ${y(t)} ${heed.px(b)} ${y(t)}`, "stroke-width": heed.px(7.4 * w), "stroke-opacity": heed.px(0.15 + 0.6 * w), "data-tip": `${run.source[s]} → ${run.steps[t].word}\nweight ${heed.number(w)}` }));
      });
    });
    const cell = (x, at, name, colour, tip) => picture.append(heed.svg("g", { "data-tip": tip }, heed.svg("rect", { x: heed.px(x), y: y(at) - box / 2, width: box + 6, height: box, rx: 5, fill: heed.between([theme.card, colour], 0.2), stroke: colour }),
      heed.text(x + box / 2 + 3, y(at) + 4, name, { "text-anchor": "middle", "font-size": 10, fill: theme.ink })));
    run.source.forEach((word, s) => {
      picture.append(heed.text(words, y(s) + 4.5, heed.shorten(word, words - 4), { "text-anchor": "end", fill: theme.ink }));
      arrowed(`M${heed.px(words + 3)} ${y(s)}H${heed.px(ex - 5)}`);
      if (run.recurrent && s + 1 < S) {
        arrowed(`M${heed.px(ex + 9)} ${y(s) + box / 2}V${y(s + 1) - box / 2 - 1}`);
        if (run.both_ways) arrowed(`M${heed.px(ex + 19)} ${y(s + 1) - box / 2}V${y(s) + box / 2 + 1}`);
      }
      cell(ex - 3, s, `h${s + 1}`, theme.series[0], `${word}\nencoder output h${s + 1}`);
    });
    run.steps.forEach((one, t) => {
      const on = state.step === n || state.step === t;
      if (run.recurrent && t + 1 < n) arrowed(`M${heed.px(dx + 11)} ${y(t) + box / 2}V${y(t + 1) - box / 2 - 1}`);
      cell(dx - 3, t, `s${t + 1}`, theme.series[1], `step ${t + 1}: reads “${t ? run.steps[t - 1].word : "<s>"}”, writes “${one.word}”`);
      arrowed(`M${heed.px(dx + box + 5)} ${y(t)}h12`);
      picture.append(heed.text(room - out + 4, y(t) + 4.5, heed.shorten(one.word, out - 4), { fill: on ? theme.ink : theme.faint, "font-weight": state.step === t ? 650 : 400 }));
    });
    if (!run.attends) {  // the one vector
      const from = y(S - 1), low = height - 12;
      arrowed(`M${heed.px(ex + box / 2)} ${from + box / 2}V${low}H${heed.px(room / 2)}V${y(0)}H${heed.px(b)}`);
      picture.append(heed.text(room / 2 + 6, low - 6, "one vector", { "font-size": 12, fill: theme.soft }));
    }
    picture.addEventListener("keydown", (event) => {
      const by = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
      if (!by) return;
      event.preventDefault();
      state.step = state.step === n ? (by > 0 ? 0 : n - 1) : Math.max(0, Math.min(n, state.step + by));
      refresh();
      const words_of = state.step === n ? "all words" : `${run.steps[state.step].word}: ` + weights[state.step].map((w, s) => [w, s]).sort((p, q) => q[0] - p[0]).slice(0, 3).map(([w, s]) => `${run.source[s]} ${w.toFixed(2)}`).join(", ");
      const at = frame.body.getBoundingClientRect();
      heed.tip(words_of, at.left, at.top);
      heed.say(words_of);
    });
    picture.addEventListener("blur", () => heed.tip(""));
    return picture;
  });
  refresh();
});

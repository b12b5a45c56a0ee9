// Heads as buttons: a head that is switched off has the context 0, and the drawing shows what the model then predicts.
// The probabilities were computed by the model itself: with every head, without each head, each layer, and each pair of
// heads. Nothing is extrapolated, so at most two heads, or one layer, can be off.
"use strict";

heed.panel("ablation", (panel, frame) => {
  const state = { case: 0, off: [], layer: -1 }, H = panel.heads.length;
  const now = () => panel.cases[state.case], some = now().pairs.length > 0 ? 2 : 1;
  const pair = (i, j) => i * H - i * (i + 1) / 2 + (j - i - 1);  // (0, 1), (0, 2), .., (1, 2), ..
  const without = (c, off, layer) => {
    if (layer >= 0) return c.layers[layer];
    if (off.length === 0) return c.all;
    return off.length === 1 ? c.heads[off[0]] : c.pairs[pair(Math.min(...off), Math.max(...off))];
  };
  const said = (p) => p.indexOf(Math.max(...p));
  const unit = (h) => `${panel.heads[h].attention}, layer ${panel.heads[h].layer + 1}, head ${panel.heads[h].head + 1}`;
  const layerName = (l) => `${panel.layers[l].attention}, layer ${panel.layers[l].layer + 1}`;
  const names = () => (state.layer >= 0 ? `all heads of ${layerName(state.layer)}` : state.off.map(unit).join(" and ")) || "none";

  const tell = () => {
    refresh();
    const p = without(now(), state.off, state.layer);
    heed.say(`switched off: ${names()}. ` + panel.words.map((word, i) => `${word} ${heed.number(p[i])}`).join(", "));
  };
  const toggle = (h) => {
    state.layer = -1;
    state.off = state.off.includes(h) ? state.off.filter((one) => one !== h) : [...state.off, h].slice(-some);
    tell();
  };
  const toggleLayer = (l) => { state.off = []; state.layer = state.layer === l ? -1 : l; tell(); };
  const cases = panel.cases.map((one, i) => heed.el("button", { type: "button", class: "toggle", onclick: () => { state.case = i; tell(); } }, one.name));
  if (cases.length > 1) frame.controls.append(heed.el("span", { role: "group", "aria-label": "Sentence", class: "group" }, ...cases));
  const none = heed.el("button", { type: "button", onclick: () => { state.off = []; state.layer = -1; tell(); } }, "All heads on");
  frame.controls.append(none);

  const heads = [], layers = [];
  const rows = panel.layers.map((layer, l) => {
    const whole = heed.el("button", { type: "button", class: "toggle", title: `Switch off all heads of ${layerName(l)}`, onclick: () => toggleLayer(l) }, layerName(l));
    layers.push(whole);
    const row = heed.el("div", { class: "group", role: "group", "aria-label": layerName(l) }, whole);
    panel.heads.forEach((one, h) => {
      if (one.attention !== layer.attention || one.layer !== layer.layer) return;
      heads[h] = heed.el("button", { type: "button", title: `Switch off ${unit(h)}`, onclick: () => toggle(h) }, `head ${one.head + 1}`);
      row.append(heads[h]);
    });
    return row;
  });
  const board = heed.el("div", { class: "board" }, ...rows);
  frame.controls.after(board);

  const refresh = () => {
    cases.forEach((button, i) => button.setAttribute("aria-pressed", String(i === state.case)));
    const c = now(), usual = said(c.all);
    heads.forEach((button, h) => {
      const off = state.off.includes(h) || (state.layer >= 0 && panel.layers[state.layer].attention === panel.heads[h].attention && panel.layers[state.layer].layer === panel.heads[h].layer);
      button.setAttribute("aria-pressed", String(!off));
      button.style.textDecoration = off ? "line-through" : "";
      button.style.color = off ? "var(--soft)" : "";
      const flips = said(without(c, [h], -1)) !== usual;
      button.style.borderColor = flips ? "var(--gold)" : "";
    });
    layers.forEach((button, l) => {
      button.setAttribute("aria-pressed", String(l === state.layer));
      button.style.borderColor = said(c.layers[l]) !== usual ? "var(--gold)" : "";
    });
    frame.draw();
  };

  // What was found, in words: heads and pairs without which the prediction changes.
  const findings = () => {
    const c = now(), usual = said(c.all), right = c.right, lines = [];
    const single = c.heads.map((p, h) => [h, p]).filter(([, p]) => said(p) !== usual);
    const strongest = c.heads.map((p, h) => [h, p[right] - c.all[right]]).sort((a, b) => a[1] - b[1])[0];
    if (usual !== right) lines.push(`With every head on, the model is wrong here: it predicts “${panel.words[usual]}”.`);
    lines.push(single.length ? `${single.length} of ${H} heads change the prediction on their own: ${single.map(([h]) => unit(h)).slice(0, 3).join("; ")}${single.length > 3 ? "; …" : ""}.`
      : `No single head changes the prediction. The largest effect: without ${unit(strongest[0])}, p(${panel.words[right]}) goes from ${heed.number(c.all[right])} to ${heed.number(c.heads[strongest[0]][right])}.`);
    if (c.pairs.length) {
      const found = [];
      for (let i = 0; i < H; ++i) for (let j = i + 1; j < H; ++j) if (said(c.pairs[pair(i, j)]) !== usual) found.push([i, j]);
      const fresh = found.filter(([i, j]) => !single.some(([h]) => h === i || h === j));
      const first = fresh.map(([i, j]) => [i, j, c.pairs[pair(i, j)][right]]).sort((a, b) => a[2] - b[2])[0];
      lines.push(`${found.length} of ${c.pairs.length} pairs change it${fresh.length ? `, ${fresh.length} of them although neither head does alone: for example ${unit(first[0])} with ${unit(first[1])}` : ""}.`);
    }
    const whole = c.layers.map((p, l) => [l, p]).filter(([, p]) => said(p) !== usual);
    lines.push(whole.length ? `Whole layers that change it: ${whole.map(([l]) => layerName(l)).join("; ")}.` : "No whole layer changes it.");
    return lines;
  };

  frame.figure((theme) => {
    const c = now(), p = without(c, state.off, state.layer), room = Math.min(frame.room(), 760) - 4, best = said(p), right = c.right;
    const picture = heed.drawing(room, 10, `${panel.title}: ${c.name}; switched off: ${names()}; ${panel.words.map((word, i) => `${word} ${heed.number(p[i])}`).join(", ")}`);
    picture.setAttribute("tabindex", "0");
    let y = 16;
    const put = (x, words, attributes) => picture.append(heed.text(x, y, words, { fill: theme.ink, ...attributes }));
    const paragraph = (text, attributes, size = 13) => { for (const line of heed.wrap(text, room - 6, size, attributes["font-weight"])) { put(2, line, { "font-size": size, ...attributes }); y += size + 6; } };
    paragraph(c.source.join(" "), { fill: theme.soft });
    paragraph(`${c.written.join(" ")} …`, {});
    y += 8;
    paragraph(`switched off: ${names()}`, { "font-weight": 600 });
    const label = Math.max(...panel.words.map((word) => heed.width(word, 15, 650))) + 16, bar = room - label - 118;
    panel.words.forEach((word, i) => {
      y += 8;
      put(2, word, { "font-size": 15, "font-weight": i === best ? 650 : 400, fill: i === right ? theme.good : theme.bad });
      const box = { x: label, y: y - 14, height: 18, rx: 3 };
      picture.append(heed.svg("rect", { ...box, width: bar, fill: theme.tint }),
        heed.svg("rect", { ...box, width: heed.px(Math.max(bar * p[i], 0.6)), fill: i === right ? theme.good : theme.bad, "data-tip": `${word}${i === right ? " (right)" : ""}\nprobability ${heed.number(p[i])}\nwith every head ${heed.number(c.all[i])}` }),
        heed.svg("line", { x1: heed.px(label + bar * c.all[i]), x2: heed.px(label + bar * c.all[i]), y1: y - 18, y2: y + 8, stroke: theme.ink, "stroke-width": 2, "stroke-dasharray": "3 2" }));
      put(label + bar + 8, `${p[i].toFixed(3)}${i === right ? "  right" : ""}`, { fill: theme.ink });
      y += 24;
    });
    put(2, best === right ? `The model predicts “${panel.words[best]}”: right.` : `The model predicts “${panel.words[best]}”: wrong.`, { "font-weight": 650, fill: best === right ? theme.good : theme.bad });
    y += 20;
    paragraph("Dashed: with every head on. An orange border marks a head, or a layer, without which the prediction changes.", { fill: theme.soft }, 12);
    y += 6;
    for (const line of findings()) paragraph(line, { fill: theme.ink });
    picture.setAttribute("height", Math.ceil(y));
    picture.setAttribute("viewBox", `0 0 ${Math.ceil(room)} ${Math.ceil(y)}`);
    picture.addEventListener("keydown", (event) => {  // the arrow keys go from head to head
      const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      if (!by) return;
      event.preventDefault();
      const at = state.off.length === 1 ? state.off[0] : by > 0 ? -1 : H;
      state.layer = -1;
      state.off = [Math.max(0, Math.min(H - 1, at + by))];
      tell();
      const box = frame.body.getBoundingClientRect();
      heed.tip(`without ${names()}`, box.left, box.top);
    });
    picture.addEventListener("blur", () => heed.tip(""));
    return picture;
  });
  frame.csv(() => [["sentence", "switched off", ...panel.words], ...panel.cases.flatMap((c) => [[c.name, "none", ...c.all], ...c.heads.map((p, h) => [c.name, unit(h), ...p]), ...c.layers.map((p, l) => [c.name, layerName(l), ...p]),
    ...c.pairs.map((p, k) => { let i = 0; while (i + 2 < H && pair(i + 1, i + 2) <= k) ++i; return [c.name, `${unit(i)} + ${unit(k - pair(i, i + 1) + i + 1)}`, ...p]; })])]);
  refresh();
});

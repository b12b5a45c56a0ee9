// The decode stepper: a translation word by word. For each word: the decoder's state, the score of every source word,
// the mask, the softmax, the context, and the five likeliest words. Several models stand side by side, or below each
// other where the page is narrow. A question hides their names until the reader has chosen one. One stage at a time: a
// word is drawn from its state to its probabilities in six presses of a button.
"use strict";

heed.unpackStrip = (packed) => {  // 8 bits a number, as a share of the largest
  const bytes = atob(packed.base64), values = [];
  for (let i = 0; i < bytes.length; ++i) values.push((bytes.charCodeAt(i) - 128) / 127 * packed.scale);
  return values;
};

heed.stages = ["the decoder's state asks", "a score for every source word", "the mask: padding gets −∞", "softmax: positive weights that sum to 1", "context: the weighted mean", "the likeliest next words"];

// One model at one step, `w` wide: { picture: <g>, height }. m: { model, step, stage, head, name, theme, w, changed, reach }
// name: lines, as many for each model; reach: the score whose bar is longest, the same for all models, heads and steps.
heed.stepperColumn = (m) => {
  const { model, theme, w } = m, now = model.steps[m.step], g = heed.svg("g", {}), later = heed.svg("g", {});
  const at = (stage) => (m.stage >= stage ? g : later);  // what belongs to a later stage is not shown
  let y = 16;
  const say = (x, words, attributes) => g.append(heed.text(x, y, words, { fill: theme.ink, ...attributes }));
  const small = { "font-size": 12, fill: theme.soft };
  m.name.forEach((words, k) => { if (k) y += 18; say(0, words, { "font-weight": 650, "font-size": 14 }); });
  y += 24;
  const first = y;
  let x = 0;  // what is written so far; the word of this step is framed
  model.steps.slice(0, m.step + 1).forEach((one, k) => {
    const wide = heed.width(one.word, 13, 600) + 8, last = k === m.step, word = last && m.stage < 6 ? "?" : one.word;
    if (x + wide > w && x > 0) { x = 0; y += 21; }
    if (last) g.append(heed.svg("rect", { x: heed.px(x), y: y - 14, width: heed.px(wide), height: 19, rx: 4, fill: "none", stroke: theme.accent, "stroke-width": 1.5 }));
    g.append(heed.text(x + 4, y, word, { fill: last ? theme.accent : theme.ink, "font-weight": last ? 600 : 400 }));
    x += wide + 2;
  });
  if (m.lines) y += 21 * (m.lines - 1 - Math.round((y - first) / 21));  // as many lines in every step and model
  y += 14;
  const strip = (number, name, packed) => {
    const values = heed.unpackStrip(packed), colour = heed.scale(theme, -1, 1), wide = w / Math.max(values.length, 1);
    y += 16;
    const size = `${values.length} numbers`;
    at(number).append(heed.text(0, y, heed.shorten(`${number}  ${name}`, w - heed.width(size, 12) - 12, 12), small));
    at(number).append(heed.text(w, y, size, { ...small, fill: theme.faint, "text-anchor": "end", "data-tip": `the largest: ±${heed.number(packed.scale)}` }));
    values.forEach((value, i) => at(number).append(heed.svg("rect", { x: heed.px(i * wide), y: y + 6, width: heed.px(Math.max(wide - 0.4, 0.6)), height: 15, fill: colour(value / (packed.scale || 1)), "data-tip": `${name}, number ${i + 1}\n${heed.number(value)}` })));
    y += 30;
  };
  if (now.state.base64 && !model.state_last) strip(1, model.state_name, now.state);

  const head = now.heads[m.head];
  const line = 19, label = Math.min(96, Math.max(...model.source.map((word) => heed.width(word, 13))) + 8), top = y;
  if (head) {
    const weights = heed.unpack(head.weights), scores = head.scores, changed = m.changed && now.changed ? heed.unpack(now.changed) : null;
    const printed = heed.rounded(weights, 2);
    const free = w - label, a = label, b = label + free * 0.36, c = label + free * 0.56, barA = free * 0.36 - 52, barC = w - c - 46;
    y += 18;
    const header = (stage, left, words) => at(stage).append(heed.text(left, y, words, small));
    header(1, 0, "source");
    if (scores.length) { header(2, a, "2  score"); header(3, b, "3  mask"); }
    header(4, c, "4  softmax");
    y += 6;
    model.source.forEach((word, s) => {
      const middle = y + line / 2 + 4, masked = m.stage >= 3 && scores.length > 0 && scores[s] === null, most = m.stage >= 4 && weights[s] === Math.max(...weights);
      const tip = `${word}\n${scores.length ? `score ${masked ? "−∞ (masked)" : heed.number(scores[s])}\n` : ""}weight ${heed.number(weights[s])}${changed ? `\nafter 1 was added to the key of “${model.source[now.key]}”: ${heed.number(changed[s])}` : ""}`;
      g.append(heed.svg("rect", { x: 0, y: heed.px(y), width: w, height: line, fill: changed && s === now.key ? theme.tint : "transparent", "data-tip": tip }));
      const put = (stage, left, words, attributes) => at(stage).append(heed.text(left, middle, words, { "font-size": 12, fill: masked ? theme.faint : theme.ink, "pointer-events": "none", ...attributes }));
      put(1, 0, heed.shorten(word, label - 6), { "font-size": 13, "font-weight": most ? 650 : 400 });
      if (scores.length && scores[s] !== null) {
        const zero = a + barA / 2, to = zero + scores[s] / m.reach * barA / 2;
        at(2).append(heed.svg("rect", { x: heed.px(Math.min(zero, to)), y: heed.px(y + 4), width: heed.px(Math.max(Math.abs(to - zero), 0.6)), height: line - 8, fill: scores[s] < 0 ? theme.cold[2] : theme.warm[2], "pointer-events": "none" }));
        put(2, a + barA + 4, scores[s].toFixed(1).replace("-", "−"));
      }
      if (scores.length) put(3, b + 12, masked ? "−∞" : "✓", { fill: masked ? theme.bad : theme.good });
      at(4).append(heed.svg("rect", { x: heed.px(c), y: heed.px(y + 3), width: heed.px(Math.max(weights[s] * barC, weights[s] > 0 ? 0.6 : 0)), height: line - 6, rx: 1.5, fill: theme.accent, "pointer-events": "none" }));
      if (changed && Math.max(changed[s], weights[s]) >= 0.005) at(4).append(heed.svg("rect", { x: heed.px(c), y: heed.px(y + 2), width: heed.px(Math.max(changed[s] * barC, 0.6)), height: line - 4, rx: 1.5, fill: "none", stroke: theme.ink, "stroke-width": 1.5, "stroke-dasharray": "3 2", "pointer-events": "none" }));
      put(4, w, masked ? "0" : printed[s], { "text-anchor": "end", "font-weight": most ? 650 : 400 });
      y += line;
    });
    y += 14;
    at(4).append(heed.text(w, y, `sum ${weights.reduce((sum, v) => sum + v, 0).toFixed(2)}`, { ...small, "text-anchor": "end" }));
    if (scores.length) at(2).append(heed.text(0, y, `score bars: up to ±${heed.number(Number(m.reach.toPrecision(3)))}`, small));
    if (changed) for (const words of heed.wrap(`dashed: after 1 was added to the key of “${heed.shorten(model.source[now.key], 90)}”`, w, 12)) {
      y += 17;
      at(4).append(heed.text(0, y, words, small));
    }
    y += 4;
  } else {
    y += 16;
    at(2).append(heed.text(0, y, "2–4  no scores: every step receives the same vector", small));
    y += 6;
  }
  if (m.rows && !head) y = Math.max(y, top + 42 + m.rows * line);
  const context = head && head.context.base64 ? head.context : now.context;
  if (context.base64) strip(5, model.context_name, context);
  y += 18;
  if (model.state_last) { y -= 18; strip(6, model.state_name, now.state); y += 18; }
  at(6).append(heed.text(0, y, `${model.state_last ? "" : "6  "}the likeliest next words`, small));
  now.best.forEach(([word, p]) => {
    y += 19;
    const room = Math.min(120, w * 0.36);
    at(6).append(heed.svg("rect", { x: heed.px(room), y: y - 11, width: heed.px(Math.max(p * (w - room - 52), 0.6)), height: 13, rx: 1.5, fill: word === now.word ? theme.accent : theme.faint, "data-tip": `${word}\nprobability ${heed.number(p)}` }));
    const put = (left, words, attributes) => at(6).append(heed.text(left, y, words, { fill: theme.ink, ...attributes }));
    put(0, heed.shorten(word, room - 6), { "font-weight": word === now.word ? 650 : 400 });
    put(w, p < 0.001 && p > 0 ? p.toExponential(1) : p.toFixed(3), { "font-size": 12, "text-anchor": "end" });
  });
  y += 22;
  g.append(heed.text(0, y, "numbers as colours: orange above 0, blue below", small));
  return { picture: g, height: y + 8 };
};

heed.panel("stepper", (panel, frame) => {
  const last = Math.max(...panel.models.map((one) => one.steps.length)) - 1, question = panel.question;
  const reach = Math.max(1e-9, ...panel.models.flatMap((one) => one.steps.flatMap((s) => s.heads.flatMap((h) => h.scores.map((v) => Math.abs(v ?? 0))))));
  const state = { step: 0, stage: 6, head: 0, answered: !question, changed: false };
  const letter = (i) => `decoder ${"ABCDEF"[i]}`, name = (i) => (state.answered ? panel.models[i].name + (question ? ` (${letter(i)})` : "") : letter(i));
  const step = (model) => Math.min(state.step, model.steps.length - 1);
  const spoken = () => `word ${state.step + 1} of ${last + 1}: ` + (state.stage < 6 ? `stage ${state.stage}, ${heed.stages[state.stage - 1]}` : panel.models.map((one, i) => `${name(i)} writes “${one.steps[step(one)].word}”`).join("; "));

  const back = heed.el("button", { type: "button", "aria-label": "Previous word" }, "◂ Back"), next = heed.el("button", { type: "button", "aria-label": "Next word" }, "Next word ▸");
  const slider = heed.el("input", { type: "range", min: 0, max: last, step: 1, value: 0, "aria-label": "Word of the translation" }), shown = heed.el("output", {});
  const refresh = () => {
    slider.value = state.step;
    shown.textContent = `word ${state.step + 1} of ${last + 1}${slow ? ` · ${state.stage} ${heed.stages[state.stage - 1]}` : ""}`;
    slider.setAttribute("aria-valuetext", spoken());
    back.disabled = state.step === 0 && (!slow || state.stage === 1);
    next.disabled = state.step === last && state.stage === 6;
    next.textContent = slow && state.stage < 6 ? "Next stage ▸" : "Next word ▸";
    stages.setAttribute("aria-pressed", String(slow));
    frame.draw();
  };
  const go = (to, stage = 6) => { state.step = Math.max(0, Math.min(last, to)); state.stage = slow ? stage : 6; refresh(); heed.say(spoken()); };
  const forward = () => { if (slow && state.stage < 6) go(state.step, state.stage + 1); else if (state.step < last) go(state.step + 1, 1); };
  const backward = () => { if (slow && state.stage > 1) go(state.step, state.stage - 1); else if (state.step > 0) go(state.step - 1); };
  const stages = heed.el("button", { type: "button", class: "toggle", onclick: () => { slow = !slow; go(state.step, 1); } }, "One stage at a time");
  let slow = false;
  back.addEventListener("click", backward);
  next.addEventListener("click", forward);
  slider.addEventListener("input", () => go(Number(slider.value)));
  frame.controls.append(back, next, stages, slider, shown);
  const heads = panel.models.reduce((most, one) => (one.heads.length > most.length ? one.heads : most), []);
  if (heads.length > 1) {
    const choice = heed.el("select", { "aria-label": "Head" }, ...heads.map((words, i) => heed.el("option", { value: i }, words)));
    choice.addEventListener("change", () => { state.head = Number(choice.value); frame.draw(); });
    frame.controls.append(heed.el("label", {}, "Head", choice));
  }
  if (panel.models.some((one) => one.steps.some((s) => s.changed))) {
    const toggle = heed.el("button", { type: "button", class: "toggle", "aria-pressed": "false" }, "Change one key");
    toggle.addEventListener("click", () => {
      state.changed = !state.changed;
      toggle.setAttribute("aria-pressed", String(state.changed));
      frame.draw();
    });
    const reveal = () => { if (state.answered) frame.controls.append(toggle); };
    reveal();
    if (question) {
      const verdict = heed.el("span", { role: "status", style: "display:block" });
      const box = heed.el("p", { class: "caption" }, heed.el("strong", {}, question.text), " ", ...panel.models.map((_, i) => heed.el("button", { type: "button", class: "answer", onclick: (event) => {
        state.answered = state.changed = true;
        toggle.setAttribute("aria-pressed", "true");
        for (const button of box.querySelectorAll("button")) button.disabled = true;
        verdict.textContent = `${i === question.right ? "Yes." : "No."} ${question.answer}`;
        reveal();
        frame.draw();
        event.preventDefault();
      } }, letter(i))), " ", verdict);
      for (const button of box.querySelectorAll("button")) button.style.marginRight = "8px";
      frame.controls.before(box);
    }
  }

  frame.figure((theme) => {
    const room = frame.room(), count = panel.models.length, gap = 36, beside = count > 1 && (room - gap * (count - 1)) / count >= 290;
    const w = Math.floor(beside ? Math.min(460, (room - gap * (count - 1)) / count) : Math.min(520, room)) - 4;
    const lines = Math.max(...panel.models.map((model) => {
      let n = 1, x = 0;
      for (const one of model.steps) { const wide = heed.width(one.word, 13, 600) + 8; if (x + wide > w && x > 0) { x = 0; ++n; } x += wide + 2; }
      return n;
    }));
    const names = panel.models.map((_, i) => heed.wrap(name(i), w, 14, 650)), high = Math.max(...names.map((one) => one.length));
    if (beside) for (const one of names) while (one.length < high) one.push("");  // what follows stays level
    const rows = beside ? Math.max(...panel.models.map((model) => (model.heads.length ? model.source.length : 0))) : 0;
    const columns = panel.models.map((model, i) => heed.stepperColumn({ model, theme, w, rows, lines, reach, name: names[i], step: step(model), stage: state.stage, head: Math.min(state.head, model.heads.length - 1), changed: state.changed }));
    const width = beside ? count * w + (count - 1) * gap : w;
    const height = beside ? Math.max(...columns.map((c) => c.height)) : columns.reduce((sum, c) => sum + c.height + 26, -26);
    const picture = heed.drawing(width + 4, height, `${panel.title}: ${spoken()}`);
    picture.setAttribute("tabindex", "0");
    let y = 0;
    columns.forEach((c, i) => {
      c.picture.setAttribute("transform", `translate(${2 + (beside ? i * (w + gap) : 0)} ${heed.px(y)})`);
      if (!beside) y += c.height + 26;
      picture.append(c.picture);
    });
    picture.addEventListener("keydown", (event) => {
      const act = { ArrowRight: forward, ArrowLeft: backward, Home: () => go(0), End: () => go(last) }[event.key];
      if (!act) return;
      event.preventDefault();
      act();
      const box = frame.body.getBoundingClientRect();
      heed.tip(spoken(), box.left, box.top);
    });
    picture.addEventListener("blur", () => heed.tip(""));
    return picture;
  });
  frame.csv(() => [["model", "step", "written", "head", "source word", "score", "weight"], ...panel.models.flatMap((model, i) => model.steps.flatMap((one, t) => one.heads.flatMap((head, h) => {
    const weights = heed.unpack(head.weights);
    return model.source.map((word, s) => [name(i), t + 1, one.word, model.heads[h], word, head.scores.length ? head.scores[s] ?? "-inf" : "", heed.number(weights[s])]);
  })))]);
  refresh();
});

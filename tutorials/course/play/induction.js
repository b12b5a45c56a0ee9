// Lesson 35 to play with: an induction head in two steps, on a text that is typed.
//
//   step 1   place j gets the word o places back as its label, and the word o - 1 places back as its content
//   step 2   the last word q looks for it:  w = softmax(s [label_j = q]),   p(v) = sum_j w_j [content_j = v]
//
// o = 1 is the head of the textbook: the label is the previous word, the content the word itself (Olsson et al., 2022).
// The heads of the lesson have found o = 3. Places whose content does not exist are left out.
"use strict";
heed.play("induction", (root) => {
  const { toggle, slider, goals, bars, fixed } = heed.parts;
  let away = 1, sharp = 2, moves = true, matches = true, draw = () => {};
  const typed = heed.el("input", { class: "play-source", type: "text", value: "tea owl red fox key tea owl red", maxlength: 120, spellcheck: "false",
    autocapitalize: "off", "aria-label": "a text of your own" });
  typed.addEventListener("input", () => draw());
  const o = slider({ label: "words back o", min: 1, max: 4, step: 1, value: away, onmove: (to) => { away = to; draw(); } });
  const s = slider({ label: "sharpness s", min: 0, max: 10, step: 0.5, value: sharp, text: (to) => fixed(to, 1), onmove: (to) => { sharp = to; draw(); } });
  const first = toggle("Switch off step 1", (on) => { moves = !on; draw(); }), second = toggle("Switch off step 2", (on) => { matches = !on; draw(); });
  const said = heed.el("p", { class: "play-lead", "aria-live": "polite" }), told = heed.el("p", { class: "play-note play-below" });
  const places = heed.el("div", {}), answers = heed.el("div", {});
  const aims = goals(["Make one next word more than 90 % likely.", "Type a text after which two words are equally likely.",
    "Switch off step 1: step 2 has nothing to match, and all places are alike.",
    "Set o = 3. The answer stays, but the largest weight is no longer on the word that is the answer."]);
  root.append(said, heed.el("div", { class: "controls" }, typed), heed.el("div", { class: "controls" }, o.node, s.node, first, second),
    heed.el("div", { class: "play-grid" }, places, heed.el("div", {}, answers, told, aims.node)));

  draw = (theme = heed.theme()) => {
    const words = typed.value.trim().split(/\s+/).filter(Boolean).slice(0, 16), n = words.length, query = words[n - 1];
    const all = words.map((word, j) => ({ word, label: moves && j >= away ? words[j - away] : "", content: away === 1 ? word : moves && j >= away - 1 ? words[j - away + 1] : "" }));
    const raw = all.map((one) => (one.content ? Math.exp(matches && one.label && one.label === query ? sharp : 0) : 0)), total = raw.reduce((a, b) => a + b, 0);
    const w = raw.map((x) => (total ? x / total : 0)), p = new Map();
    all.forEach((one, j) => { if (one.content) p.set(one.content, (p.get(one.content) || 0) + w[j]); });
    const best = [...p].map(([word, value]) => ({ word, value })).sort((a, b) => b.value - a.value), top = w.indexOf(Math.max(...w, 0));
    const found = all.some((one) => one.label && one.label === query);
    said.textContent = !n ? "Type some words." : found && matches ? `${query} … then comes ${best[0].word}` : `${query} … no place has this label: a guess`;
    const room = (node) => Math.min(460, node.clientWidth || 320), percent = (x) => `${(100 * x).toFixed(0)} %`;
    const left = Math.max(40, ...all.map((one) => heed.width(`${one.word} (${one.label || "–"} → ${one.content || "–"})`, 13) + 12));
    places.replaceChildren(heed.el("p", { class: "caption" }, "each place (label → content), and its weight"),
      ...(n ? [bars({ label: "weights of the places", high: 1, room: room(places), theme, left,
        rows: all.map((one, j) => ({ name: `${one.word} (${one.label || "–"} → ${one.content || "–"})`, value: w[j], colour: theme.accent, text: percent(w[j]) })) })] : []));
    answers.replaceChildren(heed.el("p", { class: "caption" }, "the next word"),
      ...(best.length ? [bars({ label: "probabilities of the next word", high: 1, room: room(answers), theme,
        rows: best.slice(0, 6).map((one) => ({ name: one.word, value: one.value, colour: theme.gold || theme.accent, text: percent(one.value) })) })] : []));
    told.textContent = n && top >= 0 && best.length ? `The largest weight is on place ${top + 1}, where “${words[top]}” stands; it gives “${all[top].content}”.` : "";
    const equal = found && matches && best.length > 1 && Math.abs(best[0].value - best[1].value) < 1e-9;
    aims.check(0, found && matches && best[0].value > 0.9);
    aims.check(1, moves && equal && best[0].value > 0.3);
    aims.check(2, !moves && n > 1 && Math.max(...w) - Math.min(...w.filter((x) => x > 0)) < 1e-9);
    aims.check(3, away === 3 && found && matches && best[0].value > 0.5 && words[top] !== best[0].word);
    root.playState = { words, weights: w, best, away, sharp, top, goals: [...aims.done] };
  };
  return draw;
});

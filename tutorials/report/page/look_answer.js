// The answer with everything, and without one head or one word, computed beforehand. And whether the weights of the chosen
// head agree with what each word does to the answer.
"use strict";

heed.panel("look_answer", (panel, frame) => {
  const look = heed.look, { answer, sides } = look.data, vector = answer.kind === "sentence_vector";
  const button = heed.el("button", { type: "button", class: "toggle", onclick: () => look.change({ off: look.off && look.off.head === look.h() ? null : { head: look.h() } }) });
  const whole = heed.el("button", { type: "button", onclick: () => look.change({ off: null }) }, "Everything on");
  frame.controls.append(button, whole);
  const said = heed.el("p", { "aria-live": "polite" }), holder = heed.el("div", { class: "figure" }), boxes = [];
  frame.body.className = "";
  frame.body.append(said, holder);
  for (const side of ["source", "target"]) {
    if (!sides[side] || !answer[side].length) continue;  // of this side no word can be hidden
    const found = new Map(answer[side].map((one) => [one.word, one]));
    const words = look.words(`Hide a word of the ${side}`, sides[side].words, (i) => {
      const word = found.get(i);
      if (word) look.change({ off: look.off && look.off.word === word ? null : { word, side, name: sides[side].words[i] } });
    });
    frame.body.append(heed.el("p", { class: "caption" }, `Click a word${sides.source && sides.target ? ` of the ${side}` : ""} to hide it. The darker, the more the answer changes without it:`), words);
    boxes.push([words, side, found]);
  }
  const what = () => (look.off.head ? `head ${look.off.head.name} switched off` : `“${look.off.name}” (word ${look.off.word.word}) hidden`);
  const now = () => (look.off ? look.off.head || look.off.word : null);
  const rows = () => {
    const after = now(), names = [...new Set([...answer.best, ...(after ? after.best : [])].map(([word]) => word))];
    const of = (list, name) => { const hit = list.find(([word]) => word === name); return hit ? hit[1] : null; };
    return names.slice(0, 8).map((name) => ({ name, before: of(answer.best, name), after: after ? of(after.best, name) : undefined }));
  };
  const picture = (theme) => look.bars(theme, frame.room(), vector ? [{ name: "cosine", before: 1, after: now() ? 1 - now().change : undefined }] : rows(), ["with everything", now() ? what() : ""].filter(Boolean), `${panel.title}: ${said.textContent}`, [1, 1]);
  look.redraws(frame, (theme) => {
    const after = now(), h = look.h();
    button.textContent = `Switch off head ${h.name}`;
    button.setAttribute("aria-pressed", String(!!look.off && look.off.head === h));
    whole.disabled = !look.off;
    const best = (list) => `“${list[0][0]}” with ${heed.number(list[0][1])}`;
    if (vector) said.textContent = after ? `With ${what()} the cosine to the sentence vector of before is ${(1 - after.change).toFixed(4)}.` : "The answer is the sentence vector. Switch off a head or hide a word to see how far it turns.";
    else said.textContent = `${answer.question} With everything: ${best(answer.best)}.` + (after ? ` With ${what()}: ${best(after.best)}. ${heed.number(after.change)} of the probability has moved to others.` : "");
    holder.replaceChildren(picture(theme));
    const most = Math.max(1e-12, ...boxes.flatMap(([, side]) => answer[side].map((one) => one.change)));
    for (const [words, side, found] of boxes) {
      const list = sides[side].words;
      words.paint(theme, list.map((_, i) => (found.has(i) ? found.get(i).change : null)), look.off && look.off.side === side ? look.off.word.word : -1,
        (i) => `${list[i]} (word ${i})\n${found.has(i) ? `change without it: ${heed.number(found.get(i).change)}` : "not tried"}`, most);
    }
  });
  frame.figure(picture);
  frame.csv(() => [["without", "change", "best word", "probability"], ...look.data.attentions.flatMap((a) => a.heads.map((h) => [`head ${h.name}`, h.change, ...(h.best[0] || [])])),
    ...["source", "target"].flatMap((side) => answer[side].map((one) => [`word ${one.word} of the ${side}: ${sides[side].words[one.word]}`, one.change, ...(one.best[0] || [])]))]);
});

heed.panel("look_trust", (panel, frame) => {
  const look = heed.look, said = heed.el("p", {}), holder = heed.el("div", { class: "figure" });
  frame.body.className = "";
  frame.body.append(said, holder);
  const pairs = () => {  // of the words that were hidden: the weight on each, and the change without it
    const a = look.a(), side = look.data.sides[a.keys].words, on = heed.unpack(look.h().on);
    return look.data.answer[a.keys].map((one, i) => ({ word: one.word, name: `${side[one.word]}`, before: on[i], after: one.change }));
  };
  const picture = (theme) => {  // each on its own scale; of many words those with the longest bars
    const all = pairs(), most = (key) => Math.max(1e-12, ...all.map((one) => one[key])), w = most("before"), c = most("after");
    const shown = all.length > 20 ? [...all].sort((x, y) => Math.max(y.before / w, y.after / c) - Math.max(x.before / w, x.after / c)).slice(0, 20).sort((x, y) => x.word - y.word) : all;
    return look.bars(theme, frame.room(), shown, ["weight", "change of the answer"], `${panel.title}: weights and changes of ${shown.length} words`, [w, c]);
  };
  look.redraws(frame, (theme) => {
    said.textContent = look.h().verdict;
    holder.replaceChildren(picture(theme));
  });
  frame.figure(picture);
  frame.csv(() => [["word", "number", "weight", "change of the answer without it"], ...pairs().map((one) => [one.name, one.word, one.before, one.after])]);
});

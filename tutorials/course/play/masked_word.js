// Lesson 25 to play with: a masked word, guessed by counting. Which neighbours may be seen?
//
//   p(word) = count(word with these neighbours) / count(these neighbours)      in the other eleven sentences
//
// The twelve sentences are made by hand; "|" is the edge of a sentence, and counts as a neighbour. The sentence that is asked is
// left out of the counts, as a test sentence must be. An encoder does not count: words that are used alike help each
// other, so it has a guess where these counts have none.
"use strict";
heed.play("masked_word", (root) => {
  const { slider, choice, goals, bars } = heed.parts;
  const sentences = ["the cat sees the mouse", "the dog eats the fish", "the dog eats the bone", "the dog sees the cat", "a bird eats the cheese",
    "a bird eats the seed", "a cat sees the bird",
    "the bird sings a song", "the child sings a song", "the child likes the cat", "a dog sees a bird", "the mouse fears the cat"].map((text) => text.split(" "));
  const kinds = [["none", "nothing"], ["left", "the word before"], ["right", "the word after"], ["both", "both"]];
  let chosen = 7, place = 2, kind = "left", draw = () => {};

  const guess = (s, t, how) => {
    const near = (words, i) => [i ? words[i - 1] : "|", i + 1 < words.length ? words[i + 1] : "|"], [before, after] = near(sentences[s], t), counts = new Map();
    sentences.forEach((words, other) => { if (other !== s) words.forEach((word, i) => {
      const [left, right] = near(words, i);
      if ((how === "none" || how === "right" || left === before) && (how === "none" || how === "left" || right === after)) counts.set(word,
        (counts.get(word) || 0) + 1);
    }); });
    const total = [...counts.values()].reduce((a, b) => a + b, 0);
    return { total, list: [...counts].map(([word, count]) => ({ word, count, p: count / total })).sort((a, b) => b.count - a.count) };
  };
  // Is the right word the only best guess?
  const sure = (s, t, how) => {
    const { list } = guess(s, t, how);
    return list.length > 0 && list[0].word === sentences[s][t] && (list.length === 1 || list[1].count < list[0].count);
  };

  const which = slider({ label: "sentence", min: 1, max: sentences.length, step: 1, value: chosen + 1,
    onmove: (to) => { chosen = to - 1; place = Math.min(place, sentences[chosen].length - 1); draw(); } });
  const line = heed.el("div", { class: "controls", style: "gap: 5px" }), seen = choice({ label: "see", options: kinds, value: kind,
    onpick: (to) => { kind = to; draw(); } });
  const chart = heed.el("div", {}), verdict = heed.el("p", { class: "play-lead", "aria-live": "polite" }), told = heed.el("p", { class: "play-note" });
  const aims = goals(["A word that the word before reveals, and the word after does not.",
    "A word for which you need both: neither neighbour alone is enough, together they are.",
    "A word for which both neighbours together have never been seen."]);
  root.append(heed.el("p", { class: "play-lead" }, "Press a word to mask it. What must you see to guess it?"),
    heed.el("div", { class: "controls" }, which.node), line, heed.el("div", {}, seen.node),
    heed.el("div", { class: "play-grid" }, chart, heed.el("div", {}, verdict, told, aims.node)),
    heed.el("details", {}, heed.el("summary", {}, "All twelve sentences"), heed.el("ol", {}, ...sentences.map((words) => heed.el("li", {}, words.join(" "))))));

  draw = (theme = heed.theme()) => {
    const words = sentences[chosen], truth = words[place], { total, list } = guess(chosen, place, kind), right = list.find((one) => one.word === truth);
    const focused = [...line.children].indexOf(document.activeElement);
    line.replaceChildren(...words.map((word, t) => heed.el("button", { type: "button", "aria-pressed": String(t === place), "aria-label": t === place
      ? `word ${t + 1} is masked` : `mask ${word}, word ${t + 1}`,
      onclick: () => { place = t; draw(); } }, t === place ? "[MASK]" : word)));
    if (focused >= 0 && line.children[focused]) line.children[focused].focus();
    chart.replaceChildren(heed.el("p", { class: "caption" },
      `what is there in the other eleven sentences${kind === "none" ? "" : ", with the same neighbours"}`),
      ...(total ? [bars({ label: "guesses", high: list[0].p, theme, room: Math.min(440, chart.clientWidth || 320), left: 58,
      rows: list.slice(0, 8).map((one) => ({ name: one.word, value: one.p, text: `${one.count} of ${total}`, colour: one.word === truth ? theme.good
      : theme.faint })) })]
      : [heed.el("p", {}, "Never seen: counting has no guess.")]));
    const knows = sure(chosen, place, kind);
    verdict.textContent = `It was “${truth}”. ` + (knows ? "Guessed." : !total ? "No guess." : list[0].word === truth
      ? "One of several equally good guesses." : `The guess is “${list[0].word}”.`);
    told.textContent = total ? `The right word has the probability ${right ? `${right.count}/${total}` : "0"}, ` +
      `a loss of ${right ? (-Math.log(right.p) + 0).toFixed(3) : "infinity"}.`
      : "An encoder would not give up here: it knows which words are used alike.";
    aims.check(0, sure(chosen, place, "left") && !sure(chosen, place, "right") && kind === "left");
    aims.check(1, kind === "both" && knows && !sure(chosen, place, "left") && !sure(chosen, place, "right"));
    aims.check(2, kind === "both" && total === 0);
    root.playState = { sentences, chosen, place, kind, truth, total, list, knows, goals: [...aims.done] };
  };
  return draw;
});

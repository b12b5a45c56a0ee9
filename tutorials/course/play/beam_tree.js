// Lesson 13 to play with: beam search over 27 sentences of three words, step by step, with a beam of any width.
//
//   p(y) = p(y_1) p(y_2 | y_1) p(y_3 | y_1 y_2)      a step extends every hypothesis that is kept, and keeps the `width` best
//
// The probabilities are made by hand, so that greedy search, a beam of two and a beam of three find three different
// sentences. All sentences have three words, so no length penalty is needed.
"use strict";
heed.play("beam_tree", (root) => {
  const { button, slider, goals, bars } = heed.parts;
  const nouns = { the: { cat: 0.4, dog: 0.35, bird: 0.25 }, a: { cat: 0.1, dog: 0.8, bird: 0.1 }, some: { cats: 0.95, dogs: 0.04, birds: 0.01 } };
  const verbs = { "the cat": { sleeps: 0.4, sings: 0.3, runs: 0.3 }, "the dog": { sleeps: 0.5, sings: 0.1, runs: 0.4 },
    "a dog": { sleeps: 0.35, sings: 0.1, runs: 0.55 },
    "some cats": { sleep: 0.9, sing: 0.05, run: 0.05 } };
  let width = 1, some = 0.2, done = 0, draw = () => {};

  const next = (words) => {
    if (words.length === 0) return { the: (1 - some) * 0.625, a: (1 - some) * 0.375, some };
    if (words.length === 1) return nouns[words[0]];
    return verbs[words.join(" ")] || (words[0] === "some" ? { sleep: 0.4, sing: 0.3, run: 0.3 } : { sleeps: 0.4, sings: 0.3, runs: 0.3 });
  };
  const search = (wide) => {
    const steps = [];
    let beam = [{ words: [], p: 1 }], asked = 0;
    for (let t = 0; t < 3; ++t) {
      asked += beam.length;
      const candidates = beam.flatMap((one) => Object.entries(next(one.words)).map(([word, p]) => ({ words: [...one.words, word], p: one.p * p }))).sort((x,
        y) => y.p - x.p);
      beam = candidates.slice(0, wide);
      steps.push({ candidates, kept: beam.length });
    }
    return { steps, found: beam[0], asked };
  };
  const said = (one) => one.words.join(" ");

  const advance = button("Next step", () => { ++done; draw(); }, "main"), all = button("All steps", () => { done = 3; draw(); });
  const beam = slider({ label: "beam width", min: 1, max: 9, step: 1, value: width, text: (to) => (to === 1 ? "1: greedy" : String(to)),
    onmove: (to) => { width = to; draw(); } });
  const first = slider({ label: "probability of “some”", min: 0.05, max: 0.6, step: 0.05, value: some, text: (to) => to.toFixed(2),
    onmove: (to) => { some = to; draw(); } });
  const boards = ["first word", "second word", "third word"].map((name) => ({ name, node: heed.el("div", {}) }));
  const told = heed.el("p", { class: "play-lead play-below", "aria-live": "polite" }), cost = heed.el("p", { class: "play-note" });
  const aims = goals(["Leave “some” at 0.20, and choose the smallest beam that finds the most probable sentence.",
    "Change the probability of “some” until greedy search finds the most probable sentence.",
    "Change “some” until a beam of two finds the most probable sentence and greedy search does not."]);
  root.append(heed.el("p", { class: "play-lead" }, "Which sentences are kept? The blue ones go on to the next step, the grey ones are dropped for good."),
    heed.el("div", { class: "controls" }, advance, all, button("Start again", () => { done = 0; draw(); }), beam.node, first.node),
    heed.el("div", { class: "play-grid" }, ...boards.map((board) => board.node)), told, cost, aims.node);

  draw = (theme = heed.theme()) => {
    const now = search(width), whole = search(27), best = whole.found, hit = said(now.found) === said(best);
    advance.disabled = all.disabled = done >= 3;
    advance.className = done >= 3 ? "" : "main";
    boards.forEach((board, t) => {
      const { candidates, kept } = now.steps[t], high = candidates[0].p;
      board.node.replaceChildren(heed.el("p", { class: "caption" }, t < done ? `${board.name}: ${Math.min(kept, width)} of ${candidates.length} kept`
        : `${board.name}: not yet`), ...(t < done ? [bars({
        label: board.name, high, theme, room: Math.min(420, board.node.clientWidth || 310),
        rows: candidates.slice(0, 12).map((one, i) => ({ name: said(one), value: one.p, text: one.p.toFixed(3), colour: i < kept ? theme.accent
        : theme.faint, hollow: i >= kept })) }),
      candidates.length > 12 ? heed.el("p", { class: "caption" }, `and ${candidates.length - 12} less probable ones`) : ""] : []));
    });
    told.textContent = done < 3 ? "Press Next step." : `Found: “${said(now.found)}”, ${now.found.p.toFixed(4)}. ` +
      (hit ? "That is the most probable of all 27." : `The most probable of all 27 is “${said(best)}”, ${best.p.toFixed(4)}.`);
    const lost = now.steps.findIndex((step) => !step.candidates.slice(0, step.kept).some((one) => said(best).startsWith(said(one))));
    cost.textContent = done < 3 ? "" : `The model was asked ${now.asked} times; asking for everything takes ${whole.asked}.` +
      (hit ? "" : ` “${said(best)}” was lost at word ${lost + 1}, ` +
      `where ${now.steps[lost].kept === 1 ? "one beginning was" : `${now.steps[lost].kept} beginnings were`} more probable.`);
    const greedy = said(search(1).found) === said(best);
    aims.check(0, done === 3 && Math.abs(some - 0.2) < 1e-9 && hit && said(search(width - 1).found) !== said(best));
    aims.check(1, done === 3 && width === 1 && greedy);
    aims.check(2, done === 3 && width === 2 && hit && !greedy);
    root.playState = { width, some, done, steps: now.steps, found: { ...now.found, text: said(now.found) }, best: { ...best, text: said(best) },
      all: whole.steps[2].candidates, asked: now.asked, hit, goals: [...aims.done] };
  };
  return draw;
});

// Lesson 32 to play with: a state matrix that is written word by word, by five rules at once.
//
//   sum          S =     S + k^T v                   reflection: the delta rule with b = 2
//   decay        S = g   S + k^T v
//   gate         S = a_t S + k^T v                   a_t: 1, or 0 for a word that closes the gate
//   delta rule   S = a_t S + b k^T (v - k a_t S)     b up to 1
//
// Keys are people, values are towns: Ann = (1, 0, 0), Bob = (c, sqrt(1 - c^2), 0), Cy = (0, 0, 1), where c is how much the
// keys of Ann and Bob overlap. Katharopoulos et al., 2020; Sun et al., 2023; Yang et al., 2024 and 2025; Grazzi et al., 2025.
"use strict";
heed.play("state_matrix", (root) => {
  const { button, toggle, slider, choice, matrix, goals, fixed, dot, transposed } = heed.parts;
  const people = ["Ann", "Bob", "Cy"], towns = ["Rome", "Oslo"], rules = ["sum", "decay", "gate", "delta rule", "reflection"];
  const start = [["Ann", "Rome"], ["Bob", "Oslo"], ["Cy", "Rome"], ["Ann", "Oslo"]].map(([who, where]) => ({ who, where, closed: false }));
  let story = start, done = 0, decay = 0.8, strength = 1, overlap = 0, closes = false, draw = () => {};

  const keys = () => [[1, 0, 0], [overlap, Math.sqrt(1 - overlap ** 2), 0], [0, 0, 1]];
  const value = (where) => towns.map((town) => (town === where ? 1 : 0));
  const read = (S, k) => transposed(S).map((column) => dot(k, column));
  const written = (S, rule, word) => {
    const k = keys()[people.indexOf(word.who)], v = value(word.where), b = rule === "reflection" ? 2 : strength;
    const keep = rule === "sum" ? 1 : rule === "decay" ? decay : word.closed ? 0 : 1, kept = S.map((row) => row.map((x) => keep * x));
    const found = read(kept, k), added = rule === "delta rule" || rule === "reflection" ? v.map((x, j) => b * (x - found[j])) : v;
    return { S: kept.map((row, i) => row.map((x, j) => x + k[i] * added[j])), found, added };
  };
  const run = (rule) => {
    let last = { S: [[0, 0], [0, 0], [0, 0]], found: [0, 0], added: [0, 0] };
    for (const word of story.slice(0, done)) last = written(last.S, rule, word);
    return { ...last, answers: keys().map((k) => read(last.S, k)) };
  };
  const said = (word) => (word.where ? `${word.who} is in ${word.where}` : `${word.who}: nothing`) + (word.closed ? " (gate closed)" : "");

  const next = button("Next word", () => { ++done; draw(); }, "main"), again = button("Start again", () => { story = start; done = 0; draw(); });
  const words = heed.el("ol", { class: "play-story" });
  const g = slider({ label: "decay g", min: 0, max: 1, step: 0.05, value: decay, text: (to) => fixed(to), onmove: (to) => { decay = to; draw(); } });
  const b = slider({ label: "b of the delta rule", min: 0, max: 1, step: 0.05, value: strength, text: (to) => fixed(to), onmove: (to) => { strength = to; draw(); } });
  const c = slider({ label: "overlap Ann, Bob", min: 0, max: 0.9, step: 0.1, value: overlap, text: (to) => fixed(to, 1), onmove: (to) => { overlap = to; draw(); } });
  const who = choice({ label: "key", options: people.map((name) => [name, name]), value: "Ann", onpick: () => {} });
  const where = choice({ label: "value", options: [...towns.map((name) => [name, name]), ["", "nothing"]], value: "", onpick: () => {} });
  const gate = toggle("Close the gate", (on) => { closes = on; });
  const write = button("Write this word", () => {
    story = [...story.slice(0, done), { who: who.value, where: where.value, closed: closes }];
    ++done;
    draw();
  });
  const boards = rules.map((rule) => {
    const state = matrix({ name: "state S", values: [[0, 0], [0, 0], [0, 0]], rows: ["1", "2", "3"], columns: towns, digits: 2 });
    const asked = matrix({ name: "where is ..? q S", values: [[0, 0], [0, 0], [0, 0]], rows: people, columns: towns, digits: 2 });
    return { rule, state, asked, node: heed.el("section", {}, heed.el("p", { class: "play-lead" }, rule), state.node, asked.node) };
  });
  const sums = heed.el("div", { class: "play-sum", "aria-live": "polite" });
  const aims = goals(["Two rules say that Ann is in Oslo and nowhere else.",
    "One word with a closed gate, and the rule “gate” has forgotten Bob.",
    "Write “Ann: nothing” twice: the reflection has changed its sign twice, and Ann's answer is what it was.",
    "Let the keys of Ann and Bob overlap: what is written for one changes what the other returns."]);
  root.append(heed.el("p", { class: "play-lead" }, "Each word writes a value under a key. Five rules, one matrix each."),
    heed.el("div", { class: "controls" }, next, again, g.node, b.node, c.node), words,
    heed.el("div", { class: "controls" }, who.node, where.node, gate, write),
    heed.el("div", { class: "play-grid" }, ...boards.map((board) => board.node)), sums, heed.el("div", { class: "play-below" }, aims.node));

  draw = () => {
    next.disabled = done >= story.length;
    next.className = next.disabled ? "" : "main";
    words.replaceChildren(...story.map((word, i) => heed.el("li", i === done - 1 ? { "aria-current": "step" } : {}, i < done ? heed.el("b", {}, said(word)) : said(word))));
    const now = rules.map(run), word = done ? story[done - 1] : null, row = word ? people.indexOf(word.who) : -1;
    boards.forEach((board, r) => {
      board.state.paint((i) => (row >= 0 && keys()[row][i] ? "lit" : ""), now[r].S);
      board.asked.paint((i) => (i === row ? "target" : ""), now[r].answers);
    });
    const list = (x) => `(${x.map((y) => fixed(y)).join(", ")})`;
    sums.replaceChildren(...(word ? [heed.el("div", {}, `${said(word)}: v = ${list(value(word.where))}`),
      ...rules.slice(3).map((rule, i) => heed.el("div", {}, `${rule}: the key returned ${list(now[i + 3].found)}, so ${list(now[i + 3].added)} is added under it`))]
      : [heed.el("div", {}, "Press Next word: it writes the first value.")]));
    const near = (x, y) => x.every((value, i) => Math.abs(value - y[i]) < 1e-9), [sum, , gated, delta, mirror] = now;
    aims.check(0, done > 0 && now.filter((one) => near(one.answers[0], [0, 1])).length >= 2);
    aims.check(1, word && word.closed && near(gated.answers[1], [0, 0]) && !near(sum.answers[1], [0, 0]));
    const twice = done >= 2 && story.slice(done - 2, done).every((one) => one.who === "Ann" && !one.where && !one.closed);
    aims.check(2, twice && !near(mirror.answers[0], [0, 0]));
    aims.check(3, overlap > 0 && done >= 2 && !near(delta.answers[0], value(story.slice(0, done).findLast((one) => one.who === "Ann")?.where)));
    root.playState = { done, story: story.map(said), decay, strength, overlap, states: now.map((one) => one.S), answers: now.map((one) => one.answers),
      goals: [...aims.done] };
  };
  return draw;
});

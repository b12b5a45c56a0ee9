// Lesson 10 to play with: a sentence is squeezed into one vector of N numbers and read out again.
//
//   c_t = r c_{t-1} + code(t, word_t)        r: how much of the vector is kept when the next word comes
//   read at place t: the word w of 8 with the largest code(t, w) . c
//
// A code is N numbers, each +1 or -1, drawn from a fixed seed for every place and word. Codes of other words are noise for
// this one: their dot products have a standard deviation of sqrt(N) each, while the right word gives N. So the words stand
// out as long as there are far fewer of them than numbers. This encoder is made by hand (a sum of random codes, as in
// Plate, 1995); the trained one of the lesson learns its own codes.
"use strict";
heed.play("fixed_vector", (root) => {
  const { button, slider, goals, bars, dot, fixed } = heed.parts;
  const words = ["red", "blue", "cat", "dog", "sun", "rain", "tea", "salt"], longest = 24, widest = 512;
  let width = 32, length = 8, keep = 1, seed = 1, asked = 0, draw = () => {};

  let mix = 0;
  const next = () => {  // mulberry32
    mix = (mix + 0x6d2b79f5) | 0;
    let t = Math.imul(mix ^ (mix >>> 15), mix | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
  mix = 2014;
  const codes = Array.from({ length: longest }, () => words.map(() => Array.from({ length: widest }, () => (next() < 0.5 ? -1 : 1))));
  const sentence = () => {
    mix = seed;
    return Array.from({ length: longest }, () => Math.floor(next() * words.length)).slice(0, length);
  };
  const run = () => {
    const said = sentence(), c = Array(width).fill(0);
    said.forEach((word, t) => c.forEach((x, k) => { c[k] = keep * x + codes[t][word][k]; }));
    const scores = said.map((_, t) => codes[t].map((code) => dot(c, code) / width)), read = scores.map((row) => row.indexOf(Math.max(...row)));
    return { said, c, scores, read, right: said.filter((word, t) => word === read[t]).length };
  };

  const n = slider({ label: "numbers in the vector", min: 3, max: 9, step: 1, value: Math.log2(width), text: (to) => String(2 ** to),
    onmove: (to) => { width = 2 ** to; draw(); } });
  const t = slider({ label: "words", min: 2, max: longest, step: 1, value: length, onmove: (to) => { length = to; asked = Math.min(asked, to - 1); draw(); } });
  const r = slider({ label: "kept at each word", min: 0.7, max: 1, step: 0.05, value: keep, text: (to) => fixed(to), onmove: (to) => { keep = to; draw(); } });
  const other = button("Another sentence", () => { ++seed; draw(); });
  const pairs = heed.el("div", { class: "controls", style: "gap: 5px" }), picture = heed.el("div", { class: "play-drawing" }), chart = heed.el("div", {});
  const total = heed.el("p", { class: "play-lead play-below", "aria-live": "polite" }), told = heed.el("p", { class: "play-note" });
  const aims = goals(["Take a vector of 32 numbers and a sentence that is too long: fewer than half of its words come out right.",
    "24 words, all of them right.", "With a vector of 256 numbers or more, keep so little that the first word is lost and the last four are right."]);
  root.append(heed.el("p", { class: "play-lead" }, "How many words fit into one vector?"),
    heed.el("div", { class: "controls" }, n.node, t.node, r.node, other), pairs, total, heed.el("p", { class: "caption" }, "the vector: one bar for each number"),
    picture, heed.el("div", { class: "play-grid" }, chart, heed.el("div", {}, told, aims.node)));

  draw = (theme = heed.theme()) => {
    const now = run(), { said, c, scores, read, right } = now;
    const focused = [...pairs.children].indexOf(document.activeElement);
    pairs.replaceChildren(...said.map((word, t) => {
      const good = read[t] === word, node = heed.el("button", { type: "button", "aria-label": `word ${t + 1}: ${words[word]}, read as ${words[read[t]]}`,
        "aria-pressed": "false", onclick: () => { asked = t; draw(); } }, words[word], heed.el("br", {}),
      heed.el("b", { style: `color: var(--${good ? "good" : "bad"})` }, good ? words[read[t]] : `✗ ${words[read[t]]}`));
      Object.assign(node.style, { minWidth: "56px", minHeight: "50px", padding: "3px 6px", color: "var(--ink)", borderColor: t === asked ? "var(--gold)"
        : "var(--line)",
        borderWidth: t === asked ? "2px" : "1px" });
      return node;
    }));
    if (focused >= 0 && pairs.children[focused]) pairs.children[focused].focus();
    total.textContent = `${right} of ${length} words come out right. A guess is right in one of 8.`;
    const room = Math.min(1000, root.clientWidth - 50 || 320), top = Math.max(...c.map(Math.abs)), step = room / width, middle = 32;
    picture.replaceChildren(heed.drawing(room, 66, `${width} numbers`, heed.svg("rect", { width: room, height: 66, fill: theme.tint, rx: 3 }),
      ...c.map((x, k) => heed.svg("rect", { x: heed.px(k * step), width: heed.px(Math.max(0.4, step * 0.8)), height: heed.px(Math.abs(x) / top * 30),
      fill: x < 0 ? theme.gold : theme.accent,
        y: heed.px(middle - Math.max(0, x) / top * 30) }))));
    const row = scores[asked], low = Math.min(-0.2, ...row), high = Math.max(1.2, ...row);
    chart.replaceChildren(heed.el("p", { class: "caption" }, `read at place ${asked + 1}: code · vector / ${width}`),
      bars({ label: "scores of the eight words", low, high, theme,
      room: Math.min(440, chart.clientWidth || 320), left: 48, rows: words.map((name, w) => ({ name, value: row[w], text: fixed(row[w]),
        colour: w === said[asked] ? theme.good : w === read[asked] ? theme.bad : theme.faint })) }));
    const strength = keep ** (length - 1 - asked), noise = Math.sqrt(said.reduce((sum, _, t) => sum + (t === asked ? 0 : keep ** (2 * (length - 1 - t))),
      0) / width);
    told.textContent = `Place ${asked + 1} was written with “${words[said[asked]]}”. ` +
      `Its own code gives ${fixed(strength)}; the other ${length - 1} words add noise of about ${fixed(noise)}. ` +
      (strength > 3 * noise ? "The word stands out." : strength > noise ? "Noise can win." : "The word drowns in the noise.");
    aims.check(0, width === 32 && right < length / 2);
    aims.check(1, length === longest && right === length);
    aims.check(2, width >= 256 && length >= 8 && read[0] !== said[0] && said.slice(-4).every((word, i) => word === read[length - 4 + i]));
    root.playState = { width, length, keep, seed, asked, said, read, right, c, scores, strength, noise,
      codes: said.map((_, t) => codes[t].map((code) => code.slice(0, width).map((x) => (x > 0 ? "+" : "-")).join(""))),
      goals: [...aims.done] };
  };
  return draw;
});

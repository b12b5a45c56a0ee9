// Lesson 27 to play with: which next word is drawn, at a temperature and with top-k and top-p.
//
//   q(w) = p(w)^(1/t) / sum_v p(v)^(1/t)       then the k likeliest; of these, the smallest set whose q sum to at least P
//
// p is the true distribution of the lesson's grammar (grammar.h, OfOne) after "the dog": 16 words, among which a total is
// divided in proportion to 1, 1/2, 1/3 ... The order, temperature, top-k, top-p, is that of nn/decode/sampling.h.
"use strict";
heed.play("next_word", (root) => {
  const { button, slider, goals, bars } = heed.parts;
  const shared = (total, words) => {
    const sum = words.reduce((a, _, k) => a + 1 / (k + 1), 0);
    return words.map((word, k) => ({ word, p: total / (k + 1) / sum }));
  };
  const all = [{ word: "that", p: 0.25 }, ...shared(0.15, ["near", "behind", "beside"]), ...shared(0.25, ["sleeps", "runs", "laughs", "waits", "sings"]),
    ...shared(0.25, ["sees", "likes", "knows", "helps", "follows"]), ...shared(0.1, ["wants", "finds"])].sort((a, b) => b.p - a.p);
  const p = all.map((one) => one.p), n = p.length;
  let temperature = 1, k = n, top = 1, seed = 27, counts = p.map(() => 0), drawn = "", draw = () => {};

  const normal = (weights) => { const sum = weights.reduce((a, b) => a + b, 0); return weights.map((w) => w / sum); };
  const distribution = (t = temperature) => {
    let q = normal(p.map((x) => (x / p[0]) ** (1 / t)));  // sorted already: p falls
    q = normal(q.map((x, i) => (i < k ? x : 0)));
    let sum = 0, kept = 0;
    while (kept < k && (kept === 0 || sum < top - 1e-12)) sum += q[kept++];
    return normal(q.map((x, i) => (i < kept ? x : 0)));
  };
  const entropy = (q) => q.reduce((sum, x) => sum - (x ? x * Math.log(x) : 0), 0);
  const uniform = () => {  // mulberry32
    seed = (seed + 0x6d2b79f5) | 0;
    let t = Math.imul(seed ^ (seed >>> 15), seed | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
  const dart = (q) => {
    let left = uniform(), i = 0;
    while (i + 1 < n && (left -= q[i]) >= 0) ++i;
    return q[i] ? i : q.findLastIndex((x) => x > 0);
  };

  const reset = () => { counts = p.map(() => 0); drawn = ""; draw(); };
  const heat = slider({ label: "temperature", min: -3, max: 3, step: 0.25, value: 0, text: (power) => heed.number(2 ** power),
    onmove: (power) => { temperature = 2 ** power; reset(); } });
  const topk = slider({ label: "top-k", min: 1, max: n, step: 1, value: n, onmove: (to) => { k = to; reset(); } });
  const topp = slider({ label: "top-p", min: 0.05, max: 1, step: 0.05, value: 1, text: (to) => to.toFixed(2), onmove: (to) => { top = to; reset(); } });
  const throws = (times) => { const q = distribution(); for (let i = 0; i < times; ++i) { const word = dart(q); ++counts[word]; drawn = all[word].word; } draw(); };
  const chart = heed.el("div", {}), said = heed.el("p", { class: "play-lead", "aria-live": "polite" }), told = heed.el("p", { class: "play-note play-below" });
  const aims = goals(["Lower top-k or top-p until exactly three words are possible.", "With top-k and top-p off, lower the temperature until “that” is drawn in more than 9 of 10 cases.",
    "With both off, raise the temperature until each word has at least 5\u00a0%.", "With top-p at 0.5, change the temperature until twice as many words are kept as at temperature 1."]);
  root.append(said, heed.el("div", { class: "controls" }, heat.node, topk.node, topp.node, button("Draw a word", () => throws(1), "main"),
    button("Draw 100", () => throws(100))),
    heed.el("div", { class: "play-grid" }, chart, heed.el("div", {}, told, aims.node)));

  draw = (theme = heed.theme()) => {
    const q = distribution(), kept = q.filter((x) => x > 0).length, total = counts.reduce((a, b) => a + b, 0), room = Math.min(520, chart.clientWidth || 320);
    said.textContent = drawn ? `the dog ${drawn} …` : "the dog … what comes next?";
    chart.replaceChildren(heed.el("p", { class: "caption" }, `probability of each word${total ? `, and how often it was drawn in ${total}` : ""}`),
      bars({ label: "probabilities of the next word", high: Math.max(...q), room, theme, left: 58,
      rows: all.map((one, i) => ({ name: one.word, value: q[i], zero: q[i] === 0, hollow: q[i] === 0, colour: theme.accent,
        text: q[i] === 0 ? "0" : `${(100 * q[i]).toFixed(1)} %${total ? ` · ${counts[i]}` : ""}` })) }));
    const h = entropy(q);
    told.textContent = `${kept} of ${n} words can be drawn. ` +
      `Entropy ${h.toFixed(3)} nats: as uncertain as a choice among ${Math.exp(h).toFixed(1)} equally likely words. ` +
      `Unchanged it is ${entropy(p).toFixed(3)}. ` +
      (kept < n ? "A hatched word can never be drawn, although the language allows it." : "");
    const free = k === n && top === 1, plain = distribution(1).filter((x) => x > 0).length;
    aims.check(0, kept === 3);
    aims.check(1, free && q[0] > 0.9);
    aims.check(2, free && Math.min(...q) >= 0.05);
    aims.check(3, top === 0.5 && k === n && kept >= 2 * plain);
    root.playState = { words: all.map((one) => one.word), p, q, kept, entropy: h, temperature, k, top, counts, drawn, goals: [...aims.done] };
  };
  return draw;
});

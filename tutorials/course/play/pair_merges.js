// Lesson 30 to play with: byte-pair encoding of a few words, one merge at a time, and of any word that you type.
//
//   repeat: count each pair of neighbouring pieces in all words; join the most frequent pair everywhere
//
// Of pairs that are equally frequent, the first in reading order is joined. A new word begins as letters, and the merges
// that were learned are applied in their order. `@@` marks a piece after which the word continues. The words and their counts
// are those of Sennrich, Haddow and Birch (2016), whose marks for the ends of words are left out.
"use strict";
heed.play("pair_merges", (root) => {
  const { button, goals, bars, joined } = heed.parts;
  const corpus = [["low", 5], ["lower", 2], ["newest", 6], ["widest", 3]];
  let done = 0, draw = () => {};

  const pairs = (words) => {
    const counts = new Map();
    for (const { pieces, count } of words) for (let i = 0; i + 1 < pieces.length; ++i) {
      const key = `${pieces[i]} ${pieces[i + 1]}`;
      counts.set(key, (counts.get(key) || 0) + count);
    }
    return [...counts].map(([key, count]) => ({ pair: key.split(" "), count })).sort((x, y) => y.count - x.count);
  };
  const learn = (times) => {
    let words = corpus.map(([word, count]) => ({ word, count, pieces: [...word] }));
    const merges = [];
    for (let t = 0; t < times; ++t) {
      const best = pairs(words)[0];
      if (!best) break;
      merges.push(best.pair);
      words = words.map((one) => ({ ...one, pieces: joined(one.pieces, best.pair) }));
    }
    return { words, merges, pairs: pairs(words) };
  };
  const most = learn(1000).merges.length;
  const marked = (pieces) => pieces.map((piece, i) => (i + 1 < pieces.length ? `${piece}@@` : piece)).join(" ");

  const next = button("Next merge", () => { ++done; draw(); }, "main"), back = button("One back", () => { --done; draw(); });
  const all = button("All merges", () => { done = most; draw(); });
  const typed = heed.el("input", { class: "play-source", type: "text", value: "lowest", maxlength: 20, spellcheck: "false", autocapitalize: "off",
    "aria-label": "a word of your own" });
  typed.style.marginTop = "8px";
  typed.addEventListener("input", () => draw());
  const list = heed.el("div", { class: "play-sum" }), chart = heed.el("div", {}), learned = heed.el("p", { class: "play-note" });
  const pieces = heed.el("p", { class: "play-lead play-below", "aria-live": "polite" }), told = heed.el("p", { class: "play-note" });
  const aims = goals(["“newest” is one piece, and “lower” is not.", "A word of six letters or more that is not in the list, in two pieces.",
    "All merges learned, and a word of at least five letters that stays letter by letter."]);
  root.append(heed.el("p", { class: "play-lead" }, "Four words, and how often they occur. Which two neighbours are joined next?"),
    heed.el("div", { class: "controls" }, next, back, all),
    heed.el("div", { class: "play-grid" }, heed.el("div", {}, heed.el("p", { class: "caption" }, "the words, as pieces"), list, learned,
      heed.el("label", {}, heed.el("span", { class: "caption" }, "a word of your own"), typed), pieces, told), heed.el("div", {}, chart, aims.node)));

  draw = (theme = heed.theme()) => {
    const now = learn(done), word = typed.value.trim().toLowerCase().split(/\s+/)[0], best = now.pairs[0];
    const own = now.merges.reduce((made, pair) => joined(made, pair), [...word]);
    next.disabled = all.disabled = done >= most;
    next.className = next.disabled ? "" : "main";
    back.disabled = done === 0;
    list.replaceChildren(...now.words.map((one) => heed.el("div", {}, `${one.count} × ${marked(one.pieces)}`)));
    learned.textContent = done ? `Learned: ${now.merges.map(([a, b]) => `${a} + ${b}`).join(", ")}. ` : "Nothing is learned yet: every piece is a letter.";
    chart.replaceChildren(heed.el("p", { class: "caption" }, best ? "pairs of neighbours, and how often they occur"
      : "no pair is left: every word is one piece"), ...(best ? [bars({ label: "counts of pairs", high: best.count, theme,
      room: Math.min(420, chart.clientWidth || 320), rows: now.pairs.slice(0, 8).map((one,
      i) => ({ name: one.pair.join(" + "), value: one.count, text: String(one.count), colour: i ? theme.faint : theme.gold })) })] : []));
    pieces.textContent = word ? marked(own) : "Type a word.";
    const unknown = [...word].filter((letter) => !corpus.some(([known]) => known.includes(letter)));
    told.textContent = !word ? "" : unknown.length
      ? `The letter “${unknown[0]}” occurs in none of the four words. A tokenizer that starts with letters calls it unknown; one that starts with bytes does not.`
      : `${own.length} ${own.length === 1 ? "piece" : "pieces"}: the merges that were learned, applied to its letters in the same order.`;
    const whole = (name) => now.words.find((one) => one.word === name).pieces.length === 1, fresh = !corpus.some(([known]) => known === word);
    aims.check(0, whole("newest") && !whole("lower"));
    aims.check(1, fresh && !unknown.length && word.length >= 6 && own.length === 2);
    aims.check(2, done === most && !unknown.length && word.length >= 5 && own.length === word.length);
    root.playState = { done, most, merges: now.merges, words: now.words, pairs: now.pairs, word, own, goals: [...aims.done] };
  };
  return draw;
});

// Lesson 34 to play with: byte-pair encoding of the reader's own text, with a choice of where merges may not reach.
//
//   cut at spaces    a space belongs to the word after it; merges stay inside words
//   digits apart     the same, and each digit and each run of signs is a part of its own
//   not at all       the text is one word, so that merges reach across spaces
//
// The pair of neighbours that occurs most often is joined; of equal ones, the first in the text; none that occurs once. Then the
// merges are applied to another sentence, in their order. A letter of it that the text lacks becomes its bytes.
"use strict";
heed.play("own_tokens", (root) => {
  const { button, choice, goals, joined, slider } = heed.parts;
  const cuts = { spaces: / ?[^ ]+| +/gu, digits: / ?[\p{L}\p{M}]+| ?\p{N}| ?[^\p{L}\p{M}\p{N} ]+| +/gu, none: /.+/gu };
  let how = "spaces", done = 0, draw = () => {}, known = null, one_token = false;

  const parts = (text) => (text.replace(/\s+/gu, " ").match(cuts[how]) || []).map((part) => [...part]);
  const learned = (text) => {  // every merge, and the number of tokens after it
    const key = `${how} ${text}`;
    if (known && known.key === key) return known;
    let words = parts(text);
    const size = () => words.reduce((sum, word) => sum + word.length, 0), merges = [], lengths = [size()];
    for (;;) {
      const counts = new Map();
      for (const word of words) for (let i = 0; i + 1 < word.length; ++i) {
        const pair = `${word[i]}\n${word[i + 1]}`;
        counts.set(pair, (counts.get(pair) || 0) + 1);
      }
      let best = null;
      for (const [pair, count] of counts) if (count > 1 && (!best || count > best.count)) best = { pair: pair.split("\n"), count };
      if (!best) break;
      merges.push(best);
      words = words.map((word) => joined(word, best.pair));
      lengths.push(size());
    }
    known = { key, merges, lengths, letters: new Set(text.replace(/\s+/gu, " ")) };
    return known;
  };
  const cut = (text, merges) => parts(text).flatMap((part) => merges.reduce((word, merge) => joined(word, merge.pair), part));
  const bytes = (letter) => [...new TextEncoder().encode(letter)].map((byte) => `<0x${byte.toString(16).toUpperCase().padStart(2, "0")}>`);
  const visible = (piece) => piece.replaceAll(" ", "·");
  const chips = (pieces) => pieces.map((piece, i) => heed.el("span", { class: `own-token ${/^<0x/.test(piece) && piece.length > 1 ? "byte" : i % 2 ? "odd" : "even"}` },
    visible(piece)));
  const pair_text = ({ pair: [a, b] }) => `“${visible(a)}” + “${visible(b)}”`;

  const style = new CSSStyleSheet();
  style.replaceSync(`.own-tokens { line-height: 1.9; margin: 6px 0; overflow-wrap: anywhere; font: 14px/1.9 ui-monospace, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace; }
.own-token { padding: 2px 1px; margin: 0 1px; border-radius: 3px; color: var(--ink); box-shadow: inset 0 0 0 1px var(--line); }
.own-token.even { background: color-mix(in srgb, var(--accent) 20%, var(--card)); }
.own-token.odd { background: color-mix(in srgb, var(--gold) 20%, var(--card)); }
.own-token.byte { background: var(--card); box-shadow: inset 0 0 0 1px var(--bad); }
.play textarea.play-source { display: block; box-sizing: border-box; max-width: 100%; resize: vertical; }
.play input.play-source { box-sizing: border-box; max-width: 100%; }`);
  document.adoptedStyleSheets = [...document.adoptedStyleSheets, style];
  const text = heed.el("textarea", { class: "play-source", rows: 4, maxlength: 600, spellcheck: "false", autocapitalize: "off", "aria-label": "your text" });
  text.value = "the agreement was signed in 1992. the agreement of 1992 is on the economic area, and the next agreement on the area was signed in 1994. in 1992, 12 and 7 states made 19.";
  const other = heed.el("input", { class: "play-source", type: "text", maxlength: 120, spellcheck: "false", autocapitalize: "off", "aria-label": "another sentence",
    value: "a new agreement was signed in 1994" });
  const picked = choice({ label: "cut", options: [["spaces", "at spaces"], ["digits", "digits apart"], ["none", "not at all"]], value: how,
    onpick: (to) => { how = to; draw(); } });
  const number = slider({ label: "merges", min: 0, max: 100, step: 1, value: 0, onmove: (to) => { done = to; draw(); } });
  const next = button("Next merge", () => { ++done; draw(); }, "main");
  const told = heed.el("p", { class: "play-note", "aria-live": "polite" }), figures = heed.el("div", { class: "play-figures" });
  const shown = heed.el("div", { class: "own-tokens" }), cut_shown = heed.el("div", { class: "own-tokens" }), counts = heed.el("p", { class: "play-note" });
  const aims = goals(["“1992” is one token, and after that, with digits apart, four.", "One token has a space in its middle.",
    "A letter of the other sentence becomes bytes."]);
  root.append(heed.el("p", { class: "play-lead" }, "Which parts of your own text become tokens?"),
    heed.el("label", {}, heed.el("span", { class: "caption" }, "your text, from which merges are learned"), text),
    heed.el("div", { class: "controls play-below" }, picked.node, number.node, next),
    heed.el("div", { class: "play-grid" },
      heed.el("div", {}, told, shown, figures),
      heed.el("div", {}, heed.el("label", {}, heed.el("span", { class: "caption" }, "another sentence, cut with these merges"), other), cut_shown, counts, aims.node)));
  for (const field of [text, other]) field.addEventListener("input", () => draw());

  draw = () => {
    const all = learned(text.value), most = all.merges.length;
    done = Math.min(done, most);
    number.input.max = most;
    number.input.disabled = most === 0;
    number.set(done);
    next.disabled = done >= most;
    next.className = next.disabled ? "" : "main";
    const merges = all.merges.slice(0, done), pieces = cut(text.value, merges), last = merges[done - 1], coming = all.merges[done];
    const own = cut(other.value, merges).flatMap((piece) => ([...piece].every((letter) => all.letters.has(letter)) ? [piece] : bytes(piece)));
    told.textContent = [last ? `Merge ${done}: ${pair_text(last)}, ${last.count} times.` : "Every letter is a token.",
      coming ? `Next: ${pair_text(coming)}, ${coming.count} times.` : most ? "No pair occurs twice." : "Type a text in which something occurs twice."].join(" ");
    shown.replaceChildren(...chips(pieces));
    const letters = pieces.reduce((sum, piece) => sum + [...piece].length, 0);
    figures.replaceChildren(...[["tokens", String(pieces.length)], ["letters per token", pieces.length ? heed.parts.fixed(letters / pieces.length, 2) : "0"],
      ["vocabulary", `${all.letters.size} letters + ${done}`]].map(([name, value]) => heed.el("div", {}, heed.el("span", {}, name), heed.el("b", {}, value))));
    cut_shown.replaceChildren(...chips(own));
    const words = other.value.trim().split(/\s+/u).filter((word) => word), seen = new Set(text.value.split(/\s+/u));
    const unseen = words.filter((word) => !seen.has(word)).length;
    counts.textContent = words.length ? `${own.length} tokens with your merges; ${new TextEncoder().encode(other.value).length} bytes; ${words.length} words, `
      + `of which ${unseen} ${unseen === 1 ? "is" : "are"} unknown to a list of the words of your text.` : "Type a sentence.";
    const year = pieces.some((piece) => piece.trim() === "1992");
    one_token = one_token || year;
    aims.check(0, one_token && how === "digits" && done > 0 && /1992/.test(text.value));
    aims.check(1, pieces.some((piece) => / /.test(piece.trim())));
    aims.check(2, own.some((piece) => /^<0x/.test(piece) && piece.length > 1));
    root.playState = { how, done, most, pieces, own, merges, unseen, goals: [...aims.done] };
  };
  return draw;
});

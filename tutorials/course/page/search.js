// The search of the index. Its entries (listed in course/site_search.cpp) are all in the page. An entry is
// [words, where, href, more]. Each word of the question counts where an entry has a word that begins like it: 3 in its
// name, 1 elsewhere; words such as "where" and "the" count nothing. A word that no entry has is replaced by those that
// differ from it by a letter or two: a letter too many, too few or another, or two letters exchanged.
"use strict";
// toLowerCase makes ς of a capital sigma at the end of a word. Here it becomes σ, so that it also begins a longer word.
heed.searchWords = (text) => text.toLowerCase().replace(/ς/g, "σ").normalize("NFD").replace(/[\u0300-\u036f]/g, "").split(/[^\p{L}\p{N}]+/u)
  .filter((word) => word.length > 1 && !"a an and are be by can do does for from how in is it its of on or that the this to what when where which who why with".split(" ").includes(word));

// The part of a word that its forms share: gradients, gradient; normalised, normaliser.
heed.searchStem = (word) => (word.length > 4 ? word.replace(/(ing|ers|er|ed|es|s)$/, "") : word);

// The number of edits that turn `word`, or with `begins` a beginning of it, into `typed` (Damerau and Levenshtein: exchanged
// neighbours are one edit); `most` + 1 if there are more than `most`.
heed.searchEdits = (typed, word, most, begins) => {
  if (!begins && Math.abs(typed.length - word.length) > most) return most + 1;
  let before = [], row = Array.from({ length: word.length + 1 }, (_, j) => j);
  for (let i = 1; i <= typed.length; ++i) {
    const next = [i];
    for (let j = 1; j <= word.length; ++j) {
      const same = typed[i - 1] === word[j - 1] ? 0 : 1;
      next[j] = Math.min(row[j] + 1, next[j - 1] + 1, row[j - 1] + same);
      if (i > 1 && j > 1 && typed[i - 1] === word[j - 2] && typed[i - 2] === word[j - 1]) next[j] = Math.min(next[j], before[j - 2] + 1);
    }
    if (Math.min(...next) > most) return most + 1;
    before = row, row = next;
  }
  return Math.min(most + 1, begins ? Math.min(...row) : row[word.length]);
};

// The words of an entry, and of all entries: found once for a list of entries.
heed.searchIndex = (entries) => {
  if (heed.searchIndex.of === entries) return heed.searchIndex;
  const index = Object.assign(heed.searchIndex, { of: entries, all: new Map() });
  index.rows = entries.map((entry, order) => {
    const name = heed.searchWords(entry[0]), more = heed.searchWords(`${entry[1]} ${entry[3]}`);
    for (const word of name) index.all.set(word, (index.all.get(word) || 0) + 3);
    for (const word of more) index.all.set(word, (index.all.get(word) || 0) + 1);
    return { entry, order, name, more };
  });
  return index;
};

// What a typed word may mean: the word itself if an entry has it, else the three commonest of the words with the fewest
// edits. A short word may differ by one edit, and one of three letters only by an exchange.
heed.searchMeant = (word, index) => {
  const stem = heed.searchStem(word);
  if ([...index.all.keys()].some((known) => known.startsWith(stem))) return [stem];
  const most = word.length >= 7 ? 2 : word.length >= 3 ? 1 : 0, near = [];
  for (const [known, count] of index.all) {
    if (!most || known.length < 3 || /^\d/.test(known)) continue;
    const exchanged = [...known].sort().join("") === [...word].sort().join("");
    const edits = word.length === 3 ? (exchanged && known.length === 3 ? 1 : 9)
      : Math.min(heed.searchEdits(word, known, most, false), word.length >= 5 ? 0.5 + heed.searchEdits(word, known, most, true) : 9);
    if (edits <= most + 0.5) near.push([edits, -count, known]);
  }
  near.sort((a, b) => a[0] - b[0] || a[1] - b[1]);
  return near.filter(([edits]) => edits === near[0][0]).slice(0, 3).map(([, , known]) => known);
};

// Letters that are typed apart, "q k v", are one word.
heed.searchJoined = (question) => question.replace(/(?<![\p{L}\p{N}])\p{L}(\s+\p{L})+(?![\p{L}\p{N}])/gu, (letters) => letters.replace(/\s+/g, ""));

heed.searchFor = (typed, entries) => {
  const question = heed.searchJoined(typed), index = heed.searchIndex(entries), wanted = heed.searchWords(question).map((word) => heed.searchMeant(word, index));
  if (!wanted.some((stems) => stems.length)) return [];
  const hits = (words, stems) => stems.some((stem) => words.some((word) => word.startsWith(stem)));
  // One of the names of an entry, "GPT, GPT-2, decoder-only", is the whole question.
  const whole = heed.searchWords(question).map((word, i) => (wanted[i][0] === heed.searchStem(word) ? word : wanted[i][0])).join(" "), named = (names) => names.split(/[,:]/).some((name) => heed.searchWords(name).join(" ") === whole);
  return index.rows.map(({ entry, order, name, more }) => {
    const points = wanted.map((stems) => (hits(name, stems) ? 3 : hits(more, stems) ? 1 : 0));
    const missing = points.filter((p) => p === 0).length;
    return { entry, order, score: points.reduce((sum, p) => sum + p, 0) - 2 * missing - name.length / 50 + (named(entry[0]) ? (entry[1].startsWith("catalogue") ? 0.5 : 1) : 0) };
  }).filter((hit) => hit.score > 0).sort((a, b) => b.score - a.score || a.order - b.order)
    .filter((hit, i, all) => all.findIndex((other) => other.entry[2] === hit.entry[2]) === i).slice(0, 12).map((hit) => hit.entry);
};

// What was read in place of the words that no entry has: "transformer" for "tranformer".
heed.searchRead = (question, entries) => heed.searchWords(heed.searchJoined(question)).flatMap((word) => {
  const meant = heed.searchMeant(word, heed.searchIndex(entries));
  return meant.length && meant[0] !== heed.searchStem(word) ? [meant.join(" or ")] : [];
});

heed.startSearch = () => {
  const form = document.querySelector("form.search"), input = form.querySelector("input"), list = document.getElementById("found");
  const entries = JSON.parse(document.getElementById("heed-search").textContent);
  const note = heed.el("p", { class: "soft", id: "read" });
  list.before(note);
  const show = () => {
    const found = heed.searchFor(input.value, entries), read = found.length ? heed.searchRead(input.value, entries) : [];
    list.replaceChildren(...found.map(([words, where, href, more]) => heed.el("li", {},
      href ? heed.el("a", { href }, words) : heed.el("span", {}, words), heed.el("span", { class: "soft" }, ` ${where}`),
      more ? heed.el("p", { class: "soft" }, heed.shorten(more, 900, 14)) : null)));
    const none = !found.length && input.value.trim() !== "", page = (file, words) => heed.el("a", { href: `${file}.html` }, words);
    note.replaceChildren(...(read.length ? [`Found for: ${read.join(", ")}`]
      : none ? ["Not here. All that is: the ", page("glossary", "glossary"), ", the ", page("catalogue", "catalogue of attention"), "."] : []));
    if (none) list.append(heed.el("li", { class: "soft" }, "Nothing found; try a single word."));
    heed.say(input.value ? `${found.length} found${read.length ? ` for ${read.join(", ")}` : ""}` : "");
  };
  form.hidden = false;
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const first = list.querySelector("a");
    if (first) first.focus();
  });
  input.addEventListener("input", show);
  show();
};

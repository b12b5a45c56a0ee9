// The search of the index: headings, glossary and the concepts of tutorials/map.md, all in the page. An entry is
// [words, where, href, more]. Each word of the question counts where an entry has a word that begins like it: 3 in its
// name, 1 elsewhere; words such as "where" and "the" count nothing.
"use strict";
// toLowerCase makes ς of a capital sigma at the end of a word. Here it becomes σ, so that it also begins a longer word.
heed.searchWords = (text) => text.toLowerCase().replace(/ς/g, "σ").normalize("NFD").replace(/[\u0300-\u036f]/g, "").split(/[^\p{L}\p{N}]+/u)
  .filter((word) => word.length > 1 && !"a an and are be by can do does for from how in is it its of on or that the this to what when where which who why with".split(" ").includes(word));

// The part of a word that its forms share: gradients, gradient; normalised, normaliser.
heed.searchStem = (word) => (word.length > 4 ? word.replace(/(ing|ers|er|ed|es|s)$/, "") : word);

heed.searchFor = (question, entries) => {
  const wanted = heed.searchWords(question).map(heed.searchStem);
  if (!wanted.length) return [];
  const hits = (words, stem) => words.some((word) => word.startsWith(stem));
  return entries.map((entry, order) => {
    const name = heed.searchWords(entry[0]), more = heed.searchWords(`${entry[1]} ${entry[3]}`);
    const points = wanted.map((stem) => (hits(name, stem) ? 3 : hits(more, stem) ? 1 : 0));
    const missing = points.filter((p) => p === 0).length;
    return { entry, order, score: points.reduce((sum, p) => sum + p, 0) - 2 * missing - name.length / 50 };
  }).filter((hit) => hit.score > 0).sort((a, b) => b.score - a.score || a.order - b.order).slice(0, 12).map((hit) => hit.entry);
};

heed.startSearch = () => {
  const form = document.querySelector("form.search"), input = form.querySelector("input"), list = document.getElementById("found");
  const entries = JSON.parse(document.getElementById("heed-search").textContent);
  const show = () => {
    const found = heed.searchFor(input.value, entries);
    list.replaceChildren(...found.map(([words, where, href, more]) => heed.el("li", {},
      href ? heed.el("a", { href }, words) : heed.el("span", {}, words), heed.el("span", { class: "soft" }, ` ${where}`),
      more ? heed.el("p", { class: "soft" }, heed.shorten(more, 900, 14)) : null)));
    if (!found.length && heed.searchWords(input.value).length) list.append(heed.el("li", { class: "soft" }, "Nothing found; try a single word."));
    heed.say(input.value ? `${found.length} found` : "");
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

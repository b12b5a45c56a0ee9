// The chosen head: the text tinted by the weights of one word, arcs, or the matrix; and the figures of the head beside
// those of the control. Of a long text lines and matrix show a part, which a slider moves.
"use strict";

heed.panel("look_head", (panel, frame) => {
  const look = heed.look, part = 32;
  let view = 0, from = 0, over = -1, words = [], drawn = "";
  const slider = heed.el("input", { type: "range", min: 0, step: 1, value: 0, "aria-label": "First word that is drawn" }), range = heed.el("label", {}, "Words from ", slider);
  slider.addEventListener("input", () => { from = Number(slider.value); body(heed.theme()); });
  frame.controls.append(look.choose("View", ["text", "lines", "matrix"], () => view, (i) => { view = i; body(heed.theme()); }), range);
  const heading = heed.el("p", { class: "caption" }), holder = heed.el("div", { class: "figure" }), said = heed.el("p", { class: "caption" }), figures = heed.el("div", {});
  frame.body.className = "";
  frame.body.append(heading, holder, said, figures);

  const row = () => {  // the weights of the chosen word, or of the word that asks for a head that is not kept whole
    return look.weights(look.a(), look.h(), over >= 0 ? over : Math.max(look.query, 0));
  };
  const reads = () => {
    const a = look.a(), h = look.h(), keys = look.keys(a), weights = row(), query = over >= 0 ? over : Math.max(look.query, 0);
    if (!weights) return `The page has only a small picture of head ${h.name}; its figures are below.`;
    const best = weights.map((w, s) => [w, s]).sort((x, y) => y[0] - x[0]).slice(0, 5).filter(([w]) => w >= 0.005);
    return `“${look.queries(a)[query]}” (word ${query}) reads ${best.map(([w, s]) => `“${keys[s]}” ${w.toFixed(2)}`).join(", ")}.`;
  };
  const tint = (theme) => {
    said.textContent = reads();
    if (view || !words.length) return;
    const a = look.a(), weights = row() || [], query = over >= 0 ? over : Math.max(look.query, 0), keys = look.keys(a);
    const tip = (s) => `${keys[s]} (word ${s})\n${weights[s] === undefined ? "" : heed.number(weights[s])}`;
    words.at(-1).paint(theme, a.self ? keys.map((_, s) => weights[s]) : weights, a.self ? query : -1, tip);
    if (!a.self) words[0].paint(theme, look.queries(a).map(() => null), query, (t) => `${look.queries(a)[t]} (word ${t})`);
  };
  const slice = (list) => list.slice(from, from + part);
  const picture = (theme, kind = view) => {
    const a = look.a(), h = look.h(), room = frame.room();
    const label = `${panel.title}: ${a.name}, head ${h.name}`;
    if (!h.detail) {
      const bytes = atob(h.thumb.base64), names = (n, all) => Array.from({ length: n }, (_, i) => `word ${Math.floor(i * all / n)}`);
      return heed.matrix({ rows: names(h.thumb.rows, look.queries(a).length), columns: names(h.thumb.columns, look.keys(a).length), values: Array.from(bytes, (c) => c.charCodeAt(0) / 255 * h.thumb.most), low: 0, high: h.thumb.most, theme, room,
        rowTitle: "query", columnTitle: "key", label: `${label}: small picture, the largest weight of each part` });
    }
    const queries = slice(look.queries(a)), keys = slice(look.keys(a)), values = queries.flatMap((_, i) => slice(look.weights(a, h, from + i))), chosen = look.query - from;
    if (kind === 1) return heed.arcs({ theme, room, queries, keys, self: a.self, chosen: chosen < queries.length ? Math.max(chosen, -1) : -1, label: `${label}: lines between words`,
      heads: [{ name: `head ${h.name}`, colour: theme.series[h.head % 8], weights: values }], choose: (query) => look.change({ query: query < 0 ? -1 : query + from }) });
    return heed.matrix({ rows: queries, columns: keys, values, low: 0, high: 1, theme, room, rowTitle: "query", columnTitle: "key", hatch: true, sums: keys.length === look.keys(a).length,
      label: `${label}: weights of ${queries.length} words over ${keys.length}` });
  };
  const body = (theme) => {
    const a = look.a(), h = look.h(), longest = Math.max(look.queries(a).length, look.keys(a).length);
    range.style.display = view && longest > part && h.detail ? "" : "none";
    slider.max = Math.max(0, longest - part);
    from = Math.min(from, Number(slider.max));
    slider.setAttribute("aria-valuetext", `words ${from} to ${Math.min(longest, from + part) - 1} of ${longest}`);
    heading.replaceChildren(heed.el("strong", {}, `Head ${h.name}, over all words: ${h.role}. `), `The change of the answer without it is ${heed.number(h.change)}.`);
    if (view === 0 && h.detail) {
      if (drawn !== a.name) {  // the words stay as they are; only their tints change
        const act = (query) => look.change({ query }), hover = (i) => { over = i; tint(heed.theme()); };
        words = a.self ? [] : [look.words("Words that read", look.queries(a), act, hover)];
        words.push(look.words("Words that are read", look.keys(a), a.self ? act : () => {}, a.self ? hover : null));
        holder.replaceChildren(...(a.self ? words : [heed.el("p", { class: "caption" }, "queries (target):"), words[0], heed.el("p", { class: "caption" }, "keys (source):"), words[1]]));
        drawn = a.name;
      }
    } else {
      words = [];
      drawn = "";
      holder.replaceChildren(picture(theme));
    }
    tint(theme);
    const cell = (tag, text, number) => heed.el(tag, { class: number ? "number" : false, scope: tag === "th" ? "col" : false }, text);
    figures.replaceChildren(heed.el("table", {}, heed.el("thead", {}, heed.el("tr", {}, cell("th", "of the weight"), cell("th", "this head", true), cell("th", "rows permuted", true))),
      heed.el("tbody", {}, ...h.figures.filter(([, value]) => value !== null).map(([name, value, control]) =>
        heed.el("tr", {}, cell("td", name === "distance" ? "mean distance, in words" : name === "entropy" ? "entropy, in bits" : name), cell("td", value.toFixed(2), true), cell("td", control.toFixed(2), true))))));
  };
  look.redraws(frame, body);
  frame.figure((theme) => picture(theme, view || 2));
  frame.csv(() => {
    const a = look.a(), h = look.h();
    return [["query", ...look.keys(a)], ...(h.detail ? look.queries(a).map((word, t) => [word, ...look.weights(a, h, t).map((w) => heed.number(w))]) : [])];
  });
});

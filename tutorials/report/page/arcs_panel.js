// Attention of all layers and heads: a grid of thumbnails, of which one layer is open, as lines (arcs.js) or as the
// matrix of one head. Buttons switch heads on and off and change the sentence.
"use strict";

heed.panel("arcs", (panel, frame) => {
  const state = { sentence: 0, attention: 0, layer: 0, head: 0, hidden: new Set(), view: "lines", chosen: -1 };
  const attention = () => panel.sentences[state.sentence].attentions[state.attention];
  const layers = () => 1 + Math.max(...attention().heads.map((h) => h.layer));
  const ofLayer = () => attention().heads.filter((h) => h.layer === state.layer);
  const focus = () => { state.chosen = attention().focus === undefined ? -1 : attention().focus; };
  focus();
  state.layer = layers() - 1;

  const group = (label, names, get, set) => {  // one of several is on
    const buttons = names.map((name, i) => heed.el("button", { type: "button", class: "toggle", onclick: () => { set(i); refresh(); } }, name));
    return { box: heed.el("span", { role: "group", "aria-label": label, class: "group" }, ...buttons), paint: () => buttons.forEach((button, i) => button.setAttribute("aria-pressed", String(get() === i))) };
  };
  const parts = [];
  if (panel.sentences.length > 1) {
    parts.push(group("Sentence", panel.sentences.map((one) => one.name), () => state.sentence, (i) => {
      const kept = state.chosen;
      state.sentence = i;
      if (kept >= attention().queries.length) focus();
    }));
  }
  if (panel.sentences[0].attentions.length > 1) {
    parts.push(group("Attention", panel.sentences[0].attentions.map((one) => one.name), () => state.attention, (i) => {
      state.attention = i;
      state.layer = Math.min(state.layer, layers() - 1);
      state.head = Math.min(state.head, ofLayer().length - 1);
      focus();
    }));
  }
  parts.push(group("View", ["lines", "matrix"], () => (state.view === "lines" ? 0 : 1), (i) => { state.view = i ? "matrix" : "lines"; }));
  for (const part of parts) frame.controls.append(part.box);
  const legend = heed.el("span", { role: "group", "aria-label": "Heads", class: "group" });
  frame.controls.append(legend);
  const colour = (h) => heed.theme().series[h % 8];
  const most = 1 + Math.max(...panel.sentences.flatMap((one) => one.attentions.flatMap((a) => a.heads.map((h) => h.head))));
  const layerName = heed.el("span", {}), swatches = [];
  const buttons = Array.from({ length: most }, (_, h) => {
    swatches.push(heed.svg("rect", { width: 12, height: 12, rx: 2 }));
    return heed.el("button", { type: "button", class: "series", onclick: () => {
      if (state.view === "matrix") state.head = h;
      else if (!state.hidden.delete(h)) state.hidden.add(h);
      refresh();
    } }, heed.svg("svg", { width: 12, height: 12, "aria-hidden": "true" }, swatches[h]), `head ${h + 1}`);
  });
  legend.append(layerName, ...buttons);
  const heads = () => {
    layerName.textContent = `layer ${state.layer + 1}:`;
    buttons.forEach((button, h) => {
      const there = ofLayer().some((one) => one.head === h);
      button.style.display = there ? "" : "none";
      button.title = state.view === "lines" ? "Show or hide this head" : "Show this head";
      button.setAttribute("aria-pressed", String(state.view === "lines" ? !state.hidden.has(h) : state.head === h));
    });
  };

  // The grid: a small matrix for each head; choosing one opens its layer, and in the matrix view the head.
  const thumbnails = (theme, room) => {
    const a = attention(), L = layers(), H = 1 + Math.max(...a.heads.map((h) => h.head)), R = a.queries.length, C = a.keys.length;
    const side = Math.max(28, Math.min(64, Math.floor((room - 60) / H) - 8)), cell = side / Math.max(R, C), paint = heed.scale(theme, 0, 1);
    const g = heed.svg("g", {});
    for (let h = 0; h < H; ++h) g.append(heed.text(58 + h * (side + 8) + side / 2, 12, `head ${h + 1}`, { "text-anchor": "middle", "font-size": side < 44 ? 9 : 11, fill: theme.soft }));
    for (const one of a.heads) {
      const x = 58 + one.head * (side + 8), y = 18 + one.layer * (side + 8), open = one.layer === state.layer && (state.view === "lines" ? !state.hidden.has(one.head) : one.head === state.head);
      const name = `layer ${one.layer + 1}, head ${one.head + 1}`;
      const small = heed.svg("g", { "data-tip": `open ${name}`, role: "button", tabindex: "0", "aria-label": `Open ${name}`, style: "cursor:pointer" },
        heed.svg("rect", { x: x - 1.5, y: y - 1.5, width: heed.px(C * cell + 3), height: heed.px(R * cell + 3), rx: 3, fill: paint(0), stroke: open ? colour(one.head) : theme.line, "stroke-width": open ? 2.5 : 1 }));
      const weights = heed.unpack(one.weights);
      let path = { 0: "", 1: "", 2: "", 3: "" };  // four shades are enough at this size
      weights.forEach((w, k) => {
        const shade = w > 0.7 ? 3 : w > 0.4 ? 2 : w > 0.15 ? 1 : w > 0.05 ? 0 : -1;
        if (shade >= 0) path[shade] += `M${heed.px(x + (k % C) * cell)} ${heed.px(y + Math.floor(k / C) * cell)}h${heed.px(cell)}v${heed.px(cell)}h${heed.px(-cell)}z`;
      });
      for (const [shade, d] of Object.entries(path)) if (d) small.append(heed.svg("path", { d, fill: paint([0.2, 0.4, 0.65, 0.95][shade]) }));
      const open_it = () => { state.layer = one.layer; state.head = one.head; if (state.view === "lines") state.hidden.delete(one.head); refresh(); };
      small.addEventListener("click", open_it);
      small.addEventListener("keydown", (event) => { if (event.key === "Enter" || event.key === " ") { event.preventDefault(); event.stopPropagation(); open_it(); } });
      g.append(small);
    }
    for (let l = 0; l < L; ++l) g.append(heed.text(0, 18 + l * (side + 8) + side / 2 + 4, `layer ${l + 1}`, { "font-size": 12, fill: l === state.layer ? theme.ink : theme.soft, "font-weight": l === state.layer ? 650 : 400 }));
    return { picture: g, width: 58 + H * (side + 8), height: 18 + L * (side + 8) };
  };

  const refresh = () => { for (const part of parts) part.paint(); heads(); frame.draw(); };
  frame.figure((theme) => {
    swatches.forEach((swatch, h) => swatch.setAttribute("fill", theme.series[h % 8]));
    const a = attention(), room = frame.room(), where = `${a.name}, layer ${state.layer + 1}`;
    let main;
    if (state.view === "lines") {
      main = heed.arcs({ theme, room, queries: a.queries, keys: a.keys, self: a.self, chosen: state.chosen,
        heads: ofLayer().filter((h) => !state.hidden.has(h.head)).map((h) => ({ name: `head ${h.head + 1}`, colour: theme.series[h.head % 8], weights: heed.unpack(h.weights) })),
        label: `${panel.title}: ${where}, lines between ${a.queries.join(" ")} and ${a.keys.join(" ")}${state.chosen >= 0 ? `; chosen: ${a.queries[state.chosen]}` : ""}`,
        choose: (query) => { state.chosen = query; frame.draw(); heed.say(query < 0 ? "all words" : `chosen: ${a.queries[query]}`); } });
    } else {
      const one = ofLayer().find((h) => h.head === state.head) || ofLayer()[0];
      main = heed.matrix({ rows: a.queries, columns: a.keys, values: heed.unpack(one.weights), low: 0, high: 1, theme, room, rowTitle: "query", columnTitle: "key", sums: true, hatch: true,
        label: `${panel.title}: ${where}, head ${one.head + 1}, weights of ${a.queries.length} queries over ${a.keys.length} keys` });
    }
    const small = thumbnails(theme, room), wide = Number(main.getAttribute("width")), tall = Number(main.getAttribute("height"));
    const hint = state.view === "lines" ? (state.chosen >= 0 ? `only the row of “${a.queries[state.chosen]}”; click it again to see all words` : "point at a word, or click it, to see its row alone") : "";
    const width = Math.max(wide, small.width, heed.width(hint, 12)), height = tall + 40 + small.height;
    const picture = heed.drawing(width, height, main.getAttribute("aria-label"), main, heed.text(0, tall + 20, heed.shorten(hint, room, 12), { "font-size": 12, fill: theme.soft }));
    picture.setAttribute("role", "group");  // the grid's buttons are parts of it, not of an image
    small.picture.setAttribute("transform", `translate(0 ${Math.ceil(tall + 36)})`);
    picture.append(small.picture);
    return picture;
  });
  frame.csv(() => [["sentence", "attention", "layer", "head", "query", "key", "weight"], ...panel.sentences.flatMap((one) => one.attentions.flatMap((a) => a.heads.flatMap((h) => {
    const weights = heed.unpack(h.weights);
    return a.queries.flatMap((q, i) => a.keys.map((k, j) => [one.name, a.name, h.layer + 1, h.head + 1, q, k, heed.number(weights[i * a.keys.length + j])]));
  })))]);
  refresh();
});

// Lessons 04 and 26 to play with: the three masks of a transformer on a batch of two sentences.
//
//   encoder   [S, S]  a word may not look at padding
//   decoder   [T, T]  nor at what comes later (causal)
//   cross     [T, S]  the words of the target look at the source, not at its padding
//
// A forbidden score becomes -inf, or -1e9 is added to it, once for each mask, in f32 as in models. The scores of the
// first sentence are those of lesson 04 (full run, seed 1), so that the tables are the lesson's.
"use strict";
heed.play("masks", (root) => {
  const { choice, slider, toggle, bars, softmax } = heed.parts;
  const scores = [[
    [-0.251177907, -1.01970685, 0.632246673, -0.398463935, -0.0692286864, -0.0518576764], [-0.15990223, -0.599921525, -0.766190529, 1.46587491, 0.790845335,
      -1.45306063],
    [0.226688698, 1.73803484, 0.180552155, -0.122909881, -1.14493263, -0.569018364], [-1.38656712, -0.273270339, 0.0991400555, 0.164001986, 0.136663646,
      -0.539883196],
    [-0.630081892, -1.65441537, -0.133029386, -0.660715282, -1.08519995, 0.819198668], [-1.69783127, 0.215344727, -0.0107014719, -1.51787007, -2.94829226,
      0.750776589]], [
    [0.0591934323, -0.809808969, 1.91211081, 1.61549604, -0.167697147, -0.155449986], [-0.704591751, -1.1797806, 0.390662342, 0.0874547213, 0.155430242,
      -1.61995375],
    [0.327670991, 0.302160054, -0.867482483, -1.8230679, -1.11532533, -1.05865693], [-2.10481668, -0.17346026, -0.302962214, -2.22340918, 0.389765412,
      0.625497639],
    [0.395025998, 0.347622395, -1.22880697, 1.18343186, 0.306249082, -0.392899871], [-0.143618807, 0.968214989, -0.923192263, 0.796763241, 1.60942388,
      0.506660163]]];
  const sentences = [["I", "love", "reading", "books", "at", "night"], ["she", "sings", "old", "songs", "very", "softly"]];
  const targets = [["<s>", "j'", "aime", "lire", "des", "livres"], ["<s>", "elle", "chante", "de", "vieux", "airs"]];
  const S = 6, kinds = { encoder: [true, false, false], decoder: [true, true, false], cross: [true, false, true] };
  let kind = "decoder", padding = true, causal = true, left = true, fill = "inf", draw = () => {};
  const lengths = [4, 6], row = { b: 0, t: 5 };

  const is_pad = (b, s) => (left ? s < S - lengths[b] : s >= lengths[b]);
  const words = (b) => [...Array(S)].map((_, s) => (is_pad(b, s) ? "pad" : sentences[b][left ? s - (S - lengths[b]) : s]));
  const row_words = (b) => (kinds[kind][2] ? targets[b] : words(b));
  const by = (b, t, s) => ({ padding: padding && is_pad(b, s), causal: causal && s > t });
  const look = (b, t) => {
    const raw = scores[b][t], masked = raw.map((e, s) => {
      const why = by(b, t, s);
      if (fill !== "added") return why.padding || why.causal ? -Infinity : e;
      let x = Math.fround(e);
      for (const one of [why.padding, why.causal]) if (one) x = Math.fround(x - 1e9);
      return x;
    });
    const none = masked.every((e) => e === -Infinity), weights = fill === "hand" && none ? masked.map(() => NaN) : softmax(masked);
    const leak = weights.reduce((sum, w, s) => { const why = by(b, t, s); return why.padding || why.causal ? sum + w : sum; }, 0);
    return { raw, masked, weights, leak, none: raw.every((_, s) => by(b, t, s).padding || by(b, t, s).causal), without: softmax(raw) };
  };

  const kinds_choice = choice({ label: "attention", options: [["encoder", "encoder"], ["decoder", "decoder"], ["cross", "cross"]], value: kind,
    onpick: (id) => {
    kind = id;
    [padding, causal] = kinds[id];
    draw();
  } });
  const pad_button = toggle("padding mask", (on) => { padding = on; draw(); }), causal_button = toggle("causal mask", (on) => { causal = on; draw(); });
  const side = choice({ label: "padding is", options: [["left", "on the left"], ["right", "on the right"]], value: "left",
    onpick: (id) => { left = id === "left"; draw(); } });
  const filled = choice({ label: "forbidden scores", options: [["inf", "−∞"], ["added", "−1e9 added"], ["hand", "−∞, textbook softmax"]], value: fill,
    onpick: (id) => { fill = id; draw(); } });
  const sizes = lengths.map((_, b) => slider({ label: `words of sentence ${b + 1}`, min: 0, max: S, step: 1, value: lengths[b],
    onmove: (to) => { lengths[b] = to; draw(); } }));
  const grids = [0, 1].map(() => heed.el("div", {})), title = heed.el("p", { class: "play-lead play-below", "aria-live": "polite" }),
    note = heed.el("p", { class: "play-note" });
  const without = heed.el("div", {}), masked = heed.el("div", {}), legend = heed.el("p", { class: "caption" });
  const heading = (text) => heed.el("p", { class: "caption" }, text);
  root.append(heed.el("p", { class: "play-lead" }, "Who may look at whom? Switch the masks, then choose a row."), kinds_choice.node,
    heed.el("div", { class: "controls" }, pad_button, causal_button, side.node), filled.node, heed.el("div", { class: "controls" },
      ...sizes.map((part) => part.node)),
    heed.el("div", { class: "play-grid" }, ...grids), legend, title,
    heed.el("div", { class: "play-grid" }, heed.el("div", {}, heading("softmax without a mask"), without), heed.el("div", {}, heading("softmax with the masks"),
      masked)), note);

  const shares = (weights) => heed.rounded(weights, 2).map((text) => (text === "1.00" ? "1.0" : text.replace(/^0/, "")));
  // One sentence as a square of cells; a row is a button. They are made once, so that the keyboard keeps its place.
  const rows_of = grids.map((grid, b) => [...Array(S)].map((_, t) => {
    const group = heed.svg("g", { class: "play-row", tabindex: 0, role: "button" });
    const pick = () => { row.b = b, row.t = t; draw(); };
    group.addEventListener("click", pick);
    group.addEventListener("keydown", (event) => {
      const way = { ArrowUp: [0, -1], ArrowDown: [0, 1], ArrowLeft: [-1, 0], ArrowRight: [1, 0] }[event.key];
      if (event.key === "Enter" || event.key === " ") pick();
      else if (way && rows_of[b + way[0]] && rows_of[b + way[0]][t + way[1]]) rows_of[b + way[0]][t + way[1]].focus();
      else return;
      event.preventDefault();
    });
    group.addEventListener("focus", pick);
    return group;
  }));
  const pictures = grids.map((grid, b) => {
    const picture = heed.drawing(300, 300, `sentence ${b + 1}`, heed.svg("g", {}), ...rows_of[b]);
    picture.setAttribute("role", "group");
    grid.append(picture);
    return picture;
  });
  const paint_grid = (theme, b) => {
    const names = row_words(b), columns = words(b), room = Math.min(440, grids[b].clientWidth || 320), label = 62,
      cell = Math.min(50, Math.floor((room - label - 4) / S)), height = 34, top = 42;
    const hatch = `play-mask-${b}`, under = [heed.svg("defs", {}, heed.svg("pattern", { id: hatch, width: 6, height: 6, patternUnits: "userSpaceOnUse",
      patternTransform: "rotate(45)" },
      heed.svg("line", { x1: 0, y1: 0, x2: 0, y2: 6, stroke: theme.faint, "stroke-width": 2, opacity: 0.6 }))), heed.text(0, 13, `Sentence ${b + 1}`,
        { fill: theme.soft, "font-weight": 600 })];
    heed.fill(pictures[b], { width: label + S * cell + 6, height: top + S * height + 6, viewBox: `0 0 ${label + S * cell + 6} ${top + S * height + 6}` }, []);
    columns.forEach((word, s) => under.push(heed.text(label + (s + 0.5) * cell, top - 8, heed.shorten(word, cell, 12), { "text-anchor": "middle",
      "font-size": 12, fill: is_pad(b, s) ? theme.faint : theme.ink })));
    pictures[b].firstChild.replaceChildren(...under);
    rows_of[b].forEach((group, t) => {
      const now = look(b, t), printed = shares(now.weights), y = top + t * height, chosen = row.b === b && row.t === t, parts = [];
      group.setAttribute("aria-label", `sentence ${b + 1}, row ${t + 1}, ${names[t]}: ${printed.map((w, s) => `${columns[s]} ${w}`).join(", ")}`);
      group.setAttribute("aria-pressed", String(chosen));
      parts.push(heed.svg("rect", { x: 0, y, width: label + S * cell, height, fill: "transparent" }),
        heed.text(label - 7, y + 21, heed.shorten(names[t], label - 8), { "text-anchor": "end", "font-weight": chosen ? 700 : 400, fill: chosen ? theme.goldInk
          : names[t] === "pad" ? theme.faint : theme.ink }));
      now.weights.forEach((w, s) => {
        const why = by(b, t, s), hidden = why.padding || why.causal, colour = heed.between(theme.ramp, Number.isNaN(w) ? 0 : w);
        const leaks = hidden && (w > 0.005 || Number.isNaN(w)), x = label + s * cell + 1;
        parts.push(heed.svg("rect", { x, y: y + 1, width: cell - 2, height: height - 2, rx: 3, fill: hidden && !leaks ? theme.tint : colour,
          stroke: leaks ? theme.bad : "none", "stroke-width": 2 }));
        if (why.padding) parts.push(heed.svg("rect", { x, y: y + 1, width: cell - 2, height: height - 2, rx: 3, fill: `url(#${hatch})` }));
        if (why.causal) parts.push(heed.svg("path", { d: `M${x + cell / 2 - 10} ${y + height / 2}h16`, stroke: theme.faint, "stroke-width": leaks ? 0 : 2 }));
        if (!hidden || leaks) parts.push(heed.text(x + cell / 2 - 1, y + 21.5, printed[s], { "text-anchor": "middle", fill: leaks ? theme.bad : heed.onto(colour),
          "font-weight": leaks ? 700 : 400,
          "paint-order": "stroke", stroke: leaks ? theme.card : "none", "stroke-width": 3 }));
      });
      parts.push(heed.svg("rect", { class: "ring", x: label - 1, y: y - 0.5, width: S * cell + 2, height: height + 1, rx: 5, fill: "none", stroke: theme.gold,
        "stroke-width": chosen ? 2.5 : 0 }));
      group.replaceChildren(...parts);
    });
  };

  draw = (theme = heed.theme()) => {
    pad_button.setAttribute("aria-pressed", String(padding));
    causal_button.setAttribute("aria-pressed", String(causal));
    kinds_choice.set(kind);
    [0, 1].forEach((b) => paint_grid(theme, b));
    const now = look(row.b, row.t), names = row_words(row.b), columns = words(row.b), room = Math.min(440, without.clientWidth || 320);
    const paint = (node, label, weights) => node.replaceChildren(bars({ label, theme, room, high: 1, left: 62, rows: weights.map((w, s) => {
      const why = by(row.b, row.t, s), hidden = node === masked && (why.padding || why.causal);
      return { name: columns[s], value: Number.isNaN(w) ? 0 : w, text: w === 0 ? "0" : heed.rounded(weights, 3)[s], zero: w === 0, hollow: w === 0,
        colour: hidden ? theme.bad : theme.accent };
    }) }));
    paint(without, "without a mask", now.without);
    paint(masked, "with the masks", now.weights);
    title.textContent = `Row ${row.t + 1} of sentence ${row.b + 1}: "${names[row.t]}" looks`;
    const all = [0, 1].flatMap((b) => [...Array(S)].map((_, t) => look(b, t).leak)),
      worst = Math.max(...all.map((leak) => (Number.isNaN(leak) ? Infinity : leak)));
    note.textContent = now.none
      ? { inf: "This row may look at nothing. heed gives it zeros: it reads nothing and passes no gradient.",
        added: "This row may look at nothing, but its weights still sum to 1, all of them on forbidden entries (red). " +
          "Next to −1e9, f32 has no digits left for the scores, so all entries are equal again; one that is forbidden twice holds −2e9 and loses.",
        hand: "This row may look at nothing: −∞ minus −∞ is NaN, and one NaN spoils the whole batch in the backward pass." }[fill]
      : fill === "added" && worst > 0 ? "This row is right: e to the power of −1e9 is 0. " +
          "The rows in red may look at nothing, and yet they have weights. Choose one."
        : "The forbidden entries get exactly 0, and the others share what they had: the same ratios as without the mask.";
    legend.textContent = "Rows look, columns are looked at. Hatched: padding. A dash: it comes later. Red: a forbidden entry that gets weight.";
    root.playState = { kind, padding, causal, left, fill, lengths: [...lengths], row: { ...row }, words: [0, 1].map(words),
      weights: [0, 1].map((b) => [...Array(S)].map((_, t) => look(b, t).weights)),
      leaks: [0, 1].map((b) => [...Array(S)].map((_, t) => look(b, t).leak)), without: now.without, with: now.weights };
  };
  return draw;
});

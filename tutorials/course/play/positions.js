// Lesson 23 to play with: what each scheme of positions says about a query at place t and a key at place s.
//
//   sinusoidal   (c + P_t) . (c + P_s) / sqrt(D)      P_t = sin, cos of t / 10000^(2i/D)      added to the word
//   learned      the same, P a table of 48 rows; random here, as before training
//   Shaw         c . (c + a[clip(s - t, -R, R)]) / sqrt(D)                                    in the score
//   T5           c . c / sqrt(D) + b[bucket(s - t)]   32 buckets; b random here
//   ALiBi        c . c / sqrt(D) - m |s - t|          m = 2^(-8 h/H), H = 8 heads
//   RoPE         (R_t c) . (R_s c) / sqrt(D)          R_t rotates each pair of numbers by t base^(-2i/D)
//
// Every word is the same vector c, so that only places can make a difference. D = 16. The slider moves the whole
// sentence: a scheme is relative if no score changes.
"use strict";
heed.play("positions", (root) => {
  const { choice, slider, dot, blend, fixed } = heed.parts;
  const D = 16, S = 20, rows = 48;
  let seed = 12345;
  const uniform = () => { seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0; return (seed + 0.5) / 2 ** 32; };
  const normal = () => Math.sqrt(-2 * Math.log(uniform())) * Math.cos(2 * Math.PI * uniform());  // Box and Muller
  const vector = (scale) => [...Array(D)].map(() => scale * normal());
  const c = vector(1), learned = [...Array(rows)].map(() => vector(0.7)), shaw = [...Array(17)].map(() => vector(0.7)), t5 = [...Array(32)].map(() => normal());
  const given = { reach: 4, distance: 32, head: 3, power: 4 };

  const cached = (compute) => {  // by place and base: a table has 400 pairs of 20 places
    const known = new Map();
    return (t, base) => {
      const key = `${t} ${base}`;
      if (!known.has(key)) known.set(key, compute(t, base));
      return known.get(key);
    };
  };
  const sinusoid = (t) => [...Array(D)].map((_, d) => (d % 2 ? Math.cos : Math.sin)(t / 10000 ** ((d - d % 2) / D)));
  const rotated = (x, t, base) => x.map((_, d) => {
    const angle = t * base ** (-(d - d % 2) / D), [a, b] = d % 2 ? [x[d - 1], x[d]] : [x[d], x[d + 1]];
    return d % 2 ? a * Math.sin(angle) + b * Math.cos(angle) : a * Math.cos(angle) - b * Math.sin(angle);
  });
  const bucket = (distance) => {  // as nn/attention/positions/t5.cpp: 16 a direction, 8 of one distance each
    const base = distance > 0 ? 16 : 0, far = Math.abs(distance);
    return base + (far < 8 ? far : Math.min(8 + Math.floor(Math.log(far / 8) / Math.log(given.distance / 8) * 8 + 1e-9), 15));
  };
  const clocked = cached((t) => plus(c, sinusoid(t))), turned = cached((t, base) => rotated(c, t, base));
  const plus = (x, y) => x.map((value, d) => value + y[d]), root_d = Math.sqrt(D), plain = dot(c, c) / root_d;
  const schemes = {
    none: ["none", "No position: every score is the same, and the sentence is a bag of words.", () => plain],
    sinusoidal: ["sinusoidal", "Added to the words. P_t · P_s depends on the distance alone, but c · P_t does not: the scores change with the place.",
      (t, s) => dot(clocked(t), clocked(s)) / root_d],
    learned: ["learned", `A table of ${rows} rows, random before training. Place ${rows} and all after it have no row.`,
      (t, s) => (Math.max(t, s) >= rows ? NaN : dot(plus(c, learned[t]), plus(c, learned[s])) / root_d)],
    shaw: ["Shaw", "A learned vector for each distance up to the reach; all that is further shares one.",
      (t, s) => dot(c, plus(c, shaw[8 + Math.max(-given.reach, Math.min(given.reach, s - t))])) / root_d],
    t5: ["T5 buckets", "A learned number for each bucket. Below 8 each distance has its own bucket, further away ever more share one.", (t, s) => plain
      + t5[bucket(s - t)]],
    alibi: ["ALiBi", "Nothing is learned: the further, the lower. Each head has its own slope.", (t, s) => plain - 2 ** -given.head * Math.abs(s - t)],
    rope: ["RoPE", "Query and key are rotated by an angle that grows with the place; their product keeps only the difference of the angles.",
      (t, s) => dot(turned(t, 10 ** given.power), turned(s, 10 ** given.power)) / root_d],
  };
  let scheme = "sinusoidal", shift = 0, query = 10, draw = () => {};
  const table = (from) => [...Array(S)].map((_, t) => [...Array(S)].map((_, s) => schemes[scheme][2](from + t, from + s)));

  const picked = choice({ label: "positions", options: Object.entries(schemes).map(([id, [words]]) => [id, words]), value: scheme,
    onpick: (id) => { scheme = id; draw(); } });
  const moved = slider({ label: "the sentence begins at place", min: 0, max: 60, step: 1, value: 0, onmove: (to) => { shift = to; draw(); } });
  const asked = slider({ label: "word that looks", min: 1, max: S, step: 1, value: query + 1, onmove: (to) => { query = to - 1; draw(); } });
  const own = {
    shaw: slider({ label: "reach R", min: 1, max: 8, step: 1, value: given.reach, onmove: (to) => { given.reach = to; draw(); } }),
    t5: slider({ label: "furthest bucket begins near", min: 4, max: 7, step: 1, value: 5, text: (power) => String(2 ** power),
      onmove: (to) => { given.distance = 2 ** to; draw(); } }),
    alibi: slider({ label: "head of 8", min: 1, max: 8, step: 1, value: given.head, text: (h) => `${h}, slope ${heed.number(2 ** -h)}`,
      onmove: (to) => { given.head = to; draw(); } }),
    rope: slider({ label: "base", min: 1, max: 5, step: 0.5, value: given.power, text: (power) => String(Math.round(10 ** power)),
      onmove: (to) => { given.power = to; draw(); } }),
  };
  const verdict = heed.el("p", { class: "play-lead play-below", "aria-live": "polite" }), about = heed.el("p", { class: "play-note" }),
    map = heed.el("div", { class: "also" }), curve = heed.el("div", {});
  const heading = (text) => heed.el("p", { class: "caption" }, text);
  root.append(heed.el("p", { class: "play-lead" }, "Choose a scheme and move the sentence. Do the scores change?"), picked.node,
    heed.el("div", { class: "controls" }, moved.node, asked.node, ...Object.values(own).map((part) => part.node)), verdict, about,
    heed.el("div", { class: "play-grid" }, heed.el("div", {}, heading("the score of each pair: rows look, columns are looked at"), map),
      heed.el("div", {}, heading("the same scores by distance; orange: the word that looks"), curve)));
  map.addEventListener("click", (event) => {
    const cell = event.target.closest("[data-row]");
    if (cell) { query = Number(cell.dataset.row); asked.set(query + 1); draw(); }
  });

  const paint_map = (theme, now, low, high) => {
    const room = Math.min(430, map.clientWidth || 320), left = 34, top = 22, cell = Math.floor((room - left - 4) / S), side = cell * S;
    const picture = heed.drawing(left + side + 4, top + side + 30, `scores of ${schemes[scheme][0]}, ${S} by ${S}`), label = { fill: theme.soft,
      "font-size": 12 };
    now.forEach((row, t) => {
      if (t % 5 === 0) picture.append(heed.text(left - 6, top + (t + 0.5) * cell + 4, String(shift + t), { ...label, "text-anchor": "end" }),
        heed.text(left + (t + 0.5) * cell, top - 7, String(shift + t), { ...label, "text-anchor": "middle" }));
      row.forEach((e, s) => picture.append(heed.svg("rect", { x: left + s * cell, y: top + t * cell, width: cell - 1, height: cell - 1, "data-row": t,
        style: "cursor: pointer",
        fill: Number.isNaN(e) ? theme.card : `rgb(${blend(theme.ramp, high > low ? (e - low) / (high - low) : 0.3)})`, stroke: Number.isNaN(e)
          ? theme.line : "none",
        "data-tip": `word ${shift + t} looks at word ${shift + s}\nscore ${Number.isNaN(e) ? "none: no row in the table" : fixed(e, 3)}` })));
    });
    picture.append(heed.svg("rect", { x: left - 1.5, y: top + query * cell - 1.5, width: side + 2, height: cell + 2, fill: "none", stroke: theme.gold,
      "stroke-width": 2.5, rx: 2 }));
    const end = { fill: theme.soft, "font-size": 12 }, from = fixed(low, 2), first = left + heed.width(from, 12) + 6, steps = 24;  // the colours' scale
    picture.append(heed.text(left, top + side + 23, from, end), heed.text(first + 5 * steps + 6, top + side + 23, fixed(high, 2), end));
    for (let k = 0; k < steps && high > low; ++k) picture.append(heed.svg("rect", { x: first + 5 * k, y: top + side + 13, width: 5, height: 12,
      fill: `rgb(${blend(theme.ramp, k / (steps - 1))})` }));
    map.replaceChildren(picture);
  };
  const paint_curve = (theme, now, first, low, high) => {
    const room = Math.min(470, curve.clientWidth || 320), left = 44, bottom = 34, height = 300, span = room - left - 10, pad = high > low
      ? 0.06 * (high - low) : 1;
    const x = (distance) => left + (distance + S - 1) / (2 * S - 2) * span, y = (e) => 10 + (high + pad - e) / (high - low + 2 * pad) * (height - bottom - 10);
    const picture = heed.drawing(room, height, `scores of ${schemes[scheme][0]} by distance`), label = { fill: theme.soft, "font-size": 12 };
    for (const tick of [-15, -10, -5, 0, 5, 10, 15]) {
      picture.append(heed.svg("line", { x1: x(tick), x2: x(tick), y1: 8, y2: height - bottom, stroke: theme.line }), heed.text(x(tick), height - bottom + 15,
        String(tick).replace("-", "−"), { ...label, "text-anchor": "middle" }));
    }
    for (const e of high > low ? [low, high] : [low]) picture.append(heed.text(left - 6, y(e) + 4, fixed(e, 1), { ...label, "text-anchor": "end" }),
      heed.svg("line", { x1: left, x2: room - 10, y1: y(e), y2: y(e), stroke: theme.line }));
    picture.append(heed.text(room - 10, height - 4, "distance s − t: right is later →", { ...label, "text-anchor": "end" }));
    const dots = now.map((row, t) => row.map((e, s) => (Number.isNaN(e) ? "" : `M${heed.px(x(s - t))} ${heed.px(y(e))}h0`)).join(""));
    picture.append(...dots.map((d) => heed.svg("path", { d, fill: "none", stroke: theme.accent, "stroke-width": 5.2, "stroke-linecap": "round", "stroke-opacity": 0.5 })));
    const line = (row, attributes) => picture.append(heed.svg("path",
      { d: row.map((e, s) => (Number.isNaN(e) ? "" : `${s === 0 ? "M" : "L"}${heed.px(x(s - query))} ${heed.px(y(e))}`)).join("").replace(/^L/, "M"),
      fill: "none", "stroke-width": 2.4, ...attributes }));
    if (shift) line(first[query], { stroke: theme.ink, "stroke-dasharray": "2 5", "stroke-opacity": 0.7 });
    line(now[query], { stroke: theme.gold });
    curve.replaceChildren(picture);
  };

  draw = (theme = heed.theme()) => {
    for (const [id, part] of Object.entries(own)) part.node.style.display = id === scheme ? "" : "none";
    const now = table(shift), first = table(0), all = [...now.flat(), ...first.flat()].filter((e) => !Number.isNaN(e)), spread = [0, 0];
    let low = Math.min(...all), high = Math.max(...all);
    if (high - low < 1e-9) high = low;
    paint_map(theme, now, low, high);
    paint_curve(theme, now, first, low, high);
    now.forEach((row, t) => row.forEach((e, s) => {
      spread[0] = Math.max(spread[0], Number.isNaN(e) ? 0 : Math.abs(e - first[t][s]));
      if (Number.isNaN(e)) ++spread[1];
    }));
    const relative = spread[0] < 1e-9 && !spread[1], missing = spread[1];
    about.replaceChildren(...heed.words(schemes[scheme][1] + (shift ? " Dotted: the same word before the sentence was moved." : "")));
    verdict.textContent = !shift ? "Move the sentence with the slider." : missing
      ? `${missing} of ${S * S} scores do not exist: the table has no such row.${spread[0] > 1e-9 ? ` The others changed by up to ${fixed(spread[0])}.` : ""}`
      : relative ? `Moved by ${shift}: no score has changed. This scheme is relative.`
        : `Moved by ${shift}: scores changed by up to ${fixed(spread[0])}. This scheme is absolute.`;
    root.playState = { scheme, shift, query, given: { ...given }, c, learned, shaw, t5, scores: now.map((row) => row.map((e) => (Number.isNaN(e) ? null : e))),
      change: spread[0], missing, relative, verdict: verdict.textContent };
  };
  return draw;
});

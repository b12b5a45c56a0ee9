// The line view of attention: words joined by lines as thick as the weights, one colour for each head.
//
// Self-attention has one row of words. An arc above it goes from a word (the query) to an earlier one, an arc below to a
// later one, a ring is the weight on the word itself. Cross-attention has two rows, queries above keys. Where the words
// do not fit beside each other, the rows become columns.
"use strict";

// { theme, room, queries, keys, self, heads: [{ name, colour, weights }], chosen: query or -1, label, choose(query) }
heed.arcs = (m) => {
  const { theme } = m, gap = 10, pad = 12, wide = (word) => heed.width(word, 13, 650) + pad, total = (words) => words.reduce((sum, word) => sum + wide(word) + gap, -gap);
  const across = Math.max(total(m.queries), total(m.keys)) <= m.room - 10;
  const R = m.queries.length, C = m.keys.length, line = 26;
  const longest = Math.max(...m.queries.concat(m.keys).map(wide));
  const least = m.chosen >= 0 ? 0.005 : 0.04;

  // Places: the middle of each word and the side at which its lines begin.
  const spread = (words, size) => {  // beside each other, filling up to `size`
    const free = Math.min(26, (size - total(words)) / Math.max(words.length - 1, 1)), out = [];
    let x = 2;
    for (const word of words) { out.push(x + wide(word) / 2); x += wide(word) + gap + Math.max(free, 0); }
    return out;
  };
  let query, key, width, height;
  const reach = (d) => 16 + 150 * (1 - Math.exp(-Math.abs(d) / 4));  // how far an arc over d words bulges
  if (m.self && across) {
    const x = spread(m.keys, m.room - 10), bulge = reach(Math.max(R - 1, 1)) * 0.75 + 12;
    query = key = x.map((at) => [at, bulge + 16]);
    width = x[C - 1] + wide(m.keys[C - 1]) / 2 + 4; height = 2 * bulge + 34;
  } else if (m.self) {
    const bulge = Math.min((m.room - longest) / 2 - 4, reach(R) * 0.75 + 12), x = bulge + longest / 2;
    query = key = m.keys.map((_, i) => [x, 16 + i * line]);
    width = 2 * bulge + longest; height = C * line + 12;
  } else if (across) {
    const a = spread(m.queries, m.room - 10), b = spread(m.keys, m.room - 10);
    query = a.map((x) => [x, 34]); key = b.map((x) => [x, 190]);
    width = Math.max(a[R - 1] + wide(m.queries[R - 1]) / 2, b[C - 1] + wide(m.keys[C - 1]) / 2) + 4; height = 226;
  } else {
    const left = Math.max(...m.queries.map(wide)), right = Math.max(...m.keys.map(wide));
    width = Math.min(m.room - 2, left + right + 220); height = Math.max(R, C) * line + 36;
    query = m.queries.map((_, i) => [left / 2, 36 + i * line]); key = m.keys.map((_, i) => [width - right / 2, 36 + i * line]);
  }
  const picture = heed.drawing(width, height, m.label);
  picture.setAttribute("tabindex", "0");
  if (!m.self) {
    const place = across ? [[4, 12, "start"], [4, height - 4, "start"]] : [[0, 12, "start"], [width, 12, "end"]];
    picture.append(heed.text(place[0][0], place[0][1], "queries (target)", { fill: theme.soft, "font-size": 12, "text-anchor": place[0][2] }),
      heed.text(place[1][0], place[1][1], "keys (source)", { fill: theme.soft, "font-size": 12, "text-anchor": place[1][2] }));
  }

  const curve = (i, j, shift) => {
    const [x1, y1] = query[i], [x2, y2] = key[j], h = 12;
    if (!m.self) {
      if (across) return `M${heed.px(x1 + shift)} ${y1 + h}C${heed.px(x1 + shift)} ${y1 + 70} ${heed.px(x2 + shift)} ${y2 - 70} ${heed.px(x2 + shift)} ${y2 - h}`;
      const a = x1 + wide(m.queries[i]) / 2, b = x2 - wide(m.keys[j]) / 2, mid = (a + b) / 2;
      return `M${heed.px(a)} ${heed.px(y1 + shift)}C${heed.px(mid)} ${heed.px(y1 + shift)} ${heed.px(mid)} ${heed.px(y2 + shift)} ${heed.px(b)} ${heed.px(y2 + shift)}`;
    }
    if (across) {
      if (i === j) return `M${heed.px(x1 - 4 + shift)} ${y1 - h}c-9 -17 17 -17 8 0`;
      const side = j < i ? -1 : 1, from = y1 + side * h, far = from + side * reach(j - i);
      return `M${heed.px(x1 + shift)} ${from}C${heed.px(x1 + shift)} ${heed.px(far)} ${heed.px(x2 + shift)} ${heed.px(far)} ${heed.px(x2 + shift)} ${from}`;
    }
    const side = j < i ? -1 : 1, half = side * longest / 2, limit = (width - longest) / 2 - 3;
    if (i === j) return `M${heed.px(x1 + half)} ${heed.px(y1 - 4 + shift / 2)}c16 -8 16 16 0 8`;
    const far = x1 + half + side * Math.min(reach(j - i), limit / 0.75);
    return `M${heed.px(x1 + half)} ${heed.px(y1 + shift)}C${heed.px(far)} ${heed.px(y1 + shift)} ${heed.px(far)} ${heed.px(y2 + shift)} ${heed.px(x2 + half)} ${heed.px(y2 + shift)}`;
  };

  const lines = heed.svg("g", { fill: "none" }), words = heed.svg("g", {});
  picture.append(lines, words);
  const rowSum = (h, i) => h.weights.slice(i * C, (i + 1) * C).reduce((sum, v) => sum + v, 0);
  const describe = (i) => `${m.queries[i]} attends to\n` + m.heads.map((h) => {
    const row = Array.from(h.weights.slice(i * C, (i + 1) * C)), best = row.map((v, j) => [v, j]).sort((a, b) => b[0] - a[0]).slice(0, 3).filter(([v]) => v >= 0.005);
    return `${h.name}: ${best.map(([v, j]) => `${m.keys[j]} ${v.toFixed(2)}`).join(", ")} · row sum ${rowSum(h, i).toFixed(3)}`;
  }).join("\n");

  let shown = m.chosen;
  const draw = () => {
    lines.replaceChildren();
    words.replaceChildren();
    const received = new Array(C).fill(0);
    m.heads.forEach((h, n) => {
      for (let i = 0; i < R; ++i) {
        if (shown >= 0 && i !== shown) continue;
        for (let j = 0; j < C; ++j) {
          const w = h.weights[i * C + j];
          received[j] = Math.max(received[j], shown >= 0 ? w : 0);
          if (w < (shown >= 0 ? 0.005 : least)) continue;
          const shift = (n - (m.heads.length - 1) / 2) * (shown >= 0 ? 2.4 : 1.2);
          lines.append(heed.svg("path", { d: curve(i, j, shift), stroke: h.colour, "stroke-width": heed.px(6.4 * w), "stroke-opacity": shown >= 0 ? heed.px(0.45 + 0.5 * w) : heed.px(0.1 + 0.55 * w), "stroke-linecap": "round",
            "data-tip": `${m.queries[i]} ← ${m.keys[j]}\n${h.name}: ${heed.number(w)}` }));
        }
      }
    });
    const tint = heed.scale(theme, 0, 1);
    const put = (word, [x, y], isQuery, k) => {
      const half = wide(word) / 2, active = isQuery && k === shown, weight = !isQuery || m.self ? received[k] : 0, paint = weight > 0 ? tint(weight * 0.8) : theme.card;
      const box = heed.svg("rect", { x: heed.px(x - half), y: heed.px(y - 11), width: heed.px(2 * half), height: 22, rx: 5, fill: paint, stroke: active ? theme.accent : weight > 0.05 ? theme.faint : theme.line, "stroke-width": active ? 2.5 : 1 });
      const label = heed.text(x, y + 4.5, word, { "text-anchor": "middle", fill: heed.onto(paint), "font-weight": active ? 650 : 400 });
      if (isQuery) {
        const g = heed.svg("g", { "data-tip": describe(k), "data-query": k, style: "cursor:pointer" }, box, label);
        g.addEventListener("pointerenter", () => { if (shown !== k) { shown = k; draw(); } });
        g.addEventListener("click", () => { m.choose(m.chosen === k ? -1 : k); });
        words.append(g);
      } else {
        words.append(heed.svg("g", { "data-tip": shown >= 0 ? `${m.queries[shown]} ← ${word}\n` + m.heads.map((h) => `${h.name}: ${heed.number(h.weights[shown * C + k])}`).join("\n") : word }, box, label));
      }
    };
    if (!m.self) m.keys.forEach((word, k) => put(word, key[k], false, k));
    m.queries.forEach((word, k) => put(word, query[k], true, k));
  };
  draw();
  picture.addEventListener("pointerleave", () => { if (shown !== m.chosen) { shown = m.chosen; draw(); } });
  picture.addEventListener("blur", () => heed.tip(""));
  picture.addEventListener("keydown", (event) => {
    const by = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    if (event.key === "Enter" || event.key === " ") { event.preventDefault(); m.choose(m.chosen === shown ? -1 : shown); return; }
    if (event.key === "Escape") { m.choose(-1); return; }
    if (!by) return;
    event.preventDefault();
    shown = Math.max(0, Math.min(R - 1, shown + by));
    draw();
    const box = words.querySelector(`[data-query="${shown}"]`).getBoundingClientRect();
    heed.tip(describe(shown), box.left, box.bottom - 10);
    heed.say(describe(shown));
  });
  return picture;
};

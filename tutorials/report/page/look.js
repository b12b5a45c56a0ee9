// The page of heed look: what its panels share, and the grid of all heads.
//
// heed.look has the data of the page, the chosen attention, head and word (the query), and whoever wants to know of a
// change. Scores are stored as distances from the largest of their row; a softmax of them gives the weights again.
"use strict";

if (!heed.look) {
  const look = heed.look = { data: null, attention: 0, head: 0, query: -1, off: null, listeners: [] };
  look.a = () => look.data.attentions[look.attention];
  look.h = () => look.a().heads[look.head];
  look.queries = (a) => look.data.sides[a.queries].words;
  look.keys = (a) => look.data.sides[a.keys].words;
  look.title = (h) => `head ${h.name}`;
  look.change = (values) => {  // tells all panels
    Object.assign(look, values);
    look.query = Math.min(look.query, look.queries(look.a()).length - 1);
    for (const listener of look.listeners) listener();
  };
  look.asking = (a) => (a.asking === undefined ? look.queries(a).length - 1 : a.asking);
  look.softmax = (scores) => {
    const top = Math.max(...scores), e = scores.map((x) => (x === -Infinity ? 0 : Math.exp(x - top))), sum = e.reduce((all, x) => all + x, 0);
    return e.map((x) => (sum > 0 ? x / sum : 0));
  };
  look.scores = (a, h, t) => {  // the row of word t, -Infinity where not allowed; null of a head that is not kept whole
    if (!h.detail) return null;
    h.bytes = h.bytes || atob(h.detail.base64);
    const { fine, range } = look.data, most = fine ? 65535 : 255, S = look.keys(a).length;
    let at = (a.causal ? t * (t + 1) / 2 : t * S) * (fine ? 2 : 1);
    return Array.from({ length: S }, (_, s) => {
      if (a.causal && s > t) return -Infinity;
      const code = fine ? h.bytes.charCodeAt(at++) + 256 * h.bytes.charCodeAt(at++) : h.bytes.charCodeAt(at++);
      return code ? h.detail.top[t] - range * (1 - (code - 1) / (most - 1)) : -Infinity;
    });
  };
  look.weights = (a, h, t) => {  // the row of word t, or null
    const scores = look.scores(a, h, t);
    return scores && look.softmax(scores);
  };
  look.choose = (label, names, get, set) => {  // buttons of which one is pressed
    const buttons = names.map((name, i) => heed.el("button", { type: "button", class: "toggle", onclick: () => { set(i); box.paint(); } }, name));
    const box = heed.el("span", { role: "group", "aria-label": label, class: "group" }, ...buttons);
    box.paint = () => buttons.forEach((button, i) => button.setAttribute("aria-pressed", String(get() === i)));
    box.paint();
    return box;
  };
  look.redraws = (frame, paint) => {  // a panel whose body is not one picture: paint fills it again
    const draw = frame.draw.bind(frame);
    frame.keepsBody = true;
    frame.draw = () => { paint(heed.theme()); draw(); };
    look.listeners.push(() => paint(heed.theme()));
  };
  // Words as a text, tinted by their values. chosen: outlined; act(i): a click or a key; over(i): the pointer is on it.
  look.words = (label, words, act, over) => {
    let at = -1, looks = "";
    const shades = new Map(), shade = (theme, share) => {  // 64 are enough, and quick
      const k = `${theme.page} ${Math.round(64 * share)}`;
      if (!shades.has(k)) {
        const ground = heed.between(theme.ramp, Math.round(64 * share) / 64);
        shades.set(k, [ground, heed.contrast(theme.ink, ground) >= 4.5 ? theme.ink : heed.onto(ground)]);
      }
      return shades.get(k);
    };
    const spans = words.map((word, i) => heed.el("span", { class: "look-word", onclick: () => act(i), onpointerenter: () => over && over(i) }, word));
    const box = heed.el("div", { class: "look-words", tabindex: "0", role: "group", "aria-label": label, onpointerleave: () => over && over(-1) }, ...spans.flatMap((span) => [span, " "]));
    box.addEventListener("keydown", (event) => {
      const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      if (!step) return;
      event.preventDefault();
      const next = Math.max(0, Math.min(words.length - 1, at + step));
      act(next);
      heed.say(words[next]);
    });
    box.paint = (theme, values, chosen, tip, most = Math.max(...values.map((v) => v ?? 0), 1e-9)) => {
      at = chosen;
      const now = `${theme.page} ${chosen} ${most} ${values.join()}`;
      if (now === looks) return;
      looks = now;
      spans.forEach((span, i) => {
        const value = values[i], [ground, ink] = value === null || value === undefined ? [theme.card, theme.ink] : shade(theme, value / most);
        Object.assign(span.style, { background: ground, color: ink, outline: i === chosen ? `2px solid ${theme.accent}` : "none" });
        span.dataset.tip = tip(i);
      });
    };
    return box;
  };
  // Two bars for each row, one above the other: [{ name, before, after }]. scales: what the longest bars stand for.
  look.bars = (theme, room, rows, names, label, scales) => {
    const left = Math.min(room * 0.4, Math.max(60, ...rows.map((row) => heed.width(row.name, 13))) + 12), wide = Math.max(60, Math.min(room, 640) - left - 60), line = 34;
    const picture = heed.drawing(left + wide + 58, 26 + rows.length * line, label);
    let x = left;
    names.forEach((name, k) => {
      picture.append(heed.svg("rect", { x: heed.px(x), y: 4, width: 11, height: 11, rx: 2, fill: k ? theme.goldArea : theme.accentArea }), heed.text(x + 16, 14, name, { "font-size": 12, fill: theme.soft }));
      x += heed.width(name, 12) + 32;
    });
    rows.forEach((row, i) => {
      const y = 26 + i * line;
      picture.append(heed.text(0, y + 18, heed.shorten(row.name, left - 10), { fill: theme.ink }));
      [row.before, row.after].forEach((value, k) => {
        if (value === undefined || value === null) return;
        const size = Math.max(value / scales[k] * wide, value > 0 ? 0.6 : 0), top = y + 3 + 13 * k;
        picture.append(heed.svg("rect", { x: heed.px(left), y: top, width: heed.px(size), height: 11, rx: 1.5, fill: k ? theme.goldArea : theme.accentArea, "data-tip": `${row.name}\n${names[k]}: ${heed.number(value)}` }),
          heed.text(left + size + 6, top + 10, value < 0.001 && value > 0 ? value.toExponential(1) : value.toFixed(3), { "font-size": 11, fill: theme.soft }));
      });
    });
    picture.setAttribute("width", Math.max(Number(picture.getAttribute("width")), Math.ceil(x)));
    picture.setAttribute("viewBox", `0 0 ${picture.getAttribute("width")} ${picture.getAttribute("height")}`);
    return picture;
  };
}

heed.panel("look_heads", (panel, frame) => {
  const look = heed.look;
  look.data = panel;
  // At first the head that changes the answer most, or that which was switched off on the command line.
  const all = panel.attentions.flatMap((a, i) => a.heads.map((h, k) => [h, i, k])), wanted = all.find(([h]) => h.name === panel.without[0]);
  const [first, attention, head] = wanted || all.reduce((best, one) => (one[0].change > best[0].change ? one : best));
  Object.assign(look, { attention, head, query: look.asking(panel.attentions[attention]) });
  if (wanted) look.off = { head: first };

  let view = 0;
  const parts = [];
  if (panel.attentions.length > 1)
    parts.push(look.choose("Attention", panel.attentions.map((a) => (a.name === "cross" ? "decoder to encoder (cross)" : a.name)), () => look.attention, (i) => look.change({ attention: i, head: 0, query: look.asking(panel.attentions[i]) })));
  parts.push(look.choose("Colour", ["weights", "change of the answer without it"], () => view, (i) => { view = i; frame.draw(); }));
  frame.controls.append(...parts);

  const images = new Map();  // of thumbnails: drawn once for each attention, theme and size
  const image = (a, theme, side, layers, heads) => {
    const key = `${a.name} ${theme.page} ${side}`;
    if (images.has(key)) return images.get(key);
    const scale = 2, canvas = heed.el("canvas", { width: heads * (side + 8) * scale, height: layers * (side + 8) * scale }), pen = canvas.getContext("2d");
    const shades = Array.from({ length: 256 }, (_, k) => heed.between(theme.ramp, k / 255)).map((hex) => [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16)));
    pen.imageSmoothingEnabled = false;
    for (const h of a.heads) {
      const bytes = atob(h.thumb.base64), { rows, columns } = h.thumb, small = heed.el("canvas", { width: columns, height: rows }), ink = small.getContext("2d"), cells = ink.createImageData(columns, rows);
      for (let i = 0; i < bytes.length; ++i) cells.data.set([...shades[bytes.charCodeAt(i)], 255], 4 * i);
      ink.putImageData(cells, 0, 0);
      const cell = side / Math.max(rows, columns);
      pen.drawImage(small, h.head * (side + 8) * scale, h.layer * (side + 8) * scale, columns * cell * scale, rows * cell * scale);
    }
    images.set(key, canvas.toDataURL());
    return images.get(key);
  };
  let marks = [];
  const mark = () => {
    const theme = heed.theme();
    for (const part of parts) part.paint();
    for (const [rect, h] of marks) heed.fill(rect, { stroke: h === look.h() ? theme.accent : theme.line, "stroke-width": h === look.h() ? 3 : 1 }, []);
  };
  frame.figure((theme) => {
    const a = look.a(), H = 1 + Math.max(...a.heads.map((h) => h.head)), L = a.layers, left = 60, most = Math.max(1e-12, ...panel.attentions.flatMap((one) => one.heads.map((h) => h.change)));
    const side = Math.max(20, Math.min(72, Math.floor((frame.room() - left) / H) - 8)), paint = heed.scale(theme, 0, most);
    const darkest = `darkest: ${heed.number(most)}`, width = left + Math.max(H * (side + 8), view ? heed.width(darkest, 12) + 4 : 0), height = 20 + L * (side + 8) + (view ? 18 : 0);
    const picture = heed.drawing(width, height, `${panel.title}: ${a.name}, ${L} layers with ${H} heads each`);
    picture.setAttribute("role", "group");
    marks = [];
    for (let h = 0; h < H; ++h) picture.append(heed.text(left + h * (side + 8) + side / 2, 12, side > 30 ? `head ${h}` : h, { "text-anchor": "middle", "font-size": side < 46 ? 9 : 11, fill: theme.soft }));
    for (let l = 0; l < L; ++l) picture.append(heed.text(0, 20 + l * (side + 8) + side / 2 + 4, `layer ${l}`, { "font-size": 12, fill: theme.soft }));
    if (!view) picture.append(heed.svg("image", { x: left, y: 20, width: H * (side + 8), height: L * (side + 8), href: image(a, theme, side, L, H) }));
    for (const h of a.heads) {
      const x = left + h.head * (side + 8), y = 20 + h.layer * (side + 8), cell = side / Math.max(h.thumb.rows, h.thumb.columns), w = view ? side : h.thumb.columns * cell, t = view ? side : h.thumb.rows * cell;
      const rect = heed.svg("rect", { x: heed.px(x - 2), y: heed.px(y - 2), width: heed.px(w + 4), height: heed.px(t + 4), rx: 3, fill: view ? paint(h.change) : "transparent" });
      const choose = () => { look.change({ head: a.heads.indexOf(h) }); heed.say(`${look.title(h)}: ${h.role}`); };
      const button = heed.svg("g", { role: "button", tabindex: "0", "aria-label": `Choose head ${h.name}`, style: "cursor:pointer", onclick: choose,
        "data-tip": `head ${h.name}: ${h.role}\nchange of the answer without it: ${heed.number(h.change)}` }, rect);
      button.addEventListener("keydown", (event) => { if (event.key === "Enter" || event.key === " ") { event.preventDefault(); choose(); } });
      marks.push([rect, h]);
      picture.append(button);
    }
    if (view) picture.append(heed.text(left, height - 4, darkest, { "font-size": 12, fill: theme.soft }));
    mark();
    return picture;
  });
  let shown = look.attention;
  look.listeners.push(() => { if (shown !== look.attention) { shown = look.attention; frame.draw(); } else mark(); });
  frame.csv(() => [["head", "mostly", "change of the answer without it"], ...panel.attentions.flatMap((a) => a.heads.map((h) => [h.name, h.role, h.change]))]);
});

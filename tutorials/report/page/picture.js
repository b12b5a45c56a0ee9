// A picture on a grid and, for each word said about it, where the reader looked: one small copy of the picture a word,
// the weights behind it as a heat map, what stands there as a mark with a letter.
"use strict";

heed.panel("picture", (panel, frame) => {
  let chosen = 0;
  const reading = () => panel.readings[chosen];
  if (panel.readings.length > 1) {
    const choice = heed.el("select", { "aria-label": "Reading" }, ...panel.readings.map((one, i) => heed.el("option", { value: i }, one.name)));
    choice.addEventListener("change", () => { chosen = Number(choice.value); frame.draw(); });
    frame.controls.append(heed.el("label", {}, "Reading", choice));
  }
  const hues = { red: "#c8372d", blue: "#0072b2", green: "#00875f", yellow: "#ecc931" };
  const place = (k) => `row ${Math.floor(k / reading().columns) + 1}, column ${k % reading().columns + 1}`;

  frame.figure((theme) => {
    const one = reading(), { columns, cells, words } = one, rows = cells.length / columns, weights = heed.unpack(one.weights);
    const cell = 19, gap = 22, wide = columns * cell, high = rows * cell, across = Math.max(1, Math.min(words.length, Math.floor((frame.room() + gap) / (wide + gap))));
    const lines = Math.ceil(words.length / across), top = 24, width = Math.max(Math.min(across, words.length) * (wide + gap) - gap, 300) + 4, height = lines * (high + top + 18) + 26;
    const colour = heed.scale(theme, 0, 1), value = (t, k) => weights[t * cells.length + k];
    const most = (t) => cells.reduce((best, _, k) => (value(t, k) > value(t, best) ? k : best), 0);
    const describe = (t, k) => `"${words[t]}" looks at ${place(k)}${cells[k] ? `: ${cells[k]}` : ""}\nweight ${heed.number(value(t, k))}`;
    const picture = heed.drawing(width, height, `${panel.title}, ${one.name}: where each word looked. ${words.map((word, t) => `${word}: most at ${place(most(t))}${cells[most(t)] ? ", " + cells[most(t)] : ""}`).join("; ")}`);
    picture.setAttribute("tabindex", "0");
    const hatch = heed.id("hatch");
    picture.append(heed.svg("defs", {}, heed.svg("pattern", { id: hatch, width: 5, height: 5, patternUnits: "userSpaceOnUse", patternTransform: "rotate(45)" },
      heed.svg("path", { d: "M0 0V5", stroke: theme.faint, "stroke-width": 1, "stroke-opacity": 0.55 }))));
    const corner = (t) => [2 + (t % across) * (wide + gap), top + Math.floor(t / across) * (high + top + 18)];
    const names = [...new Set(cells.filter((name) => name).map((name) => name.split(" ")[0]))].sort();
    const mark = (name, x, y) => {  // a disc with the first letter: never by colour alone
      const paint = hues[name.split(" ")[0]] || theme.faint;
      return [heed.svg("circle", { cx: heed.px(x), cy: heed.px(y), r: 5.2, fill: paint, stroke: theme.card, "stroke-width": 1, "pointer-events": "none" }),
        heed.text(x, y + 3, name[0].toUpperCase(), { "text-anchor": "middle", "font-size": 8, "font-weight": 700, fill: heed.onto(paint), "pointer-events": "none" })];
    };
    words.forEach((word, t) => {
      const [left, upper] = corner(t);
      picture.append(heed.text(left, upper - 7, heed.shorten(word, wide), { fill: theme.ink, "font-weight": 600 }));
      cells.forEach((name, k) => {
        const x = left + (k % columns) * cell, y = upper + Math.floor(k / columns) * cell;
        picture.append(heed.svg("rect", { x, y, width: cell - 1, height: cell - 1, fill: colour(value(t, k)), "data-tip": describe(t, k) }));
        if (value(t, k) === 0) picture.append(heed.svg("rect", { x, y, width: cell - 1, height: cell - 1, fill: `url(#${hatch})`, "pointer-events": "none" }));
        if (name) picture.append(...mark(name, x + (cell - 1) / 2, y + (cell - 1) / 2));
      });
      picture.append(heed.svg("rect", { x: left - 1, y: upper - 1, width: wide + 1, height: high + 1, fill: "none", stroke: theme.line }));
    });
    let x = 2;
    const low = height - 12, say = (text) => { picture.append(heed.text(x, low + 4, text, { fill: theme.soft, "font-size": 12 })); x += heed.width(text, 12) + 6; };
    say("weight 0");
    for (let i = 0; i <= 10; ++i, x += 8) picture.append(heed.svg("rect", { x: heed.px(x), y: low - 6, width: 8, height: 12, fill: colour(i / 10) }));
    x += 6;
    say("1");
    if (weights.some((w) => w === 0)) {
      picture.append(heed.svg("rect", { x: x + 10, y: low - 6, width: 12, height: 12, fill: `url(#${hatch})`, stroke: theme.line }));
      x += 28;
      say("exactly zero");
    }
    for (const name of names) {
      x += 18;
      picture.append(...mark(name, x, low));
      x += 10;
      say(name);
    }
    const drawn = Math.ceil(Math.max(width, x + 4));
    picture.setAttribute("width", drawn);
    picture.setAttribute("viewBox", `0 0 ${drawn} ${Math.ceil(height)}`);

    // arrow keys move over the patches, Page Up and Page Down from word to word
    const cursor = heed.svg("rect", { fill: "none", stroke: theme.accent, "stroke-width": 2, visibility: "hidden", width: cell, height: cell, "pointer-events": "none" });
    picture.append(cursor);
    let at = null;
    picture.addEventListener("keydown", (event) => {
      const [dr, dc, dt] = { ArrowLeft: [0, -1, 0], ArrowRight: [0, 1, 0], ArrowUp: [-1, 0, 0], ArrowDown: [1, 0, 0], PageUp: [0, 0, -1], PageDown: [0, 0, 1] }[event.key] || [];
      if (dr === undefined || words.length === 0) return;
      event.preventDefault();
      const within = (v, size) => Math.max(0, Math.min(size - 1, v));
      at = at ? [within(at[0] + dr, rows), within(at[1] + dc, columns), within(at[2] + dt, words.length)] : [Math.floor(most(0) / columns), most(0) % columns, 0];
      const [left, upper] = corner(at[2]), text = describe(at[2], at[0] * columns + at[1]);
      heed.fill(cursor, { x: left + at[1] * cell - 0.5, y: upper + at[0] * cell - 0.5, visibility: "visible" }, []);
      const box = cursor.getBoundingClientRect();
      heed.tip(text, box.right - 8, box.bottom - 12);
      heed.say(text);
    });
    picture.addEventListener("blur", () => { cursor.setAttribute("visibility", "hidden"); at = null; heed.tip(""); });
    return picture;
  });
  frame.csv(() => {
    const weights = heed.unpack(reading().weights), size = reading().cells.length;
    return [["row", "column", "shows", ...reading().words], ...reading().cells.map((name, k) => [Math.floor(k / reading().columns) + 1, k % reading().columns + 1, name,
      ...reading().words.map((_, t) => heed.number(weights[t * size + k]))])];
  });
});

// Lesson 01 to play with: twelve numbers in memory, and a view of them that is nothing but a shape, two strides and an offset.
//
//   position of element (i, j) = offset + i s + j t          the view reads memory[position]; nothing is copied
//
// The memory can be edited: every view of it changes with it.
"use strict";
heed.play("strides", (root) => {
  const { button, slider, goals, matrix } = heed.parts;
  const size = 12, names = ["rows", "columns", "offset", "stride s (next row)", "stride t (next column)"], highs = [4, 4, size - 1, 8, 8];
  let view = [3, 4, 0, 4, 1], memory = Array.from({ length: size }, (_, i) => i), lit = [1, 2], written = 0, shown = null, shape = "", draw = () => {};

  const position = (i, j) => view[2] + i * view[3] + j * view[4];
  const rows = () => Array.from({ length: view[0] }, (_, i) => Array.from({ length: view[1] }, (_, j) => position(i, j)));
  const sliders = names.map((name, k) => slider({ label: name, min: k < 2 ? 1 : 0, max: highs[k], step: 1, value: view[k],
    onmove: (to) => { view[k] = to; draw(); } }));
  const set = (...to) => { view = to; sliders.forEach((one, k) => one.set(to[k])); draw(); };
  const strip = heed.el("div", {}), box = heed.el("div", { class: "play-narrow" });
  const sum = heed.el("div", { class: "play-sum", "aria-live": "polite" }), told = heed.el("p", { class: "play-note" });
  const write = button("Write 99 into this element", () => {
    const at = position(...lit);
    if (at >= size) return;
    memory[at] = 99;
    written = rows().flat().filter((other) => other === at).length;
    draw();
  });
  const aims = goals(["The transpose of the matrix: 4 rows, its first row is 0, 4, 8.", "Every second column: 3 rows of 2, the first is 0, 2.",
    "The second row of the matrix (4, 5, 6, 7), three times.",
    "Windows: 0 1 2, then 1 2 3, then 2 3 4.", "Write one element of a view, and more than one element changes."]);
  root.append(heed.el("p", { class: "play-lead" }, "One row of memory. How it is read is up to five numbers."),
    heed.el("p", { class: "caption" }, "memory"), strip, heed.el("div", { class: "controls play-below" }, ...sliders.map((one) => one.node),
    button("Matrix [3, 4]", () => set(3, 4, 0, 4, 1)),
      button("Numbers 0 to 11 again", () => { memory = memory.map((_, i) => i); written = 0; draw(); })),
    heed.el("div", { class: "play-grid" }, heed.el("div", {}, box, sum, heed.el("div", { class: "controls play-below" }, write), told), aims.node));

  draw = (theme = heed.theme()) => {
    lit = [Math.min(lit[0], view[0] - 1), Math.min(lit[1], view[1] - 1)];
    const at = rows(), used = at.flat(), now = position(...lit), beyond = used.some((p) => p >= size);
    if (shape !== `${view[0]} ${view[1]}`) {
      shape = `${view[0]} ${view[1]}`;
      shown = matrix({ name: `the view [${view[0]}, ${view[1]}]: point at an element`, values: at, onpick: (i, j) => { lit = [i, j]; draw(); } });
      box.replaceChildren(shown.node);
    }
    shown.paint((i, j) => (i === lit[0] && j === lit[1] ? "target" : at[i][j] === now ? "lit" : ""), at.map((row) => row.map((p) => (p < size ? memory[p] : NaN))));
    shown.cells.forEach((row, i) => row.forEach((cell, j) => { if (at[i][j] >= size) cell.textContent = "✗"; }));
    const room = Math.min(720, strip.clientWidth || 320), step = room / size, picture = heed.drawing(room, 58, `memory: ${memory.join(", ")}`);
    memory.forEach((value, p) => {
      const often = used.filter((other) => other === p).length, x = heed.px(p * step + 1);
      picture.append(heed.svg("rect", { x, y: 2, width: heed.px(step - 2), height: 32, rx: 3, fill: often ? theme.gold : theme.tint, "fill-opacity": often
        ? (p === now ? 0.5 : 0.18) : 1,
        stroke: p === now ? theme.gold : "none", "stroke-width": 2, "data-tip": `position ${p}: read by ${often} elements` }),
      heed.text(p * step + step / 2, 23, String(value), { "text-anchor": "middle", fill: theme.ink, "font-weight": p === now ? 700 : 400 }),
      heed.text(p * step + step / 2, 51, often > 1 ? `×${often}` : "", { "text-anchor": "middle", fill: theme.soft, "font-size": 12 }));
    });
    strip.replaceChildren(picture);
    const [, , o, s, t] = view, contiguous = t === 1 && s === view[1];
    sum.textContent = `element (${lit[0]}, ${lit[1]}): ${o} + ${lit[0]} × ${s} + ${lit[1]} × ${t} = position ${now}` +
      `${now < size ? `, where ${memory[now]} is stored` : ", beyond the end"}`;
    write.disabled = now >= size;
    told.textContent = beyond ? "✗ lies beyond the memory. A library must refuse such a view; a program in C++ that does not check reads whatever is there."
      : contiguous ? "Contiguous: reading order is the order of memory."
        : new Set(used).size < used.length ? "Some numbers are read more than once (× below the memory), and take no more memory for it."
          : "Not contiguous: reading order jumps.";
    const is = (...wanted) => JSON.stringify(at) === JSON.stringify(wanted);
    aims.check(0, is([0, 4, 8], [1, 5, 9], [2, 6, 10], [3, 7, 11]));
    aims.check(1, is([0, 2], [4, 6], [8, 10]));
    aims.check(2, is([4, 5, 6, 7], [4, 5, 6, 7], [4, 5, 6, 7]));
    aims.check(3, is([0, 1, 2], [1, 2, 3], [2, 3, 4]));
    aims.check(4, written > 1);
    root.playState = { view: [...view], positions: at, memory: [...memory], lit: [...lit], beyond, written, goals: [...aims.done] };
  };
  return draw;
});

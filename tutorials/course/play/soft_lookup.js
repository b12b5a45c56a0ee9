// Lesson 11 to play with: the table apple 10, banana 5, chair 2 is asked with a vector that you drag.
//
//   e = q K^T    w = softmax(e / t)    answer = w v        hard: the value of the largest score
//
// Four numbers in a plane: to the right is round, to the left is long, up is eaten, down is legs. Each place is one
// question (eaten, round, long, legs), and the three keys and "fruit" lie where lesson 11's table.h has them.
"use strict";
heed.play("soft_lookup", (root) => {
  const { plane, slider, toggle, button, goals, bars, softmax, dot, blend, fixed } = heed.parts;
  const words = ["apple", "banana", "chair"], keys = [[3, 3, 0, 0], [3, 0, 3, 0], [0, 0, 0, 3]], values = [10, 5, 2];
  const fruit = [Math.log(1.5) / 3, 3];
  const question = (x, y) => [Math.max(y, 0), Math.max(x, 0), Math.max(-x, 0), Math.max(-y, 0)];
  const colour_of = (theme, i) => theme.series[[0, 5, 2][i]];
  let temperature = 1, hard = false, field = null;

  const look = (q) => {
    const scores = keys.map((key) => dot(q, key)), best = scores.indexOf(Math.max(...scores));
    const weights = hard ? scores.map((_, i) => (i === best ? 1 : 0)) : softmax(scores.map((e) => e / temperature));
    const answer = dot(weights, values);
    // d answer / d q = sum_i w_i (v_i - answer) k_i / t
    const slope = hard ? 0 : Math.hypot(...q.map((_, k) => keys.reduce((sum, key, i) => sum + weights[i] * (values[i] - answer) * key[k], 0) / temperature));
    return { scores, weights, answer, slope };
  };

  // The answer at every place, as a picture that is computed once for a temperature and a theme.
  const backdrop = (theme) => {
    const name = `${heed.themeName} ${hard} ${temperature}`;
    if (field && field.name === name) return field.url;
    const side = 96, canvas = heed.el("canvas", { width: side, height: side }), context = canvas.getContext("2d"), pixels = context.createImageData(side, side);
    for (let i = 0; i < side; ++i) {
      for (let j = 0; j < side; ++j) {
        const { answer } = look(question((j + 0.5) / side * 8 - 4, 4 - (i + 0.5) / side * 8));
        pixels.data.set([...blend(theme.ramp.slice(0, 5), (answer - 2) / 8), 255], 4 * (i * side + j));
      }
    }
    context.putImageData(pixels, 0, 0);
    field = { name, url: canvas.toDataURL() };
    return field.url;
  };
  const under = (theme, at, size) => {
    const middle = at(0, 0), name = (x, y, text, anchor) => heed.text(x, y, text, { fill: theme.ink, "text-anchor": anchor, "font-size": 12,
      "paint-order": "stroke", stroke: theme.card, "stroke-width": 3 });
    return [heed.svg("image", { href: backdrop(theme), width: size, height: size, preserveAspectRatio: "none" }),
      heed.svg("path", { d: `M0 ${middle[1]}H${size}M${middle[0]} 0V${size}`, stroke: theme.faint, "stroke-opacity": 0.5 }),
      heed.svg("rect", { width: size, height: size, fill: "none", stroke: theme.line }),
      name(size - 6, middle[1] + 15, "round →", "end"), name(6, middle[1] + 15, "← long", "start"),
      name(middle[0] + 6, 14, "↑ eaten", "start"), name(middle[0] + 6, size - 7, "↓ has legs", "start")];
  };

  let draw = () => {};
  const fixed_point = (i, x, y) => ({ name: `${words[i]} ${values[i]}`, x, y, fixed: true, colour: (theme) => colour_of(theme, i) });
  const asked = { name: "fruit", x: fruit[0], y: fruit[1], colour: (theme) => theme.gold,
    says: (point) => question(point.x, point.y).map((value, i) => `${["eaten", "round", "long", "legs"][i]} ${fixed(value)}`).join(", ") };
  const map = plane({ label: "The plane of questions, coloured by the answer", range: [-4, 4], step: 0.1, under, onmove: () => draw(),
    points: [fixed_point(0, 3, 3), fixed_point(1, -3, 3), fixed_point(2, 0, -3), asked] });
  const heat = slider({ label: "temperature t", min: -6, max: 4, step: 0.25, value: 0, text: (power) => heed.number(2 ** power),
    onmove: (power) => { temperature = 2 ** power; draw(); } });
  const harden = toggle("Make it hard", (on) => { hard = on; heat.input.disabled = on; draw(); });
  const back = button("Back to fruit", () => { [asked.x, asked.y] = fruit; draw(); });
  const wanted = goals(["Drag fruit until the answer is 7.", "Can you make it 4?", "Find the question whose answer is 5.67 at every temperature."]);
  const total = heed.el("p", { class: "play-lead play-below" }), note = heed.el("p", { class: "play-note", "aria-live": "polite" });
  const numbers = heed.el("p", { class: "play-note" }), pictures = heed.el("div", {});
  root.append(heed.el("p", { class: "play-lead" }, "Drag the orange point. The three words answer it, each by its weight."),
    heed.el("div", { class: "play-grid" }, heed.el("div", {}, map.node, total, wanted.node),
      heed.el("div", {}, heed.el("div", { class: "controls" }, heat.node, harden, back), pictures, note, numbers)));

  const heading = (text) => heed.el("p", { class: "caption" }, text);
  const sum_bar = (theme, now, room) => {  // the answer as what each word adds to it, on a line from 0 to 10
    const span = room - 4, picture = heed.drawing(room, 46, `answer ${fixed(now.answer)}`), scale = (value) => 2 + value / 10 * span;
    let start = 0;
    picture.append(heed.svg("rect", { x: 2, y: 2, width: span, height: 22, rx: 3, fill: theme.tint }));
    now.weights.forEach((weight, i) => {
      const part = weight * values[i];
      picture.append(heed.svg("rect", { x: heed.px(scale(start)), y: 2, width: heed.px(scale(part) - 2), height: 22, fill: colour_of(theme, i),
        "data-tip": `${words[i]}: ${fixed(weight, 4)} x ${values[i]} = ${fixed(part, 3)}` }));
      start += part;
    });
    for (const tick of [0, 2, 4, 5, 7, 10]) {
      picture.append(heed.svg("line", { x1: scale(tick), x2: scale(tick), y1: 24, y2: 29, stroke: theme.faint }),
        heed.text(scale(tick), 42, String(tick), { fill: theme.soft, "font-size": 12, "text-anchor": tick === 0 ? "start" : tick === 10 ? "end" : "middle" }));
    }
    return picture;
  };

  draw = (theme = heed.theme()) => {
    map.paint(theme);
    const q = question(asked.x, asked.y), now = look(q), room = Math.min(460, pictures.clientWidth || 320);
    const row = (value, i, text) => ({ name: words[i], value, text, colour: colour_of(theme, i), hollow: value === 0 });
    const left = 58, printed = heed.rounded(now.weights, 3);
    pictures.replaceChildren(
      heading("scores q · k"), bars({ label: "scores", rows: now.scores.map((e, i) => row(e, i, fixed(e, 3))), high: 24, room, theme, left }),
      heading(hard ? "weights: all for the largest score" : "weights softmax(scores / t)"),
      bars({ label: "weights", rows: now.weights.map((w, i) => row(w, i, w > 0 && w < 0.001 ? w.toExponential(0).replace("-", "−") : printed[i])), high: 1,
        room, theme, left }),
      heading("answer: the values 10, 5 and 2, mixed by the weights"), sum_bar(theme, now, room));
    numbers.textContent = `q = eaten ${fixed(q[0])}, round ${fixed(q[1])}, long ${fixed(q[2])}, legs ${fixed(q[3])}. ` +
      `The colour of a place is its answer: ${heed.themeName === "dark" ? "dark 2, bright 10" : "pale 2, dark 10"}.`;
    // With as many digits as it takes for the weights that are printed to give the answer that is printed.
    const gives = (shares) => fixed(dot(shares.map(Number), values)) === fixed(now.answer);
    const shares = [2, 3, 4].map((digits) => heed.rounded(now.weights, digits)).find(gives) || heed.rounded(now.weights, 5);
    total.textContent = `answer ${fixed(now.answer)} = ` + shares.map((w, i) => `${w} × ${values[i]}`).join(" + ");
    note.textContent = hard ? "Hard: a small move changes nothing, so the gradient is 0 and nothing can be learned. At a border the answer jumps."
      : now.slope < 0.01 ? `Gradient ${heed.number(now.slope)}: the answer hardly moves with the question.`
        : `Gradient ${fixed(now.slope, 1)}: the answer moves with the question. This is what training follows.`;
    wanted.check(0, Math.abs(now.answer - 7) <= 0.1 && !hard);
    wanted.check(1, Math.abs(now.answer - 4) <= 0.1 && !hard);
    wanted.check(2, Math.hypot(...q) <= 0.06 && !hard);
    root.playState = { question: q, ...now, temperature, hard, done: [...wanted.done] };
  };
  return draw;
});

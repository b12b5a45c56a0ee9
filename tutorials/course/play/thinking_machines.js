// Lesson 22 to play with: self-attention of "Thinking Machines" in twelve steps, every sum written out.
//
//   Q_h = X W^Q_h    K_h = X W^K_h    V_h = X W^V_h        X [2, 4], each W [4, 2] -> [2, 2]
//   S_h = Q_h K_h^T / sqrt(2)    A_h = softmax(S_h) by rows    Z_h = A_h V_h
//   output = [Z_1, Z_2] W^O                                [2, 4] [4, 4] -> [2, 4]
//
// The numbers are those of tutorials/22_self_attention/thinking.h. X and all W can be edited.
"use strict";
heed.play("thinking_machines", (root) => {
  const { button, matrix, matmul, transposed, softmax, sign } = heed.parts;
  const words = ["Thinking", "Machines"];
  const lesson = () => ({
    X: [[1, 0, 1, 0], [0, 1, 1, 1]],
    Q1: [[1, 0], [0, 1], [1, 0], [0, 1]], K1: [[0, 1], [1, 0], [1, 0], [0, 1]], V1: [[1, 0], [0, 2], [0, 1], [1, 1]],
    Q2: [[0, 1], [1, 0], [0, 0], [1, 1]], K2: [[1, 0], [0, 0], [1, 1], [0, -1]], V2: [[2, 0], [0, 1], [0, 0], [1, 0]],
    O: [[1, 0, 0, 1], [0, 1, 0, 0], [0, 0, 1, -1], [1, 0, 0, 1]],
  });
  const compute = (given) => {
    const now = { heads: [] };
    for (const h of [1, 2]) {
      const head = { Q: matmul(given.X, given["Q" + h]), K: matmul(given.X, given["K" + h]), V: matmul(given.X, given["V" + h]) };
      head.products = matmul(head.Q, transposed(head.K));
      head.S = head.products.map((row) => row.map((x) => x / Math.SQRT2));
      head.A = head.S.map(softmax);
      head.Z = matmul(head.A, head.V);
      now.heads.push(head);
    }
    now.Z = now.heads[0].Z.map((row, i) => [...row, ...now.heads[1].Z[i]]);
    now.output = matmul(now.Z, given.O);
    return now;
  };
  const original = compute(lesson()).output;
  let given = lesson(), now = compute(given), step = 0, picked = { block: 0, i: 0, j: 0 };

  // One operation on show: a (and b) give result. A matrix is [name, its numbers, row labels, the key of `given` if it can be edited].
  const X = () => ["X", given.X, words, "X"], sub = (h) => "₁₂"[h - 1];
  const project = (letter, h) => ({ kind: "product", a: X(), b: [`W^${letter}${sub(h)}`, given[letter + h], [], letter + h],
    result: [letter + sub(h), now.heads[h - 1][letter], words] });
  const products = (h, root2) => ({ kind: "product", root2, a: ["Q" + sub(h), now.heads[h - 1].Q, words], b: [`K${sub(h)}ᵀ`, transposed(now.heads[h - 1].K), [],
    null, words],
    result: [root2 ? `scores${sub(h)} = QKᵀ/√2` : `Q${sub(h)}K${sub(h)}ᵀ`, root2 ? now.heads[h - 1].S : now.heads[h - 1].products, words, null, words] });
  const divide = (h) => ({ kind: "divide", a: [`Q${sub(h)}K${sub(h)}ᵀ`, now.heads[h - 1].products, words, null, words], result: ["scores" + sub(h),
    now.heads[h - 1].S, words, null, words] });
  const weigh = (h) => ({ kind: "softmax", a: ["scores" + sub(h), now.heads[h - 1].S, words, null, words], result: ["weights A" + sub(h), now.heads[h - 1].A,
    words, null, words] });
  const mix = (h) => ({ kind: "product", a: ["A" + sub(h), now.heads[h - 1].A, words], b: ["V" + sub(h), now.heads[h - 1].V, words],
    result: ["Z" + sub(h), now.heads[h - 1].Z, words] });
  const steps = [
    ["X", "Two words, four numbers each", "Each row of X is a word. Change any number with a border: everything after it is computed again.",
      () => [{ kind: "show", result: X() }]],
    ["Q₁", "What each word asks: the queries of head 1", "A row of X times a column of the matrix gives one number of Q. Click a number of Q to see its sum.",
      () => [project("Q", 1)]],
    ["K₁", "What each word is asked by: the keys", "The same X with another matrix.", () => [project("K", 1)]],
    ["V₁", "What each word gives: the values", "The same X with a third matrix.", () => [project("V", 1)]],
    ["Q₁K₁ᵀ", "How well does a key answer a query?",
      "The dot product of each query with each key: a row for the word that asks, a column for the word that is asked.", () => [products(1, false)]],
    ["÷ √2", "Divide by the root of the width", "A head is 2 numbers wide. Without the root, wide heads have large scores and weights close to 0 and 1.",
      () => [divide(1)]],
    ["A₁", "Softmax: scores become weights", "Each row is positive and sums to 1.", () => [weigh(1)]],
    ["Z₁", "Mix the values by the weights", "Each word now holds something of both words.", () => [mix(1)]],
    ["QKV₂", "Head 2 asks other questions", "The same three products with the matrices of head 2.", () => [project("Q", 2), project("K", 2), project("V", 2)]],
    ["Z₂", "Head 2: scores, weights, mixture", "Head 2 looks elsewhere: compare its weights with those of head 1.", () => [products(2, true),
      weigh(2), mix(2)]],
    ["[Z₁, Z₂]", "Both heads side by side", "Two numbers of head 1, two of head 2: as wide as X again.", () =>
      [{ kind: "join", a: ["Z₁", now.heads[0].Z, words], b: ["Z₂", now.heads[1].Z, words], result: ["[Z₁, Z₂]", now.Z, words] }]],
    ["output", "W^O mixes the heads", "The result has the shape of X, so that another layer can follow.", () =>
      [{ kind: "product", a: ["[Z₁, Z₂]", now.Z, words], b: ["W^O", given.O, [], "O"], result: ["output", now.output, words] }]],
  ];

  const write = (x) => { const text = Math.abs(x - Math.round(x)) < 1e-9 ? String(Math.round(x)) : heed.parts.fixed(x, 3); return x < 0
    ? `(${text.replace("-", "−")})` : text; };
  const bare = (x) => write(x).replace(/[()]/g, ""), read = (x) => Number(bare(x).replace("−", "-"));
  const spell = (block, i, j) => {
    const { kind, a, b, root2, result } = block, value = bare(result[1][i][j]);
    if (kind === "product") {
      const terms = a[1][i].map((x, k) => `${write(x)}·${write(b[1][k][j])}`).join(" + ");
      const sum = a[1][i].reduce((all, x, k) => all + read(x) * read(b[1][k][j]), 0);  // of the numbers as they are written
      return root2 ? `(${terms}) / √2 ${sign(sum / Math.SQRT2, result[1][i][j], 3)} ${value}` : `${terms} ${sign(sum, result[1][i][j], 3)} ${value}`;
    }
    if (kind === "divide") return `${bare(a[1][i][j])} / √2 = ${bare(a[1][i][j])} / 1.414 ${sign(read(a[1][i][j]) / 1.414, result[1][i][j], 3)} ${value}`;
    if (kind === "softmax") {
      const powers = a[1][i].map((x) => `e^${bare(x)}`);
      const above = Math.exp(a[1][i][j]), below = a[1][i].reduce((sum, x) => sum + Math.exp(x), 0);
      return `${powers[j]} / (${powers.join(" + ")}) = ${bare(above)} / ${bare(below)} ${sign(read(above) / read(below), result[1][i][j], 3)} ${value}`;
    }
    if (kind === "join") return `${value}: number ${j % 2 + 1} of head ${j < 2 ? 1 : 2} for "${words[i]}"`;
    return `"${words[i]}" is ${result[1][i].map(bare).join(", ")}`;
  };
  // Which cells of a and b make the cell (i, j) of the result.
  const lights = (kind, i, j) => ({
    product: [(r) => r === i, (r, c) => c === j], divide: [(r, c) => r === i && c === j], softmax: [(r) => r === i],
    join: [(r, c) => j < 2 && r === i && c === j, (r, c) => j >= 2 && r === i && c === j - 2], show: [],
  }[kind]);

  const title = heed.el("p", { class: "play-lead" }), text = heed.el("p", {}), stage = heed.el("div", {}),
    sum = heed.el("p", { class: "play-sum", "aria-live": "polite" });
  const go = (to) => { step = Math.max(0, Math.min(steps.length - 1, to)); picked = { block: 0, i: 0, j: 0 }; build(); };
  const before = button("← Back", () => go(step - 1)), after = button("Next step →", () => go(step + 1), "main");
  const tabs = steps.map(([name, words_of], i) => heed.el("button", { type: "button", "aria-label": `Step ${i + 1}: ${words_of}`,
    onclick: () => go(i) }, name));
  const reset = button("The lesson's numbers", () => { given = lesson(); now = compute(given); build(); });
  const output = matrix({ name: "the output with these numbers (orange: changed by you)", values: now.output, rows: words });
  root.append(heed.el("p", { class: "play-lead" }, "Self-attention of two words, one product at a time. Press Next step."),
    heed.el("div", { class: "controls" }, before, after, reset), heed.el("div", { class: "play-choice play-steps" }, ...tabs),
    heed.el("div", { class: "play-stage" }, title, text, stage, sum), output.node);

  let shown = [];
  const repaint = () => {
    const blocks = steps[step][3]();
    shown.forEach(({ a, b, result }, n) => {
      const block = blocks[n], own = picked.block === n, lit = lights(block.kind, picked.i, picked.j);
      [a, b].forEach((part, k) => part && part.paint((i, j) => (own && lit[k] && lit[k](i, j) ? "lit" : ""), block[k ? "b" : "a"][1]));
      result.paint((i, j) => (own && block.kind !== "show" && i === picked.i && j === picked.j ? "target" : ""), block.result[1]);
    });
    const block = blocks[picked.block], name = block.result[0].split(" = ")[0];
    sum.textContent = block.kind === "show" ? "X has a row for each word."
      : `${name}[${words[picked.i]}, ${block.result[4] ? words[picked.j] : picked.j + 1}] = ${spell(block, picked.i, picked.j)}`;
    output.paint((i, j) => (Math.abs(now.output[i][j] - original[i][j]) > 1e-9 ? "lit" : ""), now.output);
    root.playState = { step: step + 1, picked, sum: sum.textContent, given, heads: now.heads, Z: now.Z, output: now.output };
  };
  const build = () => {
    const [, heading, words_of, blocks] = steps[step];
    title.textContent = `Step ${step + 1} of ${steps.length}: ${heading}`;
    text.textContent = words_of;
    tabs.forEach((tab, i) => tab.setAttribute("aria-pressed", String(i === step)));
    before.disabled = step === 0;
    after.disabled = step === steps.length - 1;
    shown = blocks().map((block, n) => {
      const part = ([name, values, rows, key, columns], result) => matrix({ name, values, rows, columns, editable: !!key,
        onedit: key && ((i, j, value) => { given[key][i][j] = value; now = compute(given); repaint(); }),
        onpick: result && !key && ((i, j) => { picked = { block: n, i, j }; repaint(); }) });
      return { a: block.a && part(block.a), b: block.b && part(block.b), result: part(block.result, true), kind: block.kind };
    });
    const between = { product: "×", join: "and" };
    stage.replaceChildren(...shown.map(({ a, b, result, kind }) => heed.el("div", { class: "play-product" }, a && a.node, b && heed.el("b", {}, between[kind]),
      b && b.node,
      a && heed.el("b", {}, { divide: "/ √2 =", softmax: "softmax →" }[kind] || "="), result.node)));
    repaint();
  };
  build();
  return repaint;
});

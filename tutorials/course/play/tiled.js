// Lesson 28 to play with: memory-efficient (tiled) attention of one query, a block of keys at a time.
//
//   m' = max(m, the block's largest e)      r = exp(m - m')      p_s = exp(e_s - m')
//   l' = r l + sum p_s                      a' = r a + sum p_s v_s                answer = a / l after the last block
//
// m, l and a are all that is kept: the weights are never stored. Milakov and Gimelshein, 2018 (the running softmax);
// Rabe and Staats, 2021; Dao et al., "FlashAttention", NeurIPS 2022.
"use strict";
heed.play("tiled", (root) => {
  const { button, toggle, slider, matrix, fixed, softmax, dot, sign } = heed.parts;
  const S = 8, width = 64;  // width of a head, for the bytes alone
  const e = [1, 3, 2, 0, 4, 1, -1, 2], v = [2, 0, 1, 4, 3, 5, 1, 2];
  let block = 2, done = 0, forget = false, power = 12, draw = () => {};  // done: blocks computed

  // All blocks up to `count`, each with what it read and what it left.
  const run = (count) => {
    const steps = [];
    let m = -Infinity, l = 0, a = 0;
    for (let b = 0; b < count; ++b) {
      const first = b * block, scores = e.slice(first, first + block), values = v.slice(first, first + block), old = { m, l, a };
      m = Math.max(m, ...scores);
      const r = old.m === -Infinity ? 0 : forget ? 1 : Math.exp(old.m - m), p = scores.map((x) => Math.exp(x - m));
      l = r * old.l + p.reduce((x, y) => x + y, 0);
      a = r * old.a + dot(p, values);
      steps.push({ first, scores, values, old, m, r, p, l, a });
    }
    return steps;
  };
  const bytes = (count) => (count < 1024 ? `${count} B` : count < 1024 ** 2 ? `${heed.number(count / 1024)} KiB` : count < 1024 ** 3
    ? `${heed.number(count / 1024 ** 2)} MiB` : `${heed.number(count / 1024 ** 3)} GiB`);
  const show = (x) => (x === -Infinity ? "−∞" : fixed(x, Number.isInteger(x) ? 0 : 4));

  const again = () => { done = 0; draw(); };
  const next = button("Next block", () => { ++done; draw(); }, "main"), all = button("All blocks", () => { done = Math.ceil(S / block); draw(); }),
    restart = button("Start again", again);
  const size = slider({ label: "keys in a block", min: 1, max: S, step: 1, value: block, onmove: (to) => { block = to; again(); } });
  const broken = toggle("Forget to rescale", (on) => { forget = on; draw(); });
  const scores = matrix({ name: "scores e of one query with 8 keys (edit them)", values: [e], editable: true,
    onedit: (i, j, value) => { e[j] = value; again(); } });
  const values = matrix({ name: "values v", values: [v], editable: true, onedit: (i, j, value) => { v[j] = value; again(); } });
  const powers = matrix({ name: "exp(e − m) with the maximum so far (shown here, never kept)", values: [e], digits: 3 });
  const figure = (name) => { const value = heed.el("b", {}); return { node: heed.el("div", {}, heed.el("span", {}, name), value), value }; };
  const boxes = { m: figure("m, running maximum"), r: figure("rescaling exp(m old − m new)"), l: figure("l, running sum"), a: figure("a, accumulator"),
    out: figure("a / l") };
  const written = heed.el("div", { class: "play-sum", "aria-live": "polite" }), verdict = heed.el("p", { class: "play-lead play-below" });
  const words = slider({ label: "words of the text", min: 7, max: 17, step: 1, value: power, text: (to) => (2 ** to).toLocaleString("en"),
    onmove: (to) => { power = to; draw(); } });
  const stored = heed.el("p", {});
  root.append(heed.el("p", { class: "play-lead" }, "The weights of a softmax, summed up block by block and never stored."),
    heed.el("div", { class: "controls" }, next, all, restart, size.node, broken),
    heed.el("div", { class: "play-narrow" }, scores.node, values.node, powers.node), heed.el("div", { class: "play-figures" },
      ...Object.values(boxes).map((box) => box.node)), written, verdict,
    heed.el("div", { class: "controls play-below" }, words.node), stored);

  draw = () => {
    const steps = run(done), now = steps[steps.length - 1], last = done * block >= S, seen = Math.min(S, done * block);
    const lit = (i, j) => (now && j >= now.first && j < now.first + block ? "lit" : "");
    scores.paint(lit, [e]);
    values.paint(lit, [v]);
    powers.paint((i, j) => (j >= seen ? "veiled" : lit(i, j)), [e.map((x, j) => (now && j < seen ? Math.exp(x - now.m) : 0))]);
    next.disabled = all.disabled = last;
    next.className = last ? "" : "main";
    const put = (box, text, changed) => { box.value.textContent = text; box.node.className = changed ? "changed" : ""; };
    put(boxes.m, now ? show(now.m) : "−∞", now && now.m !== now.old.m);
    put(boxes.r, now && done > 1 ? show(now.r) : "–", now && done > 1 && now.r !== 1);
    put(boxes.l, now ? show(now.l) : "0");
    put(boxes.a, now ? show(now.a) : "0");
    put(boxes.out, now ? show(now.a / now.l) : "–");
    const line = (text) => heed.el("div", {}, text);
    const rescaled = !now || forget ? "NOT rescaled" : `multiplied by exp(${show(now.old.m)} − ${show(now.m)}) = ${show(now.r)}`;
    const read = (x) => Number(show(x).replace("−", "-")), p = now ? now.p.map(read) : [];  // as they are written
    const carried = (old) => (done > 1 ? read(now.r) * read(old) : 0);
    const products = now ? now.p.map((p, i) => `${show(p)} · ${show(now.values[i])}`).join(" + ") : "";
    written.replaceChildren(...(now ? [
      line(`block ${done} of ${Math.ceil(S / block)}: scores ${now.scores.map(show).join(", ")}`),
      line(now.old.m === -Infinity ? `m = ${show(now.m)}: the first maximum`
        : now.m > now.old.m ? `m = ${show(now.m)}, was ${show(now.old.m)}: what was summed so far is ${rescaled}` : `m = ${show(now.m)} stays: nothing to rescale`),
      line(`l = ${done > 1 ? `${show(now.r)} × ${show(now.old.l)} + ` : ""}(${now.p.map(show).join(" + ")}) ${sign(carried(now.old.l) + p.reduce((x, y) => x + y, 0), now.l, 4)} ${show(now.l)}`),
      line(`a = ${done > 1 ? `${show(now.r)} × ${show(now.old.a)} + ` : ""}(${products}) ${sign(carried(now.old.a) + dot(p, now.values.map(read)), now.a, 4)} ${show(now.a)}`)]
      : [line("Press Next block: it reads the first block of scores and values.")]));
    const weights = softmax(e), plain = dot(weights, v), off = now ? Math.abs(now.a / now.l - plain) : null;
    verdict.textContent = !last ? `Plain softmax over all ${S} keys: ${show(plain)}` : off <= 1e-9
      ? `The same as the plain softmax: ${show(plain)}, difference ${off < 1e-15 ? "0" : off.toExponential(0).replace("-", "−")}.`
      : `WRONG: the plain softmax gives ${show(plain)}. Sums that were made with different maxima cannot be added.`;
    verdict.style.color = last ? `var(--${off <= 1e-9 ? "good" : "bad"})` : "";
    // f32; one head: the plain softmax stores [n, n] weights, a tile has b x b of them, and for each of its b rows m, l and a.
    const n = 2 ** power, dense = 4 * n * n, tile = 4 * block * (block + 2 + width);
    const long = n.toLocaleString("en");
    stored.textContent = `One head, f32: the plain softmax stores ${long} × ${long} weights, ${bytes(dense)}. ` +
      `A tile of ${block} queries and ${block} keys needs ${bytes(tile)}: its scores, m, l and ${width} sums for each query, however long the text is.`;
    root.playState = { block, done, steps, answer: now ? now.a / now.l : null, plain, weights, forget, dense, tile, e: [...e], v: [...v],
      verdict: verdict.textContent };
  };
  return draw;
});

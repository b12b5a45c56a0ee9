// Lesson 31 to play with: the gradient of one step, from micro-batches that you cut, by two divisors.
//
//   loss of word i = (w - a_i)^2 / 2      its gradient is w - a_i
//   one divisor    sum_j sum_i (w - a_ji) / N              every word counts 1 / N
//   mean of means  sum_j sum_i (w - a_ji) / (k n_j)        a word counts 1 / (k n_j)
//
// One parameter w and twelve words with their targets a, made by hand: the words of the short sentences want a large w. The
// memory is counted in words: those of the largest micro-batch are in memory at once.
"use strict";
heed.play("micro_batches", (root) => {
  const { slider, choice, button, goals, bars, fixed, dot } = heed.parts;
  const words = "Go! I know the cat sleeps here we saw an old house".split(" ");
  const targets = [5, 4, 4, 2, 2, 1, 1, 1, 1, 1, 1, 1], N = targets.length;
  let cuts = new Set(), way = "means", w = 2.5, draw = () => {};

  const cut = () => {
    const parts = [];
    targets.forEach((_, i) => { if (i === 0 || cuts.has(i)) parts.push([i]); else parts.at(-1).push(i); });
    return parts;
  };
  const shares = (how) => { const parts = cut(); return parts.flatMap((part) => part.map(() => (how === "one" ? 1 / N : 1 / (parts.length * part.length)))); };
  const gradient = (weights) => dot(weights, targets.map((a) => w - a));

  const chips = words.map((word, i) => {
    const share = heed.el("span", {}), node = heed.el("button", { type: "button", "aria-pressed": "false",
      onclick: () => { if (i && !cuts.delete(i)) cuts.add(i); draw(); } },
      heed.el("b", {}, word), heed.el("br", {}), share);
    Object.assign(node.style, { minWidth: "52px", minHeight: "50px", padding: "3px 5px", color: "var(--ink)" });
    return { node, share };
  });
  const set = (...at) => { cuts = new Set(at); draw(); };
  const divisor = choice({ label: "divide by", options: [["one", "the words of the whole step"], ["means", "the words of each micro-batch (mean of means)"]],
    value: way, onpick: (to) => { way = to; draw(); } });
  const place = slider({ label: "parameter w", min: 0, max: 5, step: 0.1, value: w, text: (to) => fixed(to, 1), onmove: (to) => { w = to; draw(); } });
  const chart = heed.el("div", {}), told = heed.el("p", { class: "play-lead play-below", "aria-live": "polite" }), why = heed.el("p", { class: "play-note" });
  const aims = goals(["Micro-batches of at most 3 words, and the mean of means is right.",
    "A mean of means that goes the wrong way: its gradient has the other sign.",
    "As little memory as possible, and the right gradient."]);
  root.append(heed.el("p", { class: "play-lead" }, "Cut the batch into micro-batches. Is it still the same step?"),
    heed.el("div", { class: "controls", style: "gap: 5px" }, ...chips.map((chip) => chip.node)),
    heed.el("p", { class: "caption" }, "Below each word: its target a, which the parameter w should reach. A thick border begins a micro-batch."),
    heed.el("div", { class: "controls" }, button("One batch", () => set()), button("A micro-batch for each sentence", () => set(1, 3, 7)), place.node),
    heed.el("div", {}, divisor.node),
    heed.el("div", { class: "play-grid" }, chart, heed.el("div", {}, told, why, aims.node)));

  draw = (theme = heed.theme()) => {
    const parts = cut(), now = shares(way), right = gradient(shares("one")), got = gradient(now), same = Math.abs(got - right) < 1e-9,
      most = Math.max(...parts.map((part) => part.length));
    const which = targets.map((_, i) => parts.findIndex((part) => part.includes(i))), colour = (i) => theme.series[[0, 2, 3, 4][which[i] % 4]];
    chips.forEach(({ node, share }, i) => {
      share.textContent = String(targets[i]);
      const begins = i === 0 || cuts.has(i);
      node.style.borderLeft = begins ? `6px solid ${colour(i)}` : "1px solid var(--line)";
      node.style.background = `color-mix(in srgb, ${colour(i)} 14%, var(--card))`;
      node.setAttribute("aria-label", `${words[i]}, target ${targets[i]}, micro-batch ${which[i] + 1}${begins ? ", begins it" : ""}`);
    });
    chart.replaceChildren(heed.el("p", { class: "caption" }, "how much each word counts in the step"),
      bars({ label: "weights of the words", high: Math.max(0.2, ...now), theme, room: Math.min(440, chart.clientWidth || 320),
      rows: words.map((word, i) => ({ name: word, value: now[i], text: fixed(now[i], 3), colour: colour(i) })) }));
    told.textContent = `Gradient ${fixed(got, 3)}. That of the whole batch is ${fixed(right, 3)}: ` +
      (same ? "the same step." : got * right < 0 ? "the step goes the wrong way." : "another step.");
    const best = dot(now, targets);
    why.textContent = `${parts.length} micro-batch${parts.length > 1 ? "es" : ""}; at most ${most} ${most > 1 ? "words are" : "word is"} in memory at once, ` +
      `instead of ${N}. ` +
      `Training would end at w = ${fixed(best, 3)}, the mean of the targets by these weights` +
      `${same ? "." : "; the whole batch ends at " + fixed(dot(shares("one"), targets), 3) + "."}`;
    aims.check(0, way === "means" && most <= 3 && same);
    aims.check(1, way === "means" && got * right < -1e-9);
    aims.check(2, most === 1 && same);
    root.playState = { parts, way, w, weights: now, right, gradient: got, end: best, most, goals: [...aims.done] };
  };
  return draw;
});

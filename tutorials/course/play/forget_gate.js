// Lesson 08 to play with: what is left of each word in a memory that is updated word by word.
//
//   c_t = f c_{t-1} + x_t        f = sigma(b)          so word j has the weight f^(t - j) in c_t
//   a closed gate: f = 0 at that word                 the plain RNN: a factor of 1 / sqrt(3) at each step (this lesson)
//
// One memory cell of an LSTM whose forget gate is set by hand: a trained one computes f anew at each word. The input gate is
// open. The gradient from the end back to word j is multiplied by the same f at each step, so these weights are its, too.
"use strict";
heed.play("forget_gate", (root) => {
  const { button, slider, goals, fixed } = heed.parts;
  const words = ("Anna who had lost her key in the park on a cold and rainy winter day went slowly back home again").split(" ");
  const closed = new Set(), plain = 1 / Math.sqrt(3);
  let done = 0, bias = 0, draw = () => {};

  const gate = () => 1 / (1 + Math.exp(-bias));
  const kept = (t, factor) => words.slice(0, t).map((_, j) => {  // the weights of words 0 .. t - 1 after t words
    let weight = 1;
    for (let s = j + 1; s < t; ++s) weight *= closed.has(s) ? 0 : factor;
    return weight;
  });
  const show = (x) => (x === 0 || x >= 0.005 ? fixed(x) : x.toExponential(0).replace("-", "−"));

  const next = button("Next word", () => { ++done; draw(); }, "main"), all = button("All words", () => { done = words.length; draw(); });
  const again = button("Start again", () => { done = 0; closed.clear(); draw(); });
  const b = slider({ label: "forget bias b", min: -4, max: 6, step: 0.25, value: bias, text: (to) => `${fixed(to)}: f = ${fixed(1 / (1 + Math.exp(-to)), 3)}`,
    onmove: (to) => { bias = to; draw(); } });
  const chips = words.map((word, j) => {
    const share = heed.el("span", {}), node = heed.el("button", { type: "button", onclick: () => {
      if (!closed.delete(j)) closed.add(j);
      draw();
    } }, heed.el("b", {}, word), heed.el("br", {}), share);
    Object.assign(node.style, { minWidth: "54px", minHeight: "52px", padding: "4px 6px", color: "var(--ink)" });
    return { node, share };
  });
  const row = heed.el("div", { class: "controls", style: "gap: 5px" }, ...chips.map((chip) => chip.node));
  const memory = heed.el("div", { class: "play-sum", "aria-live": "polite" }), told = heed.el("p", { class: "play-note play-below" });
  const aims = goals(["All words read, and more than a third of Anna is left.",
    "A memory that holds the last word and nothing else, without a closed gate (0.02 counts as nothing).",
    "Forget the lost key on purpose: all words read, nothing left of “key”, and more than half of “went”."]);
  root.append(heed.el("p", { class: "play-lead" }, "How much of Anna is left when the sentence is over?"),
    heed.el("div", { class: "controls" }, next, all, again, b.node), row,
    heed.el("p", { class: "play-note" },
    "Below each word: its weight in the memory now. Press a word to close the forget gate when it is read (f = 0), and again to open it."),
    memory, told, aims.node);

  draw = () => {
    const f = gate(), now = kept(done, f), first = now[0] || 0, steps = Math.max(0, done - 1);
    next.disabled = all.disabled = done >= words.length;
    next.className = next.disabled ? "" : "main";
    chips.forEach(({ node, share }, j) => {
      const there = j < done;
      share.textContent = there ? show(now[j]) : "·";
      node.setAttribute("aria-pressed", "false");
      node.setAttribute("aria-label", `${words[j]}, word ${j + 1}: ${there ? `weight ${show(now[j])}` : "not read yet"}${closed.has(j) ? ", closes the gate" : ""}`);
      node.style.background = `color-mix(in srgb, var(--gold) ${there ? Math.round(45 * now[j]) : 0}%, var(--card))`;
      node.style.borderColor = closed.has(j) ? "var(--bad)" : "var(--line)";
      node.style.borderLeftWidth = closed.has(j) ? "5px" : "";
    });
    const large = now.map((x, j) => (x >= 0.005 ? `${show(x)} ${words[j]}` : "")).filter(Boolean).reverse();
    memory.replaceChildren(heed.el("div", {}, !done ? "The memory is empty. Press Next word."
      : `memory = ${large.slice(0, 5).join(" + ")}${large.length > 5 ? " + …" : ""}`),
    heed.el("div", {}, done < 2 ? " " : closed.size && [...closed].some((s) => s > 0 && s < done) ? `Anna: a gate was closed, so ${show(first)} is left`
      : `Anna: ${fixed(f, 3)} multiplied ${steps} ${steps === 1 ? "time" : "times"} = ${heed.number(first)}`));
    const rnn = plain ** steps;
    told.textContent = done < 2 ? "The word that was just read has the weight 1."
      : `An untrained plain RNN multiplies the length of a state by about 0.577 at each step, and it has no gate: ` +
      `${heed.number(rnn)} is left after ${steps} ${steps === 1 ? "step" : "steps"}.`;
    const over = done === words.length, key = words.indexOf("key"), went = words.indexOf("went");
    aims.check(0, over && now[0] > 1 / 3);
    aims.check(1, done > 1 && !closed.size && now.slice(0, -1).every((x) => x < 0.02));
    aims.check(2, over && now[key] === 0 && now[went] > 0.5);
    root.playState = { done, bias, f, weights: now, closed: [...closed], plain: rnn, words, goals: [...aims.done] };
  };
  return draw;
});

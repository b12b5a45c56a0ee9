// Open a number: its formula, the multiply-adds that make it, the line of C++ that computed it, and its gradient.
"use strict";
heed.panel("play-explain", (panel, frame) => {
  const state = { kind: "weight", step: 0, at: 0, now: null, answer: null };
  frame.section.playState = state;
  const page = JSON.parse(document.getElementById("heed-data").textContent);
  const kinds = { weight: "the weight of a word", score: "the score of a word", context: "a number of the context", probability: "the probability of a word" };
  const kind = heed.el("select", { "aria-label": "Which number" }, ...Object.entries(kinds).map(([key, words]) => heed.el("option", { value: key }, words)));
  const step = heed.el("select", { "aria-label": "At which step" }), at = heed.el("select", { "aria-label": "Which one" });
  frame.controls.append(heed.el("label", {}, "Open", kind), heed.el("label", {}, "while writing", step), heed.el("label", {}, "namely", at));
  const option = (value, text) => heed.el("option", { value }, text);
  const fill = () => {
    const r = state.now.result;
    step.replaceChildren(...r.steps.map((one, t) => option(t, `${t + 1} · ${one.word}`)));
    state.step = Math.min(state.step, r.steps.length - 1);
    const places = { weight: r.source.map((word, s) => option(s, word)), context: Array.from({ length: page.context }, (_, j) => option(j, `c_${j}`)), probability: r.steps[state.step].best.map((one) => option(one.id, one.word)) };
    at.replaceChildren(...(places[state.kind] || places.weight));
    if (![...at.options].some((one) => Number(one.value) === state.at)) state.at = Number(at.options[0].value);
    kind.value = state.kind; step.value = state.step; at.value = state.at;
  };
  const show = async () => {
    if (!state.now) return;
    fill();
    try {
      const engine = await heed.translator();
      state.answer = await engine.call("explain", state.now.sentence, state.now.forced, state.kind, state.step, state.at);
      frame.draw();
    } catch (error) { state.answer = null; frame.body.textContent = error.message; }
  };
  kind.addEventListener("change", () => { state.kind = kind.value; state.at = state.kind === "probability" ? state.now.result.steps[state.step].id : 0; show(); });
  step.addEventListener("change", () => { state.step = Number(step.value); if (state.kind === "probability") state.at = state.now.result.steps[state.step].id; show(); });
  at.addEventListener("change", () => { state.at = Number(at.value); show(); });
  document.addEventListener("heed-translated", ({ detail }) => {
    state.now = detail;
    if (state.kind !== "probability") state.at = Math.min(state.at, detail.result.source.length - 1);
    show();
  });
  document.addEventListener("heed-step", ({ detail }) => {
    const now = state.now.result.steps[detail], heaviest = now.weights.indexOf(Math.max(...now.weights));
    state.step = detail;
    if (state.kind !== "context") state.at = state.kind === "probability" ? now.id : heaviest;
    show();
  });
  document.addEventListener("heed-explain", ({ detail }) => {
    Object.assign(state, { kind: detail.kind, step: detail.step, at: detail.at });
    show();
    frame.section.scrollIntoView({ behavior: matchMedia("(prefers-reduced-motion: reduce)").matches ? "auto" : "smooth", block: "nearest" });
  });

  const formulas = {
    weight: (a) => [`w = exp(e − max) / Σ exp(e − max) = ${heed.number(a.above)} / ${heed.number(a.below)}`, "exp(e − max)", null, "share of the sum"],
    score: () => ["e = Σₐ vₐ · tanh(qₐ + kₐ)", "vₐ", "tanh(qₐ + kₐ)", "product"],
    context: () => ["c = Σₛ wₛ · hₛ", "wₛ", "hₛ", "product"],
    probability: (a) => [`p = exp(o − log Σ exp(o)) = exp(${heed.number(a.total)} − ${heed.number(a.log_normaliser)}),   o = Σ W · r + b`, "W", "r", "product"],
  };
  frame.paint = () => {
    const a = state.answer, box = heed.el("div", { class: "opened" });
    if (!a) return box;
    const [formula, left, right, product] = formulas[a.kind](a), line = page.lines[a.kind], r = state.now.result;
    const about = a.kind === "probability" ? `p(${a.name})` : a.kind === "context" ? `c_${state.at}` : `${a.kind === "weight" ? "w" : "e"}(${a.word} ← ${r.source[state.at]})`;
    box.append(heed.el("p", { class: "value" }, heed.el("b", {}, `${about} = ${heed.number(a.value)}`), a.forced && a.kind === "weight" ? " (forced by you)" : ""), heed.el("p", { class: "formula" }, formula));
    const rows = a.terms.map((term, i) => ({ ...term, i })).sort((x, y) => Math.abs(y.product) - Math.abs(x.product)), most = Math.abs(rows[0].product) || 1;
    const table = heed.el("table", {}, heed.el("thead", {}, heed.el("tr", {}, ...["", left, right, product, "added up"].filter((name) => name !== null).map((name) => heed.el("th", { class: name ? "number" : null }, name)), heed.el("th", { class: "barcell" }, "orange: above 0, blue: below"))));
    const body = heed.el("tbody", {}), limit = state.all ? rows.length : 12;
    let sum = 0;
    rows.forEach((term, i) => {
      sum += term.product;
      if (i >= limit) return;
      const cell = (value) => heed.el("td", { class: "number" }, value);
      const bar = heed.el("span", { class: term.product < 0 ? "bar minus" : "bar", style: `width:${Math.round(100 * Math.abs(term.product) / most)}%` });
      body.append(heed.el("tr", {}, heed.el("td", {}, term.name), cell(heed.number(term.left)), right ? cell(heed.number(term.right)) : null, cell(heed.number(right ? term.product : term.product / a.below)), cell(heed.number(sum)), heed.el("td", { class: "barcell" }, bar)));
    });
    table.append(body);
    box.append(heed.el("div", { class: "scroll" }, table));
    if (rows.length > 12) {
      const more = heed.el("button", { type: "button" }, state.all ? "Show the largest 12" : `Show all ${rows.length} terms`);
      more.addEventListener("click", () => { state.all = !state.all; frame.draw(); });
      box.append(more);
    }
    if (a.kind === "weight") box.append(heed.el("p", {}, a.forced ? `The softmax gives ${heed.number(a.above / a.below)}; you put ${heed.number(a.value)} in its place.` :
      `The quotient is ${heed.number(a.above / a.below)}. The engine computed ${heed.number(a.value)}; the difference is ${heed.number(Math.abs(a.above / a.below - a.value))}.`));
    else box.append(heed.el("p", {}, `Sum of these ${rows.length} terms: ${heed.number(a.sum)}. The engine computed ${heed.number(a.total)}; the difference is ${heed.number(Math.abs(a.sum - a.total))}.`));
    box.append(heed.el("p", {}, a.gradient === undefined ? "No gradient: the weights of this step were put in by hand, so they do not depend on the score." :
      `Gradient: if this ${a.kind === "probability" ? "word's o" : "number"} grew by 1 at this rate, log p(${a.word}) would change by ${heed.number(a.gradient)}. It is computed by backward, as in training.`));
    box.append(heed.el("p", { class: "line" }, heed.el("b", {}, `${line.file}:${line.line}`), heed.el("code", {}, line.text)));
    return box;
  };
});

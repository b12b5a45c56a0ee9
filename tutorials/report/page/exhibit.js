// A mistake beside the right form: both results as matrices on one scale, both lines of code, and why it was not noticed.
// While `hidden`, the reader sees the wrong side and three suspects; choosing one shows the rest.
"use strict";

heed.panel("exhibit", (panel, frame) => {
  const state = { hidden: panel.blind };
  const finite = [...panel.wrong, ...panel.right].filter((value) => value !== null);
  const low = Math.min(0, ...finite), high = Math.max(0, ...finite), odd = panel.wrong.some((value) => value === null);
  const picture = (theme, room, side) => heed.matrix({
    rows: panel.rows, columns: panel.columns, values: panel[side], low, high, theme, room, hatch: low >= 0, numbers: true,
    label: `${panel.title}, ${side}: ${panel.what}`,
  });

  const stack = () => {  // code that half a row would cut has a row of its own
    const two = answer.firstChild;
    two.classList.remove("stacked");
    two.classList.toggle("stacked", [...two.querySelectorAll("pre")].some((code) => code.scrollWidth > code.clientWidth + 1));
  };
  frame.figure((theme) => {
    stack();
    const room = frame.room(), sides = state.hidden ? ["wrong"] : ["wrong", "right"], wideOf = (one) => Number(one.getAttribute("width"));
    const halves = room >= 720 && sides.length > 1 ? sides.map((side) => picture(theme, room / 2 - 12, side)) : [];
    const beside = halves.length > 0 && wideOf(halves[0]) + 24 + wideOf(halves[1]) <= room;
    const whole = heed.drawing(10, 10, `${panel.title}: ${sides.join(" and ")}`);
    let x = 0, y = 0, width = 0, height = 0;
    for (const side of sides) {
      const one = beside ? halves[sides.indexOf(side)] : picture(theme, room, side);
      const wide = wideOf(one), tall = Number(one.getAttribute("height"));
      one.setAttribute("x", x);
      one.setAttribute("y", y + 26);
      whole.append(heed.text(x, y + 14, side, { fill: side === "wrong" ? theme.bad : theme.good, "font-weight": 650, "font-size": 14 }), one);
      width = Math.max(width, x + wide);
      height = Math.max(height, y + 26 + tall);
      if (beside) x += Math.max(wide + 24, Math.min(room / 2, room - wideOf(halves[1]))); else y = height + 8;
    }
    heed.fill(whole, { width, height, viewBox: `0 0 ${width} ${height}` }, []);
    return whole;
  });
  frame.csv(() => [["side", "", ...panel.columns], ...["wrong", "right"].flatMap((side) => panel.rows.map((name, i) =>
    [side, name, ...panel[side].slice(i * panel.columns.length, (i + 1) * panel.columns.length)]))]);

  const said = heed.el("p", { class: "answer", "aria-live": "polite" });
  const line = (name, code) => heed.el("div", {}, heed.el("p", { class: name }, name), heed.el("pre", { tabindex: 0, "aria-label": `${name}, code` }, code));
  const fact = (name, text) => heed.el("p", {}, heed.el("strong", {}, `${name} `), ...heed.marked(text));
  const answer = heed.el("div", { class: "exhibit" }, heed.el("div", { class: "two" }, line("wrong", panel.wrong_code), line("right", panel.right_code)),
    fact("Measured.", panel.verdict), fact("Why it is hard to notice.", panel.hidden), fact("Where it happened.", panel.happened),
    panel.lesson ? fact("The right form", `is in lesson ${panel.lesson}: \`./heed run ${panel.lesson}\`.`) : null);
  const buttons = panel.suspects.map((suspect, i) => heed.el("button", { type: "button", onclick: () => {
    const right = i === panel.culprit;
    said.textContent = right ? `Yes: ${suspect}.` : `No, not "${suspect}": ${panel.suspects[panel.culprit]}.`;
    said.className = `answer ${right ? "right" : "wrong"}`;
    show(false);
  } }, suspect));
  const question = heed.el("div", { class: "group" }, heed.el("span", {}, "What is wrong?"), ...buttons);
  const guess = heed.el("button", { type: "button", onclick: () => { said.textContent = ""; show(true); buttons[0].focus(); } }, "Guess first");
  const show = (hidden) => {
    state.hidden = hidden;
    question.hidden = !hidden;
    guess.hidden = hidden;
    answer.hidden = hidden;
    frame.section.querySelector(".head").firstChild.textContent = hidden ? panel.neutral_title : panel.full_title;
    frame.draw();
  };
  frame.controls.append(question, guess);
  frame.section.insertBefore(said, frame.body);
  frame.section.insertBefore(heed.el("p", { class: "caption" }, `The numbers: ${panel.what}.${odd ? " A question mark is NaN: not a number." : ""}`), frame.body);
  frame.section.append(answer);
  show(state.hidden);
});

// An experiment with the scores of the chosen head: one word gets the key of another one, with its place, or its score is
// scaled. The softmax of the changed row is computed here.
"use strict";

heed.panel("look_key", (panel, frame) => {
  const look = heed.look, state = { key: 0, as: 0, factor: 1 };
  let listed = "";  // which words the choices have
  const choice = (label, name) => {
    const select = heed.el("select", { "aria-label": label, onchange: () => { state[name] = Number(select.value); paint(heed.theme()); } });
    frame.controls.append(heed.el("label", {}, label, " ", select));
    return select;
  };
  const query = heed.el("select", { "aria-label": "The word that reads", onchange: () => look.change({ query: Number(query.value) }) });
  frame.controls.append(heed.el("label", {}, "The word that reads ", query));
  const key = choice("The key of", "key"), as = choice("becomes that of", "as");
  const slider = heed.el("input", { type: "range", min: -2, max: 4, step: 0.25, value: 1, "aria-label": "Its score times" }), shown = heed.el("output", {}, "1");
  slider.addEventListener("input", () => { state.factor = Number(slider.value); paint(heed.theme()); });
  frame.controls.append(heed.el("label", {}, "its score times ", slider, " ", shown));
  const said = heed.el("p", { "aria-live": "polite" }), holder = heed.el("div", { class: "figure" });
  frame.body.className = "";
  frame.body.append(said, holder);
  const options = (select, words, allowed) => select.replaceChildren(...words.map((word, i) => [word, i]).filter(([, i]) => allowed(i)).map(([word, i]) => heed.el("option", { value: i }, `${i} ${word}`)));

  const now = () => {
    const a = look.a(), t = Math.max(look.query, 0), row = look.scores(a, look.h(), t);
    if (!row) return null;
    const changed = row.slice();
    changed[state.key] = row[state.as] * state.factor;
    return { keys: look.keys(a), word: look.queries(a)[t], row, before: look.softmax(row), after: look.softmax(changed), score: changed[state.key] };
  };
  const picture = (theme) => {
    const all = now();
    if (!all) return heed.drawing(280, 20, panel.title);
    const rows = all.keys.map((name, s) => ({ name: `${s} ${name}`, s, before: all.before[s], after: all.after[s] }));
    const shown = rows.filter(({ s }) => s === state.key || s === state.as || all.row[s] > -Infinity).sort((x, y) => (y.s === state.key) - (x.s === state.key) || Math.max(y.before, y.after) - Math.max(x.before, x.after)).slice(0, 12).sort((x, y) => x.s - y.s);
    return look.bars(theme, frame.room(), shown, ["weight", "after the change"], `${panel.title}: ${said.textContent}`, [1, 1]);
  };
  const paint = (theme) => {
    const a = look.a(), t = Math.max(look.query, 0), row = look.scores(a, look.h(), t);
    for (const control of [query, key, as, slider]) control.disabled = !row;
    if (!row) {
      said.textContent = `The page has only a small picture of head ${look.h().name}, without its scores. Choose another head.`;
      holder.replaceChildren();
      return;
    }
    const allowed = (s) => row[s] > -Infinity, keys = look.keys(a), first = keys.findIndex((_, s) => allowed(s));
    const now_listed = `${a.name} ${row.map((e) => (e > -Infinity ? 1 : 0)).join("")}`, listed_again = now_listed !== listed;
    listed = now_listed;
    if (listed_again) options(query, look.queries(a), () => true);
    query.value = t;
    for (const [select, name] of [[key, "key"], [as, "as"]]) {
      if (listed_again) options(select, keys, allowed);
      if (!allowed(state[name])) state[name] = Math.max(first, 0);
      select.value = state[name];
    }
    shown.textContent = String(state.factor);
    const all = now(), same = state.key === state.as;
    said.textContent = same && state.factor === 1 ? `The score of “${keys[state.key]}” for “${all.word}” is ${heed.number(all.row[state.key])}, its weight ${all.before[state.key].toFixed(3)}. Give it another key, or scale its score.`
      : `With ${same ? "its own key" : `the key of “${keys[state.as]}”`}${state.factor === 1 ? "" : ` and its score times ${state.factor}`}, “${keys[state.key]}” has the score ${heed.number(all.score)} instead of ${heed.number(all.row[state.key])}: “${all.word}” now gives it the weight ${all.after[state.key].toFixed(3)} instead of ${all.before[state.key].toFixed(3)}, and all others share the rest.`;
    holder.replaceChildren(picture(theme));
  };
  look.redraws(frame, paint);
  frame.figure(picture);
  frame.csv(() => {
    const all = now();
    return [["key", "score", "weight", "weight after the change"], ...(all ? all.keys.map((name, s) => [name, all.row[s] === -Infinity ? "-inf" : heed.number(all.row[s]), heed.number(all.before[s]), heed.number(all.after[s])]) : [])];
  });
});

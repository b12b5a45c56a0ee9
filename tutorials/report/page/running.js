// Running text: one line a sentence, each word on a ground as dark as its weight, the sentence's own weight as a bar
// before it. A marked sentence is the one that decides, by the gold. Where the sentences have names, they are the same
// words by several measures, and the name is written in place of the bar.
"use strict";

heed.panel("running", (panel, frame) => {
  let chosen = 0;
  const text = () => panel.texts[chosen];
  if (panel.texts.length > 1) {
    const choice = heed.el("select", { "aria-label": "Text" }, ...panel.texts.map((one, i) => heed.el("option", { value: i }, one.name)));
    choice.addEventListener("change", () => { chosen = Number(choice.value); frame.draw(); });
    frame.controls.append(heed.el("label", {}, "Text", choice));
  }
  const named = () => text().sentences.some((one) => one.name);
  const called = (i) => text().sentences[i].name || `sentence ${i + 1}`;
  const whole = (i) => `sentence ${i + 1}${text().sentences[i].gold ? ", the one that decides" : ""}\nweight ${heed.number(text().sentences[i].weight)}`;
  const single = (i, k) => `${text().sentences[i].words[k]}, ${named() ? "by" : "in"} ${called(i)}\nweight ${heed.number(heed.unpack(text().sentences[i].weights)[k])}`;

  frame.figure((theme) => {
    const { sentences } = text(), line = 27, bar = named() ? 0 : 92;
    const narrow = named() && frame.room() < 520;  // the name is above the words
    const left = narrow ? 0 : named() ? Math.max(...sentences.map((one) => heed.width(one.name))) + 16 : bar + 66, right = Math.max(frame.room(), named() ? 280 : 520) - 8, colour = heed.scale(theme, 0, 1);
    const heaviest = sentences.reduce((best, one, i) => (one.weight > sentences[best].weight ? i : best), 0), gold = sentences.findIndex((one) => one.gold);
    const picture = heed.drawing(right + 8, 10, named()
      ? `${panel.title}, ${text().name}: ${sentences.map((one) => { const w = heed.unpack(one.weights); return `${one.name} is largest at ${one.words[w.indexOf(Math.max(...w))]}`; }).join("; ")}`
      : `${panel.title}, ${text().name}: ${sentences.length} sentences; the heaviest is sentence ${heaviest + 1} with ${heed.number(sentences[heaviest].weight)}${gold >= 0 ? `, sentence ${gold + 1} decides` : ""}`);
    picture.setAttribute("tabindex", "0");
    const stops = [];  // what the arrow keys reach: each sentence, then its words
    let y = 30;
    picture.append(heed.text(0, 14, named() ? "measure" : "sentence", { fill: theme.faint, "font-size": 12 }), heed.text(narrow ? 70 : left, 14, "words", { fill: theme.faint, "font-size": 12 }));
    const put = (box, paint, tip) => {
      const ground = heed.svg("rect", { ...box, rx: 3, fill: paint, "data-tip": tip });
      picture.append(ground);
      stops.push({ ground, tip });
    };
    sentences.forEach((one, i) => {
      if (named()) picture.append(heed.text(0, y + 12, one.name, { fill: theme.soft }));
      if (narrow) y += line - 4;
      else if (!named()) {
        put({ x: 0, y: y - 2, width: bar, height: 18 }, theme.tint, whole(i));
        picture.append(heed.svg("rect", { x: 0, y: y - 2, width: heed.px(Math.max(bar * one.weight, 0.5)), height: 18, rx: 3, fill: theme.accent, "pointer-events": "none" }));
        picture.append(heed.text(bar + 8, y + 12, `${i + 1}`, { fill: one.gold ? theme.goldInk : theme.soft, "font-weight": one.gold ? 700 : 400 }));
      }
      if (one.gold) picture.append(heed.text(bar + 28, y + 12, "gold", { fill: theme.goldInk, "font-size": 12, "font-weight": 700 }));
      let x = left;
      const weights = heed.unpack(one.weights);
      one.words.forEach((word, k) => {
        const wide = heed.width(word) + 10;
        if (x + wide > right && x > left) { x = left; y += line; }
        const paint = colour(weights[k]);
        put({ x: heed.px(x), y: y - 2, width: heed.px(wide), height: 20 }, paint, single(i, k));
        picture.append(heed.text(x + 5, y + 12.5, word, { fill: heed.onto(paint), "pointer-events": "none" }));
        x += wide + 3;
      });
      y += line;
    });
    let x = left;
    const say = (words) => { picture.append(heed.text(x, y + 14, words, { fill: theme.soft, "font-size": 12 })); x += heed.width(words, 12) + 6; };
    say(named() ? "0" : "weight 0");
    for (let i = 0; i <= 10; ++i, x += 8) picture.append(heed.svg("rect", { x: heed.px(x), y: y + 3, width: 8, height: 12, fill: colour(i / 10) }));
    x += 6;
    say(named() ? "1, the largest of its measure" : "1; a full bar: 1");
    picture.setAttribute("height", y + 24);
    picture.setAttribute("viewBox", `0 0 ${Math.ceil(right + 8)} ${y + 24}`);

    let at = -1;
    const leave = () => { if (at >= 0) stops[at].ground.removeAttribute("stroke"); };
    picture.addEventListener("keydown", (event) => {
      const step = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -1, ArrowDown: 1 }[event.key];
      if (!step || stops.length === 0) return;
      event.preventDefault();
      leave();
      at = Math.max(0, Math.min(stops.length - 1, at + step));
      heed.fill(stops[at].ground, { stroke: theme.gold, "stroke-width": 2 }, []);
      const box = stops[at].ground.getBoundingClientRect();
      heed.tip(stops[at].tip, box.right - 8, box.bottom - 4);
      heed.say(stops[at].tip);
    });
    picture.addEventListener("blur", () => { leave(); at = -1; heed.tip(""); });
    return picture;
  });
  frame.csv(() => [[named() ? "measure" : "sentence", "gold", "sentence weight", "word", "weight"], ...text().sentences.flatMap((one, i) => one.words.map((word, k) =>
    [one.name || i + 1, one.gold ? 1 : 0, heed.number(one.weight), word, heed.number(heed.unpack(one.weights)[k])]))]);
});

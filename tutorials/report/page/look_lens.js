// The words that each layer would give as its answer, and the cache of keys and values while a text grows.
"use strict";

heed.panel("look_lens", (panel, frame) => {
  const words = panel.words, last = words.length - 1;
  const slider = heed.el("input", { type: "range", min: 0, max: last, step: 1, value: last, "aria-label": "Word" }), shown = heed.el("output", {});
  let at = last;
  slider.addEventListener("input", () => { at = Number(slider.value); frame.draw(); });
  frame.controls.append(heed.el("label", {}, "After the word ", slider), shown);
  frame.figure((theme) => {
    shown.textContent = `${at} “${words[at]}”`;
    slider.setAttribute("aria-valuetext", shown.textContent);
    const room = Math.min(frame.room(), 760), left = 62, many = Math.max(1, Math.min(panel.layers[0][at].length, Math.floor((room - left) / 96))), wide = (room - left) / many, line = 30, paint = heed.scale(theme, 0, 1);
    const picture = heed.drawing(room, panel.layers.length * line + 30, `${panel.title}: word ${at}, “${words[at]}”; the last layer: ${panel.layers.at(-1)[at].map(([word, p]) => `${word} ${heed.number(p)}`).join(", ")}`);
    panel.layers.forEach((layer, l) => {
      const y = l * line + 2;
      picture.append(heed.text(0, y + 18, l ? `after ${l - 1}` : "input", { "font-size": 12, fill: theme.soft }));
      layer[at].slice(0, many).forEach(([word, p], k) => {
        const ground = paint(p), number = p >= 0.0995 ? p.toFixed(2) : heed.number(Number(p.toPrecision(1)));
        picture.append(heed.svg("rect", { x: heed.px(left + k * wide), y, width: heed.px(wide - 4), height: line - 5, rx: 3, fill: ground, "data-tip": `${word}\nprobability ${heed.number(p)}` }),
          heed.text(left + k * wide + 6, y + 17, heed.shorten(word, wide - 20 - heed.width(number, 11)), { fill: heed.onto(ground), "pointer-events": "none" }),
          heed.text(left + (k + 1) * wide - 9, y + 17, number, { fill: heed.onto(ground), "font-size": 11, "text-anchor": "end", "pointer-events": "none" }));
      });
    });
    picture.append(heed.text(0, panel.layers.length * line + 20, heed.shorten("from left: the most probable words", room, 12), { "font-size": 12, fill: theme.soft }));
    return picture;
  });
  frame.csv(() => [["layer", "word", "place", "candidate", "probability"], ...panel.layers.flatMap((layer, l) => layer.flatMap((best, t) => best.map(([word, p], k) => [l ? l - 1 : "input", `${t} ${words[t]}`, k + 1, word, p])))]);
});

heed.panel("look_cache", (panel, frame) => {
  const { steps, layers } = panel, last = steps.length - 1;
  const slider = heed.el("input", { type: "range", min: 0, max: last, step: 1, value: last, "aria-label": "Words so far" }), said = heed.el("p", { class: "caption", "aria-live": "polite" });
  let at = last;
  slider.addEventListener("input", () => { at = Number(slider.value); frame.draw(); });
  frame.controls.append(heed.el("label", {}, "Words so far ", slider), said);
  frame.figure((theme) => {
    const step = steps[at], now = step.words, all = steps[last].words, kept = step.first.reduce((sum, from) => sum + now - from, 0);
    const bytes = (n) => n.toLocaleString("en");
    said.textContent = `After ${now} ${now === 1 ? "word" : "words"}, the last of them “${panel.words[now - 1]}”, ${bytes(step.bytes)} bytes of keys and values exist: ${bytes(kept)} rows in ${layers} layers, each of ${panel.groups} heads with ${panel.width} numbers, twice.` +
      (panel.groups < panel.heads ? ` ${panel.heads / panel.groups} heads of queries share a head of keys; otherwise it would be ${panel.heads / panel.groups} times as much.` : "") +
      (step.source_bytes ? ` The keys and values of the source take ${bytes(step.source_bytes)} bytes, however long the answer is.` : "") + (kept < now * layers ? " Rows that the window has passed are gone." : "");
    slider.setAttribute("aria-valuetext", `${now} words`);
    const room = Math.min(frame.room(), 900), left = 62, cell = Math.max(2, Math.min(26, (room - left - 4) / all)), tall = Math.max(10, Math.min(20, cell));
    const legend = "orange: computed for the new word; blue: kept";
    const picture = heed.drawing(Math.min(room, Math.max(left + all * cell + 4, heed.width(legend, 12) + 4)), layers * (tall + 3) + 26, `${panel.title}: ${said.textContent}`), gap = cell > 5 ? 1.5 : 0;
    for (let l = 0; l < layers; ++l) {
      picture.append(heed.text(0, l * (tall + 3) + tall - 1, `layer ${l}`, { "font-size": 12, fill: theme.soft }));
      for (let t = 0; t < all; ++t) {
        const there = t < now && t >= step.first[l], fresh = there && t >= (at ? steps[at - 1].words : 0);
        picture.append(heed.svg("rect", { x: heed.px(left + t * cell), y: l * (tall + 3), width: heed.px(cell - gap), height: tall, fill: fresh ? theme.goldArea : there ? theme.accentArea : theme.tint, "data-tip": `word ${t}, “${panel.words[t]}”, layer ${l}\n${fresh ? "computed now" : there ? "kept" : t < now ? "gone" : "not yet there"}` }));
      }
    }
    picture.append(heed.text(0, layers * (tall + 3) + 18, heed.shorten(legend, room, 12), { "font-size": 12, fill: theme.soft }));
    return picture;
  });
  frame.csv(() => [["words", "bytes", "bytes of the source"], ...steps.map((one) => [one.words, one.bytes, one.source_bytes])]);
});

// Lesson 07 to play with: words in a plane, and which of them is the nearest, by two rules.
//
//   cosine     a . b / (|a| |b|)          the angle alone: the lengths of the arrows do not count
//   distance   |a - b|
//
// Where the words lie at first is made by hand; in the lesson, training puts them somewhere in 32 dimensions. The length of
// a trained vector grows with how often its word occurs, which is one reason for the cosine.
"use strict";
heed.play("neighbours", (root) => {
  const { plane, choice, goals, bars, dot, fixed } = heed.parts;
  const start = { chair: [3, 1], table: [3.5, 2], desk: [1.5, 1], lion: [-2, 3], tiger: [-1, 2.5] }, names = Object.keys(start);
  let asked = "desk", draw = () => {};
  const points = names.map((name, i) => ({ name, x: start[name][0], y: start[name][1],
    colour: (theme) => (name === asked ? theme.gold : theme.series[i < 3 ? 0 : 2]) }));
  const place = (name) => { const point = points[names.indexOf(name)]; return [point.x, point.y]; };
  const cosine = (a, b) => { const size = Math.hypot(...a) * Math.hypot(...b); return size ? dot(a, b) / size : NaN; };
  const ranking = (word) => {
    const others = names.filter((name) => name !== word).map((name) => ({ name, cosine: cosine(place(word), place(name)),
      distance: Math.hypot(place(word)[0] - place(name)[0], place(word)[1] - place(name)[1]) }));
    const known = others.every((other) => Number.isFinite(other.cosine));
    return { byCosine: known ? [...others].sort((a, b) => b.cosine - a.cosine) : [], byDistance: [...others].sort((a, b) => a.distance - b.distance) };
  };

  const map = plane({ label: "Words in the plane", range: [-5, 5], step: 1, snap: 0.25, points, onmove: () => draw(), most: 400, under: (theme, at, size) => {
    const [x, y] = at(0, 0);
    return [heed.svg("rect", { width: size, height: size, fill: theme.tint, rx: 3 }), heed.svg("path",
      { d: `M${x} 0V${size}M0 ${y}H${size}`, stroke: theme.faint, "stroke-opacity": 0.5 }),
      ...points.map((point) => {
        const [px, py] = at(point.x, point.y);
        return heed.svg("line", { x1: x, y1: y, x2: px, y2: py, stroke: point.colour(theme), "stroke-width": point.name === asked ? 3.5 : 2,
          "stroke-opacity": 0.7 });
      })];
  } });
  const who = choice({ label: "nearest to", options: names.map((name) => [name, name]), value: asked, onpick: (name) => { asked = name; draw(); } });
  const charts = heed.el("div", {}), told = heed.el("p", { class: "play-note", "aria-live": "polite" });
  const aims = goals(["Drag desk so that chair and table are its two nearest, by cosine and by distance, both nearer than 1.5.",
    "Find a place for desk where the nearest by cosine is table, and by distance tiger.", "Two words with a cosine of 1 that are more than 3 apart.",
    "Two words with a cosine of −1: they point opposite ways."]);
  root.append(heed.el("p", { class: "play-lead" }, "Drag the words. Which one is the nearest?"),
    heed.el("div", { class: "play-grid" }, heed.el("div", {}, map.node), heed.el("div", {}, who.node, charts, told, aims.node)));

  draw = (theme = heed.theme()) => {
    map.paint(theme);
    const { byCosine, byDistance } = ranking(asked), room = Math.min(440, charts.clientWidth || 320), left = 48;
    const colour = (name) => theme.series[names.indexOf(name) < 3 ? 0 : 2], heading = (text) => heed.el("p", { class: "caption" }, text);
    const far = Math.max(...byDistance.map((other) => other.distance), 1);
    charts.replaceChildren(heading("cosine of the angle: the largest is the nearest"),
      byCosine.length ? bars({ label: "cosines", low: -1, high: 1, room, theme, left, rows: byCosine.map((other) => ({ name: other.name, value: other.cosine,
      text: fixed(other.cosine), colour: colour(other.name) })) })
        : heed.el("p", {}, "A word in the middle has no direction, and no cosine."),
      heading("distance: the smallest is the nearest"),
      bars({ label: "distances", high: far, room, theme, left, rows: byDistance.map((other) => ({ name: other.name, value: other.distance,
      text: fixed(other.distance), colour: colour(other.name) })) }));
    const first = byCosine[0];
    told.textContent = !first ? "" : first.name === byDistance[0].name ? `${first.name} is the nearest to ${asked} by both rules.`
      : `By the angle it is ${first.name}, by the distance ${byDistance[0].name}: a short and a long arrow in the same direction are the same for the cosine.`;
    const desk = ranking("desk"), two = (list) => list.slice(0, 2).map((other) => other.name).sort().join(" ");
    const pairs = names.flatMap((a, i) => names.slice(i + 1).map((b) => ({ cosine: cosine(place(a), place(b)),
      distance: Math.hypot(place(a)[0] - place(b)[0], place(a)[1] - place(b)[1]) })));
    aims.check(0, two(desk.byCosine) === "chair table" && two(desk.byDistance) === "chair table" && desk.byDistance[1].distance < 1.5);
    aims.check(1, desk.byCosine.length && desk.byCosine[0].name === "table" && desk.byDistance[0].name === "tiger");
    aims.check(2, pairs.some((pair) => pair.cosine > 0.9995 && pair.distance > 3));
    aims.check(3, pairs.some((pair) => pair.cosine < -0.9995));
    root.playState = { asked, places: Object.fromEntries(names.map((name) => [name, place(name)])), byCosine, byDistance, goals: [...aims.done] };
  };
  return draw;
});

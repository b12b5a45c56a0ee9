// A small directed graph, laid out before it came here: nodes in layers, edges as curves, a colour for each group.
// The pointer, or Tab and the arrow keys, pick a node: its edges stand out and the rest fades.
"use strict";

heed.panel("graph", (panel, frame) => {
  frame.figure((theme) => {
    const high = 30, legend = panel.groups.length > 0 ? 34 : 8, width = panel.width + 24, height = panel.height + legend + 16;
    const picture = heed.drawing(width, height, `${panel.title}: graph of ${panel.nodes.length} nodes and ${panel.edges.length} edges; ` +
      panel.nodes.slice(0, 40).map((node) => node.label).join(", "));
    picture.setAttribute("tabindex", "0");
    const colour = (group) => (group < 0 ? theme.faint : theme.series[group % 8]), arrow = heed.id("arrow"), tint = (group) => heed.between([theme.card, colour(group)], 0.14);
    picture.append(heed.svg("defs", {}, heed.svg("marker", { id: arrow, viewBox: "0 0 8 8", refX: 7, refY: 4, markerWidth: 7, markerHeight: 7, orient: "auto" },
      heed.svg("path", { d: "M0.5 0.8L7 4L0.5 7.2Z", fill: theme.faint }))));
    const edges = panel.edges.map((edge) => {
      const points = edge.points.map(([x, y]) => [x + 12, y + 8]);
      let path = `M${heed.px(points[0][0])} ${heed.px(points[0][1])}`;
      for (let k = 1; k < points.length; ++k) {
        const [a, b] = [points[k - 1], points[k]], middle = (a[1] + b[1]) / 2;
        path += `C${heed.px(a[0])} ${heed.px(middle)} ${heed.px(b[0])} ${heed.px(middle)} ${heed.px(b[0])} ${heed.px(b[1])}`;
      }
      return heed.svg("path", { d: path, fill: "none", stroke: theme.faint, "stroke-width": 1.3, "marker-end": `url(#${arrow})` });
    });
    const nodes = panel.nodes.map((node, index) => heed.svg("g", { "data-tip": node.tip || node.label, "data-node": index },
      heed.svg("rect", { x: heed.px(node.x - node.width / 2 + 12), y: heed.px(node.y - high / 2 + 8), width: node.width, height: high, rx: 7, fill: tint(node.group), stroke: colour(node.group), "stroke-width": 1.3 }),
      heed.text(node.x + 12, node.y + 12.5, heed.shorten(node.label, node.width - 10), { "text-anchor": "middle", fill: theme.ink })));
    picture.append(...edges, ...nodes);
    let x = 12;
    panel.groups.forEach((name, group) => {
      picture.append(heed.svg("rect", { x: heed.px(x), y: height - 24, width: 12, height: 12, rx: 3, fill: tint(group), stroke: colour(group), "stroke-width": 1.3 }),
        heed.text(x + 18, height - 14, name, { "font-size": 12, fill: theme.soft }));
      x += heed.width(name, 12) + 40;
    });
    picture.setAttribute("width", Math.ceil(Math.max(width, x)));
    picture.setAttribute("viewBox", `0 0 ${Math.ceil(Math.max(width, x))} ${Math.ceil(height)}`);

    let at = -1;
    const choose = (index) => {
      at = index;
      const near = new Set([index]);
      panel.edges.forEach((edge, k) => {
        const mine = edge.from === index || edge.to === index;
        if (mine) near.add(edge.from).add(edge.to);
        heed.fill(edges[k], { opacity: index < 0 || mine ? 1 : 0.25, stroke: mine ? theme.accent : theme.faint, "stroke-width": mine ? 2 : 1.3 }, []);
      });
      nodes.forEach((node, k) => node.setAttribute("opacity", index < 0 || near.has(k) ? 1 : 0.45));
    };
    picture.addEventListener("pointermove", (event) => {
      const over = event.target.closest("[data-node]");
      if ((over ? Number(over.dataset.node) : -1) !== at) choose(over ? Number(over.dataset.node) : -1);
    });
    picture.addEventListener("pointerleave", () => choose(-1));
    picture.addEventListener("blur", () => { choose(-1); heed.tip(""); });
    picture.addEventListener("keydown", (event) => {
      const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
      if (!step || nodes.length === 0) return;
      event.preventDefault();
      choose((at + step + nodes.length) % nodes.length);
      const box = nodes[at].getBoundingClientRect();
      heed.tip(nodes[at].dataset.tip, box.right, box.bottom - 10);
      heed.say(nodes[at].dataset.tip);
    });
    return picture;
  });
  frame.csv(() => [["from", "to"], ...panel.edges.map((edge) => [panel.nodes[edge.from].label, panel.nodes[edge.to].label])]);
});

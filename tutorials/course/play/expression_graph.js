// Lessons 02 and 03 to play with: an expression, its graph, and the chain rule walked backwards one node at a time.
//
//   forward     every node computes its value from its inputs
//   backward    from the result to the letters, each node y hands dL/dy * dy/dx to each input x, where it is added up
//
// A node is visited when everything that uses it has been: reverse topological order. A letter that is used twice gets
// two contributions. Beside the result: the central difference (f(x + h) - f(x - h)) / 2h with h = 6e-6, the step that
// lesson 02 predicts. The first expression is lesson 02's, with its numbers.
"use strict";
heed.play("expression_graph", (root) => {
  const { button, fixed } = heed.parts;
  const functions = {  // value, derivative by the argument x given y = f(x)
    exp: [Math.exp, (x, y) => y], tanh: [Math.tanh, (x, y) => 1 - y * y], log: [Math.log, (x) => 1 / x], sqrt: [Math.sqrt, (x, y) => 0.5 / y],
    sin: [Math.sin, Math.cos], cos: [Math.cos, (x) => -Math.sin(x)], relu: [(x) => Math.max(x, 0), (x) => (x > 0 ? 1 : 0)],
  };
  const operations = {  // value of x and y, derivatives by x and by y
    "+": [(x, y) => x + y, () => 1, () => 1], "-": [(x, y) => x - y, () => 1, () => -1],
    "*": [(x, y) => x * y, (x, y) => y, (x) => x], "/": [(x, y) => x / y, (x, y) => 1 / y, (x, y) => -x / (y * y)],
  };

  // sum = product {(+|-) product}; product = factor {(*|/) factor}; factor = [-] base [^ number]; base = number, letter,
  // function(sum) or (sum). Returns the nodes in topological order; each letter is one node.
  const parse = (source) => {
    const tokens = source.match(/[a-z]+|\d+\.?\d*|\.\d+|[-+*/^()]|\S/g) || [], nodes = [], letters = {};
    let at = 0;
    const stop = (rule) => { throw new Error(`${rule}; got ${at < tokens.length ? `"${tokens[at]}"` : "the end"}`); };
    const add = (node) => { nodes.push(node); return nodes.length - 1; };
    const take = (word) => (tokens[at] === word ? (++at, true) : false);
    const base = () => {
      const token = tokens[at];
      if (take("(")) { const inner = sum(); if (!take(")")) stop("a bracket is closed with )"); return inner; }
      if (/^[\d.]/.test(token || "")) { ++at; return add({ kind: "number", label: token, inputs: [], number: Number(token) }); }
      if (functions[token]) {
        ++at;
        if (!take("(")) stop(`${token} is followed by (`);
        const inner = sum();
        if (!take(")")) stop("a bracket is closed with )");
        return add({ kind: "function", label: token, inputs: [inner] });
      }
      if (/^[a-z]$/.test(token || "")) { ++at; return letters[token] ?? (letters[token] = add({ kind: "letter", label: token, inputs: [] })); }
      return stop(`a number, a letter, ${Object.keys(functions).join(", ")} or ( is expected`);
    };
    const factor = () => {
      if (take("-")) return add({ kind: "negative", label: "−", inputs: [factor()] });
      const inner = base();
      if (!take("^")) return inner;
      const sign = take("-") ? -1 : 1;
      if (!/^[\d.]/.test(tokens[at] || "")) stop("a power is a number");
      const power = sign * Number(tokens[at++]);
      return add({ kind: "power", label: `^${String(power).replace("-", "−")}`, power, inputs: [inner] });
    };
    const chain = (next, signs) => {
      let left = next();
      while (signs.includes(tokens[at])) {
        const sign = tokens[at++], right = next();
        left = add({ kind: "operation", sign, label: { "*": "×", "-": "−" }[sign] || sign, inputs: [left, right] });
      }
      return left;
    };
    const product = () => chain(factor, ["*", "/"]), sum = () => chain(product, ["+", "-"]);
    const result = sum();
    if (at < tokens.length) stop("an operation + - * / is expected");
    if (nodes.length > 24) throw new Error(`the graph has at most 24 nodes; got ${nodes.length}`);
    return { nodes, letters: Object.keys(letters).sort(), result };
  };
  const evaluate = (graph, values) => graph.nodes.reduce((out, node) => {
    const x = node.inputs.map((i) => out[i]);
    out.push(node.kind === "number" ? node.number : node.kind === "letter" ? values[node.label] : node.kind === "function" ? functions[node.label][0](x[0])
      : node.kind === "negative" ? -x[0] : node.kind === "power" ? x[0] ** node.power : operations[node.sign][0](...x));
    return out;
  }, []);
  const local = (node, x, y) => (node.kind === "function" ? [functions[node.label][1](x[0], y)] : node.kind === "negative" ? [-1]
    : node.kind === "power" ? [node.power * x[0] ** (node.power - 1)] : node.kind === "operation" ? [operations[node.sign][1](...x),
      operations[node.sign][2](...x)] : []);
  const difference = (graph, values, letter) => {
    const h = 6e-6 * Math.max(1, Math.abs(values[letter])), f = (x) => evaluate(graph, { ...values, [letter]: x })[graph.result];
    return (f(values[letter] + h) - f(values[letter] - h)) / (2 * h);
  };

  const values = { a: 2, b: -0.5, c: 1 };
  let graph = null, out = null, grads = [], order = [], step = -1, current = -1, parts = {};  // step: nodes walked; -1: nothing computed
  const number = (x) => (Number.isFinite(x) ? (Math.abs(x) >= 1e5 ? x.toExponential(1) : Number.isInteger(x) ? fixed(x, 0) : fixed(x, 4)) : "not a number");

  const source = heed.el("input", { type: "text", class: "play-source", value: "tanh(a*b + a) * exp(b)", "aria-label": "expression", spellcheck: "false",
    autocomplete: "off" });
  const error = heed.el("p", { class: "play-error", role: "alert" }), inputs = heed.el("div", { class: "controls" });
  const forward = button("Forward", () => {
    clear();
    out = evaluate(graph, values), grads = graph.nodes.map(() => null), step = 0;
    grads[graph.result] = 1;
    draw();
  });
  const backward = button("Step backward", () => { walk(); draw(); });
  const whole = button("All the way", () => { while (step < order.length) walk(); draw(); });
  const restart = button("Reset", () => { clear(); draw(); });
  const examples = ["tanh(a*b + a) * exp(b)", "(a*b + c)^2", "exp(a)*tanh(b) + a", "a*a*a", "1 / (1 + exp(-a))"].map((text) =>
    button(text.replace(/ /g, ""), () => { source.value = text; read(); }));
  const stage = heed.el("div", { class: "play-drawing" }), said = heed.el("p", { class: "play-sum play-note", "aria-live": "polite" }), table = heed.el("div", {});
  root.append(heed.el("p", { class: "play-lead" }, "Compute the values forward, then hand the gradient backward, node by node."),
    heed.el("div", { class: "controls" }, heed.el("label", { class: "play-wide" }, heed.el("b", {}, "L ="), source)), error,
    heed.el("div", { class: "play-choice" }, ...examples), inputs, heed.el("div", { class: "controls" }, forward, backward, whole, restart), stage,
      said, table);

  const clear = () => { out = null; grads = []; step = -1; current = -1; parts = {}; };
  // One node: it hands its gradient to its inputs.
  const walk = () => {
    current = order[step++];
    const node = graph.nodes[current], x = node.inputs.map((i) => out[i]), slopes = local(node, x, out[current]);
    node.inputs.forEach((input, k) => {
      const handed = grads[current] * slopes[k];
      parts[input] = [...(parts[input] || []), handed];
      grads[input] = (grads[input] ?? 0) + handed;
    });
    node.slopes = slopes;
  };
  const read = () => {
    try {
      graph = parse(source.value.toLowerCase());
      error.textContent = "";
    } catch (problem) {
      error.textContent = `expression: ${problem.message}`;
      return;
    }
    order = graph.nodes.map((_, i) => i).reverse().filter((i) => graph.nodes[i].inputs.length);
    inputs.replaceChildren(...graph.letters.map((letter) => {
      values[letter] ??= 1;
      const box = heed.el("input", { type: "number", step: 0.1, value: values[letter], class: "play-number", "aria-label": letter });
      box.addEventListener("input", () => { if (Number.isFinite(box.valueAsNumber)) { values[letter] = box.valueAsNumber; clear(); draw(); } });
      return heed.el("label", {}, heed.el("b", {}, `${letter} =`), box);
    }));
    clear();
    draw();
  };
  source.addEventListener("input", read);

  const sentence = () => {
    if (step < 0) return "Press Forward: every node computes its value from the nodes it reads.";
    if (current < 0) return "The result has the gradient dL/dL = 1. Each step backward hands a node's gradient to its inputs, times the local derivative.";
    const node = graph.nodes[current], lines = node.inputs.map((input, k) => {
      const all = parts[input], text = `${number(grads[current])} × ${number(node.slopes[k])} = ${number(grads[current] * node.slopes[k])}`,
        name = graph.nodes[input].label, adds = all.length > 1 && (k === node.inputs.length - 1 || node.inputs[k + 1] !== input);
      return `to ${name}: ${text}${adds ? `; used ${all.length} times, so it adds up: ${all.map(number).join(" + ")} = ${number(grads[input])}` : ""}`;
    });
    return `Node ${node.label}: gradient × local derivative ${lines.join(" · ")}`;
  };

  // Layers: a node is one layer after the last of its inputs, a letter just before its first use. An edge that passes a
  // layer gets a place of its own there, so that no edge runs behind a node. From the result to the letters, each layer
  // is ordered by where its users are; places wish to be beside their users and keep their distance.
  const layout = (room) => {
    const depth = [], nodes = graph.nodes, users = nodes.map(() => 0);
    nodes.forEach((node, i) => { depth[i] = node.inputs.length ? 1 + Math.max(...node.inputs.map((k) => depth[k])) : 0; });
    nodes.forEach((node, i) => { if (!node.inputs.length) depth[i] = Math.max(0,
      Math.min(...nodes.flatMap((user, k) => (user.inputs.includes(i) ? [depth[k] - 1] : [])), depth[graph.result])); });
    const items = nodes.map((_, i) => ({ depth: depth[i], size: 1, wishes: [] })), edges = [];
    nodes.forEach((node, i) => node.inputs.forEach((input, k) => {
      ++users[input];
      let above = items[i], port = node.inputs.length > 1 ? k - 0.5 : 0;
      const way = [items[i]];
      for (let d = depth[i] - 1; d > depth[input]; --d) {
        const bend = { depth: d, size: 0.5, wishes: [[above, port]] };
        items.push(bend);
        way.unshift(bend);
        above = bend, port = 0;
      }
      items[input].wishes.push([above, port]);
      edges.push({ node: i, k, input, way: [items[input], ...way] });
    }));
    const layers = [...Array(Math.max(...depth) + 1)].map((_, d) => items.filter((item) => item.depth === d));
    for (const layer of [...layers].reverse()) {
      for (const item of layer) item.slot = item.wishes.length ? item.wishes.reduce((sum, [user, port]) => sum + user.slot + 0.3 * port,
        0) / item.wishes.length : 0;
      const wished = layer.sort((x, y) => x.slot - y.slot).map((item) => item.slot);
      layer.forEach((item, k) => { if (k) item.slot = Math.max(item.slot, layer[k - 1].slot + (item.size + layer[k - 1].size) / 2); });
      const off = layer.reduce((sum, item, k) => sum + item.slot - wished[k], 0) / layer.length;
      for (const item of layer) item.slot -= off;
    }
    const least = Math.min(...items.map((item) => item.slot - item.size / 2)), most = Math.max(...items.map((item) => item.slot + item.size / 2)) - least;
    const down = layers.length * 128 > room, along = down ? 104 : Math.min(190, (room - 108) / Math.max(1, layers.length - 1)), across = down
      ? Math.max(100, Math.min(140, room / most)) : 84;
    const width = down ? most * across : 108 + along * (layers.length - 1), height = down ? 66 + along * (layers.length - 1) + 16 : most * across + 8;
    const at = (item) => (down ? [(item.slot - least) * across, 38 + item.depth * along] : [54 + item.depth * along, (item.slot - least) * across + 4]);
    return { width, height, at: (i) => at(items[i]), edges: edges.map((edge) => ({ ...edge, way: edge.way.map(at) })), users, down };
  };
  const paint_graph = (theme) => {
    const place = layout(Math.max(280, stage.clientWidth || 900)), picture = heed.drawing(place.width, place.height, `the graph of ${source.value}`),
      above = [];
    for (const { node: i, k, input, way } of place.edges) {
      const node = graph.nodes[i], now = i === current, walked = out && order.indexOf(i) < step,
        same = node.inputs.length > 1 && node.inputs[0] === node.inputs[1];
      const spread = (node.inputs.length > 1 ? 2 * k - 1 : 0) * 14, points = way.map((point) => [...point]), last = points.length - 1;
      if (place.down) points[0][1] += 28, points[last][1] -= 28, points[last][0] += spread, points[0][0] += same ? spread : 0;
      else points[0][0] += 46, points[last][0] -= 46, points[last][1] += spread, points[0][1] += same ? spread : 0;
      let path = `M${points[0].map(heed.px).join(" ")}`;
      for (let p = 1; p <= last; ++p) {
        const [x1, y1] = points[p - 1], [x2, y2] = points[p], mx = heed.px((x1 + x2) / 2), my = heed.px((y1 + y2) / 2);
        path += place.down ? `C${heed.px(x1)} ${my} ${heed.px(x2)} ${my} ${heed.px(x2)} ${heed.px(y2)}`
          : `C${mx} ${heed.px(y1)} ${mx} ${heed.px(y2)} ${heed.px(x2)} ${heed.px(y2)}`;
      }
      picture.append(heed.svg("path", { d: path, fill: "none", stroke: now ? theme.gold : walked ? theme.soft : theme.faint, "stroke-width": now ? 3 : walked
        ? 2.2 : 1.3 }));
      if (!now) continue;
      const [from, to] = [points[last - 1], points[last]], words = `× ${number(node.slopes[k])}`, share = place.down ? 0.5 : 0.42;
      above.push(heed.text(from[0] + (to[0] - from[0]) * share + (place.down ? (spread < 0 ? -18 : spread > 0 ? 18 : 0) : 0), from[1]
        + (to[1] - from[1]) * share + (place.down ? 4 : spread < 0 ? -5 : spread > 0 ? 13 : -8), words,
        { fill: theme.goldInk, "font-weight": 700, "text-anchor": "middle", "paint-order": "stroke", stroke: theme.card, "stroke-width": 5 }));
    }
    graph.nodes.forEach((node, i) => {
      const [x, y] = place.at(i), leaf = !node.inputs.length, fresh = current >= 0 && graph.nodes[current].inputs.includes(i), line = (dy, words, attributes) =>
        picture.append(heed.text(x, y + dy, words, { "text-anchor": "middle", "font-size": 12.5, ...attributes }));
      picture.append(heed.svg("rect", { x: heed.px(x - 46), y: heed.px(y - 28), width: 92, height: 56, rx: leaf ? 20 : 8, fill: i === current ? theme.tint
        : theme.card,
        stroke: i === current || fresh ? theme.gold : i === graph.result ? theme.accent : theme.faint, "stroke-width": i === current ? 3 : fresh
          ? 2.5 : 1.5 }));
      line(out ? -11 : 5, node.label, { "font-weight": 700, fill: theme.ink, "font-size": 14 });
      if (!out) return;
      line(5, number(out[i]), { fill: theme.soft });
      const waits = (parts[i] || []).length < place.users[i];  // not every user has handed its part yet
      if (grads[i] !== null) line(21, number(grads[i]) + (waits ? " + …" : ""), { fill: theme.goldInk, "font-weight": waits ? 400 : 700 });
    });
    picture.append(...above);
    if (place.width > (stage.clientWidth || 1e9)) picture.style.height = "auto";
    stage.replaceChildren(picture);
  };
  const draw = (theme = heed.theme()) => {
    paint_graph(theme);
    said.textContent = sentence();
    const over = step >= order.length;
    forward.className = step < 0 ? "main" : "";
    backward.className = step >= 0 && !over ? "main" : "";
    backward.disabled = whole.disabled = step < 0 || over;
    const found = out && over ? graph.letters.map((letter) => {
      const i = graph.nodes.findIndex((node) => node.kind === "letter" && node.label === letter);
      return { letter, gradient: grads[i] ?? 0, difference: difference(graph, values, letter) };
    }) : [];
    table.replaceChildren(found.length ? heed.el("table", {}, heed.el("thead", {}, heed.el("tr", {}, ...["letter", "gradient of the walk",
      "by differences"].map((text) => heed.el("th", {}, text)))),
      heed.el("tbody", {}, ...found.map((row) => heed.el("tr", {}, heed.el("td", {}, `dL/d${row.letter}`), heed.el("td", { class: "number" },
        Number.isFinite(row.gradient) ? fixed(row.gradient, 6) : "not a number"),
        heed.el("td", { class: "number" }, Number.isFinite(row.difference) ? fixed(row.difference, 6) : "not a number"))))) : heed.el("p", { class: "caption" },
          "Grey: the value of a node. Orange: its gradient, dL/d(node); \"+ …\" while other nodes that use it have yet to add theirs."));
    root.playState = { expression: source.value, error: error.textContent, values: { ...values }, labels: graph.nodes.map((node) => node.label), out, grads,
      step, steps: order.length, current, said: said.textContent, found };
  };
  read();
  return draw;
});

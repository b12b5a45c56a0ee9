// The contrast of every visible text with what lies under it: (L1 + 0.05) / (L2 + 0.05), L the relative luminance (WCAG 2.2,
// 1.4.3). Under a text are the backgrounds of its ancestors; in a drawing also the shapes painted before it.
"use strict";
geometry.contrast = (() => {
  const numbers = (colour) => {  // "rgb(1, 2, 3)" or "color(srgb 0.1 0.2 0.3 / 0.4)": red, green, blue in [0, 1], and alpha
    const parts = (colour.match(/-?[\d.]+(e-?\d+)?/g) || []).map(Number), unit = colour.startsWith("color") ? 1 : 255;
    return parts.length < 3 ? [0, 0, 0, 0] : [parts[0] / unit, parts[1] / unit, parts[2] / unit, parts[3] ?? 1];
  };
  const over = (top, alpha, under) => under.map((value, i) => top[i] * alpha + value * (1 - alpha));
  const luminance = (rgb) => rgb.map((v) => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)).reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
  const ratio = (a, b) => { const [x, y] = [luminance(a), luminance(b)].sort((p, q) => q - p); return (x + 0.05) / (y + 0.05); };
  const hex = (rgb) => "#" + rgb.map((v) => Math.round(v * 255).toString(16).padStart(2, "0")).join("");

  const { style, once } = geometry;
  const opacity = once("opacity", (node) => (node ? Number(style(node).opacity) * opacity(node.parentElement) : 1));
  const ground = once("ground", (node) => {  // the colour of the page under `node`, its own background included
    if (!node) return [1, 1, 1];
    const under = ground(node.parentElement), colour = numbers(style(node).backgroundColor);
    return node.ownerSVGElement ? under : over(colour, colour[3] * opacity(node), under);
  });

  // The shapes of a drawing in the order in which they are painted, each with its box on the screen.
  const shapes = (root) => [...root.querySelectorAll("rect, circle, ellipse, path, polygon")].filter((node) => !node.closest("defs, clipPath, mask, pattern")).flatMap((node) => {
    const looks = style(node), fill = looks.fill, colour = numbers(fill);
    if (fill === "none" || fill.startsWith("url") || looks.visibility === "hidden" || looks.display === "none") return [];
    const alpha = colour[3] * Number(looks.fillOpacity) * opacity(node);
    return alpha > 0 ? [{ node, colour, alpha, box: node.getBoundingClientRect() }] : [];
  });
  const painted = (text, x, y, list, under) => {
    for (const { node, colour, alpha, box } of list) {
      if (x < box.left || x > box.right || y < box.top || y > box.bottom) continue;
      if (!(node.compareDocumentPosition(text) & Node.DOCUMENT_POSITION_FOLLOWING)) break;
      if (node.isPointInFill(new DOMPoint(x, y).matrixTransform(node.getScreenCTM().inverse()))) under = over(colour, alpha, under);
    }
    return under;
  };

  return (within = document.body) => {
    geometry.forget();
    const found = [], drawn = new Map();
    const judge = (node, colour, alpha, under, text) => {
      if (alpha < 0.01) return;  // not to be seen
      const got = ratio(over(colour, alpha, under), under);
      if (got < 4.495) found.push(geometry.flaw("contrast", node, `"${geometry.words(text)}" ${got.toFixed(1)}:1, ${hex(over(colour, alpha, under))} on ${hex(under)}`));
    };
    for (const { node, text, rects } of geometry.texts(within)) {
      const looks = style(node);
      if (!node.closest("svg")) {
        const colour = numbers(looks.color);
        judge(node, colour, colour[3] * opacity(node), ground(node), text);
        continue;
      }
      let root = node.closest("svg");
      while (root.ownerSVGElement) root = root.ownerSVGElement;
      if (!drawn.has(root)) drawn.set(root, { list: shapes(root), under: ground(root) });
      const { list, under } = drawn.get(root), box = rects[0], colour = numbers(looks.fill);
      const halo = looks.paintOrder.startsWith("stroke") && looks.stroke !== "none" ? numbers(looks.stroke) : null;
      judge(node, colour, colour[3] * Number(looks.fillOpacity) * opacity(node), halo || painted(node, (box.left + box.right) / 2, (box.top + box.bottom) / 2, list, under), text);
    }
    for (const node of within.querySelectorAll("input:not([type=range], [type=checkbox], [type=radio]), textarea, select")) {
      if (!geometry.shown(node)) continue;
      const looks = style(node), hint = node.placeholder ? getComputedStyle(node, "::placeholder") : null, under = ground(node);
      judge(node, numbers(looks.color), opacity(node), under, "value of a control");
      if (hint) judge(node, numbers(hint.color), Number(hint.opacity) * opacity(node), under, node.placeholder);
    }
    return found;
  };
})();

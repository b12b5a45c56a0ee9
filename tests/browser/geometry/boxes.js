// The boxes of a page, measured inside it. Every function returns a list of { kind, at, what }: a flaw, the element's
// selector and the numbers.
//
//   narrow    a card is less than 280 px wide, on a window of 800 px and more
//   blank     more than half of a card's area is outside the boxes of its texts, controls and pictures
//   details   a closed <details> is higher than 120 px
//   overlap   two visible boxes overlap by more than 2 px, and neither is inside the other
//   sideways  the page scrolls sideways, or a part of it that is not meant to, or one that the keyboard does not reach
//   outside   a box sticks out of its card, or a text of its drawing
//   broken    a line ends within "20 %", "1 / 2", "1e-8" or "--option"
//   ambiguous two texts of a drawing are shortened to the same letters
//
// measure() looks at the whole page; used() presses each button and changes each choice of the cards once, and looks at
// the drawings of that card again.
//
// A card is a .panel, a .place or a child of .panels. Boxes are cut where an ancestor cuts them.
"use strict";
window.geometry = (() => {
  const cards = ".panel, .place, .panels > *", scrolls = ".scroll, .figure, pre, nav.contents";
  const pictures = "svg, canvas, img, math", controls = "button, input, select, textarea";
  const ignored = "#tip, .silent, .skip, script, style, head, option";
  const round = Math.round;

  // What is asked of a node many times in one measurement is looked up once.
  let known = new Map();
  const once = (name, ask) => (node) => {
    if (!known.has(name)) known.set(name, new Map());
    const answers = known.get(name);
    if (!answers.has(node)) answers.set(node, ask(node));
    return answers.get(node);
  };
  const forget = () => { known = new Map(); };
  const style = once("style", (node) => getComputedStyle(node));
  const shown = once("shown", (node) => !node.closest(ignored) && node.checkVisibility({ checkOpacity: true, checkVisibilityCSS: true }));
  const selector = (node) => {
    const parts = [];
    for (let at = node; at && at !== document.body; at = at.parentElement) {
      const classes = typeof at.className === "string" ? at.className.trim().split(/\s+/).filter(Boolean).slice(0, 2) : [];
      parts.unshift(at.id ? `#${at.id}` : at.localName + classes.map((name) => `.${name}`).join(""));
      if (at.id) break;
    }
    return parts.slice(0, 1).concat(parts.slice(1).slice(-3)).join(" ");
  };
  const flaw = (kind, node, what) => ({ kind, at: selector(node), what });
  const words = (text) => text.trim().replace(/\s+/g, " ").slice(0, 40);

  const meet = (a, b) => ({ left: Math.max(a.left, b.left), top: Math.max(a.top, b.top), right: Math.min(a.right, b.right), bottom: Math.min(a.bottom, b.bottom) });
  const empty = (box) => box.right - box.left < 1 || box.bottom - box.top < 1;
  const everywhere = { left: -Infinity, top: -Infinity, right: Infinity, bottom: Infinity };
  const frame = once("frame", (node) => {  // what the ancestors of `node` let be seen of it, and it of its children
    if (!node || node === document.body) return everywhere;
    const above = frame(node.parentElement), cuts = style(node).overflowX !== "visible" || style(node).overflowY !== "visible";
    return cuts ? meet(above, node.getBoundingClientRect()) : above;
  });
  const clipped = (box, node) => meet(box, frame(node.parentElement));

  // The visible texts of `root`: { node: the element, text, rects: one a line }
  const texts = (root) => {
    const found = [], walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT), range = document.createRange();
    while (walker.nextNode()) {
      const node = walker.currentNode.parentElement;
      if (!walker.currentNode.data.trim() || !shown(node) || node.closest("title, desc")) continue;
      range.selectNodeContents(walker.currentNode);
      const rects = [...range.getClientRects()].filter((box) => !empty(box));
      if (rects.length) found.push({ node, text: walker.currentNode.data, rects });
    }
    return found;
  };

  const narrow = () => (innerWidth < 800 ? [] : [...document.querySelectorAll(cards)].filter(shown).flatMap((card) => {
    const width = card.getBoundingClientRect().width;
    return width < 279.5 ? [flaw("narrow", card, `${round(width)} px wide`)] : [];
  }));

  // The box of a text is that of the paragraph, cell, line or label which it is in.
  const block = once("block", (node) => (style(node).display === "inline" ? block(node.parentElement) : node));
  // The share of a card that its boxes cover, counted on a grid of 4 px.
  const covered = (card, boxes) => {
    const area = card.getBoundingClientRect(), side = 4, columns = Math.ceil(area.width / side), rows = Math.ceil(area.height / side);
    const grid = new Uint8Array(columns * rows);
    for (const box of boxes) {
      const part = meet(box, area);
      if (empty(part)) continue;
      for (let y = Math.floor((part.top - area.top) / side); y < Math.min(rows, Math.ceil((part.bottom - area.top) / side)); ++y) {
        grid.fill(1, y * columns + Math.floor((part.left - area.left) / side), y * columns + Math.min(columns, Math.ceil((part.right - area.left) / side)));
      }
    }
    return grid.reduce((sum, cell) => sum + cell, 0) / grid.length;
  };
  const blank = () => [...document.querySelectorAll(cards)].filter(shown).flatMap((card) => {
    const boxes = [], blocks = new Set();
    for (const { node, rects } of texts(card)) {
      if (node.closest("svg")) continue;
      if (block(node) === card) boxes.push(...rects);
      else blocks.add(block(node));
    }
    for (const node of card.querySelectorAll(`${pictures}, ${controls}`)) if (shown(node) && !node.parentElement.closest("svg")) blocks.add(node);
    for (const node of blocks) boxes.push(node.getBoundingClientRect());
    const share = covered(card, boxes), area = card.getBoundingClientRect();
    return share < 0.5 ? [flaw("blank", card, `${round(100 - 100 * share)} % of ${round(area.width)} x ${round(area.height)} px are blank`)] : [];
  });

  const details = () => [...document.querySelectorAll("details:not([open])")].filter(shown).flatMap((node) => {
    const height = node.getBoundingClientRect().height;
    return height > 120 ? [flaw("details", node, `closed and ${round(height)} px high`)] : [];
  });

  // The boxes that a reader sees: blocks with a text, a border or a background of their own, controls and pictures.
  const boxes = once("boxes", (body) => [...body.querySelectorAll("*")].flatMap((node) => {
    if (node.parentElement.closest("svg, math, select") || !shown(node)) return [];
    const looks = style(node), solid = node.matches(`${pictures}, ${controls}`);
    const painted = looks.borderTopStyle !== "none" && parseFloat(looks.borderTopWidth) > 0 || looks.backgroundColor !== "rgba(0, 0, 0, 0)";
    const written = [...node.childNodes].some((child) => child.nodeType === 3 && child.data.trim());
    if (!solid && (looks.display === "inline" || !(painted || written))) return [];
    const box = clipped(node.getBoundingClientRect(), node);
    return empty(box) ? [] : [{ node, box, text: words(node.textContent) }];
  }));
  const overlap = () => {
    const all = [...boxes(document.body)].sort((a, b) => a.box.top - b.box.top), found = [];
    all.forEach((a, i) => {
      for (let j = i + 1; j < all.length && all[j].box.top < a.box.bottom - 2; ++j) {
        const b = all[j], common = meet(a.box, b.box);
        if (common.right - common.left <= 2 || common.bottom - common.top <= 2 || a.node.contains(b.node) || b.node.contains(a.node)) continue;
        found.push(flaw("overlap", b.node, `"${b.text}" over ${selector(a.node)} "${a.text}" by ${round(common.right - common.left)} x ${round(common.bottom - common.top)} px`));
      }
    });
    return found;
  };

  // The texts of the drawings, as four corners: a text may lean. Ink is lower than its line: a sixth less on each side.
  const written = (root) => [...root.querySelectorAll("svg text")].filter(shown).flatMap((node) => {
    if (!node.textContent.trim() || node.querySelector("title")) return [];
    const own = node.getBBox(), matrix = node.getScreenCTM(), less = own.height / 6;
    const corner = (x, y) => new DOMPoint(x, y).matrixTransform(matrix);
    const quad = [corner(own.x, own.y + less), corner(own.x + own.width, own.y + less), corner(own.x + own.width, own.y + own.height - less), corner(own.x, own.y + own.height - less)];
    const xs = quad.map((p) => p.x), ys = quad.map((p) => p.y);
    const box = { left: Math.min(...xs), right: Math.max(...xs), top: Math.min(...ys), bottom: Math.max(...ys) };
    return own.width < 1 ? [] : [{ node, quad, box, text: words(node.textContent) }];
  });
  const depth = (a, b) => {  // how far two convex quads overlap: the least over the directions of their sides
    let least = Infinity;
    for (const quad of [a, b]) {
      for (let k = 0; k < 2; ++k) {
        const x = quad[k + 1].y - quad[k].y, y = quad[k].x - quad[k + 1].x, length = Math.hypot(x, y) || 1;
        const spans = [a, b].map((one) => one.map((p) => (p.x * x + p.y * y) / length));
        least = Math.min(least, Math.min(Math.max(...spans[0]), Math.max(...spans[1])) - Math.max(Math.min(...spans[0]), Math.min(...spans[1])));
      }
    }
    return least;
  };
  const shortened = new Map();  // what a page has shortened since this script began: by the result
  if (typeof heed !== "undefined") {
    const { shorten } = heed;
    heed.shorten = (text, ...rest) => {
      const short = shorten(text, ...rest);
      shortened.set(short, (shortened.get(short) || new Set()).add(text));
      return short;
    };
  }
  const drawings = (within = document) => {
    const found = [], drawn = new Map();
    for (const one of written(within)) {
      let root = one.node.ownerSVGElement;
      while (root.ownerSVGElement) root = root.ownerSVGElement;
      if (!drawn.has(root)) drawn.set(root, []);
      const box = root.getBoundingClientRect();
      if (one.box.left < box.left - 2 || one.box.right > box.right + 2 || one.box.top < box.top - 2 || one.box.bottom > box.bottom + 2) found.push(flaw("outside", one.node, `"${one.text}" leaves its drawing`));
      for (const other of drawn.get(root)) {
        if (one.text.endsWith("…") && one.text.length > 1 && one.text === other.text && (typeof heed === "undefined" || (shortened.get(one.node.textContent) || []).size > 1)) found.push(flaw("ambiguous", one.node, `"${one.text}" twice`));
        if (empty(meet(one.box, other.box))) continue;
        const by = depth(one.quad, other.quad);
        if (by > 2) found.push(flaw("overlap", one.node, `"${one.text}" over "${other.text}" by ${round(by)} px`));
      }
      drawn.get(root).push(one);
    }
    return found;
  };

  const sideways = () => {
    const found = [], root = document.documentElement;
    if (root.scrollWidth > root.clientWidth) found.push(flaw("sideways", document.body, `the page is ${root.scrollWidth} px wide in a window of ${root.clientWidth}`));
    for (const node of document.body.querySelectorAll("*")) {
      if (node.scrollWidth <= node.clientWidth + 1 && node.scrollHeight <= node.clientHeight + 1 || node.closest("svg, math, select, input, textarea")) continue;
      const looks = style(node);
      if (looks.overflowX === "visible" || looks.display === "inline" || !shown(node)) continue;
      const wide = node.scrollWidth > node.clientWidth + 1, what = `${node.scrollWidth} x ${node.scrollHeight} px in ${node.clientWidth} x ${node.clientHeight}`;
      if (looks.overflowX === "hidden") {
        if (looks.textOverflow !== "ellipsis") found.push(flaw("sideways", node, `is cut: ${what}`));
      } else if (!node.matches(scrolls)) found.push(flaw("sideways", node, `scrolls: ${what}`));
      else if (wide && node.matches(".panels > :not(.whole) > * > .figure") && getComputedStyle(node.closest(".panels")).gridTemplateColumns.includes(" ")) found.push(flaw("sideways", node, `is cut in half a row: ${what}`));
      else if (wide && node.matches(".exhibit .two pre") && style(node.closest(".two")).gridTemplateColumns.includes(" ")) found.push(flaw("sideways", node, `is cut beside another: ${what}`));
      else if (wide && node.tabIndex < 0) found.push(flaw("sideways", node, `scrolls without the keyboard: ${what}`));
      else if (!wide && !node.matches("nav")) found.push(flaw("sideways", node, `scrolls upwards: ${what}`));
    }
    return found;
  };
  const outside = () => boxes(document.body).flatMap(({ node, box, text }) => {
    const card = node.parentElement.closest(`${cards}, .play, .path, details, main, header, footer`);
    if (!card) return [];
    const edge = card.getBoundingClientRect(), by = Math.max(box.right - edge.right, edge.left - box.left, box.bottom - edge.bottom);
    return by > 2 ? [flaw("outside", node, `"${text}" leaves ${selector(card)} by ${round(by)} px`)] : [];
  });

  // What a line must not break: the two ends of each match are on one line. Code in a <pre> is as it is written.
  const pieces = /\d ?%|\d ?\/ ?\d|\de-\d|(?<![\w-])--[a-z]/g;
  const broken = () => {
    const found = [], walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT), range = document.createRange();
    while (walker.nextNode()) {
      const { data, parentElement: node } = walker.currentNode;
      for (const one of data.matchAll(pieces)) {
        if (!shown(node) || node.closest("svg, math, pre")) break;
        const [first, last] = [one.index, one.index + one[0].length - 1].map((at) => { range.setStart(walker.currentNode, at); range.setEnd(walker.currentNode, at + 1); return range.getBoundingClientRect(); });
        if (last.top > first.bottom - 2) found.push(flaw("broken", node, `"${words(data.slice(Math.max(0, one.index - 12), one.index + 12))}"`));
      }
    }
    return found;
  };

  const measure = () => {
    forget();
    return [narrow, blank, details, overlap, drawings, sideways, outside, broken].flatMap((rule) => rule());
  };
  const used = () => [...document.querySelectorAll(".panel, .play")].flatMap((card) => {
    const found = [];
    for (const control of card.querySelectorAll("button, select")) {
      forget();
      if (control.disabled || !shown(control) || control.closest(".tools") || control.matches(".sort")) continue;
      if (control.localName === "select") {
        control.value = control.options[control.options.length - 1].value;
        for (const name of ["input", "change"]) control.dispatchEvent(new Event(name, { bubbles: true }));
      } else control.click();
      forget();
      const after = `after "${words(control.textContent || control.getAttribute("aria-label") || "")}"`;
      found.push(...[...drawings(card), ...geometry.contrast(card)].map((one) => ({ ...one, what: `${one.what}, ${after}` })));
    }
    return found;
  });
  return { measure, used, texts, shown, selector, flaw, words, once, style, forget };
})();

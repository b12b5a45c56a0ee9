// The page's frame: themes, small helpers for elements, one <section> for each panel with its downloads, and a tool-tip.
// A panel kind registers itself: heed.panel("curves", (data, frame) => { frame.figure(theme => <svg>); frame.csv(...) }).
// A figure is a pure function of theme and state: it is drawn again when either changes, and once more in the light
// theme for the SVG download, whose file therefore needs no style sheet.
"use strict";
const heed = { kinds: {}, frames: [], serial: 0 };

heed.sideBySide = new Set(["stepper", "variants"]);  // kinds that set pictures side by side: for them half a row is too little
heed.panel = (kind, build) => { heed.kinds[kind] = build; };

// Every colour of a text has a contrast of 4.5 with page, card and tint (WCAG 2.2, 1.4.3). Orange and blue are for lines, goldInk
// for texts, goldArea and accentArea for areas with a text in ink.
heed.themes = {
  light: {
    page: "#f6f7f9", card: "#ffffff", ink: "#1d2430", soft: "#566072", faint: "#626c7f", line: "#e1e5ec", tint: "#eef1f5",
    accent: "#2a6ba6", good: "#0b7a53", bad: "#b3261e", gold: "#d55e00", goldInk: "#a84800", goldArea: "#d55e00", accentArea: "#3f86c4",
    ramp: ["#f5f8fb", "#d3e3f0", "#9fc5df", "#5b9bc6", "#2a6ba6", "#153e75", "#0b1f47"],
    cold: ["#f4f5f7", "#c3d9ec", "#6ba3d0", "#1f5f9e", "#0a2f5c"], warm: ["#f4f5f7", "#fbd7ad", "#f0a04b", "#c96508", "#6e3200"],
    series: ["#0072b2", "#d55e00", "#009e73", "#b5548b", "#6a51a3", "#9a7200", "#3a9bd0", "#4d4d4d"],
  },
  dark: {
    page: "#0d1117", card: "#151b23", ink: "#e6edf3", soft: "#a5afbd", faint: "#8d97a4", line: "#2b333e", tint: "#212a35",
    accent: "#6cb6ff", good: "#4ccb98", bad: "#ff8f85", gold: "#ff9f45", goldInk: "#ff9f45", goldArea: "#b8660f", accentArea: "#3478bb",
    ramp: ["#18202a", "#1b3550", "#1f5a80", "#2785a0", "#45b3a6", "#8fdcae", "#e6f9c8"],
    cold: ["#1b222b", "#1d3f63", "#2a6ca8", "#4496e0", "#7cbcff"], warm: ["#1b222b", "#573614", "#a35f12", "#e08a1e", "#ffae45"],
    series: ["#56b4e9", "#f0a030", "#2fc99b", "#e08bc0", "#b79ce6", "#e6d94a", "#ff8a5c", "#c0c8d2"],
  },
};
heed.themeName = matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
heed.theme = () => heed.themes[heed.themeName];
heed.setTheme = (name) => {
  heed.themeName = name;
  document.documentElement.dataset.theme = name;
  document.documentElement.style.colorScheme = name;
  for (const [key, value] of Object.entries(heed.theme())) {
    if (typeof value === "string") document.documentElement.style.setProperty("--" + key, value);
  }
  for (const frame of heed.frames) frame.draw();
};
heed.setTheme(heed.themeName);
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", (event) => heed.setTheme(event.matches ? "dark" : "light"));

// ---- colours that can be read ----
heed.between = (stops, share) => {  // a colour along the stops, share in [0, 1]
  const place = Math.max(0, Math.min(1, share)) * (stops.length - 1), left = Math.min(Math.floor(place), stops.length - 2);
  const parts = (hex) => [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16));
  const a = parts(stops[left]), b = parts(stops[left + 1]);
  return "#" + a.map((value, i) => Math.round(value + (b[i] - value) * (place - left)).toString(16).padStart(2, "0")).join("");
};
heed.contrast = (one, other) => {  // (L1 + 0.05) / (L2 + 0.05), L the relative luminance: from 1 to 21
  const light = (hex) => [1, 3, 5].reduce((sum, at, i) => {
    const v = parseInt(hex.slice(at, at + 2), 16) / 255;
    return sum + [0.2126, 0.7152, 0.0722][i] * (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
  }, 0.05);
  return Math.max(light(one), light(other)) / Math.min(light(one), light(other));
};
heed.onto = (ground) => (heed.contrast("#000000", ground) > heed.contrast("#ffffff", ground) ? "#000000" : "#ffffff");
heed.readable = (colour, theme) => {  // the colour of a line for the words beside it: as near to ink as it must be
  for (let share = 0; ; share += 0.05) {
    const words = heed.between([colour, theme.ink], share);
    if (heed.contrast(words, theme.card) >= 4.6) return words;
  }
};

// ---- elements ----
heed.fill = (node, attributes, children) => {
  for (const [key, value] of Object.entries(attributes || {})) {
    if (value === undefined || value === null || value === false) continue;
    if (key.startsWith("on")) node.addEventListener(key.slice(2), value);
    else node.setAttribute(key, value === true ? "" : value);
  }
  for (const child of children) if (child !== null && child !== undefined) node.append(child);
  return node;
};
heed.el = (tag, attributes, ...children) => heed.fill(document.createElement(tag), attributes, children);
heed.svg = (tag, attributes, ...children) => heed.fill(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);
heed.font = 'ui-sans-serif, system-ui, -apple-system, "Segoe UI", "Noto Sans", "DejaVu Sans", sans-serif';
heed.drawing = (width, height, label, ...children) => heed.svg("svg", {
  width: Math.ceil(width), height: Math.ceil(height), viewBox: `0 0 ${Math.ceil(width)} ${Math.ceil(height)}`, role: "img",
  "aria-label": label, "font-family": heed.font, "font-size": 13 }, ...children);
heed.text = (x, y, words, attributes) => heed.svg("text", { x: heed.px(x), y: heed.px(y), ...attributes }, words);
heed.px = (value) => Math.round(value * 100) / 100;
heed.id = (prefix) => `${prefix}-${++heed.serial}`;

const measure = document.createElement("canvas").getContext("2d");
heed.width = (text, size = 13, weight = 400) => {
  measure.font = `${weight} ${size}px ${heed.font}`;
  return measure.measureText(text).width;
};
heed.shorten = (text, room, size = 13, weight = 400) => {
  if (heed.width(text, size, weight) <= room) return text;
  let letters = Array.from(text);
  while (letters.length > 1 && heed.width(letters.join("") + "…", size, weight) > room) letters.pop();
  return letters.join("") + "…";
};
heed.wrap = (text, room, size = 13, weight = 400) => {  // lines no wider than `room`, broken at blanks
  const lines = [""];
  for (const word of text.split(" ")) {
    if (lines.at(-1) && heed.width(`${lines.at(-1)} ${word}`, size, weight) > room) lines.push(word);
    else lines[lines.length - 1] += (lines.at(-1) ? " " : "") + word;
  }
  return lines;
};
heed.number = (value) => {
  if (value === null || value === undefined || Number.isNaN(value)) return "–";
  if (value === 0) return "0";
  const size = Math.abs(value);
  if (size >= 1e6 || size < 1e-4) return value.toExponential(2).replace("e+", "e");
  return String(Number(value.toPrecision(4)));
};

// Weights as they are printed: rounded by the largest remainder, so that what is printed sums to what they sum to
// (tutorials/report/shares.h). What is not a weight makes all of them rounded for themselves.
heed.rounded = (weights, digits) => {
  if (!weights.every((w) => w >= 0 && w <= 1e6)) return weights.map((w) => w.toFixed(digits));
  const scale = 10 ** digits, units = weights.map((w) => Math.floor(w * scale)), lost = weights.map((w, i) => w * scale - units[i]);
  const missing = Math.round(weights.reduce((sum, w) => sum + w, 0) * scale) - units.reduce((sum, n) => sum + n, 0);
  for (const i of lost.map((_, i) => i).sort((a, b) => lost[b] - lost[a] || a - b).slice(0, missing)) ++units[i];
  return units.map((n) => (n / scale).toFixed(digits));
};

// ---- one panel ----
heed.Frame = class {
  constructor(panel, index) {
    this.panel = panel;
    this.name = `${String(index + 1).padStart(2, "0")}-${panel.kind}`;
    this.tools = heed.el("div", { class: "tools" });
    this.controls = heed.el("div", { class: "controls" });
    this.body = heed.el("div", { class: "figure" });
    const heading = heed.el(heed.panelHeading || "h2", { id: `title-${index}` }, ...heed.words(panel.title));
    this.section = heed.el("section", { class: "panel", id: `panel-${index}`, "data-kind": panel.kind, "aria-labelledby": `title-${index}` },
      heed.el("div", { class: "head" }, heading, this.tools));
    if (panel.text) this.section.append(heed.el("p", { class: "caption" }, ...heed.marked(panel.text)));
    this.section.append(this.controls, this.body);
  }
  room() {  // what a figure may take: the column of the card, whose own width is that of its figure
    const { section } = this, around = section.parentElement, grid = around && around.closest(".panels"), looks = getComputedStyle(section);
    const column = grid && !around.matches(".whole") ? parseFloat(getComputedStyle(grid).gridTemplateColumns) : 0;
    const whole = column || (grid && grid.clientWidth) || (around && around.clientWidth) || 1010;
    const edges = ["paddingLeft", "paddingRight", "borderLeftWidth", "borderRightWidth"].reduce((sum, name) => sum + (parseFloat(looks[name]) || 0), 0);
    return Math.max(Math.floor(whole - edges), 280);
  }
  figure(paint) {
    this.paint = paint;
    this.button("SVG", () => heed.save(`${this.name}.svg`, "image/svg+xml", this.standalone()));
  }
  csv(rows) {
    this.rows = rows;
    this.button("CSV", () => heed.save(`${this.name}.csv`, "text/csv", heed.csv(rows())));
  }
  button(text, action) {
    const button = heed.el("button", { type: "button", title: `Download this panel as ${text}`, "aria-label": `Download "${this.panel.title}" as ${text}` }, text);
    button.addEventListener("click", action);
    this.tools.append(button);
  }
  draw() {
    const focused = this.body.contains(document.activeElement), place = this.section.parentElement;
    const paint = () => { if (this.paint && !this.keepsBody) this.body.replaceChildren(this.paint(heed.theme())); };
    place.classList.toggle("whole", heed.sideBySide.has(this.panel.kind));
    paint();
    if (place.matches(".panels > :not(.whole)") && this.body.scrollWidth > this.body.clientWidth + 1) {  // half a row is too little
      place.classList.add("whole");
      paint();
    }
    if (focused && this.body.firstChild.focus) this.body.firstChild.focus({ preventScroll: true });
    heed.markScrolling();
  }
  standalone() {
    const light = heed.themes.light, picture = this.paint(light, true);
    picture.setAttribute("xmlns", "http://www.w3.org/2000/svg");
    for (const node of picture.querySelectorAll("[data-tip]")) node.removeAttribute("data-tip");
    picture.removeAttribute("tabindex");
    picture.prepend(heed.svg("rect", { width: "100%", height: "100%", fill: light.card }));
    return new XMLSerializer().serializeToString(picture);
  }
};
// What a line does not break: a number and its %, numbers with / between them, 1e-8, an option (as html_text.cpp does).
heed.whole = (text) => text.split(/(\d[\d.,]*(?:e-?\d+)?(?: ?\/ ?\d[\d.,]*(?:e-?\d+)?)*(?: ?%)?|(?<![\w-])--[a-z-]+)/).map((part, i) =>
  (i % 2 && /[ /-]/.test(part) ? heed.el("span", { class: "unbroken" }, part) : document.createTextNode(part)));
// The same, and x_t and 4^4 with an index and a power.
heed.words = (text) => text.split(/(\b(?:[A-Za-z]{1,2}|sum|max|min|log|exp)_[a-z0-9]{1,2}\b|[A-Za-z0-9)\]]+\^(?:-?[A-Za-z0-9]+|\((?:[^()]|\([^()]*\))*\)))/).flatMap((part, i) => {
  if (i % 2 === 0) return heed.whole(part);
  const [base, raised] = part.split(/[_^]/);
  return [document.createTextNode(base), heed.el(part.includes("^") ? "sup" : "sub", {}, raised.replace(/^\((.*)\)$/, "$1"))];
});
heed.marked = (text) => text.split("`").flatMap((part, i) => (i % 2 ? heed.el("code", {}, ...heed.whole(part)) : heed.words(part)));
heed.csv = (rows) => rows.map((row) => row.map((cell) => {
  const text = cell === null || cell === undefined ? "" : String(cell);
  return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}).join(",")).join("\n") + "\n";
heed.save = (name, type, text) => {
  heed.saved = { name, type, text };
  if (heed.testing) return;
  const link = heed.el("a", { href: URL.createObjectURL(new Blob([text], { type })), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
};

// ---- tool-tip: whatever carries data-tip, under the pointer or chosen with the keyboard ----
heed.tip = (text, x, y) => {
  const tip = document.getElementById("tip");
  tip.hidden = !text;
  if (!text) return;
  tip.textContent = text;
  const box = tip.getBoundingClientRect();
  tip.style.left = `${Math.max(4, Math.min(x + 14, innerWidth - box.width - 8))}px`;
  tip.style.top = `${y + 18 + box.height > innerHeight ? y - box.height - 12 : y + 18}px`;
};
heed.say = (text) => { document.getElementById("spoken").textContent = text; };

// Draws one panel of the page's data into `parent`.
heed.mount = (panel, index, parent) => {
  const frame = new heed.Frame(panel, index);
  parent.append(frame.section);
  try {  // a panel that cannot be drawn leaves the others standing
    heed.kinds[panel.kind](panel, frame);
    frame.draw();
  } catch (error) {
    frame.body.textContent = `This panel could not be drawn: ${error.message}`;
    console.error(error);
  }
  heed.frames.push(frame);
  return frame;
};

// Elements that scroll sideways can be reached by keyboard. Looked at once a frame, after all that is drawn in it.
let marking = 0;
heed.markScrolling = () => {
  cancelAnimationFrame(marking);
  marking = requestAnimationFrame(() => {
    for (const box of document.querySelectorAll(".scroll, .figure, .play-drawing, .exhibit pre")) {
      if (box.scrollWidth > box.clientWidth + 1) {
        box.tabIndex = 0;
        if (box.localName !== "pre") box.setAttribute("role", "region");
        if (!box.hasAttribute("aria-label")) box.setAttribute("aria-label", "Scrolls sideways");
      } else if (box.getAttribute("aria-label") === "Scrolls sideways") {
        for (const name of ["tabindex", "role", "aria-label"]) box.removeAttribute(name);
      }
    }
  });
};

// Tool-tip, theme, and drawing again when the width changes.
heed.listen = () => {
  document.addEventListener("pointermove", (event) => {
    const over = event.target.closest ? event.target.closest("[data-tip]") : null;
    heed.tip(over ? over.dataset.tip : "", event.clientX, event.clientY);
  });
  document.getElementById("theme").addEventListener("click", () => heed.setTheme(heed.themeName === "dark" ? "light" : "dark"));
  let pending = 0, width = innerWidth;
  addEventListener("resize", () => {
    if (innerWidth === width) return;
    width = innerWidth;
    cancelAnimationFrame(pending);
    pending = requestAnimationFrame(() => heed.frames.forEach((frame) => frame.draw()));
    heed.markScrolling();
  });
  document.addEventListener("toggle", heed.markScrolling, true);
  heed.markScrolling();
};

heed.start = () => {
  const page = JSON.parse(document.getElementById("heed-data").textContent);
  const main = document.querySelector("main"), nav = document.querySelector("nav");
  heed.listen();
  page.panels.forEach((panel, index) => {
    heed.mount(panel, index, main);
    if (panel.kind !== "text") nav.append(heed.el("a", { href: `#panel-${index}` }, panel.title));
  });
  nav.hidden = nav.children.length < 3;
  if (location.hash === "#selftest") heed.selftest();
};
document.addEventListener("DOMContentLoaded", () => heed.start());  // a chapter's page has a start of its own

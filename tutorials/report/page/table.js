// Words: running text, tables, and the claims of a lesson with both measured sides.
"use strict";

// Rows of text as a drawing, for the SVG download of what the page shows as HTML.
heed.textTable = (theme, rows, label) => {
  const widths = rows[0].map((_, j) => Math.max(...rows.map((row) => heed.width(String(row[j] ?? ""), 13))) + 26);
  const picture = heed.drawing(widths.reduce((sum, width) => sum + width, 16), rows.length * 26 + 16, label);
  rows.forEach((row, i) => {
    let x = 12;
    row.forEach((cell, j) => {
      picture.append(heed.text(x, 24 + i * 26, String(cell ?? ""), { fill: i ? theme.ink : theme.soft, "font-weight": i ? 400 : 600 }));
      x += widths[j];
    });
    picture.append(heed.svg("line", { x1: 12, x2: heed.px(x - 12), y1: 33 + i * 26, y2: 33 + i * 26, stroke: theme.line }));
  });
  return picture;
};

heed.panel("text", (panel, frame) => {
  frame.section.classList.add("bare", "prose");
  frame.body.remove();
  frame.controls.remove();
  if (!panel.title) frame.section.querySelector(".head").remove();
  for (const paragraph of panel.paragraphs) frame.section.append(heed.el("p", {}, ...heed.marked(paragraph)));
});

// Headings that sort: numbers the largest first, words in their order, and the other way at the second click. What is
// not a number ("–") comes last either way.
heed.sortable = (head, body) => {
  const rows = [...body.children], number = (cell) => parseFloat(cell.textContent.replace(/[^0-9.+-]*/, ""));
  let sorted = -1, up = false;
  [...head.children].forEach((cell, j) => {
    const button = heed.el("button", { class: "sort", type: "button" }, ...cell.childNodes), numeric = rows.some((r) => !Number.isNaN(number(r.children[j]))) && !/^[A-Za-z]/.test(rows[0].children[j].textContent);
    button.addEventListener("click", () => {
      up = sorted === j ? !up : !numeric;
      sorted = j;
      const value = (r) => (numeric ? number(r.children[j]) : r.children[j].textContent);
      const worth = (a, b) => (numeric ? Number.isNaN(a) - Number.isNaN(b) || (up ? a - b : b - a) : (up ? 1 : -1) * a.localeCompare(b));
      body.append(...[...rows].sort((a, b) => worth(value(a), value(b))));
      [...head.children].forEach((other, k) => (k === j ? other.setAttribute("aria-sort", up ? "ascending" : "descending") : other.removeAttribute("aria-sort")));
    });
    cell.append(button);
  });
};

heed.panel("table", (panel, frame) => {
  const row = (tag, cells) => heed.el("tr", {}, ...cells.map((cell, j) => heed.el(tag, { class: panel.numeric[j] ? "number" : false, scope: tag === "th" ? "col" : false }, ...heed.marked(cell))));
  const head = row("th", panel.header), body = heed.el("tbody", {}, ...panel.rows.map((cells) => row("td", cells)));
  frame.keepsBody = true;
  frame.body.append(heed.el("table", { class: panel.sortable ? "comparison" : false }, heed.el("thead", {}, head), body));
  if (panel.sortable) heed.sortable(head, body);
  frame.figure((theme) => heed.textTable(theme, [panel.header, ...panel.rows], `${panel.title}: table`));
  frame.csv(() => [panel.header, ...panel.rows]);
});

heed.panel("claims", (panel, frame) => {
  const signs = { "<=": "≤", ">=": "≥", "==": "=", "<": "<", ">": ">" };
  const side = (claim) => `${heed.number(claim.measured)} ${signs[claim.comparator]} ${heed.number(claim.threshold)}`;
  const control = (claim) => (claim.control === null ? "" : typeof claim.control === "number" ? heed.number(claim.control) : claim.control);
  frame.keepsBody = true;
  frame.body.className = "";
  frame.body.append(heed.el("ul", { class: "claims" }, ...panel.claims.map((claim) => heed.el("li", {},
    heed.el("span", { class: `verdict ${claim.pass ? "pass" : "fail"}` }, claim.pass ? "✓ HOLDS" : "✗ FAILS"), heed.el("span", {}, ...heed.marked(claim.name)),
    heed.el("span", { class: "measure" }, ...heed.whole(side(claim))), control(claim) ? heed.el("span", { class: "control" }, ...heed.whole(`control: ${control(claim)}`)) : null))));
  const rows = () => [["claim", "measured", "comparator", "threshold", "control", "pass"],
    ...panel.claims.map((claim) => [claim.name, claim.measured, claim.comparator, claim.threshold, control(claim), claim.pass])];
  frame.figure((theme) => heed.textTable(theme, rows(), `${panel.title}: ${panel.claims.length} claims`));
  frame.csv(rows);
});

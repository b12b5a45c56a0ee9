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

heed.panel("table", (panel, frame) => {
  const row = (tag, cells) => heed.el("tr", {}, ...cells.map((cell, j) => heed.el(tag, { class: panel.numeric[j] ? "number" : false, scope: tag === "th" ? "col" : false }, ...heed.marked(cell))));
  frame.keepsBody = true;
  frame.body.append(heed.el("table", {}, heed.el("thead", {}, row("th", panel.header)), heed.el("tbody", {}, ...panel.rows.map((cells) => row("td", cells)))));
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
    heed.el("span", { class: "measure" }, side(claim)), control(claim) ? heed.el("span", { class: "control" }, `control: ${control(claim)}`) : null))));
  const rows = () => [["claim", "measured", "comparator", "threshold", "control", "pass"],
    ...panel.claims.map((claim) => [claim.name, claim.measured, claim.comparator, claim.threshold, control(claim), claim.pass])];
  frame.figure((theme) => heed.textTable(theme, rows(), `${panel.title}: ${panel.claims.length} claims`));
  frame.csv(rows);
});

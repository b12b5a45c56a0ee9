// The list of the catalogue: words, family, first year, cost and "in the league" decide which rows are shown; a
// click on a heading sorts by it. A row that the address names (#A5) is always shown.
"use strict";
heed.catalogue = () => {
  const form = document.querySelector("form.catalogue"), table = document.querySelector("table.catalogue");
  const body = table.tBodies[0], rows = [...body.rows];
  const cell = (row, column) => row.cells[column].textContent;
  for (const family of new Set(rows.map((row) => cell(row, 3)))) form.elements.family.append(new Option(family));

  const show = () => {
    const asked = form.elements, words = asked.words.value.toLowerCase().split(/\s+/).filter(Boolean);
    let shown = 0;
    for (const row of rows) {
      const text = row.textContent.toLowerCase().replaceAll("_", " ") + " " + cell(row, 1);
      const fits = words.every((word) => text.includes(word)) && (!asked.family.value || cell(row, 3) === asked.family.value) &&
        Number(cell(row, 4)) >= Number(asked.from.value || 0) && (!asked.cost.value || cell(row, 5) === asked.cost.value) &&
        (!asked.league.checked || cell(row, 6) !== "");
      row.hidden = !fits && location.hash !== `#${row.id}`;
      shown += !row.hidden;
    }
    form.querySelector("output").textContent = `${shown} of ${rows.length} entries`;
  };
  form.addEventListener("input", show);
  form.addEventListener("submit", (event) => event.preventDefault());
  addEventListener("hashchange", show);

  heed.sortable(table.tHead.rows[0], body);
  form.hidden = false;
  show();
};
heed.catalogue();

// The path from zero. On its own page, every lesson gets a box to tick, and its link leads to a chapter that is read on
// the path (?path=zero). There, "previous" and "next" follow the path, and "next" ticks the chapter. Ticks stay in the
// browser; where it stores nothing, there are none.
"use strict";

heed.done = (change) => {  // the numbers of the ticked lessons, after `change`; null if nothing can be stored
  try {
    const done = new Set(JSON.parse(localStorage.getItem("heed-done") || "[]"));
    if (change) change(done);
    localStorage.setItem("heed-done", JSON.stringify([...done].sort()));
    return done;
  } catch (error) {
    return null;
  }
};

heed.pathRows = () => {
  const rows = [...document.querySelectorAll("main table tbody tr")].filter((row) => row.querySelector("a[href]"));
  const done = heed.done();
  const told = document.createElement("p");
  const tell = (now) => { told.textContent = `${rows.length - now.size} of ${rows.length} lessons are before you.`; };
  for (const row of rows) {
    const link = row.querySelector("a[href]"), number = link.textContent.slice(0, 2);
    link.href = link.getAttribute("href") + "?path=zero";
    if (!done) continue;
    const box = document.createElement("input");
    box.type = "checkbox";
    box.checked = done.has(number);
    box.setAttribute("aria-label", `done: ${link.textContent}`);
    box.addEventListener("change", () => {
      const now = heed.done((all) => (box.checked ? all.add(number) : all.delete(number)));
      if (now) tell(now);
    });
    link.before(box, " ");
  }
  if (!done || rows.length === 0) return;
  tell(done);
  rows[0].closest("table").after(told);
};

heed.followPath = (path) => {
  if (new URLSearchParams(location.search).get("path") !== "zero") return;
  const turn = (rel, to, mark) => {
    for (const link of document.querySelectorAll(`a[rel="${rel}"]`)) {
      link.href = to.href + "?path=zero";
      link.title = to.title;
      const words = link.querySelector("span") || link.lastChild;
      words.textContent = link.querySelector("span") ? to.title : mark(to.title);
    }
  };
  turn("prev", path.previous, (title) => ` ← ${title}`);
  turn("next", path.next, (title) => ` ${title} →`);
  for (const link of document.querySelectorAll('a[rel="next"]'))
    link.addEventListener("click", () => heed.done((all) => all.add(path.lesson)));
};

document.addEventListener("DOMContentLoaded", () => {
  const data = document.getElementById("heed-path");
  if (data) heed.followPath(JSON.parse(data.textContent));
  else heed.pathRows();
});

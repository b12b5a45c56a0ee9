// A chapter's page: panels are drawn at their places in the text, definitions are shown on hover and focus, and wide
// tables say that they scroll. It stands in the head, behind core.js, so that the stored theme is set before anything
// is painted.
"use strict";
heed.panelHeading = "h3";

heed.stored = (value) => {  // the theme that the reader chose; browsers may refuse to store it for files
  try {
    if (value) localStorage.setItem("heed-theme", value);
    return localStorage.getItem("heed-theme");
  } catch (error) {
    return null;
  }
};
if (heed.themes[heed.stored()]) heed.setTheme(heed.stored());

// Draws the panels whose places are visible within `root`; one that is folded waits until it has a width.
heed.mountPlaces = (root, panels) => {
  for (const place of root.querySelectorAll(".place:not([data-drawn])")) {
    if (place.closest("details:not([open])")) continue;
    place.dataset.drawn = "yes";
    const index = Number(place.dataset.panel);
    heed.mount(panels[index], index, place);
  }
};

// The definition under the word that has the focus.
heed.tipOfFocus = () => {
  document.addEventListener("focusin", (event) => {
    const term = event.target.closest && event.target.closest(".term");
    if (!term || !term.matches(":focus-visible")) return;
    const box = term.getBoundingClientRect();
    heed.tip(term.dataset.tip, box.left - 14, box.bottom - 12);
    heed.say(term.dataset.tip);
  });
  document.addEventListener("focusout", () => heed.tip(""));
  document.addEventListener("keydown", (event) => { if (event.key === "Escape") heed.tip(""); });
};

// The contents at the side say where the reader is; on narrow screens they are folded.
heed.followContents = () => {
  const box = document.querySelector(".contents details");
  if (!box) return;
  const wide = matchMedia("(min-width: 1200px)");
  const fold = () => { box.open = wide.matches; };
  wide.addEventListener("change", fold);
  fold();
  const links = [...box.querySelectorAll("a")];
  const headings = links.map((link) => document.getElementById(decodeURIComponent(link.hash.slice(1))));
  const update = () => {
    let now = -1;
    headings.forEach((heading, i) => { if (heading && heading.getBoundingClientRect().top < 120) now = i; });
    links.forEach((link, i) => (i === now ? link.setAttribute("aria-current", "true") : link.removeAttribute("aria-current")));
  };
  addEventListener("scroll", update, { passive: true });
  update();
};

// Paper is white and narrow: before printing, the page gets the width of a sheet, everything is drawn again in the light
// theme, and what is folded is opened, but for the measurements that the text does not mention.
heed.printable = () => {
  let theme = "", opened = [];
  addEventListener("beforeprint", () => {
    theme = heed.themeName;
    opened = [...document.querySelectorAll("main details:not([open], .more, .seeds)")];
    for (const box of opened) box.open = true;
    document.documentElement.classList.add("printing");
    heed.setTheme("light");
  });
  addEventListener("afterprint", () => {
    document.documentElement.classList.remove("printing");
    for (const box of opened) box.open = false;
    heed.setTheme(theme);
  });
};

heed.start = () => {
  const panels = JSON.parse(document.getElementById("heed-data").textContent).panels;
  heed.listen();
  heed.tipOfFocus();
  document.getElementById("theme").addEventListener("click", () => heed.stored(heed.themeName));
  heed.followContents();
  heed.mountPlaces(document, panels);
  if (heed.mountPlays) heed.mountPlays();
  if (heed.startSearch) heed.startSearch();
  document.addEventListener("toggle", (event) => {
    if (!event.target.open) return;
    heed.mountPlaces(event.target, panels);
    const named = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (named && event.target.contains(named)) named.scrollIntoView();  // what was drawn before it has moved it
  }, true);
  heed.printable();
};

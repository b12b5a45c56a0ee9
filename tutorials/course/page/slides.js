// Slides: the arrows, space and page keys turn them, Home and End lead to the first and the last, n shows the notes of the
// speaker. The number of the slide is in the address, so a slide can be linked to. What is wide is made larger or smaller
// until it fits. Keys that a figure uses while it has the focus stay its own; Escape gives them back to the slides.
"use strict";
document.body.classList.add("live");

// Makes the one large thing of a slide as large as its room allows, little text larger and much text smaller. What is
// still too high scrolls.
heed.fitSlide = (slide) => {
  const sheet = slide.querySelector(".sheet"), shown = slide.querySelector(".shown"), style = getComputedStyle(sheet);
  const large = shown.querySelector(":scope > :is(.panels, .play, .walk, figure)");
  for (const node of [shown, shown.firstElementChild, large]) if (node) node.style.zoom = "";
  const room = sheet.clientHeight - parseFloat(style.paddingTop) - parseFloat(style.paddingBottom);
  const wide = sheet.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight);
  if (wide < 600 || room < 100) return;  // a telephone: it scrolls
  if (large) {
    const was = large.offsetHeight, rest = shown.offsetHeight - was, line = large.querySelector(":scope > pre");
    const across = line ? line.clientWidth / line.scrollWidth : large.matches(".panels, .drawing") ? wide / large.firstElementChild.getBoundingClientRect().width * heed.slideScale() : 1;
    large.style.zoom = String(Math.max(0.5, Math.min((room - rest) / was, across, 1.5)));
  }
  let zoom = large ? 1 : 1.25;
  for (let attempt = 0; attempt < 12; ++attempt) {  // lines break elsewhere in another size
    shown.style.zoom = String(zoom);
    shown.firstElementChild.style.zoom = String(1 / zoom);  // headings are alike
    const over = sheet.scrollHeight / sheet.clientHeight;
    if (over <= 1 || zoom <= 0.6) break;
    zoom = Math.max(0.6, Math.min(zoom / Math.sqrt(over), zoom - 0.02));
  }
};
heed.slideScale = () => parseFloat(getComputedStyle(document.body).getPropertyValue("--z")) || 1;

heed.startSlides = () => {
  const slides = [...document.querySelectorAll(".slide")], bar = document.querySelector("header.site");
  const count = heed.el("output", { "aria-live": "polite" });
  let now = 0;
  const fit = () => {
    document.body.style.setProperty("--z", String(Math.min(Math.max(Math.min(innerWidth / 900, innerHeight / 506), 1), 3)));
    slides.forEach(heed.fitSlide);
  };
  const show = (wanted) => {
    now = Math.min(Math.max(wanted, 0), slides.length - 1);
    slides.forEach((slide, i) => slide.classList.toggle("now", i === now));
    count.textContent = `${now + 1} of ${slides.length}`;
    history.replaceState(null, "", `#slide-${now + 1}`);
  };
  const asked = () => { const found = slides.findIndex((slide) => `#${slide.id}` === location.hash); show(found < 0 ? now : found); };
  const notes = heed.el("button", { type: "button", "aria-pressed": "false", class: "toggle", title: "n", onclick: () => toggle() }, "Notes");
  const toggle = () => {
    notes.setAttribute("aria-pressed", String(document.body.classList.toggle("with-notes")));
    fit();
  };
  bar.querySelector(".home").after(
    heed.el("button", { type: "button", class: "turn", "aria-label": "Previous slide", onclick: () => show(now - 1) }, "‹"), count,
    heed.el("button", { type: "button", class: "turn", "aria-label": "Next slide", onclick: () => show(now + 1) }, "›"), notes);
  const keys = { ArrowRight: 1, ArrowDown: 1, " ": 1, PageDown: 1, ArrowLeft: -1, ArrowUp: -1, PageUp: -1, Home: -1e9, End: 1e9 };
  document.addEventListener("keydown", (event) => {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
    const held = event.target.closest("input, select, textarea, button, summary, .play, .place, .walk, .notes, [tabindex]:not(main)");
    if (event.key === "Escape" && held) return event.target.blur();
    if (held && !(bar.contains(held) && event.key !== " ") && !["PageUp", "PageDown"].includes(event.key)) return;
    if (event.key === "n") toggle();
    else if (event.key in keys) show(now + (event.shiftKey && event.key === " " ? -1 : keys[event.key]));
    else return;
    event.preventDefault();
  });
  addEventListener("hashchange", asked);
  addEventListener("resize", () => requestAnimationFrame(fit));
  for (const event of ["beforeprint", "afterprint"]) addEventListener(event, fit);  // after course.js has set the width of paper
  document.addEventListener("toggle", () => requestAnimationFrame(() => heed.fitSlide(slides[now])), true);
  fit();
  asked();
};
document.addEventListener("DOMContentLoaded", () => heed.startSlides());

// Something to play with: a page that computes. A file of tutorials/course/play/ registers one by name,
//
//   heed.play("soft_lookup", (root) => { ...; return (theme) => { ... }; });
//
// and a chapter asks for it with <div data-play="soft_lookup"></div>. The function builds its controls inside root once
// and returns what draws: it is called at once, and again whenever the theme or the width of the page changes.
// root.playState, if the function sets it, is a plain object of the numbers on show: the tests read it.
"use strict";
heed.plays = {};
heed.play = (name, build) => { heed.plays[name] = build; };

heed.mountPlays = (within = document) => {
  for (const root of within.querySelectorAll("[data-play]")) {
    if (root.dataset.mounted) continue;
    root.dataset.mounted = "yes";
    root.classList.add("play");
    try {  // one that cannot be built leaves the page standing
      const paint = heed.plays[root.dataset.play](root);
      heed.frames.push({ draw: () => paint(heed.theme()) });
      paint(heed.theme());
    } catch (error) {
      root.textContent = `This part of the page could not be built: ${error.message}`;
      console.error(error);
    }
  }
};

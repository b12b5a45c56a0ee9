// The page examines itself when opened with #selftest: every control of every panel is used, and the outcome is written
// into the document, where a test in a browser without a screen reads it.
"use strict";

heed.selftest = () => {
  heed.testing = true;
  const failures = [], counts = { panels: heed.frames.length, downloads: 0, sliders: 0, selectors: 0, hovers: 0, keys: 0, toggles: 0, buttons: 0, answers: 0, themes: 0 };
  const expect = (truth, what) => { if (!truth) failures.push(what); };
  const tip = document.getElementById("tip"), fire = (node, type, more) => node.dispatchEvent(new (type.startsWith("key") ? KeyboardEvent : PointerEvent)(type, { bubbles: true, cancelable: true, clientX: 40, clientY: 40, ...more }));
  const wellDrawn = (text) => !/NaN|undefined|Infinity/.test(text);
  try {
    for (const frame of heed.frames) {
      const { section, name } = frame, look = () => frame.body.innerHTML.replace(/(hatch|ramp|arrow)-\d+/g, "");
      expect(wellDrawn(section.innerHTML.replace(/<h2.*?<\/h2>/, "")), `${name}: a number that is none was drawn`);
      for (const button of frame.tools.children) {
        heed.saved = null;
        button.click();
        expect(heed.saved && heed.saved.text.length > 0, `${name}: ${button.textContent} was not saved`);
        if (button.textContent === "SVG") {
          const parsed = new DOMParser().parseFromString(heed.saved.text, "image/svg+xml");
          expect(!parsed.querySelector("parsererror") && parsed.documentElement.nodeName === "svg", `${name}: the SVG is not well formed`);
          expect(wellDrawn(heed.saved.text.replace(/aria-label="[^"]*"/, "")), `${name}: the SVG has a number that is none`);
        }
        ++counts.downloads;
      }
      for (const slider of frame.controls.querySelectorAll("input[type=range]")) {
        const before = look(), start = slider.value;
        const move = (to) => { slider.value = to; slider.dispatchEvent(new Event("input")); return look(); };
        expect(slider.max === "0" || move("0") !== move(slider.max), `${name}: the slider changed nothing`);
        expect(move(start) === before, `${name}: the slider did not come back`);
        ++counts.sliders;
      }
      for (const choice of frame.controls.querySelectorAll("select")) {
        const before = look();
        choice.value = String(choice.options.length - 1);
        choice.dispatchEvent(new Event("change"));
        expect(look() !== before, `${name}: the selector changed nothing`);
        choice.value = "0";
        choice.dispatchEvent(new Event("change"));
        ++counts.selectors;
      }
      for (const toggle of frame.controls.querySelectorAll("button.series")) {
        toggle.click();
        expect(toggle.getAttribute("aria-pressed") === "false", `${name}: the series did not hide`);
        toggle.click();
        expect(toggle.getAttribute("aria-pressed") === "true", `${name}: the series did not come back`);
        ++counts.toggles;
      }
      for (const group of section.querySelectorAll("[role=group]")) {  // buttons of a panel: each of them draws
        for (const button of group.querySelectorAll("button:not(.series)")) {
          button.click();
          expect(wellDrawn(frame.body.innerHTML), `${name}: "${button.textContent}" drew a number that is none`);
          ++counts.buttons;
        }
      }
      const answer = section.querySelector("button.answer");
      if (answer) {
        const before = look();
        answer.click();
        expect(look() !== before && answer.disabled, `${name}: the answer was not taken`);
        ++counts.answers;
      }
      const target = frame.body.querySelector("[data-tip], .reader");
      expect(target || frame.keepsBody || !frame.paint, `${name}: nothing to hover over`);
      if (target) {
        fire(target, "pointermove");
        expect(!tip.hidden && tip.textContent.length > 0, `${name}: no value on hover`);
        fire(document.body, "pointermove");
        expect(tip.hidden, `${name}: the tip stayed`);
        ++counts.hovers;
      }
      const picture = frame.body.querySelector("svg[tabindex]");
      if (picture) {
        picture.focus();
        fire(picture, "keydown", { key: "ArrowRight" });
        const first = tip.textContent;
        fire(picture, "keydown", { key: "ArrowRight" });
        expect(!tip.hidden && first.length > 0 && document.getElementById("spoken").textContent.length > 0, `${name}: the keyboard reads nothing`);
        picture.blur();
        heed.tip("");
        ++counts.keys;
      }
      for (const image of section.querySelectorAll("svg[role=img]")) expect((image.getAttribute("aria-label") || "").length > 10, `${name}: no alternative text`);
    }
    for (let i = 0; i < 2; ++i) {
      const before = heed.themeName, paper = getComputedStyle(document.documentElement).backgroundColor;
      document.getElementById("theme").click();
      expect(heed.themeName !== before && getComputedStyle(document.documentElement).backgroundColor !== paper, "the theme did not change");
      ++counts.themes;
    }
    expect(performance.getEntriesByType("resource").length === 0, "something was loaded from outside the page");
  } catch (error) {
    failures.push(`exception: ${error.message}`);
  }
  heed.testing = false;
  document.documentElement.dataset.selftest = failures.length === 0 ? "pass" : "fail";
  document.body.append(heed.el("pre", { id: "selftest" }, JSON.stringify({ counts, failures })));
};

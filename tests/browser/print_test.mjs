// A chapter on paper, asked for at night on a wide screen: black on white, as wide as the sheet, without controls, with the
// folded parts open (a cell of three seeds keeps its middle one); and afterwards the page is as it was.
import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import path from "node:path";

export default async function ({ page, open, expect, build, top }) {
  const site = path.join(top, "build", "browser", "course");
  const alone = path.join(build, "bin", "heed_course"), whole = path.join(build, "bin", "heed");
  if (!existsSync(alone) && !existsSync(whole)) return "heed is not built";
  execFileSync(...(existsSync(alone) ? [alone, ["--out", site]] : [whole, ["course", "--out", site]]), { stdio: "ignore" });

  for (const chapter of ["11_soft_lookup", "12_bahdanau", "14_scores", "22_self_attention", "26_transformer", "index"]) {
    await open(path.join(site, `${chapter}.html`), { width: 1300, theme: "dark" });
    const state = () => page.evaluate(() => ({
      theme: document.documentElement.dataset.theme, open: document.querySelectorAll("main details[open]").length }));
    const before = await state();
    await page.emulateMedia({ media: "print", colorScheme: "dark" });
    await page.evaluate(() => dispatchEvent(new Event("beforeprint")));
    const sheet = await page.evaluate(() => {
      const shown = (node) => node.getClientRects().length > 0;
      const visible = (selector) => [...document.querySelectorAll(selector)].filter(shown);
      const dark = (colour) => { const [r, g, b] = colour.match(/\d+/g).map(Number); return r + g + b < 200; };
      return {
        paper: getComputedStyle(document.documentElement).backgroundColor,
        ink: visible("main p").every((node) => dark(getComputedStyle(node).color) || node.matches(".part, .caption, .note, .run, .soft, .path *, .play *, .panel *")),
        controls: visible("main button:not(.cell), main select, main input[type=range], #theme, nav").map((node) => node.outerHTML.slice(0, 60)),
        folded: visible("main details:not([open], .seeds)").map((node) => node.textContent.slice(0, 40)),
        wide: visible("main *").filter((node) => node.getBoundingClientRect().right > 690 && !node.closest("svg *, math"))
          .map((node) => node.outerHTML.slice(0, 80)),
        empty: visible(".place .figure").filter((node) => node.getBoundingClientRect().height < 20).length,
      };
    });
    expect.equal(sheet, { paper: "rgb(255, 255, 255)", ink: true, controls: [], folded: [], wide: [], empty: 0 }, `${chapter} on paper`);
    await page.evaluate(() => dispatchEvent(new Event("afterprint")));
    await page.emulateMedia({ media: "screen", colorScheme: "dark" });
    expect.equal(await state(), before, `${chapter} afterwards`);
  }
}

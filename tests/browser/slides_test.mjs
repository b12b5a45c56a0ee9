// The slides of chapters: every one fits into 1280 x 720 px, keys and buttons turn them, n shows the notes, what can be played
// with is alive and keeps its keys, a telephone scrolls downwards only, and paper has a page for each.
import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import path from "node:path";

export default async function ({ page, open, expect, build, top }) {
  const site = path.join(top, "build", "browser", "slides");
  const alone = path.join(build, "bin", "heed_course"), whole = path.join(build, "bin", "heed");
  if (!existsSync(alone) && !existsSync(whole)) return "heed is not built";
  const options = ["--slides", "--out", site];
  execFileSync(...(existsSync(alone) ? [alone, options] : [whole, ["course", ...options]]), { stdio: "ignore" });

  for (const lesson of ["11_soft_lookup", "22_self_attention", "26_transformer", "30_real_translation"]) {
    const file = path.join(site, `${lesson}_slides.html`);
    await open(file, { width: 1280, height: 720 });
    const now = () => page.evaluate(() => [...document.querySelectorAll(".slide")].findIndex((slide) => getComputedStyle(slide).visibility === "visible") + 1);
    const all = await page.locator(".slide").count();
    const beyond = () => page.evaluate(() => [...document.querySelectorAll(".slide")].filter((slide) => {
      const sheet = slide.querySelector(".sheet");
      return sheet.scrollWidth > sheet.clientWidth + 1 || (!slide.querySelector(".play, .walk, table") && sheet.scrollHeight > sheet.clientHeight + 2);
    }).map((slide) => slide.id));
    expect.equal(await beyond(), [], `${lesson}: slides that do not fit`);
    expect.equal(await now(), 1, `${lesson}: the first`);
    for (const [key, wanted] of [["ArrowRight", 2], [" ", 3], ["PageDown", 4], ["ArrowLeft", 3], ["End", all], ["ArrowRight", all], ["Home", 1], ["PageUp", 1]]) {
      await page.keyboard.press(key);
      expect.equal(await now(), wanted, `${lesson}: after ${key}`);
    }
    await page.getByRole("button", { name: "Next slide" }).click();
    await page.keyboard.press("ArrowRight");
    expect.equal([await now(), await page.evaluate(() => location.hash), await page.locator("header output").textContent()], [3, "#slide-3", `3 of ${all}`], `${lesson}: by the button`);
    const notes = page.locator(".slide.now .notes");
    await page.keyboard.press("Home");
    expect.equal(await notes.isVisible(), false, `${lesson}: no notes yet`);
    await page.keyboard.press("n");
    expect.ok(await notes.isVisible() && (await notes.textContent()).length > 100, `${lesson}: the notes`);
    await page.keyboard.press("n");
    await open(file, { width: 1280, height: 720, fragment: "#slide-4" });
    await page.reload();
    expect.equal(await now(), 4, `${lesson}: by its address`);
    const pdf = (await page.pdf({ preferCSSPageSize: true })).toString("latin1");
    expect.equal((pdf.match(/\/Type\s*\/Page\b/g) || []).length, all, `${lesson}: pages on paper`);
    expect.equal(await now(), 4, `${lesson}: after printing`);
    await open(file, { width: 375, height: 740 });
    expect.equal(await page.evaluate(() => [...document.querySelectorAll(".sheet")].filter((sheet) => sheet.scrollWidth > sheet.clientWidth + 1).map((sheet) => sheet.parentElement.id)), [], `${lesson}: sideways on a telephone`);
    expect.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), `${lesson}: the bar fits`);
  }

  await open(path.join(site, "22_self_attention_slides.html"), { width: 1280, height: 720 });
  const play = page.locator(".slide:has([data-play])");
  await page.evaluate((id) => { location.hash = id; }, await play.getAttribute("id"));
  const step = () => play.locator("[data-play]").evaluate((root) => JSON.stringify(root.playState));
  const before = await step();
  await play.getByRole("button", { name: "Next step" }).click();
  expect.ok(await step() !== before, "the play is alive");
  await page.keyboard.press("ArrowRight");
  expect.ok(await play.evaluate((slide) => slide.classList.contains("now")), "its keys are its own");
  await page.keyboard.press("Escape");
  await page.keyboard.press("ArrowRight");
  expect.ok(!(await play.evaluate((slide) => slide.classList.contains("now"))), "until Escape");
}

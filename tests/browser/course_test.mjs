// The course as a reader uses it: search, definitions, contents, theme. (geometry_test.mjs measures the pages.)
import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import path from "node:path";

export default async function ({ page, open, expect, build, top }) {
  const site = path.join(top, "build", "browser", "course");
  const alone = path.join(build, "bin", "heed_course"), whole = path.join(build, "bin", "heed");
  if (!existsSync(alone) && !existsSync(whole)) return "heed is not built";
  execFileSync(...(existsSync(alone) ? [alone, ["--out", site]] : [whole, ["course", "--out", site]]), { stdio: "ignore" });

  await open(path.join(site, "index.html"), { width: 1300 });
  const arrows = page.locator("[data-play=arrows]");
  expect.ok((await arrows.boundingBox()).y < 400, "something to drag is on the first screen");
  const number = () => arrows.evaluate((root) => root.playState.number), before_drag = await number();
  const tip = await arrows.locator("svg [tabindex]").first().boundingBox();
  await page.mouse.move(tip.x + tip.width / 2, tip.y + tip.height / 2);
  await page.mouse.down();
  await page.mouse.move(tip.x + tip.width / 2 - 60, tip.y + tip.height / 2 - 30, { steps: 4 });
  await page.mouse.up();
  expect.ok(await number() !== before_drag, "dragged, it says another number");
  const found = async (question) => {
    await page.fill("#search", question);
    return page.locator("#found li").allInnerTexts();
  };
  expect.match((await found("where is the gradient of softmax"))[0], /autograd\/ops_softmax\.cpp/, "the source of a gradient");
  expect.match((await found("key padding mask"))[0], /glossary/, "a term");
  for (const word of ["zzzz", "a", "the", "x y"]) expect.equal((await found(word))[0], "Nothing found; try a single word.", `no such thing as ${word}`);
  await found("positions");
  await page.keyboard.press("Enter");
  await page.keyboard.press("Enter");
  await page.waitForURL(/positions|glossary/);

  await open(path.join(site, "catalogue.html"), { width: 1300 });
  await page.click("table.catalogue a[href='league.html#family-scores'] >> nth=0");  // opens what is folded and draws it
  await page.waitForSelector("#family-scores .panel, #family-scores svg");
  await page.waitForTimeout(300);
  const above = await page.locator("#family-scores").evaluate((place) => place.getBoundingClientRect().top);
  expect.ok(above >= 0 && above < 300, `the curves of the family are at the top of the window; got ${above}`);
  await open(path.join(site, "catalogue.html"), { width: 1300 });
  const names = () => page.locator("table.catalogue tbody tr:visible th").allInnerTexts();
  const all = (await names()).length;
  await page.fill("form.catalogue [name=words]", "bahdanau");
  expect.equal(await names(), [], "words of the list alone");
  await page.fill("form.catalogue [name=words]", "hidden layer takes");
  expect.equal(await names(), ["additive"], "found by its idea");
  await page.fill("form.catalogue [name=words]", "");
  await page.selectOption("form.catalogue [name=cost]", "linear");
  await page.fill("form.catalogue [name=from]", "2024");
  const late = await page.locator("table.catalogue tbody tr:visible").evaluateAll((rows) => rows.map((row) => [Number(row.cells[4].textContent), row.cells[5].textContent]));
  expect.ok(late.length > 5 && late.length < all && late.every(([year, cost]) => year >= 2024 && cost === "linear"), "year and cost together");
  await page.locator("table.catalogue thead button", { hasText: "name" }).click();
  const sorted = await names();
  expect.equal(sorted, [...sorted].sort((a, b) => a.localeCompare(b)), "sorted by name");
  await page.locator("table.catalogue tbody tr:visible a").first().click();
  await page.waitForURL(/entry_\w+\.html/);
  expect.ok(await page.locator("main math").count() > 0, "the entry's formula is drawn");

  await open(path.join(site, "12_bahdanau.html"), { width: 1300 });
  await page.keyboard.press("Tab");
  expect.equal(await page.evaluate(() => document.activeElement.className), "skip", "the first key leads past the bar");
  const term = page.locator(".term").first();
  await term.hover();
  expect.equal(await page.locator("#tip").innerText(), await term.getAttribute("data-tip"), "a definition under the pointer");
  await page.mouse.move(2, 2);
  expect.ok(await page.locator("#tip").isHidden(), "and gone");
  for (let i = 0; i < 60 && !(await page.evaluate(() => document.activeElement.classList.contains("term"))); ++i) await page.keyboard.press("Tab");
  expect.ok(await page.locator("#tip").isVisible(), "a definition by keyboard");
  await page.keyboard.press("Escape");
  expect.ok(await page.locator("#tip").isHidden(), "closed by Escape");
  expect.ok(await page.locator("nav.contents details").evaluate((box) => box.open), "contents are open on a wide screen");
  const before = await page.evaluate(() => document.documentElement.dataset.theme);
  await page.click("#theme");
  expect.ok(await page.evaluate(() => document.documentElement.dataset.theme) !== before, "the other theme");

  await open(path.join(site, "quiz.html"), { width: 1300 });
  const asked = page.locator("main details").first();
  for (let i = 0; i < 60 && !(await asked.locator("summary").evaluate((node) => node === document.activeElement)); ++i) await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  expect.ok(await asked.locator("p").first().isVisible(), "an answer by keyboard");
  await page.keyboard.press("Enter");
  expect.ok(!(await asked.locator("p").first().isVisible()), "and folded again");

  // The path from zero: ticks stay, chapters lead along the path, and a browser that stores nothing does no harm.
  const start = path.join(site, "from_zero.html");
  await open(start, { width: 1300 });
  const boxes = page.locator("main input[type=checkbox]");
  expect.equal(await boxes.count(), 12, "a box for each lesson");
  await boxes.nth(1).check();
  await open(start, { width: 1300 });
  expect.ok(await boxes.nth(1).isChecked() && !(await boxes.nth(0).isChecked()), "the tick has stayed");
  await page.locator("main table a").first().click();
  await page.waitForURL(/02_derivatives.html\?path=zero/);
  await page.locator("footer a[rel=next]").click();
  await page.waitForURL(/04_softmax_and_masks.html\?path=zero/);
  expect.match(await page.locator("footer a[rel=next]").innerText(), /05 · /, "the next one on the path");
  await open(start, { width: 1300 });
  expect.ok(await boxes.nth(0).isChecked(), "following the path ticks a chapter");
  expect.match(await page.locator("main").innerText(), /10 of 12 lessons are before you/, "how many are left");
  await page.addInitScript(() => Object.defineProperty(window, "localStorage", { get() { throw new Error("refused"); } }));
  await open(start, { width: 1300 });
  expect.equal(await boxes.count(), 0, "no boxes where nothing is kept");
  await page.locator("main table a").first().click();
  await page.waitForURL(/02_derivatives.html\?path=zero/);
  await page.locator("footer a[rel=next]").click();
  await page.waitForURL(/04_softmax_and_masks.html\?path=zero/);
}

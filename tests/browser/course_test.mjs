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
}

// The transformer of lesson 26, walked as a reader walks it: by mouse, by keyboard, by the buttons; every block shows its
// shape, its formula and its code, at every width and in both themes.
import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import path from "node:path";

export default async function ({ page, open, expect, everySize, build, top }) {
  const site = path.join(top, "build", "browser", "course"), alone = path.join(build, "bin", "heed_course"), whole = path.join(build, "bin", "heed");
  if (!existsSync(alone) && !existsSync(whole)) return "heed is not built";
  execFileSync(...(existsSync(alone) ? [alone, ["--out", site]] : [whole, ["course", "--out", site]]), { stdio: "ignore" });
  await open(path.join(site, "26_transformer.html"), { width: 1300 });

  const walk = page.locator("[data-walk]"), boxes = walk.locator(".box"), shown = walk.locator(".block:visible");
  expect.ok(await walk.evaluate((node) => !document.querySelector("main h2").compareDocumentPosition(node) || node.compareDocumentPosition(document.querySelector("main h2"))
    & Node.DOCUMENT_POSITION_FOLLOWING), "the lesson opens with it");
  expect.ok((await boxes.count()) >= 20, "at least twenty boxes");
  const state = () => walk.evaluate((node) => node.walkState);
  expect.equal(await state(), { part: "embedding", side: "encoder" }, "it begins below");

  // A click on every box.
  for (let i = 0; i < await boxes.count(); ++i) {
    const part = await boxes.nth(i).getAttribute("data-box");
    await boxes.nth(i).click();
    expect.equal((await state()).part, part, "the block of the box");
    expect.equal(await shown.count(), 1, "one block at a time");
    expect.equal(await shown.getAttribute("data-part"), part, "this one");
    expect.equal(await boxes.nth(i).getAttribute("aria-pressed"), "true", "the box is chosen");
    expect.match(await shown.locator(".shape").textContent(), /\[B, [ST](, [DFV])?\]/, `${part}: its shape`);
    expect.ok(await shown.locator("math[display=block]").count(), `${part}: its formula`);
    expect.ok((await shown.locator("figure.code pre").first().textContent()).length > 20, `${part}: its code`);
    expect.match(await shown.locator("figcaption").first().textContent(), /nn\/.*, lines? \d+/, `${part}: where it is`);
  }

  // By the keyboard: every box is reached by Tab and says its name; arrows go up and to the other tower.
  expect.equal(await boxes.evaluateAll((nodes) => nodes.filter((node) => node.tabIndex !== 0 || !node.getAttribute("aria-label")).length), 0, "reached, and named");
  await boxes.first().focus();
  await page.keyboard.press("Enter");
  expect.equal(await state(), { part: "embedding", side: "encoder" }, "Enter");
  await page.keyboard.press("ArrowUp");
  expect.equal(await state(), { part: "positions", side: "encoder" }, "the box above");
  await page.keyboard.press("ArrowUp");
  expect.equal(await state(), { part: "norm", side: "encoder" }, "and the next");
  await page.keyboard.press("ArrowUp");
  expect.equal(await state(), { part: "self_attention", side: "encoder" }, "and the next");
  await page.keyboard.press("ArrowRight");
  expect.equal(await state(), { part: "masked", side: "decoder" }, "beside it");
  await page.keyboard.press("ArrowLeft");
  await page.keyboard.press("ArrowDown");
  expect.equal(await state(), { part: "norm", side: "encoder" }, "back and down");

  // The buttons walk through all blocks.
  await boxes.first().click();
  const next = walk.getByRole("button", { name: "Next block →" }), back = walk.getByRole("button", { name: "← Back" }), seen = ["embedding"];
  expect.ok(await back.isDisabled(), "nothing before the first");
  while (!(await next.isDisabled())) {
    await next.click();
    seen.push((await state()).part);
  }
  expect.equal(seen, ["embedding", "positions", "norm", "self_attention", "residual", "feed_forward", "memory", "masked", "cross_attention", "linear", "softmax"], "all of them");
  await back.click();
  expect.equal((await state()).part, "linear", "back");

  // Wide enough to hit and to read; a box lies where it is drawn.
  for (const width of [375, 800, 1300, 1600]) {
    await open(path.join(site, "26_transformer.html"), { width });
    const sizes = await boxes.evaluateAll((nodes) => nodes.map((node) => { const box = node.getBoundingClientRect(); return [box.width, box.height]; }));
    const [card, map, text] = await walk.evaluate((node) => [node, node.querySelector(".map"), node.querySelector(".blocks")].map((one) => one.getBoundingClientRect().width));
    expect.ok(sizes.every(([w, h]) => Math.min(w, h) >= 14), `${width} px: boxes that can be hit: ${sizes.map((size) => Math.min(...size).toFixed(0))}`);
    expect.ok(card >= Math.min(300, width - 60) && map >= 280 && text >= 280, `${width} px: ${card}, ${map}, ${text} px wide`);
    const [wide, room] = await walk.evaluate((node) => [node.scrollWidth, node.clientWidth]);
    expect.ok(wide <= room, `${width} px: ${wide} px in ${room} px`);
  }

  // Without JavaScript, and on paper, all blocks are there.
  await page.emulateMedia({ media: "print" });
  expect.equal(await shown.count(), seen.length, "on paper all of them");
  await page.emulateMedia({ media: "screen" });
  await open(path.join(site, "26_transformer.html"), { width: 1300, fragment: "#block-cross_attention" });
  expect.equal((await state()).part, "cross_attention", "an address of a block");
  await everySize("26_transformer");
}

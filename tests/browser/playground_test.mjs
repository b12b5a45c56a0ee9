// The playground in a browser: it opens from a file without a request, translates, obeys a forced attention, opens a
// number and trains. HEED_PLAYGROUND: the page; without it the test says that it is skipped.
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

const require = createRequire(process.env.PLAYWRIGHT || import.meta.url);
const { chromium } = require("playwright-core");

export default async function test({ page, path }) {
  let failed = 0;
  const check = (what, good, found = "") => { if (!good) ++failed; console.log(`${what}: ${good ? "ok" : "FAILED"} ${found}`); };
  const requests = [], errors = [];
  page.on("request", (request) => { if (!/^(file|data|blob):/.test(request.url())) requests.push(request.url()); });
  page.on("pageerror", (error) => errors.push(error.message));
  page.on("console", (message) => { if (message.type() === "error") errors.push(message.text()); });
  const begun = Date.now(), state = (index, read) => page.evaluate(([i, body]) => new Function("s", `return ${body}`)(document.querySelector(`#panel-${i}`).playState), [index, read]);
  await page.goto(pathToFileURL(path).href);
  const translated = (words) => page.waitForFunction((wanted) => {
    const s = document.querySelector("#panel-0").playState;
    return s.result && s.shown === s.result.steps.length && (!wanted || s.result.source.join(" ").startsWith(wanted));
  }, words, { timeout: 60000 });
  await translated("");
  console.log(`first translation on show after ${Date.now() - begun} ms`);
  check("the agreement is translated", (await state(0, "s.result.steps.length")) > 5, await state(0, "s.result.steps.map(x => x.word).join(' ')"));
  const typed = Date.now();
  await page.fill("input.sentence", "the dog sleeps");
  await page.waitForFunction(() => document.querySelector("#panel-0").playState.result.source.join(" ") === "the dog sleeps </s>");
  console.log(`typing to translation ${Date.now() - typed} ms, of which the engine ${(await state(0, "s.ms")).toFixed(1)} ms`);
  await translated("the dog sleeps");
  const before = await state(0, "s.result.steps.map(x => x.word).join(' ')");
  await page.focus("svg.arcs");
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("ArrowDown");
  await page.waitForFunction(() => document.querySelector("#panel-0").playState.result.steps.some((step) => step.forced));
  await translated("");
  const weights = await state(0, "s.result.steps[1].weights");
  check("an arrow key forces the weights of its step", weights.filter((w) => w === 1).length === 1 && weights.filter((w) => w === 0).length === weights.length - 1, `${before} -> ${await state(0, "s.result.steps.map(x => x.word).join(' ')")}`);
  await page.keyboard.press("Escape");
  await page.waitForFunction(() => document.querySelector("#panel-0").playState.result.steps.every((step) => !step.forced));
  await translated("");
  check("Escape gives the first translation back", (await state(0, "s.result.steps.map(x => x.word).join(' ')")) === before);
  for (const kind of ["score", "context", "probability", "weight"]) {
    await page.selectOption("#panel-1 select[aria-label='Which number']", kind);
    await page.waitForFunction((wanted) => document.querySelector("#panel-1").playState.answer.kind === wanted, kind);
    const line = await page.textContent(".opened .line b");
    check(`${kind}: opened, with its line`, /^[a-z_/0-9]+[.](cpp|h):[0-9]+$/.test(line) && (await state(1, "Math.abs(s.answer.sum - s.answer.total)")) < 1e-4, line);
  }
  await page.click("#panel-2 button.main");
  await page.waitForFunction(() => document.querySelector("#panel-2").playState.step >= 40, null, { timeout: 120000 });
  await page.click("#panel-2 button.main");
  const losses = await state(2, "s.losses"), mean = (list) => list.reduce((a, b) => a + b, 0) / list.length;
  check("training lowers the loss", mean(losses.slice(-10)) < mean(losses.slice(0, 10)) - 0.3, `${mean(losses.slice(0, 10)).toFixed(2)} -> ${mean(losses.slice(-10)).toFixed(2)}, ${(await state(2, "s.rate")).toFixed(0)} steps a second`);
  await page.fill("input.sentence", "the agreement on the european economic area was signed in august 1992");
  await page.waitForFunction(() => document.querySelector("#panel-0").playState.result.source.length > 10);
  await translated("the agreement");
  await page.focus("svg.arcs");
  for (let i = 0; i < 4; ++i) await page.keyboard.press("ArrowRight");
  for (const width of [375, 800, 1300]) {
    await page.setViewportSize({ width, height: 900 });
    await page.waitForTimeout(200);
    check(`no sideways scrolling at ${width}`, await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), String(await page.evaluate(() => document.documentElement.scrollWidth)));
    for (const theme of ["light", "dark"]) {
      await page.evaluate((name) => heed.setTheme(name), theme);
      if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/playground-${width}-${theme}.png`, fullPage: true });
    }
  }
  check("no request", requests.length === 0, requests.join(" "));
  check("no error", errors.length === 0, errors.join(" | "));
  return failed;
}

if (process.env.HEED_PLAYGROUND) {
  const browser = await chromium.launch({ executablePath: process.env.CHROMIUM || "/usr/bin/chromium", args: ["--no-sandbox"] });
  const failed = await test({ page: await browser.newPage({ viewport: { width: 1300, height: 900 } }), path: process.env.HEED_PLAYGROUND });
  await browser.close();
  process.exit(failed ? 1 : 0);
} else {
  console.log("playground: skipped, HEED_PLAYGROUND is not set");
}

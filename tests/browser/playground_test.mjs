// The playground in a browser: it opens from a file, translates, obeys a forced attention, opens a number and trains. The
// page is made by ./heed course --playground, which needs emscripten; HEED_PLAYGROUND names another place than
// out/course/playground.html.
import { existsSync } from "node:fs";
import path from "node:path";

export default async function ({ page, open, expect, everySize, top }) {
  const file = process.env.HEED_PLAYGROUND || path.join(top, "out", "course", "playground.html");
  if (!existsSync(file)) return "there is no playground here; ./heed course --playground makes it";
  const check = (what, good, found = "") => expect.equal([Boolean(good), good ? "" : found], [true, ""], what);
  const begun = Date.now(), state = (index, read) => page.evaluate(([i, body]) => new Function("s", `return ${body}`)(document.querySelector(`#panel-${i}`).playState), [index, read]);
  await open(file);
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
  await everySize("playground");
}

// Runs every *_test.mjs of this folder, each in a fresh page of one browser; called by run.sh. One line per test; exit
// code 0 if all passed, else 1. A browser that has not answered for a minute is replaced, and its test runs once more: a
// page that stops it will stop the second one too.
import { mkdirSync, readdirSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { expectations, toolbox, top, watch } from "./helpers.mjs";

const folder = process.env.HEED_BROWSER_FOLDER;
const { chromium } = createRequire(path.join(folder, "package.json"))("playwright-core");
const words = [];
let screenshots = "", build = path.join(top, "build", "release");
for (let i = 2; i < process.argv.length; ++i) {
  if (process.argv[i] === "--screenshots") screenshots = path.resolve(process.argv[++i]);
  else if (process.argv[i] === "--build") build = path.resolve(process.argv[++i]);
  else words.push(process.argv[i]);
}
if (screenshots) mkdirSync(screenshots, { recursive: true });

const here = path.join(top, "tests", "browser");
const files = readdirSync(here).filter((name) => name.endsWith("_test.mjs") && (!words.length || words.some((word) => name.includes(word)))).sort();
const launched = () => chromium.launch({ executablePath: process.env.HEED_CHROMIUM,
  args: ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--host-resolver-rules=MAP * ~NOTFOUND"] });
let browser = await launched();
const patience = Number(process.env.HEED_BROWSER_PATIENCE || 60);  // seconds

// Waits for the work, which says by alive(what) what it does; rejects with { stuck: what } if it has been silent too long.
function watched(work) {
  let what = "start", since = Date.now(), timer;
  const alive = (now) => { what = now, since = Date.now(); };
  const silent = new Promise((_, reject) => {
    timer = setInterval(() => { if (Date.now() - since > patience * 1000) reject({ stuck: what }); }, 500);
  });
  return Promise.race([work(alive), silent]).finally(() => clearInterval(timer));
}

async function run(test, problems, expect, alive) {
  const context = await browser.newContext({ reducedMotion: "reduce" });
  const page = await context.newPage();
  page.setDefaultTimeout(10000);
  watch(page, problems);
  const others = [];
  const another = async () => {  // a page in a browser of its own: two browsers draw at the same time
    others.push(await launched());
    const second = await (await others.at(-1).newContext({ reducedMotion: "reduce" })).newPage();
    second.setDefaultTimeout(10000);
    watch(second, problems);
    return second;
  };
  const skipped = (await test({ ...toolbox({ page, expect, folder, screenshots, build }), screenshots, problems, alive, another })
    .finally(() => Promise.all(others.map((other) => other.close())))) || "";  // a sentence: why
  if (!expect.count && !skipped) problems.push("the test expected nothing");
  return skipped;
}

const outcome = { passed: 0, failed: 0, skipped: 0 };
for (const file of files) {
  const name = file.replace(/_test\.mjs$/, ""), started = Date.now();
  const test = (await import(pathToFileURL(path.join(here, file)).href)).default;
  let skipped = "", problems, expect;
  for (let attempt = 1; attempt <= 2; ++attempt) {
    let stuck = "";
    problems = [];
    try {
      skipped = await watched((alive) => run(test, problems, expect = expectations(alive), alive));
    } catch (error) {
      stuck = error.stuck || "";
      problems.push(stuck ? `the browser has not answered for ${patience} s: ${stuck}` : error.message);
    }
    if (!stuck) break;
    if (attempt === 1) console.log(`browser: ${name}: ${problems.at(-1)}; once more, in another browser`);
    await Promise.race([browser.close(), new Promise((done) => setTimeout(done, 5000))]);
    browser = await launched();
  }
  await Promise.all(browser.contexts().map((context) => context.close()));
  const seconds = ((Date.now() - started) / 1000).toFixed(1), verdict = problems.length ? "failed" : skipped ? "skipped" : "passed";
  ++outcome[verdict];
  console.log(`browser: ${verdict} ${name}: ${skipped || `${expect.count} expectations`}, ${seconds} s`);
  for (const problem of problems) console.log(`browser:   ${problem.slice(0, 600)}`);
}
await browser.close();
if (!files.length) console.log(`browser: no test is named ${words.join(" or ")}`);
console.log(`browser: ${outcome.passed} passed, ${outcome.failed} failed, ${outcome.skipped} skipped`);
process.exit(outcome.failed || !files.length ? 1 : 0);

// Runs every *_test.mjs of this folder, each in a fresh page of one browser; called by run.sh. One line per test; exit
// code 0 if all passed, else 1.
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
const browser = await chromium.launch({ executablePath: process.env.HEED_CHROMIUM,
  args: ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--host-resolver-rules=MAP * ~NOTFOUND"] });
const outcome = { passed: 0, failed: 0, skipped: 0 };
for (const file of files) {
  const name = file.replace(/_test\.mjs$/, ""), started = Date.now(), problems = [], expect = expectations();
  const context = await browser.newContext({ reducedMotion: "reduce" });
  const page = await context.newPage();
  page.setDefaultTimeout(10000);
  watch(page, problems);
  let skipped = "";
  try {
    const test = (await import(pathToFileURL(path.join(here, file)).href)).default;
    skipped = (await test({ ...toolbox({ page, expect, folder, screenshots, build }), screenshots, problems })) || "";  // a sentence: why
    if (!expect.count && !skipped) problems.push("the test expected nothing");
  } catch (error) {
    problems.push(error.message);
  }
  await context.close();
  const seconds = ((Date.now() - started) / 1000).toFixed(1), verdict = problems.length ? "failed" : skipped ? "skipped" : "passed";
  ++outcome[verdict];
  console.log(`browser: ${verdict} ${name}: ${skipped || `${expect.count} expectations`}, ${seconds} s`);
  for (const problem of problems) console.log(`browser:   ${problem.slice(0, 600)}`);
}
await browser.close();
if (!files.length) console.log(`browser: no test is named ${words.join(" or ")}`);
console.log(`browser: ${outcome.passed} passed, ${outcome.failed} failed, ${outcome.skipped} skipped`);
process.exit(outcome.failed || !files.length ? 1 : 0);

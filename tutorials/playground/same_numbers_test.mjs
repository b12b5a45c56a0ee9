// The engine in WebAssembly against the native one: the same weights and sentence must give the same numbers.
//
//   node same_numbers_test.mjs HEED_PLAYGROUND WEIGHTS.f16 ENGINE.js ENGINE.wasm
//
// Prints one line a check, and exits with 1 if any failed. Limits are in log p and in weights: 1e-5.
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const require = createRequire(import.meta.url), here = dirname(fileURLToPath(import.meta.url));
const [native, weights, glue, wasm] = process.argv.slice(2);
globalThis.heedEngine = require(resolve(glue));
const openEngine = require(join(here, "host.js")), page = JSON.parse(readFileSync(join(here, "page.json"), "utf8"));
const bytes = readFileSync(weights), f16 = new Uint16Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length));
const begun = performance.now();
const engine = await openEngine(await WebAssembly.compile(readFileSync(wasm)), f16, 1, page.sentences);
console.log(`the engine starts in ${(performance.now() - begun).toFixed(0)} ms`);
const ask = (...given) => JSON.parse(execFileSync(native, given.map(String), { encoding: "utf8", maxBuffer: 1 << 26 }));

let failed = false;
const check = (what, value, limit) => {
  const good = value <= limit;
  failed = failed || !good;
  console.log(`${what}: ${value.toExponential(1)} (limit ${limit.toExponential(0)}) ${good ? "ok" : "FAILED"}`);
};
const far = (a, b) => Math.max(...a.map((value, i) => Math.abs(value - b[i])), a.length === b.length ? 0 : Infinity);

const cases = [[page.panels[0].start, []], ["the dog sleeps", []], ["the green hat", [[1, 0, 1]]], [page.panels[0].start, [[2, 9, 1], [4, 0, 0.5]]]];
for (const [sentence, forced] of cases) {
  const there = ask("translate", weights, sentence, ...forced.flat()), now = engine.translate(sentence, forced);
  const words = (r) => r.steps.map((step) => step.word).join(" ");
  check(`"${sentence.slice(0, 24)}" ${forced.length} forced: words differ`, words(there) === words(now) ? 0 : 1, 0);
  check("  log p", Math.abs(there.log_p - now.log_p), 1e-5);
  check("  weights", Math.max(...there.steps.map((step, t) => far(step.weights, now.steps[t].weights))), 1e-5);
}
for (const kind of ["score", "weight", "context", "probability"]) {
  const there = ask("explain", weights, cases[0][0], kind, 1, 1), now = engine.explain(cases[0][0], [], kind, 1, 1);
  check(`explain ${kind}: value`, Math.abs(there.value - now.value), 1e-5);
  check(`explain ${kind}: the terms add up`, kind === "weight" ? Math.abs(now.above / now.sum - now.value) : Math.abs(now.sum - now.total) / Math.max(1, Math.abs(now.total)), 1e-5);
  check(`explain ${kind}: gradient`, Math.abs(there.gradient - now.gradient), 1e-5);
}
// The gradient of log p by a weight, against a finite difference: weight 1 grows and all shrink by the share.
{
  const sentence = cases[0][0], step = 1, share = 1e-3, free = engine.translate(sentence, []), S = free.source.length;
  const g = Array.from({ length: S }, (_, s) => engine.explain(sentence, [], "weight", step, s).gradient);
  const w = free.steps[step].weights, pushed = engine.translate(sentence, [[step, 3, share]]).steps[step];
  const predicted = share * g.reduce((sum, value, s) => sum + value * ((s === 3 ? 1 : 0) - w[s]), 0);
  check("gradient against a finite difference, relative", Math.abs((pushed.log_p - free.steps[step].log_p) / predicted - 1), 0.05);
}
let refused = "";
try { engine.translate("dog ".repeat(60), []); } catch (error) { refused = error.message; }
check("a sentence that is too long is refused", refused.includes("at most 40 words") ? 0 : 1, 0);
engine.train(2);
const first = performance.now(), steps = 30;
engine.train(steps);
console.log(`training in WebAssembly: ${(1000 * steps / (performance.now() - first)).toFixed(1)} steps per second`);
process.exit(failed ? 1 : 0);

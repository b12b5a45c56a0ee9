// Puts the page together: one HTML file with the engine, the weights, the style sheets and the scripts inside.
//
//   node assemble.mjs GLUE.js ENGINE.wasm WEIGHTS.f16 OUT.html
//
// The line numbers of the C++ that the page shows are looked up here, in the sources of this build.
import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url)), top = join(here, "..", "..");
const [glue, wasm, weights, out] = process.argv.slice(2);
const read = (path) => readFileSync(path, "utf8"), mine = (name) => read(join(here, name)), report = (name) => read(join(top, "tutorials/report/page", name));

const lines = {};
for (const row of mine("lines.txt").split("\n").filter((text) => text && !text.startsWith("#"))) {
  const [kind, file, words] = row.split(" | ").map((part) => part.trim());
  const line = read(join(top, file)).split("\n").findIndex((text) => text.includes(words));
  if (line < 0) { console.error(`playground: ${file} has no line with "${words}"; mend tutorials/playground/lines.txt`); process.exit(1); }
  lines[kind] = { file, line: line + 1, text: words };
}
const page = JSON.parse(mine("page.json"));
page.lines = lines;
const inside = (text) => text.replaceAll("</script", "<\\/script");
const block = (id, type, text) => `<script type="${type}" id="${id}">${text}</script>\n`;
const scripts = [report("axes.js"), report("matrix.js"), mine("client.js"), mine("translate.js"), mine("explain.js"), mine("train.js"), "heed.selftest = () => {};\n"];
const html = mine("playground.html")
  .replace("<!-- style -->", () => `<style>\n${report("page.css")}${mine("playground.css")}</style>\n<script>\n${inside(report("core.js"))}</script>`)
  .replace("<!-- data -->", () => block("heed-data", "application/json", JSON.stringify(page).replaceAll("<", "\\u003c")) +
    block("engine-glue", "text/plain", inside(read(glue))) + block("engine-host", "text/plain", inside(mine("host.js"))) +
    block("engine-wasm", "text/plain", readFileSync(wasm).toString("base64")) + block("engine-weights", "text/plain", readFileSync(weights).toString("base64")))
  .replace("<!-- scripts -->", () => `<script>\n${inside(scripts.join("\n"))}</script>`);
writeFileSync(out, html);
console.error(`playground: ${out}, ${(html.length / 1e6).toFixed(2)} MB`);

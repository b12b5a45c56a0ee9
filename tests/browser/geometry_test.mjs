// Measures the geometry of every page at 375, 800, 1300 and 1600 px, light and dark; once more with everything unfolded
// (dark: at 1600 px only), and at 375 px after each button and choice of a card. geometry/boxes.js, colours.js and words.js define the flaws. For each kind, it prints their number
// and the first few, with page, width, theme and element. HEED_GEOMETRY=FILE keeps all of them as JSON.
//
// A page is loaded once, and its window is made wider step by step. Two browsers share the pages. (Several tabs of one are
// slower: only one is drawn at a time.)
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { lookPage } from "./look_page.mjs";

const widths = [375, 800, 1300, 1600], themes = ["light", "dark"];
const kinds = ["narrow", "blank", "details", "overlap", "sideways", "outside", "broken", "ambiguous", "contrast", "markup", "keyboard", "nameless"];

// The pages that programs write here: the course, the museum, a report with every kind of panel, that of heed look, and
// the playground if it has been made. Of the pages of the catalogue's entries, which are alike, every 25th.
function pages(build, top) {
  const made = path.join(top, "build", "browser", "geometry"), bin = (name) => path.join(build, "bin", name);
  mkdirSync(made, { recursive: true });
  const run = (name, args, env = {}) => execFileSync(bin(name), args, { stdio: "ignore", env: { ...process.env, ...env } });
  const whole = (name) => (existsSync(bin(`heed_${name}`)) ? [`heed_${name}`, []] : existsSync(bin("heed")) ? ["heed", [name]] : null);
  const found = [], course = whole("course"), museum = whole("museum");
  if (course) {
    run(course[0], [...course[1], "--out", path.join(made, "course")]);
    found.push(...readdirSync(path.join(made, "course")).filter((name, i) => name.endsWith(".html") && (!name.startsWith("entry_") || i % 25 === 0)).map((name) => path.join(made, "course", name)));
  }
  for (const blind of museum ? ["", "--blind"] : []) {
    const folder = path.join(made, `museum${blind}`);
    run(museum[0], [...museum[1], ...(blind ? [blind] : []), "--out", folder]);
    found.push(path.join(folder, "report.html"));
  }
  if (existsSync(bin("test_tutorials"))) {
    const sample = path.join(made, "sample.html");
    run("test_tutorials", ["--no-intro", "--test-case=the same run gives the same bytes"], { HEED_SAMPLE_REPORT: sample });
    found.push(sample);
  }
  const look = lookPage(build, top);
  if (look) found.push(look);
  const playground = process.env.HEED_PLAYGROUND || path.join(top, "out", "course", "playground.html");
  if (existsSync(playground)) found.push(playground);
  return { course, found: found.filter((file) => !process.env.HEED_GEOMETRY_ONLY || process.env.HEED_GEOMETRY_ONLY.split(",").some((word) => file.includes(word))) };
}

const scripts = ["boxes.js", "colours.js", "words.js"].map((name) => readFileSync(new URL(`geometry/${name}`, import.meta.url), "utf8"));

// Loads one page into `tab` and returns its flaws: { kind, at, what, page, width, theme, folded }.
export async function measured(tab, file, screenshots = "", alive = () => {}) {
  const flaws = [], name = path.basename(file) === "report.html" ? path.basename(path.dirname(file)) : path.basename(file, ".html");
  const note = (list, view) => flaws.push(...list.map((flaw) => ({ ...flaw, page: name, ...view })));
  const view = async (width, theme, folded) => {
    alive(`${name}, ${width} px, ${theme}${folded ? "" : ", unfolded"}`);
    await tab.setViewportSize({ width, height: 300 });
    await tab.emulateMedia({ colorScheme: theme, reducedMotion: "reduce" });
    note(await tab.evaluate(async () => {
      for (let frame = 0; frame < 3; ++frame) await new Promise(requestAnimationFrame);  // the page draws itself again
      return [...geometry.measure(), ...geometry.contrast()];
    }), { width, theme, folded });
    if (screenshots && folded) await tab.screenshot({ path: path.join(screenshots, `${name}_${width}_${theme}.png`), fullPage: true });
  };
  await tab.setViewportSize({ width: widths[0], height: 300 });
  await tab.emulateMedia({ colorScheme: themes[0], reducedMotion: "reduce" });
  await tab.goto(pathToFileURL(file).href, { waitUntil: "load" });
  if (name === "playground")  // its panels are empty until the engine has started
    await tab.waitForFunction(() => document.querySelector("#panel-0").playState?.result && document.querySelector("#panel-1").playState?.answer, null, { timeout: 50000 });
  for (const script of scripts) await tab.evaluate(script);
  for (const width of widths) for (const theme of themes) await view(width, theme, true);
  if (await tab.evaluate(() => { const closed = [...document.querySelectorAll("details:not([open])")]; for (const box of closed) box.open = true; return closed.length; })) {
    for (const width of widths) await view(width, "light", false);
    await view(widths.at(-1), "dark", false);
  }
  alive(`${name}, Tab through all controls`);
  note(await tab.evaluate(() => geometry.markup()), { width: widths.at(-1) });
  note(await keyboard(tab), { width: widths.at(-1) });
  alive(`${name}, each button and choice`);
  await tab.setViewportSize({ width: widths[0], height: 300 });
  await tab.emulateMedia({ colorScheme: "light", reducedMotion: "reduce" });
  note(await tab.evaluate(async () => {
    for (let frame = 0; frame < 3; ++frame) await new Promise(requestAnimationFrame);
    return geometry.used();
  }), { width: widths[0], theme: "light" });
  return flaws;
}

// Presses Tab from the top through the whole page, and checks that each control has a name for a screen reader.
async function keyboard(tab) {
  const browser = await tab.context().newCDPSession(tab), key = { key: "Tab", code: "Tab", windowsVirtualKeyCode: 9 };
  const count = await tab.evaluate(() => geometry.follow());
  const strokes = [];
  for (let i = 0; i < count + 5; ++i) for (const type of ["keyDown", "keyUp"]) strokes.push(browser.send("Input.dispatchKeyEvent", { type, ...key }));
  await Promise.all(strokes);
  const { nodes } = await browser.send("Accessibility.getFullAXTree"), nameless = [];
  for (const node of nodes) {
    const focusable = (node.properties || []).some((one) => one.name === "focusable" && one.value.value);
    if (node.ignored || !focusable || (node.name && node.name.value) || ["RootWebArea", "main"].includes(node.role.value)) continue;
    const { object } = await browser.send("DOM.resolveNode", { backendNodeId: node.backendDOMNodeId });
    const { result } = await browser.send("Runtime.callFunctionOn", { objectId: object.objectId, functionDeclaration: "function () { return geometry.selector(this); }", returnByValue: true });
    nameless.push({ kind: "nameless", at: result.value, what: `a ${node.role.value} without a name` });
  }
  return [...await tab.evaluate(() => geometry.missed()), ...nameless];
}

export default async function ({ page, another, expect, build, top, screenshots, problems, alive }) {
  const { course, found } = pages(build, top);
  alive("the pages are written");
  if (!course) return "heed is not built";
  const flaws = [], left = [...found];
  const share = async (tab) => { while (left.length) flaws.push(...await measured(tab, left.shift(), screenshots, alive)); };
  await Promise.all([share(page), share(await another())]);
  if (process.env.HEED_GEOMETRY) writeFileSync(process.env.HEED_GEOMETRY, JSON.stringify(flaws, null, 1));
  expect.ok(found.length > 30 || process.env.HEED_GEOMETRY_ONLY, "all pages of the course");
  for (const kind of kinds) {
    const of = flaws.filter((flaw) => flaw.kind === kind), views = new Set(of.map((flaw) => `${flaw.page} ${flaw.width} ${flaw.theme} ${flaw.folded}`)).size;
    console.log(`geometry: ${kind}: ${of.length} in ${views} views`);
    for (const flaw of of.slice(0, 4)) problems.push(`${kind}: ${flaw.page}, ${flaw.width} px, ${flaw.theme || ""}: ${flaw.at}: ${flaw.what}`);
  }
  expect.equal(flaws.length, 0, "flaws");
}

// What every test of a page gets: a watched page, expectations, and the page of one play.
//
//   watched     any line of the console that is a warning or an error, any uncaught error and any request that leaves
//               file: is a failure of the test, whatever else it expects
//   expect      equal, near, ok, match: they throw with both values; a test that expects nothing fails, too
//   everySize   375, 800 and 1300 px wide, light and dark: no sideways scrolling, every control has a name
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

export const top = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "../..");

export function expectations(alive = () => {}) {  // alive: called at each of them
  const expect = { count: 0, alive };
  const hold = (held, what, got, wanted) => {
    ++expect.count;
    expect.alive(what);
    if (!held) throw new Error(`${what}: got ${JSON.stringify(got)}, wanted ${JSON.stringify(wanted)}`);
  };
  expect.ok = (held, what) => hold(!!held, what, held, "something true");
  expect.equal = (got, wanted, what) => hold(JSON.stringify(got) === JSON.stringify(wanted), what, got, wanted);
  expect.match = (got, pattern, what) => hold(pattern.test(got), what, got, String(pattern));
  expect.near = (got, wanted, tolerance, what) => {  // numbers, or arrays of numbers of any depth
    const a = [got].flat(Infinity), b = [wanted].flat(Infinity);
    hold(a.length === b.length && a.every((x, i) => Math.abs(x - b[i]) <= tolerance), `${what} (within ${tolerance})`, got, wanted);
  };
  expect.throws = async (action, pattern, what) => {
    let message = "nothing was thrown";
    try { await action(); } catch (error) { message = error.message; }
    hold(pattern.test(message), what, message, String(pattern));
  };
  return expect;
}

// Collects what must not happen on a page.
export function watch(page, problems) {
  page.on("console", (line) => {
    if (["error", "warning"].includes(line.type())) problems.push(`console: ${line.text()}`);
  });
  page.on("pageerror", (error) => problems.push(`uncaught: ${error.message}`));
  page.on("request", (request) => {
    if (!/^(file|data|blob|about):/.test(request.url())) problems.push(`request: ${request.url()}`);
  });
}

// A page with nothing on it but one play: the report's frame, the shared parts and the file of that name, in the style of
// a chapter.
export function harness(name, folder) {
  const file = (...parts) => readFileSync(path.join(top, "tutorials", ...parts), "utf8");
  const chapter = existsSync(path.join(top, "tutorials", "course", "page", "course.css")) ? file("course", "page", "course.css") : "";
  const script = (text) => `<script>\n${text}</script>`;
  const html = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:">
<title>${name}</title><style>${file("report", "page", "page.css")}${chapter}</style></head>
<body class="course"><header class="page"><div><h1>${name}</h1></div><button id="theme" type="button">Theme</button></header><nav hidden></nav>
<div class="columns"><main><div data-play="${name}" class="wide"></div></main></div><div id="tip" hidden></div>
<div id="spoken" class="silent" aria-live="polite"></div>
<script id="heed-data" type="application/json">{"panels": []}</script>
${script(file("report", "page", "core.js"))}
${script(file("report", "page", "play.js"))}
${script(file("course", "play", "play_parts.js"))}
${script(file("course", "play", `${name}.js`))}
${script('document.addEventListener("DOMContentLoaded", () => heed.mountPlays());')}
</body></html>`;
  mkdirSync(path.join(folder, "pages"), { recursive: true });
  const target = path.join(folder, "pages", `${name}.html`);
  writeFileSync(target, html);
  return target;
}

// The tools of one test.
export function toolbox({ page, expect, folder, screenshots, build }) {
  const open = async (file, { width = 1200, height = 900, theme = "light", fragment = "" } = {}) => {
    await page.setViewportSize({ width, height });
    await page.emulateMedia({ colorScheme: theme });
    await page.goto(pathToFileURL(path.resolve(top, file)).href + fragment, { waitUntil: "load" });
  };
  const noSideways = async (what) => {
    const [wide, room] = await page.evaluate(() => [document.documentElement.scrollWidth, document.documentElement.clientWidth]);
    expect.ok(wide <= room, `${what}: the page scrolls sideways, ${wide} px in a window of ${room} px`);
  };
  const inside = async (what) => {  // nothing of a play is cut off at its edge
    const out = await page.evaluate(() => [...document.querySelectorAll("[data-play]")].flatMap((play) => {
      const edge = play.getBoundingClientRect().right + 1;
      return [...play.querySelectorAll("*")].filter((node) => !node.closest(".play-drawing *") && node.getBoundingClientRect().right > edge && getComputedStyle(node).opacity !== "0")
        .map((node) => node.outerHTML.slice(0, 80));
    }));
    expect.equal(out.slice(0, 3), [], `${what}: beyond the edge`);
  };
  const named = async (what) => {
    const nameless = await page.evaluate(() => [...document.querySelectorAll("button, input, select, textarea, [tabindex='0']")]
      .filter((node) => !(node.getAttribute("aria-label") || node.getAttribute("aria-labelledby") || node.closest("label") ||
        (node.id && document.querySelector(`label[for="${node.id}"]`)) || node.textContent.trim() || node.title))
      .map((node) => node.outerHTML.slice(0, 100)));
    expect.equal(nameless, [], `${what}: controls without a name`);
  };
  const everySize = async (name) => {
    for (const width of [375, 800, 1300]) {
      for (const theme of ["light", "dark"]) {
        await page.setViewportSize({ width, height: 900 });
        await page.emulateMedia({ colorScheme: theme });
        await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
        await noSideways(`${name} at ${width} px`);
        await inside(`${name} at ${width} px`);
        if (screenshots) await page.screenshot({ path: path.join(screenshots, `${name}_${width}_${theme}.png`), fullPage: true });
      }
    }
    await named(name);
    await page.emulateMedia({ colorScheme: "light" });
    await page.setViewportSize({ width: 1200, height: 900 });
  };
  const play = async (name, options) => {
    await open(harness(name, folder), options);
    const root = page.locator(`[data-play="${name}"]`);
    const text = await root.textContent();
    expect.ok(!text.includes("could not be built"), `${name} is built: ${text.slice(0, 200)}`);
    const state = () => root.evaluate((node) => JSON.parse(JSON.stringify(node.playState)));
    return { root, state };
  };
  // A range input moved as with the keyboard: set, then one arrow there and back, so that the page hears of it.
  const slide = (locator, value) => locator.evaluate((node, to) => {
    node.value = to;
    node.dispatchEvent(new Event("input", { bubbles: true }));
  }, String(value));
  const drag = async (locator, dx, dy) => {
    await locator.scrollIntoViewIfNeeded();
    const box = await locator.boundingBox(), x = box.x + box.width / 2, y = box.y + box.height / 2;
    await page.mouse.move(x, y);
    await page.mouse.down();
    await page.mouse.move(x + dx / 2, y + dy / 2, { steps: 3 });
    await page.mouse.move(x + dx, y + dy, { steps: 3 });
    await page.mouse.up();
  };
  return { page, open, play, expect, everySize, noSideways, slide, drag, build, top };
}

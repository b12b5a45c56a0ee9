// The suite itself: whatever must not happen on a page is noticed when it is planted.
import { writeFileSync } from "node:fs";
import path from "node:path";
import { measured } from "./geometry_test.mjs";

export default async function ({ page, open, expect, noSideways, problems, top }) {
  const planted = path.join(top, "build", "browser", "planted.html");
  const noticed = async (body, pattern, what) => {
    writeFileSync(planted, `<!doctype html><meta name="viewport" content="width=device-width"><title>planted</title>${body}`);
    await open(planted, { width: 375 });
    await page.waitForTimeout(50);
    expect.match(problems.join("\n"), pattern, what);
    problems.length = 0;
  };
  await noticed("<script>console.error('one bad line')</script>", /console: one bad line/, "a line on the console");
  await noticed("<script>nobody.home()</script>", /uncaught: nobody is not defined/, "an uncaught error");
  await noticed("<img src='https://example.org/a.png'>", /request: https:\/\/example\.org/, "a request to the network");
  await noticed("<div style='width: 900px'>wide</div>", /^$/, "a wide page says nothing on the console");
  await expect.throws(() => noSideways("planted"), /scrolls sideways, 9\d\d px/, "but it scrolls sideways");
  await expect.throws(() => expect.near([1, [2]], [1, [2.1]], 0.01, "numbers"), /numbers.*\[1,\[2\]\]/, "a number that is off");
  await expect.throws(() => expect.equal({ a: 1 }, { a: 2 }, "objects"), /objects/, "another object");

  // The geometry of a page: nothing on a page that is right, and each flaw where it is planted.
  const card = "width: 400px; padding: 9px; border: 1px solid", words = "Words that fill a line and go on to the next one. ".repeat(4);
  const kinds = async (body) => {
    writeFileSync(planted, `<!doctype html><html lang="en"><meta name="viewport" content="width=device-width"><title>planted</title><main>${body}</main>`);
    return [...new Set((await measured(page, planted)).map((flaw) => flaw.kind))].sort();
  };
  expect.equal(await kinds(`<section class="panel" style="max-width: 100%">${words}<button>A name</button></section>
    <details><summary>More</summary><p>${words}</p></details><svg width="200" height="50" role="img" aria-label="two words"><text x="5" y="20">one</text><text x="90" y="20">two</text></svg>`), [], "a page without flaws");
  for (const [kind, body] of [
    ["narrow", `<div class="panels"><p style="width: 200px; margin: 0">${words}</p></div>`],
    ["blank", `<section class="panel" style="max-width: 100%; height: 600px">${words}</section>`],
    ["details", `<details style="height: 130px"><summary>More</summary>${words}</details>`],
    ["overlap", `<button>one</button><button style="margin-left: -20px">two</button>`],
    ["overlap", `<svg width="200" height="50"><text x="5" y="20">one word</text><text x="20" y="22">another</text></svg>`],
    ["sideways", `<div style="width: 200px; overflow: auto; white-space: nowrap"><p style="margin: 0">${words}</p></div>`],
    ["sideways", `<div class="scroll" style="width: 200px; overflow: auto; white-space: nowrap"><p style="margin: 0">${words}</p></div>`],
    ["sideways", `<div style="width: 200px; overflow: hidden; white-space: nowrap"><p style="margin: 0">${words}</p></div>`],
    ["outside", `<section class="panel" style="width: 300px"><p style="margin: 0; width: 320px">${words}</p></section>`],
    ["outside", `<svg width="30" height="50"><text x="5" y="20">a long word</text></svg>`],
    ["outside", `<section class="panel"><button onclick="t.textContent = 'a long word'">x</button><svg width="30" height="50"><text id="t" x="5" y="20">a</text></svg></section>`],
    ["contrast", `<section class="panel">${words}<button onclick="this.style.opacity = 0.5">press</button></section>`],
    ["broken", `<p style="width: 1em">It is 100 %, or 2.3e-11, or 7 / 8.</p>`],
    ["ambiguous", `<svg width="200" height="50"><text x="5" y="20">gaussian…</text><text x="90" y="20">gaussian…</text></svg>`],
    ["contrast", `<p style="color: #8a94a6; background: #fff">grey</p>`],
    ["contrast", `<p style="opacity: 0.5">pale</p>`],
    ["contrast", `<svg width="90" height="50"><rect width="90" height="50" fill="#444"/><text x="5" y="20">word</text></svg>`],
    ["markup", "<p>That $Q K^\\top$ is square.</p>"], ["markup", "<p>The state s_{t-1}.</p>"], ["markup", "<p>It is `code`.</p>"], ["markup", "<p>The matrix W_hh.</p>"], ["markup", "<p>It has 4^4 rows.</p>"],
    ["markup", `<details><summary>What is **this**?</summary></details>`], ["markup", `<button aria-label="See [this](that)">x</button>`],
    ["keyboard", `<div style="cursor: pointer">click</div>`],
    ["keyboard", `<button>one</button><a href="#x" onfocus="this.blur()">two</a><script>document.addEventListener("keydown", (e) => e.preventDefault())</script>`],
    ["nameless", `<button></button>`], ["nameless", `<input type="text">`],
  ]) expect.ok((await kinds(body)).includes(kind), `${kind} is noticed in ${body.slice(0, 120)}`);
}

// The suite itself: whatever must not happen on a page is noticed when it is planted.
import { writeFileSync } from "node:fs";
import path from "node:path";

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
}

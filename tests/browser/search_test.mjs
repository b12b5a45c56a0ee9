// Ten questions of a reader, asked in the index: each leads within the first three answers, and with one click, to the place
// in the course that answers it; a second click leads from the map of the source to the chapter.
import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import path from "node:path";

const questions = [  // what is typed, the page, words of the place to which the click leads
  ["where is the gradient of softmax", "04_softmax_and_masks", /p \(dy - sum p dy\).*ops_softmax\.cpp:\d+/s],
  ["what is teacher forcing", "10_fixed_vector", /reads the true previous symbol/],
  ["where is the causal mask", "26_transformer", /j <= i.*masks\.cpp:\d+/s],
  ["why are scores divided by the root of d", "14_scores", /sum of d independent products/],
  ["how does beam search work", "13_search_and_score", /extends every hypothesis/],
  ["why do gradients vanish in an RNN", "08_recurrent", /product of as many matrices/],
  ["where is the KV cache", "26_transformer", /keys and values of a word do not depend on later words/],
  ["where is the bias correction of Adam", "06_optimisers", /bias correction/],
  ["what is label smoothing", "04_softmax_and_masks", /with a small number/],
  ["how is BLEU computed", "13_search_and_score", /Papineni et al\. 2002/],
];

export default async function ({ page, open, expect, build, top }) {
  const site = path.join(top, "build", "browser", "course"), index = path.join(site, "index.html");
  const alone = path.join(build, "bin", "heed_course"), whole = path.join(build, "bin", "heed");
  if (!existsSync(alone) && !existsSync(whole)) return "heed is not built";
  execFileSync(...(existsSync(alone) ? [alone, ["--out", site]] : [whole, ["course", "--out", site]]), { stdio: "ignore" });

  for (const [question, file, words] of questions) {
    await open(index, { width: 1000 });
    await page.fill("#search", question);
    const links = await page.locator("#found li").evaluateAll((rows) => rows.slice(0, 3).map((row) => row.querySelector("a").getAttribute("href")));
    const places = [];
    for (const href of links.filter((link) => link.startsWith(`${file}.html#`))) {
      await open(index, { width: 1000 });
      await page.fill("#search", question);
      await page.locator(`#found a[href="${href}"]`).click();
      await page.waitForURL(new RegExp(`${file}\\.html#`));
      places.push(await page.locator(":target").evaluate((node) => {
        const box = node.getBoundingClientRect();
        return box.top >= 0 && box.top < innerHeight ? node.innerText.replace(/\s+/g, " ") : `not on the screen: ${box.top}`;
      }));
    }
    expect.ok(places.some((text) => words.test(text)), `"${question}" leads to ${words}; it leads to ${links.join(", ")}: ${places.join(" / ").slice(0, 300)}`);
  }

  await open(index, { width: 1000 });
  await page.fill("#search", "padding, bidirectional encoders");
  await page.locator('#found a[href^="map.html#"]').first().click();
  await page.waitForURL(/map\.html#/);
  await page.locator("tr:target a", { hasText: "09" }).click();
  await page.waitForURL(/09_one_vector\.html/);
  expect.ok(true, "from the map to the chapter");
}

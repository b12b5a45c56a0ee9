// The page of heed look for a small decoder, and for a translator that heed has trained: what a click changes is compared with the data of the page, and with weights
// that are computed here from its scores.
import { lookPage, ownLookPage } from "./look_page.mjs";

export default async function ({ page, open, expect, slide, everySize, build, top }) {
  const file = lookPage(build, top);
  if (!file) return "heed_look is not built";
  await open(file);
  const data = await page.evaluate(() => JSON.parse(document.getElementById("heed-data").textContent).panels);
  const of = (kind) => page.locator(`section[data-kind=${kind}]`), all = data.find((one) => one.kind === "look_heads"), decoder = all.attentions[0];
  const text = (kind) => of(kind).textContent(), words = all.sides.target.words, asking = words.length - 1;

  // At first the head that changes the answer most; another one by click and by key.
  const best = decoder.heads.reduce((a, b) => (b.change > a.change ? b : a));
  expect.ok((await text("look_head")).includes(`Head ${best.name}, over all words: ${best.role}.`), "the head that matters most");
  await page.getByRole("button", { name: "Choose head 1.2" }).click();
  const head = decoder.heads.find((h) => h.name === "1.2");
  expect.ok((await text("look_head")).includes("Head 1.2, over all words:"), "chosen by a click");
  expect.ok((await text("look_trust")).includes(head.verdict), "its verdict");
  await page.getByRole("button", { name: "Choose head 0.1" }).focus();
  await page.keyboard.press("Enter");
  expect.ok((await text("look_head")).includes("Head 0.1, over all words:"), "chosen by a key");
  await page.getByRole("button", { name: "Choose head 1.2" }).click();

  // Its weights are the softmax of its scores: unpacked here, for the word that asks.
  const bytes = Buffer.from(head.detail.base64, "base64"), first = asking * (asking + 1) / 2;
  const code = (s) => bytes.readUInt16LE(2 * (first + s)), scores = words.map((_, s) => head.detail.top[asking] - 30 * (1 - (code(s) - 1) / 65534));
  const softmax = (row) => { const e = row.map((x) => Math.exp(x)), sum = e.reduce((a, b) => a + b, 0); return e.map((x) => x / sum); };
  const weights = softmax(scores);
  expect.near(await page.evaluate((t) => heed.look.weights(heed.look.a(), heed.look.h(), t), asking), weights, 1e-9, "weights from scores");
  const largest = weights.indexOf(Math.max(...weights));
  expect.ok((await text("look_head")).includes(`reads “${words[largest]}” ${weights[largest].toFixed(2)}`), "what the last word reads");
  await of("look_head").locator(".look-word").nth(3).hover();
  expect.ok((await text("look_head")).includes(`“${words[3]}” (word 3) reads`), "the word under the pointer");
  await page.mouse.move(0, 0);
  expect.ok((await text("look_head")).includes(`(word ${asking}) reads`), "and again the chosen one");
  await of("look_head").getByRole("button", { name: "matrix", exact: true }).click();
  expect.equal(await of("look_head").locator("[data-cell]").count(), words.length ** 2, "a cell for each pair");
  await of("look_head").getByRole("button", { name: "lines", exact: true }).click();
  expect.match(await of("look_head").locator(".figure svg").first().getAttribute("aria-label"), /lines between words/, "lines");
  await of("look_head").getByRole("button", { name: "text", exact: true }).click();

  // Switched off: the answer that was computed without it; a hidden word; everything on.
  await of("look_answer").getByRole("button", { name: "Switch off head 1.2" }).click();
  expect.ok((await text("look_answer")).includes(`“${head.best[0][0]}” with`), "the answer without the head");
  expect.ok((await text("look_answer")).includes("head 1.2 switched off"), "and its name");
  const hidden = all.answer.target.find((one) => one.word === 2);
  await of("look_answer").locator(".look-word").nth(2).click();
  expect.ok((await text("look_answer")).includes(`“${words[2]}” (word 2) hidden: “${hidden.best[0][0]}”`), "the answer without the word");
  await of("look_answer").getByRole("button", { name: "Everything on" }).click();
  expect.ok(!(await text("look_answer")).includes("hidden:"), "everything on");

  // Change one key: the key of another word, and a scaled score; the row sums to 1 again.
  const key = of("look_key");
  await key.getByLabel("The key of", { exact: true }).selectOption("1");
  await key.getByLabel("becomes that of", { exact: true }).selectOption("4");
  const changed = softmax(scores.map((e, s) => (s === 1 ? scores[4] : e)));
  expect.ok((await text("look_key")).includes(`the weight ${changed[1].toFixed(3)} instead of ${weights[1].toFixed(3)}`), "the key of another word");
  await slide(key.locator("input[type=range]"), 2);
  const scaled = softmax(scores.map((e, s) => (s === 1 ? 2 * scores[4] : e)));
  expect.ok((await text("look_key")).includes(`the weight ${scaled[1].toFixed(3)} instead of`), "its score times 2");

  // The words after each layer, and the cache.
  const lens = data.find((one) => one.kind === "look_lens"), cache = data.find((one) => one.kind === "look_cache");
  await slide(of("look_lens").locator("input[type=range]"), 1);
  expect.ok((await of("look_lens").locator(".figure > svg").getAttribute("aria-label")).includes(`the last layer: ${lens.layers.at(-1)[1][0][0]} `), "the answer after word 1");
  await slide(of("look_cache").locator("input[type=range]"), 2);
  expect.ok((await text("look_cache")).includes(`After 3 words, the last of them “${words[2]}”, ${cache.steps[2].bytes.toLocaleString("en")} bytes`), "three words in the cache");
  expect.equal(cache.steps[2].bytes, 3 * 2 * cache.layers * cache.groups * cache.width * 4, "keys and values of three words");
  expect.equal(cache.steps.at(-1).words, words.length, "all words");
  await page.getByRole("button", { name: "change of the answer without it" }).click();
  await everySize("look");

  // A translator of heed: three attentions, the answer without one of their heads, the layers and the cache.
  const own = ownLookPage(build, top);
  if (!own) return "heed is not built";
  await open(own);
  const pages = await page.evaluate(() => JSON.parse(document.getElementById("heed-data").textContent).panels), heads = pages.find((one) => one.kind === "look_heads");
  expect.equal(heads.attentions.map((a) => [a.name, a.layers, a.heads.length]), [["encoder", 2, 8], ["decoder", 2, 8], ["cross", 2, 8]], "layers and heads");
  expect.equal([heads.sides.source.words, heads.sides.target.words], [["a", "b", "c", "d", "e", "</s>"], ["<s>", "D", "C", "B", "A"]], "the words of its vocabularies");
  await page.getByRole("button", { name: "decoder to encoder (cross)" }).click();
  await page.getByRole("button", { name: "Choose head cross:1.3" }).click();
  const cross = heads.attentions[2].heads.find((h) => h.name === "cross:1.3");
  expect.ok((await text("look_head")).includes(`Head cross:1.3, over all words: ${cross.role}.`), "a head that reads the encoder");
  await of("look_head").getByRole("button", { name: "matrix", exact: true }).click();
  expect.equal(await of("look_head").locator("[data-cell]").count(), 5 * 6, "a cell for each target and source word");
  await of("look_answer").getByRole("button", { name: "Switch off head cross:1.3" }).click();
  expect.ok((await text("look_answer")).includes(`“${cross.best[0][0]}” with`), "the answer without it");
  const after = pages.find((one) => one.kind === "look_lens").layers;
  expect.equal([after.length, after[2][4][0][0]], [3, heads.answer.best[0][0]], "after the last layer the answer");
  const kept = pages.find((one) => one.kind === "look_cache").steps.at(-1);
  expect.equal([kept.bytes, kept.source_bytes], [5 * 2 * 2 * 16 * 4, 6 * 2 * 2 * 16 * 4], "keys and values of its words and of the source");
  await everySize("look_own");
}

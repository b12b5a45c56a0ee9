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

// What people type: one of the first three answers leads to this address, and says "not here" where it is not.
const typed = [
  ["llama", "35_inside"], ["lora", "35_inside"], ["gpt", "27_decoder"], ["GPT-2", "27_decoder"], ["chatgpt", "27_decoder"], ["bert", "25_cls"], ["BERT", "25_cls"], ["flash attention", "28_efficient"],
  ["flashattention", "28_efficient"], ["kv cache", "26_transformer"], ["kvcache", "26_transformer"], ["rope", "23_positions"], ["RoPE", "23_positions"], ["alibi", "23_positions"],
  ["mamba", "entry_G18e.html"], ["ssm", "entry_G18e.html"], ["swiglu", "24_encoder"], ["rmsnorm", "24_encoder"], ["beam search", /13_search|beam-search/], ["bleu", /13_search|#bleu/],
  ["teacher forcing", /10_fixed|teacher-forcing/], ["label smoothing", /04_softmax|label-smoothing/], ["gqa", /28_efficient|G7/], ["mqa", /28_efficient|G6/], ["mla", "entry_G8.html"],
  ["word2vec", "07_embeddings"], ["lstm", /08_recurrent|#lstm/], ["adam", "06_optimisers"], ["adamw", "06_optimisers"], ["cross attention", /26_transformer|cross-attention/],
  ["causal mask", /26_transformer|causal-mask/], ["top-p", /27_decoder|top-p/], ["nucleus sampling", "27_decoder"], ["bpe", /30_real|byte-pair/], ["sinusoidal", /23_positions|F1/],
  ["multi-head attention", /22_self|multi-head/], ["qkv", "22_self_attention"], ["q k v", "22_self_attention"], ["layernorm", "24_encoder"], ["pre-norm", /24_encoder|pre-norm/], ["gradient checkpointing", "31_scale"],
  ["mixed precision", "31_scale"], ["sparsemax", /17_sparse|sparsemax|B2/], ["pointer network", /18_copy|pointer-network/], ["retnet", "entry_G17.html"], ["longformer", /entry_C7/],
  ["vllm", "entry_G4.html"], ["attention is all you need", "26_transformer"], ["transformer", /26_transformer|#transformer/], ["backprop", "02_derivatives"], ["attention sink", "entry_B7.html"],
  ["softmax", /04_softmax|#softmax/], ["luong", "14_scores"], ["bahdanau", "12_bahdanau"], ["perceiver", "entry_E13.html"], ["museum", "museum.html"], ["playground", /playground|#more/],
];
const absent = [["moe", "26_transformer"], ["mixture of experts", "26_transformer"], ["rlhf", "16_hard"], ["dpo", "16_hard"], ["quantization", "31_scale"],
  ["vit", "16_hard"], ["clip", "25_cls"], ["diffusion", "26_transformer"], ["rag", "25_cls"], ["distillation", "04_softmax"], ["speculative decoding", "27_decoder"], ["whisper", "19_coverage"],
  ["t5", /23_positions|26_transformer|entry_F6/], ["cuda", "01_tensors"]];
// Typing errors: read as these words.
const errors = [["tranformer", "transformer", /26_transformer|#transformer/], ["atention", "attention"], ["bahdanu", "bahdanau", "12_bahdanau"], ["gtp", "gpt", "27_decoder"], ["bret", "bert", "25_cls"],
  ["flsah attention", "flash", "28_efficient"], ["kv cahce", "cache", "26_transformer"], ["sofmax", "softmax"], ["positonal encoding", "positional"], ["beam serach", "search", /13_search|beam-search/],
  ["teacher focring", "forcing", /10_fixed|teacher-forcing/], ["gradeint", "gradient"], ["perplexty", "perplexity"], ["tempreature", "temperature"], ["mamab", "mamba", "entry_G18e.html"],
  ["swigul", "swiglu", "24_encoder"], ["llmaa", "llama", "35_inside"], ["normalisaton", "normalisation"], ["embeding", "", "glossary.html#embedding"], ["alibbi", "alibi", "23_positions"]];

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
  const answers = async (words) => {
    await page.fill("#search", words);
    return page.locator("#found li").evaluateAll((rows) => rows.slice(0, 3).map((row) => [row.querySelector("a")?.getAttribute("href") || "", row.textContent]));
  };
  const leads = (href, to) => (to instanceof RegExp ? to.test(href) : href.startsWith(to));
  const missed = [];
  for (const [words, to] of typed) {
    const found = await answers(words);
    if (!found.some(([href, text]) => leads(href, to) && !/not here; the nearest/.test(text))) missed.push(`${words}: ${found.map(([href]) => href).join(", ")}`);
  }
  for (const [words, to] of absent) {
    const found = await answers(words), hit = found.find(([href, text]) => leads(href, to) && /not here; the nearest: /.test(text));
    if (words !== "t5" && !hit) missed.push(`${words}: ${found.map(([href]) => href).join(", ")}`);
  }
  for (const [words, read, to] of errors) {
    const found = await answers(words), said = await page.evaluate(() => document.getElementById("read")?.textContent || "");
    if (!said.includes(read) || !found.length || (to && !found.some(([href]) => leads(href, to)))) missed.push(`${words}: ${said}; ${found.map(([href]) => href).join(", ")}`);
  }
  expect.equal(missed, [], "what people type");
  await page.fill("#search", "zzzzqqq");
  expect.match(await page.locator("#read").textContent(), /^Not here\. All that is: the glossary/, "nothing like it");
  expect.equal(await page.evaluate(() => ["kitten sitting 3", "gpt gtp 1", "a a 0", "abcd acbd 1", "abc xyz 3"].map((line) => {
    const [a, b] = line.split(" ");
    return heed.searchEdits(a, b, 3, false);
  })), [3, 1, 0, 1, 3], "edits");
  // Each letter left out, doubled or exchanged: the word is still read.
  const unread = await page.evaluate(() => {
    const entries = JSON.parse(document.getElementById("heed-search").textContent), index = heed.searchIndex(entries), wrong = [];
    for (const word of ["transformer", "attention", "perplexity", "alignment", "embedding", "bahdanau", "recurrent", "normaliser"])
      for (let i = 1; i < word.length - 1; ++i)
        for (const slip of [word.slice(0, i) + word.slice(i + 1), word.slice(0, i) + word[i] + word.slice(i), word.slice(0, i) + word[i + 1] + word[i] + word.slice(i + 2), word.slice(0, i) + "z" + word.slice(i + 1)])
          if (!heed.searchMeant(slip, index).some((read) => read.startsWith(word.slice(0, 6)) || word.startsWith(read))) wrong.push(`${slip} for ${word}: ${heed.searchMeant(slip, index)}`);
    return wrong;
  });
  expect.equal(unread, [], "typing errors");

  // The museum and the playground from the index.
  await open(index, { width: 1000 });
  expect.ok(await page.getByText("Playground", { exact: false }).count(), "the playground is named");
  await page.locator('a[href="museum.html"]').click();
  await page.waitForURL(/museum\.html/);
  expect.ok((await page.locator("section[data-kind=exhibit]").count()) >= 12, "the museum's exhibits");
  await page.locator('a[href="index.html"]').click();
  await page.waitForURL(/index\.html/);
  await page.fill("#search", "museum of bugs");
  const exhibit = await page.evaluate(() => JSON.parse(document.getElementById("heed-search").textContent).find((row) => row[2].startsWith("museum.html#panel-")));
  await page.fill("#search", exhibit[0]);
  await page.locator(`#found a[href="${exhibit[2]}"]`).click();
  await page.waitForURL(/museum\.html#panel-/);
  await page.waitForFunction((title) => document.querySelector(":target h2") && document.querySelector(":target h2").textContent === title, exhibit[0]);

  await open(index, { width: 1000 });
  await page.fill("#search", "padding, bidirectional encoders");
  await page.locator('#found a[href^="map.html#"]').first().click();
  await page.waitForURL(/map\.html#/);
  await page.locator("tr:target a", { hasText: "09" }).click();
  await page.waitForURL(/09_one_vector\.html/);
  expect.ok(true, "from the map to the chapter");
}

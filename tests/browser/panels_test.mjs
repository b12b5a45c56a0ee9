// The panels of trained attention, used as a reader does, on the sample page that test_tutorials writes: what a click
// or a key changes is compared with the data of the page.
import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import path from "node:path";

export default async function ({ page, open, expect, slide, everySize, build, top }) {
  const program = path.join(build, "bin", "test_tutorials"), file = path.join(top, "build", "browser", "sample.html");
  if (!existsSync(program)) return "test_tutorials is not built";
  execFileSync(program, ["--no-intro", "--test-case=the same run gives the same bytes"], { env: { ...process.env, HEED_SAMPLE_REPORT: file }, stdio: "ignore" });
  await open(file);
  const data = await page.evaluate(() => JSON.parse(document.getElementById("heed-data").textContent).panels);
  const of = (kind, n = 0) => ({ panel: data.filter((one) => one.kind === kind)[n], root: page.locator(`section[data-kind=${kind}]`).nth(n) });
  const label = (root) => root.locator(".figure > svg").first().getAttribute("aria-label");
  const press = (root, name) => root.getByRole("button", { name, exact: true }).click();

  // A matrix whose rows, or else columns, sum to 1 prints numbers that do; one with signs says what its colours mean.
  const printed = (values, low) => page.evaluate(([numbers, from]) => [...heed.matrix({ rows: ["a", "b", "c"], columns: ["d", "e", "f"], values: numbers, low: from, high: 1,
    theme: heed.theme(), room: 600, numbers: true, label: "m" }).querySelectorAll("text")].map((node) => node.textContent), [values, low]);
  const thirds = (await printed(Array(9).fill(1 / 3), 0)).filter((text) => /^\.\d\d$/.test(text)).map(Number);
  for (const i of [0, 1, 2]) expect.near(thirds[3 * i] + thirds[3 * i + 1] + thirds[3 * i + 2], 1, 1e-9, `row ${i}`);
  const columns = (await printed([0.205, 0.205, 0.205, 0.205, 0.205, 0.205, 0.59, 0.59, 0.59], 0)).filter((text) => /^\.\d\d$/.test(text)).map(Number);
  for (const j of [0, 1, 2]) expect.near(columns[j] + columns[3 + j] + columns[6 + j], 1, 1e-9, `column ${j}`);
  expect.ok((await printed([0.5, -0.5, 0, 0, 0, 0, 0, 0, 0], -1)).includes("orange: above 0, blue: below"), "the legend of signs");
  expect.ok(!(await printed(Array(9).fill(1 / 3), 0)).includes("orange: above 0, blue: below"), "only of signs");

  // The stepper: buttons, keys and slider agree; the stages of a word appear one after the other.
  const { panel: steps, root: stepper } = of("stepper");
  const written = (t) => steps.models[1].steps[t].word;
  expect.ok((await label(stepper)).includes(`attention writes “${written(0)}”`), "the first word");
  await press(stepper, "Next word");
  expect.ok((await label(stepper)).includes(`attention writes “${written(1)}”`), "the second word");
  await stepper.locator(".figure > svg").focus();
  await page.keyboard.press("ArrowRight");
  expect.ok((await label(stepper)).includes(`attention writes “${written(2)}”`), "the third word, by key");
  await slide(stepper.locator("input[type=range]"), 0);
  expect.ok((await label(stepper)).includes("word 1 of 4"), "back by the slider");
  await press(stepper, "One stage at a time");
  expect.ok(!(await stepper.locator(".figure").textContent()).includes("softmax"), "no weights at the first stage");
  expect.ok(!(await stepper.locator(".figure").textContent()).includes(written(0)), "nor the word");
  for (let stage = 2; stage <= 6; ++stage) await press(stepper, "Next word");
  expect.ok((await stepper.locator(".figure").textContent()).includes("softmax"), "all at the sixth");

  // A question hides the names until it is answered.
  const { panel: asked, root: question } = of("stepper", 1);
  expect.ok(!(await question.locator(".figure").textContent()).includes("fake"), "the names are hidden");
  await press(question, "decoder B");
  expect.match(await question.locator("[role=status]").textContent(), /^No\. Change one key/, "B is the fake");
  expect.ok((await question.locator(".figure").textContent()).includes(asked.models[1].name), "now the names are shown");

  // The bars of scores have one scale for all models and steps, and a small probability only the digits that it has.
  const [bars, scored] = await page.evaluate((panel) => {  // two models, the scores of the second 0.4 times those of the first
    const holder = document.querySelector("main").appendChild(heed.el("div", {})), times = [1, 0.4];
    const models = times.map((by) => ({ ...panel.models[0], steps: panel.models[0].steps.map((one) => ({ ...one,
      heads: one.heads.map((head) => ({ ...head, scores: head.scores.map((v) => (v === null ? null : by * v)) })) })) }));
    heed.mount({ ...panel, models, question: undefined }, 900, holder);
    const drawn = [...holder.querySelectorAll(".figure rect[height='11']")].map((bar) => Number(bar.getAttribute("width")));
    holder.remove();
    return [drawn, models.flatMap((model) => model.steps[0].heads[0].scores.filter((v) => v !== null).map(Math.abs))];
  }, asked);
  const most = scored.indexOf(Math.max(...scored)), scale = bars[most] / scored[most];
  expect.equal(bars.length, scored.length, "a bar for each score");
  scored.forEach((score, i) => expect.near(bars[i], Math.max(0.6, score * scale), 0.1, "the bar of a score, on one scale"));
  const small = await page.evaluate((model) => heed.stepperColumn({ model: { ...model, steps: [{ ...model.steps[0], best: [["les", 5.5914e-5], ["la", 0.25]] }] }, step: 0, stage: 6, head: 0, name: ["m"], theme: heed.theme(), w: 500, reach: 1 }).picture.textContent, asked.models[0]);
  expect.ok(small.includes("5.6e-5") && small.includes("0.250"), "5.5914e-05 is 5.6e-5");

  // Lines: the chosen word has its row alone; a head that is switched off has no lines.
  const { panel: arcs, root: lines } = of("arcs");
  const paths = () => lines.locator(".figure > svg > svg > g > path").count();
  const row = arcs.sentences[0].attentions[0];
  expect.ok((await label(lines)).endsWith(`chosen: ${row.queries[row.focus]}`), "the focus is chosen at first");
  const before = await paths();
  await press(lines, "head 1");
  expect.ok(await paths() < before, "fewer lines without a head");
  await press(lines, "head 1");
  await lines.locator(`[data-query="${row.focus}"]`).click();
  await page.mouse.move(0, 0);  // while the pointer is on a word, its row stays alone
  expect.ok(await paths() > before, "more lines of all words");
  await press(lines, "matrix");
  expect.equal(await lines.locator("[data-cell]").count(), row.queries.length * row.keys.length, "a cell for each pair");
  await lines.getByRole("button", { name: "Open layer 1, head 3" }).click();
  expect.ok((await label(lines)).includes("layer 1, head 3"), "the grid opens a head");
  await press(lines, "cross-attention");
  expect.equal(await lines.locator("[data-cell]").count(), 9 * 12, "queries of the target, keys of the source");

  // Ablation: the probabilities are those of the data, for one head, for two, and for a layer.
  const { panel: ablation, root: heads } = of("ablation");
  const said = async (p, what) => expect.ok((await label(heads)).includes(`il ${p[0]}, elle ${p[1]}`), what);
  const one = ablation.cases[0], button = (h) => heads.getByTitle(`Switch off encoder self-attention, layer ${h < 2 ? 1 : 2}, head ${1 + h % 2}`).click();
  await button(1);
  await said(one.heads[1], "without the second head");
  await button(3);
  await said(one.pairs[4], "without the second and the fourth");  // (0,1) (0,2) (0,3) (1,2) (1,3)
  await heads.getByTitle("Switch off all heads of encoder self-attention, layer 1").click();
  await said(one.layers[0], "without a layer");
  await press(heads, "wide");
  await said(ablation.cases[1].layers[0], "the same for the other sentence");
  await press(heads, "All heads on");
  await said(ablation.cases[1].all, "every head");

  // Variants: the slider moves all of them; the difference is theirs.
  const { root: variants } = of("variants");
  await slide(variants.locator("input[type=range]"), 0);
  expect.match(await label(variants), /epoch 1; on average .* of a row/, "the first snapshot");
  await variants.locator("select").selectOption("2");
  expect.ok((await variants.locator(".figure").textContent()).includes("fake − <b>hard</b>"), "another difference");

  // The model: counts add up, and a folded part opens.
  const { panel: model, root: tree } = of("model");
  const total = model.parameters.reduce((sum, line) => sum + line[2], 0);
  expect.ok((await tree.locator(".tree").textContent()).includes(total.toLocaleString("en")), "the sum of the parameters");
  await tree.locator(".tree summary").nth(1).click();
  expect.ok(await tree.getByText("weight_ih_l0").isVisible(), "a part unfolds");
  await everySize("panels");
}

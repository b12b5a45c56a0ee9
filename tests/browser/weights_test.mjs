// Weights as the pages print them: a row that sums to 1 is printed as numbers that sum to 1, in the matrices, in the plays
// and in what the plays write out; and an answer that is printed is what the printed weights give.
export default async function ({ page, play, expect }) {
  const sum = (texts) => texts.reduce((all, text) => all + Number(text), 0);
  const { root, state } = await play("soft_lookup");

  const worst = await page.evaluate(() => {
    let state = 7, wrong = 0;
    const random = () => { state = (Math.imul(state, 1664525) + 1013904223) >>> 0; return (state + 0.5) / 2 ** 32; };
    for (let k = 0; k < 3000; ++k) {
      const row = [...Array(1 + k % 9)].map(() => random() ** (1 + k % 4)), total = row.reduce((a, b) => a + b, 0), digits = k % 4;
      const weights = row.map((x) => x / total), printed = heed.rounded(weights, digits).map(Number);
      if (Math.abs(printed.reduce((a, b) => a + b, 0) - 1) > 1e-9) ++wrong;
      if (printed.some((x, i) => Math.abs(x - weights[i]) >= 10 ** -digits)) ++wrong;
    }
    return wrong;
  });
  expect.equal(worst, 0, "rows that do not sum to 1, or numbers that moved by a unit");
  expect.equal(await page.evaluate(() => [heed.rounded([0.25, 0.256], 2), heed.rounded([-0.126, 0.5], 2), heed.rounded([NaN, 1], 1)]),
    [["0.25", "0.26"], ["-0.13", "0.50"], ["NaN", "1.0"]], "what is no row of weights is rounded as it is");

  // The answer written out, at many questions.
  const point = page.getByRole("slider", { name: "fruit" });
  await point.focus();
  for (let k = 0; k < 40; ++k) {
    await page.keyboard.press(["ArrowDown", "ArrowLeft", "Shift+ArrowUp", "ArrowDown"][k % 4]);
    const text = (await root.textContent()).match(/answer ([\d.]+) = ([\d.]+) × 10 \+ ([\d.]+) × 5 \+ ([\d.]+) × 2/);
    const weights = text.slice(2).map(Number), { answer } = await state();
    expect.near(sum(weights), 1, 1e-9, `the weights written out: ${text[0]}`);
    expect.equal((weights[0] * 10 + weights[1] * 5 + weights[2] * 2).toFixed(2), text[1], `they give the answer: ${text[0]}`);
    expect.near(Number(text[1]), answer, 0.0051, "which is the answer");
  }

  // Every row of the masks' two sentences, whatever is masked.
  await play("masks");
  for (const button of ["", "cross", "self"]) {
    const choice = page.getByRole("button", { name: button, exact: true });
    if (button && await choice.count()) await choice.first().click();
    const labels = await page.locator(".play-row").evaluateAll((rows) => rows.map((row) => row.getAttribute("aria-label")));
    expect.ok(labels.length > 5, "rows");
    for (const label of labels) {
      const printed = label.match(/(?<= )(\.\d\d|1\.0)(?=,|$)/g) || [], total = sum(printed);
      expect.ok(Math.abs(total - 1) < 1e-9 || total === 0 || /NaN/.test(label), `${label}: sum ${total}`);
    }
  }
}

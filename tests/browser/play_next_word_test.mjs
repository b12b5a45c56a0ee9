// The next word of lesson 27's grammar: the true distribution by hand, temperature, top-k and top-p, and words that are drawn.
export default async function ({ page, play, expect, everySize, slide }) {
  const { root, state } = await play("next_word");
  const first = await state(), of = (now, word) => now.q[now.words.indexOf(word)], third = 1 + 1 / 2 + 1 / 3, fifth = third + 1 / 4 + 1 / 5;
  expect.near(["that", "near", "beside", "sleeps", "sings", "sees", "wants", "finds"].map((word) => of(first, word)),
    [0.25, 0.15 / third, 0.05 / third, 0.25 / fifth, 0.05 / fifth, 0.25 / fifth, 0.1 / 1.5, 0.05 / 1.5], 1e-12, "grammar.h, OfOne");
  expect.near([first.q.length, first.q.reduce((a, b) => a + b)], [16, 1], 1e-12, "16 words");
  const heat = page.getByRole("slider", { name: "temperature" }), k = page.getByRole("slider", { name: "top-k" }), p = page.getByRole("slider", { name: "top-p" });
  await heat.focus();
  await page.keyboard.press("ArrowLeft");
  expect.near((await state()).temperature, 2 ** -0.25, 1e-12, "one arrow: a quarter of a power of two");
  await slide(heat, -1);
  const cold = await state(), squares = first.p.map((x) => x * x), sum = squares.reduce((a, b) => a + b);
  expect.near(cold.q, squares.map((x) => x / sum), 1e-12, "temperature 1/2: squares");
  await slide(heat, -3);
  expect.equal((await state()).goals, [false, true, false, false], "cold: nearly always that");
  await slide(heat, 3);
  expect.equal((await state()).goals, [false, true, true, false], "hot: no rare word");
  await slide(heat, 0);
  await slide(k, 3);
  const three = await state(), best = first.p.slice(0, 3), total = best.reduce((a, b) => a + b);
  expect.near(three.q, [...best.map((x) => x / total), ...Array(13).fill(0)], 1e-12, "top-k 3");
  expect.equal([three.kept, three.goals[0]], [3, true], "three words");
  expect.near(three.entropy, -best.reduce((h, x) => h + x / total * Math.log(x / total), 0), 1e-12, "their entropy");
  await root.getByRole("button", { name: "Draw 100" }).press("Enter");
  await root.getByRole("button", { name: "Draw a word" }).click();
  const drawn = await state();
  expect.equal([drawn.counts.reduce((a, b) => a + b), drawn.counts.slice(3)], [101, Array(13).fill(0)], "101 words, none of those cut off");
  expect.near(drawn.counts[0] / 101, best[0] / total, 0.16, "about as often as its probability");
  expect.match(await root.textContent(), new RegExp(`the dog ${drawn.drawn} …`), "the last one is read");
  await slide(k, 16);
  await slide(p, 0.5);
  const half = await state();
  let reached = 0, count = 0;
  while (reached < 0.5) reached += first.p[count++];
  expect.equal([half.kept, half.counts[0]], [count, 0], "top-p 0.5: as many as it takes; draws are forgotten");
  await slide(heat, 3);
  const more = await state();
  expect.ok(more.kept >= 2 * count, "hot: the same top-p keeps more");
  expect.equal(more.goals, [true, true, true, true], "all goals");
  await slide(k, 4);
  await slide(p, 0.05);
  expect.equal((await state()).kept, 1, "at least one word is left");
  await slide(p, 0.8);
  await slide(heat, 0);
  await slide(k, 12);
  await root.getByRole("button", { name: "Draw 100" }).click();
  await everySize("next_word");
}

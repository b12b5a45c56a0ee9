// The masks: the tables of lesson 04 (./heed run 04, section 5, seed 1), then each mask alone, by hand.
export default async function ({ page, play, expect, everySize, slide }) {
  const { root, state } = await play("masks");
  const press = async (name) => { await root.getByRole("button", { name, exact: true }).click(); return state(); };
  const first = await state(), rounded = (rows) => rows.map((row) => row.map((w) => Math.round(w * 1e4) / 1e4));
  expect.equal(first.words[0], ["pad", "pad", "I", "love", "reading", "books"], "the lesson's entries");
  const table = [[0, 0, 1, 0, 0, 0], [0, 0, 0.4838, 0.5162, 0, 0], [0, 0, 0.5061, 0.2986, 0.1953, 0], [0, 0, 0.2927, 0.0649, 0.0155, 0.6269]];
  expect.equal(rounded(first.weights[0]), [[0, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 0], ...table], "padding and order, -inf: as the lesson's engine");
  expect.equal(first.leaks.flat(), Array(12).fill(0), "nothing leaks");
  const added = await press("−1e9 added");
  expect.near(added.weights[0].slice(0, 2), [[0.2, 0, 0.2, 0.2, 0.2, 0.2], Array(6).fill(1 / 6)], 1e-9, "-1e9 added: the two rows that may look at nothing");
  expect.equal(rounded(added.weights[0].slice(2)), table, "and the others are the same");
  expect.near(added.leaks[0].slice(0, 2), [1, 1], 1e-9, "all of their weight leaks");
  expect.equal(await root.locator("svg text", { hasText: ".17" }).count() >= 6, true, "six times .17, as the lesson prints");
  const hand = await press("−∞, textbook softmax");
  expect.equal(hand.weights[0][0], Array(6).fill(null), "by hand: NaN");  // JSON has no NaN
  await press("−∞");

  // Encoder: padding alone. Row 6 by hand.
  const encoder = await press("encoder"), row = [-1.69783127, 0.215344727, -0.0107014719, -1.51787007, -2.94829226, 0.750776589].map(Math.exp);
  expect.equal([encoder.padding, encoder.causal], [true, false], "the encoder's mask");
  const left = row.slice(2).reduce((a, b) => a + b);
  expect.near(encoder.weights[0][5], [0, 0, ...row.slice(2).map((x) => x / left)], 1e-9, "softmax of the four words");
  const all = row.reduce((a, b) => a + b);
  expect.near(encoder.without, row.map((x) => x / all), 1e-9, "and without a mask");
  expect.ok(encoder.weights[1].flat().every((w) => w > 0), "the longer sentence has no padding");
  const cross = await press("cross");
  expect.equal([cross.padding, cross.causal], [true, false], "cross attention: the source's padding");
  expect.match(await root.textContent(), /lire/, "the rows are the target's words");

  // Padding on the right: no row of a decoder is left without a word.
  await press("decoder");
  await press("on the right");
  const right = await press("−1e9 added");
  expect.equal(right.words[0], ["I", "love", "reading", "books", "pad", "pad"], "padding on the right");
  expect.equal(right.leaks.flat(), Array(12).fill(0), "then nothing leaks");
  await slide(root.getByRole("slider", { name: "words of sentence 2" }), 0);
  const empty = await state();
  expect.near(empty.leaks[1], Array(6).fill(1), 1e-9, "an empty sentence leaks everything");
  expect.near(empty.weights[1][0], [1, 0, 0, 0, 0, 0], 1e-9, "forbidden once beats forbidden twice");
  await press("padding mask");
  expect.ok(!(await state()).padding, "the padding mask off");
  expect.equal((await state()).leaks.flat(), Array(12).fill(0), "the causal mask alone leaves each row its own word");

  // Rows with the keyboard.
  await root.getByRole("button", { name: /^sentence 1, row 1,/ }).focus();
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowRight");
  expect.equal((await state()).row, { b: 1, t: 1 }, "arrows go from row to row and across");
  await root.getByRole("button", { name: /^sentence 1, row 3,/ }).click();
  expect.equal((await state()).row, { b: 0, t: 2 }, "a click chooses a row");
  await press("on the left");
  await press("padding mask");
  await slide(root.getByRole("slider", { name: "words of sentence 2" }), 6);
  await root.getByRole("button", { name: /^sentence 1, row 1,/ }).click();
  await everySize("masks");
}

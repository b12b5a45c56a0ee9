// Each scheme of lesson 23 against its formula, and what a moved sentence changes.
export default async function ({ page, play, expect, everySize, slide }) {
  const { root, state } = await play("positions");
  const pick = async (name) => { await root.getByRole("button", { name, exact: true }).click(); return state(); };
  const move = page.getByRole("slider", { name: "the sentence begins at place" });
  const dot = (a, b) => a.reduce((sum, x, i) => sum + x * b[i], 0), add = (a, b) => a.map((x, i) => x + b[i]);
  const start = await state(), c = start.c, same = dot(c, c) / 4;  // sqrt(16)
  const clocks = (t) => [...Array(8).keys()].flatMap((i) => [Math.sin(t / 10000 ** (2 * i / 16)), Math.cos(t / 10000 ** (2 * i / 16))]);
  expect.equal(start.scheme, "sinusoidal", "the first scheme");
  expect.near(start.scores[2][5], dot(add(c, clocks(2)), add(c, clocks(5))) / 4, 1e-12, "sinusoidal, 2 looks at 5");
  await slide(move, 30);
  const far = await state();
  expect.near(far.scores[2][5], dot(add(c, clocks(32)), add(c, clocks(35))) / 4, 1e-12, "the same pair, 30 places later");
  expect.ok(!far.relative && far.change > 0.1, "sinusoidal positions are absolute once there are words");
  expect.match(far.verdict, /Moved by 30: scores changed by up to \d\.\d\d\. This scheme is absolute\./, "and the page says so");

  const learned = await pick("learned");
  expect.equal(learned.scores[19][0], null, "place 49 has no row in a table of 48");
  expect.equal(learned.missing, 400 - 18 * 18, "all pairs with place 48 or 49");
  await slide(move, 10);
  expect.near((await state()).scores[3][4], dot(add(c, learned.learned[13]), add(c, learned.learned[14])) / 4, 1e-12, "learned, 13 looks at 14");

  const relative = async (name) => { const now = await pick(name); expect.ok(now.relative && now.shift === 10, `${name} is relative`); return now; };
  expect.near((await relative("none")).scores.flat(), Array(400).fill(same), 1e-12, "none: all the same");
  const shaw = await relative("Shaw");
  expect.near(shaw.scores[10][7], dot(c, add(c, shaw.shaw[8 - 3])) / 4, 1e-12, "Shaw, three before");
  expect.equal(shaw.scores[10][19], shaw.scores[10][14], "Shaw: beyond the reach of 4 all is one");
  await slide(page.getByRole("slider", { name: "reach R" }), 8);
  expect.near((await state()).scores[10][18], dot(c, add(c, shaw.shaw[16])) / 4, 1e-12, "reach 8");
  const t5 = await relative("T5 buckets"), bias = (now, d) => now.scores[d < 0 ? 19 : 0][d < 0 ? 19 + d : d] - same;
  // Buckets by hand, furthest 32: 8 + floor(log(d / 8) / log(4) * 8): 9 is 8, 10 is 9, 12 is 10, 16 is 12.
  for (const [d, wanted] of [[0, 0], [-1, 1], [-7, 7], [-8, 8], [-9, 8], [-10, 9], [-12, 10], [-16, 12], [1, 17], [8, 24], [16, 28]])
    expect.near(bias(t5, d), t5.t5[wanted], 1e-12, `distance ${d} is in bucket ${wanted}`);
  await slide(page.getByRole("slider", { name: "furthest bucket" }), 7);
  expect.near(bias(await state(), -16), t5.t5[10], 1e-12, "furthest 128: 16 is in bucket 10, as in the paper's code");
  const alibi = await relative("ALiBi");
  expect.near(alibi.scores[4][9], same - 5 / 8, 1e-12, "ALiBi, head 3 of 8: slope 1/8");
  await page.getByRole("slider", { name: "head of 8" }).focus();
  await page.keyboard.press("ArrowLeft");
  expect.near((await state()).scores[9][4], same - 5 / 4, 1e-12, "head 2: slope 1/4");
  const rope = await relative("RoPE"), angle = (i) => 3 * 10000 ** (-2 * i / 16);
  const turned = [...Array(8).keys()].reduce((sum, i) => sum + (c[2 * i] ** 2 + c[2 * i + 1] ** 2) * Math.cos(angle(i)), 0) / 4;
  expect.near([rope.scores[2][5], rope.scores[5][2]], [turned, turned], 1e-12, "RoPE, distance 3: the cosines of the angles");
  await slide(page.getByRole("slider", { name: "base" }), 2);
  expect.ok((await state()).relative && Math.abs((await state()).scores[2][5] - turned) > 1e-3, "another base, other angles, still relative");
  await slide(page.getByRole("slider", { name: "base" }), 4);
  await root.locator("rect[data-row='4']").first().click();
  expect.equal((await state()).query, 4, "a click on a row chooses it");
  await page.getByRole("slider", { name: "word that looks" }).press("ArrowRight");
  expect.equal((await state()).query, 5, "and so does the slider");
  await everySize("positions_rope");
  await pick("sinusoidal");
  await everySize("positions");
}

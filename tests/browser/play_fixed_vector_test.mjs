// One vector for a sentence: its sum and what is read from it computed again, wide and narrow, long and short.
export default async function ({ page, play, expect, everySize, slide }) {
  const { root, state } = await play("fixed_vector");
  const wide = page.getByRole("slider", { name: "numbers in the vector" }), words = page.getByRole("slider", { name: "words", exact: true });
  const kept = page.getByRole("slider", { name: "kept at each word" });
  const check = async (what) => {  // from the codes alone
    const now = await state(), { said, keep, width, length } = now;
    const codes = now.codes.map((row) => row.map((code) => [...code].map((sign) => Number(`${sign}1`))));
    expect.equal([said.length, codes.length, codes[0].length, codes[0][0].length], [length, length, 8, width], `${what}: sizes`);
    const c = Array.from({ length: width }, (_, k) => said.reduce((sum, word, t) => sum + keep ** (length - 1 - t) * codes[t][word][k], 0));
    expect.near(now.c, c, 1e-9, `${what}: the vector is the sum of the codes`);
    const read = codes.map((row) => row.map((code) => code.reduce((sum, x, k) => sum + x * c[k], 0))).map((row) => row.indexOf(Math.max(...row)));
    expect.equal(now.read, read, `${what}: what is read`);
    expect.equal(now.right, read.filter((word, t) => word === said[t]).length, `${what}: the right ones`);
    expect.near(now.scores[0][0], codes[0][0].reduce((sum, x, k) => sum + x * c[k], 0) / width, 1e-9, `${what}: a score`);
    return now;
  };
  const first = await check("at the start");
  expect.equal([first.width, first.length, first.keep], [32, 8, 1], "8 words in 32 numbers");
  await slide(words, 24);
  const long = await check("24 words");
  expect.ok(long.right < first.right + 8 && long.right < 16, "32 numbers do not hold 24 words");
  for (let i = 0; i < 20 && !(await state()).goals[0]; ++i) await root.getByRole("button", { name: "Another sentence" }).press("Enter");
  const lost = await state();
  expect.ok(lost.goals[0] && lost.right < 12 && lost.width === 32, "a sentence of which less than half comes out");
  await wide.focus();
  for (let i = 0; i < 4; ++i) await page.keyboard.press("ArrowRight");
  const all = await check("512 numbers");
  expect.equal([all.width, all.right, all.goals[1]], [512, 24, true], "512 numbers hold all of them");
  await slide(kept, 0.7);
  const fading = await check("a vector that forgets");
  expect.near([fading.strength, fading.noise], [0.7 ** 23, Math.sqrt([...Array(23).keys()].reduce((sum, k) => sum + 0.49 ** k, 0) / 512)], 1e-9,
    "signal and noise of word 1");
  for (let i = 0; i < 20 && !(await state()).goals[2]; ++i) await root.getByRole("button", { name: "Another sentence" }).click();
  const last = await state();
  expect.equal(last.goals, [true, true, true], "the first word is lost, the last four are there");
  expect.match(await root.textContent(), /The word drowns in the noise/, "which is said");
  await root.getByRole("button", { name: /^word 24:/ }).press("Enter");
  expect.equal((await state()).asked, 23, "another place is read");
  await slide(words, 5);
  expect.equal((await state()).asked, 4, "a shorter sentence has no place 24");
  await slide(words, 14);
  await slide(wide, 5);
  await slide(kept, 0.95);
  await everySize("fixed_vector");
}

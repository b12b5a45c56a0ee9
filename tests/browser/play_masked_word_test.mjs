// A masked word guessed by counts: each kind of neighbour counted again here, the words the goals ask for, and no guess at all.
export default async function ({ page, play, expect, everySize, slide }) {
  const { root, state } = await play("masked_word");
  const see = async (name) => { await root.getByRole("button", { name, exact: true }).click(); return state(); };
  const mask = async (sentence, word) => {
    await slide(page.getByRole("slider", { name: "sentence" }), sentence);
    const button = root.getByRole("button", { name: new RegExp(`^mask .*, word ${word}$`) });
    if (await button.count()) await button.press("Enter");
    return state();
  };
  const check = (now) => {  // by strings: " L x R " in the other sentences, whose edges are "|"
    const words = now.sentences[now.chosen], around = ["|", ...words, "|"], left = around[now.place], right = around[now.place + 2], counts = {};
    now.sentences.forEach((other, s) => { if (s !== now.chosen) for (const [, l, word,
      r] of other.map((word, i) => [0, i ? other[i - 1] : "|", word, other[i + 1] || "|"])) {
      if (["none", "right"].includes(now.kind) || l === left) if (["none", "left"].includes(now.kind) || r === right) counts[word] = (counts[word] || 0) + 1;
    } });
    expect.equal(now.list.map((one) => [one.word, one.count]).sort(), Object.entries(counts).sort(), `${now.truth}, seen: ${now.kind}`);
    expect.near(now.list.reduce((sum, one) => sum + one.p, 0), now.total ? 1 : 0, 1e-12, "probabilities sum to 1");
  };
  const first = await state();
  expect.equal([first.truth, first.kind], ["sings", "left"], "the bird [MASK] a song");
  check(first);
  const all = await see("nothing");
  check(all);
  expect.equal([all.total, all.list[0].word], [55, "the"], "55 words in the other sentences, most of them “the”");
  check(await see("the word after"));
  const none = await see("both");
  expect.equal([none.total, none.goals], [0, [false, false, true]], "bird [MASK] a: never seen");
  expect.match(await root.textContent(), /Never seen: counting has no guess.*It was “sings”\. No guess/s, "which is said");
  const dog = await mask(2, 2);
  check(dog);
  expect.equal([dog.truth, dog.list, dog.goals], ["dog", [{ word: "dog", count: 1, p: 1 }], [false, true, true]], "the [MASK] eats: both neighbours are needed");
  const after = await see("the word after");
  expect.equal([after.list[0].word, after.knows], ["bird", false], "eats alone: bird");
  const before = await see("the word before");
  expect.equal([before.list[0].word, before.knows], ["cat", false], "the alone: cat");
  const sees = await mask(1, 3);
  check(sees);
  expect.equal([sees.truth, sees.knows, sees.goals], ["sees", true, [true, true, true]], "the cat [MASK]");
  expect.match(await root.textContent(), /It was “sees”\. Guessed\./, "in words");
  await root.getByRole("button", { name: "mask mouse, word 5" }).press("Enter");
  expect.ok(await root.getByRole("button", { name: "word 5 is masked" }).evaluate((node) => node === document.activeElement), "the focus stays on the word");
  check(await see("both"));
  await everySize("masked_word");
}

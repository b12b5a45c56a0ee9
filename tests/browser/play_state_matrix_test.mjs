// A state matrix written by five rules: the story by hand, words of one's own, the gate, the reflection, and keys that overlap.
export default async function ({ page, play, expect, everySize, slide }) {
  const { root, state } = await play("state_matrix");
  const press = async (name) => { await root.getByRole("button", { name, exact: true }).click(); return state(); };
  expect.near((await state()).states.flat(2), Array(30).fill(0), 0, "before the first word, all states are empty");
  await root.getByRole("button", { name: "Next word" }).press("Enter");
  await press("Next word");
  const three = await press("Next word");
  expect.near(three.states[0], [[1, 0], [0, 1], [1, 0]], 1e-12, "three keys at right angles: three rows");
  expect.near(three.states[1], [[0.64, 0], [0, 0.8], [1, 0]], 1e-12, "the decay g = 0.8 has shrunk the older two");
  const four = await press("Next word");
  expect.near(four.answers.map((one) => one[0]), [[1, 1], [0.512, 1], [1, 1], [0, 1], [-2, 2]], 1e-12,
    "Ann is written twice: sum, decay and gate return both; the delta rule the new one; the reflection overshoots");
  expect.near(four.answers[3][1], [0, 1], 1e-12, "the delta rule has left Bob alone");
  expect.ok(await root.getByRole("button", { name: "Next word" }).isDisabled(), "the story is told");
  expect.match(await root.textContent(), /delta rule: the key returned \(1\.00, 0\.00\), so \(−1\.00, 1\.00\) is added under it/, "what is missing, in words");

  await press("Write this word");
  const flipped = await press("Write this word");  // Ann: nothing, twice
  expect.near(flipped.answers[4][0], four.answers[4][0], 1e-12, "two reflections are none");
  expect.near(flipped.answers[3][0], [0, 0], 1e-12, "the delta rule with b = 1 and no value removes");
  expect.equal(flipped.goals[2], true, "and that goal is reached");
  await press("Rome");
  await press("Close the gate");
  const closed = await press("Write this word");
  expect.near(closed.answers[2], [[1, 0], [0, 0], [0, 0]], 1e-12, "a closed gate forgets everything but this word");
  expect.equal(closed.goals[1], true, "a goal, too");
  await press("Close the gate");

  await press("Start again");
  await slide(page.getByRole("slider", { name: "b of the delta rule" }), 0.5);
  await slide(page.getByRole("slider", { name: "decay g" }), 1);
  for (let i = 0; i < 4; ++i) await press("Next word");
  const half = await state();
  expect.near(half.answers[3][0], [0.25, 0.5], 1e-12, "b = 1/2: half of what is missing, each time");
  expect.near(half.states[1], half.states[0], 1e-12, "a decay of 1 is the sum");
  await slide(page.getByRole("slider", { name: "b of the delta rule" }), 1);
  await slide(page.getByRole("slider", { name: "overlap Ann, Bob" }), 0.6);
  const near = await state();
  expect.near(near.answers[3].slice(0, 2), [[0, 1], [-0.384, 1.24]], 1e-12, "Ann's key overlaps Bob's by 0.6: his answer is wrong");
  expect.equal(near.goals[3], false, "Ann was written last, so she is right");
  await press("Start again");
  await press("Next word");
  const bob = await press("Next word");
  expect.near(bob.answers[3][0], [1 - 0.36, 0.6], 1e-12, "Bob's key overlaps Ann's by 0.6: her answer has changed");
  expect.near(bob.answers[3][1], [0, 1], 1e-12, "his own is right");
  expect.equal(bob.goals[3], true, "the last goal");
  await everySize("state_matrix");
}

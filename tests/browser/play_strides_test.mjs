// A view by its strides: the four views of the lesson's table, one beyond the memory, and a write that is seen twice.
export default async function ({ page, play, expect, everySize, slide }) {
  const { root, state } = await play("strides");
  const names = ["rows", "columns", "offset", "stride s (next row)", "stride t (next column)"];
  const view = async (...to) => {
    for (const [k, name] of names.entries()) await slide(page.getByRole("slider", { name, exact: true }), to[k]);
    return state();
  };
  const first = await state();
  expect.equal(first.positions, [[0, 1, 2, 3], [4, 5, 6, 7], [8, 9, 10, 11]], "a contiguous matrix");
  expect.match(await root.textContent(), /element \(1, 2\): 0 \+ 1 × 4 \+ 2 × 1 = position 6, where 6 is stored.*Contiguous/s, "an element, written out");
  const across = await view(4, 3, 0, 1, 4);
  expect.equal([across.positions[1], across.goals], [[1, 5, 9], [true, false, false, false, false]], "transposed: the strides are exchanged");
  expect.match(await root.textContent(), /Not contiguous/, "which is said");
  expect.equal((await view(3, 2, 0, 4, 2)).goals[1], true, "every second column");
  const same = await view(3, 4, 4, 0, 1);
  expect.equal([same.positions, same.goals[2], same.goals[3]], [Array(3).fill([4, 5, 6, 7]), true, false], "a stride of 0 repeats");
  const row = page.getByRole("slider", { name: "rows", exact: true });
  await row.focus();
  await page.keyboard.press("ArrowLeft");
  expect.equal((await state()).view[0], 2, "a slider by keyboard");
  const windows = await view(3, 3, 0, 1, 1);
  expect.equal(windows.goals.slice(3), [true, false], "windows overlap");
  await root.getByRole("button", { name: /row 2, column 2/ }).focus();
  await page.keyboard.press("ArrowDown");
  const here = await state();
  expect.equal(here.lit, [2, 1], "arrows move through the view");
  await root.getByRole("button", { name: "Write 99 into this element" }).press("Enter");
  const wrote = await state();
  expect.equal([wrote.memory, wrote.written], [[0, 1, 2, 99, 4, 5, 6, 7, 8, 9, 10, 11], 2], "one place of memory, two elements of the view");
  expect.equal(wrote.goals, Array(5).fill(true), "all goals");
  expect.equal(await root.getByRole("button", { name: /row 2, column 3/ }).textContent(), "99", "the other element shows it");
  const out = await view(3, 4, 4, 4, 1);
  expect.ok(out.beyond, "twelve elements from position 4 on");
  expect.equal(await root.getByRole("button", { name: /row 3, column 4/ }).textContent(), "✗", "the last is beyond");
  expect.match(await root.textContent(), /must refuse such a view/, "which is said");
  await root.getByRole("button", { name: /row 3, column 1/ }).focus();
  expect.ok(await root.getByRole("button", { name: "Write 99 into this element" }).isDisabled(), "and cannot be written");
  await root.getByRole("button", { name: "Numbers 0 to 11 again" }).click();
  await root.getByRole("button", { name: "Matrix [3, 4]" }).click();
  const back = await state();
  expect.equal([back.view, back.memory[3]], [[3, 4, 0, 4, 1], 3], "from the start");
  await view(3, 3, 0, 1, 1);
  await everySize("strides");
}

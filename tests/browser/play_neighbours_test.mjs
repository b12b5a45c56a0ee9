// Words in a plane: both rankings by hand, words moved with the mouse and the keyboard, and the places the goals ask for.
export default async function ({ page, play, expect, everySize, drag }) {
  const { root, state } = await play("neighbours");
  const point = (name) => page.getByRole("slider", { name, exact: true });
  const first = await state(), h = Math.hypot;
  expect.equal(first.byDistance.map((other) => other.name), ["chair", "table", "tiger", "lion"], "distances from desk (1.5, 1)");
  expect.near(first.byDistance.map((other) => other.distance), [1.5, h(2, 1), h(2.5, 1.5), h(3.5, 2)], 1e-12, "by hand");
  expect.equal(first.byCosine.map((other) => other.name), ["table", "chair", "tiger", "lion"], "cosines from desk");
  expect.near(first.byCosine[0].cosine, (1.5 * 3.5 + 2) / h(1.5, 1) / h(3.5, 2), 1e-12, "by hand, too");
  expect.match(await root.textContent(), /By the angle it is table, by the distance chair/, "the two rules differ, and it is said");
  const go = async (name, dx, dy, key = "") => {  // whole steps with the keyboard
    await point(name).focus();
    for (let i = 0; i < Math.abs(dx); ++i) await page.keyboard.press(key + (dx < 0 ? "ArrowLeft" : "ArrowRight"));
    for (let i = 0; i < Math.abs(dy); ++i) await page.keyboard.press(key + (dy < 0 ? "ArrowDown" : "ArrowUp"));
    return state();
  };
  const near = await go("desk", 1, 0);
  expect.equal([near.places.desk, near.goals], [[2.5, 1], [true, false, false, false]], "desk beside chair and table");
  const torn = await go("desk", -2, 0);
  expect.equal([torn.places.desk, torn.byCosine[0].name, torn.byDistance[0].name], [[0.5, 1], "table", "tiger"], "the direction of table, beside tiger");
  expect.equal(torn.goals[1], true, "the second goal");
  await go("desk", -1, 0, "Shift+");
  await go("tiger", 1, -2);
  const home = await go("desk", 1, -3, "Shift+");
  expect.equal([home.places.desk, home.places.tiger], [[0.5, 0.25], [0, 0.5]], "Shift: a quarter");
  const unit = (await root.locator("svg[role=group]").boundingBox()).width / 10;
  await drag(point("lion"), 1.25 * unit, 4.75 * unit);
  const opposite = await state();
  expect.equal(opposite.places.lion, [-0.75, -1.75], "lion dragged, on the grid");
  await go("lion", -4, 3, "Shift+");
  const minus = await state();
  expect.equal(minus.places.lion, [-1.75, -1], "opposite to table (3.5, 2)");
  expect.equal(minus.goals[3], true, "a cosine of -1");
  await go("desk", -4, 0, "Shift+");
  await go("desk", 0, -2, "Shift+");
  await root.getByRole("button", { name: "table" }).press("Enter");
  expect.equal((await state()).asked, "table", "another word is asked");
  const flat = await go("desk", 8, 5, "Shift+");
  expect.equal(flat.places.desk, [1.5, 1], "desk at its old place");
  await go("desk", -3, -2, "Shift+");
  const same = await go("table", 1, 1, "Shift+");
  expect.equal(same.places, { ...same.places, desk: [0.75, 0.5], table: [3.75, 2.25] }, "short and long");
  await go("table", 0, 1, "Shift+");
  expect.equal((await state()).goals[2], true, "(0.75, 0.5) and (3.75, 2.5): a cosine of 1, and 3.6 apart");
  await go("desk", -3, -2, "Shift+");
  expect.match(await root.textContent(), /A word in the middle has no direction/, "no cosine in the middle");
  await go("desk", 6, 4, "Shift+");
  await everySize("neighbours");
}

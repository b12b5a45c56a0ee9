// The graph of lesson 02: its values and gradients as ./heed run 02 prints them, other expressions by hand.
export default async function ({ page, play, expect, everySize }) {
  const { root, state } = await play("expression_graph");
  const press = (name) => root.getByRole("button", { name, exact: true }).click();
  const by_label = async (label) => { const now = await state(), i = now.labels.indexOf(label); return [now.out[i], now.grads[i]]; };
  expect.equal((await state()).out, null, "nothing is computed at first");
  expect.ok(await root.getByRole("button", { name: "Step backward" }).isDisabled(), "no way back before forward");
  await press("Forward");
  expect.near((await state()).out.at(-1), 0.4619, 5e-5, "y = tanh(ab + a) e^b at a = 2, b = -0.5, as the lesson prints");

  // With the keyboard, in reverse topological order: x, exp, tanh, +, x.
  const back = root.getByRole("button", { name: "Step backward" }), visited = [];
  await back.focus();
  for (let i = 0; i < 5; ++i) {
    await page.keyboard.press("Enter");
    const now = await state();
    visited.push(now.labels[now.current]);
    if (i === 0) expect.match(now.said, /Node ×: .*to tanh: 1 × 0\.6065 = 0\.6065 · to exp: 1 × 0\.7616 = 0\.7616/, "the first step, written out");
  }
  expect.equal(visited, ["×", "exp", "tanh", "+", "×"], "reverse topological order");
  expect.near([await by_label("tanh"), await by_label("+"), await by_label("exp")], [[0.7616, 0.6065], [1, 0.2547], [0.6065, 0.7616]], 5e-5, "as the lesson prints");
  const end = await state(), g = Math.exp(-0.5) * (1 - Math.tanh(1) ** 2);
  expect.near(end.found.map((row) => row.gradient), [g * 0.5, g * 2 + Math.tanh(1) * Math.exp(-0.5)], 1e-12, "dL/da and dL/db, by hand");
  expect.near(end.found[1].gradient, 0.9714, 5e-5, "dL/db as the lesson prints");
  expect.near(end.found.map((row) => row.difference), end.found.map((row) => row.gradient), 1e-8, "beside the differences");
  expect.match(end.said, /used 2 times, so it adds up/, "a is used twice");
  expect.ok(await back.isDisabled(), "nothing is left to walk");

  // (a b + c)^2 at 2, -0.5, 3: (-1 + 3)^2 = 4; dL/da = 2 * 2 * b = -2, dL/db = 8, dL/dc = 4.
  await press("(a*b+c)^2");
  await root.getByRole("spinbutton", { name: "c" }).fill("3");
  await press("Forward");
  await press("All the way");
  const square = await state();
  expect.equal([square.out.at(-1), ...square.found.map((row) => row.gradient)], [4, -2, 8, 4], "(ab + c)^2");
  await press("Reset");
  expect.equal((await state()).step, -1, "reset");

  // a used three times: 3 a^2 = 12.
  await press("a*a*a");
  await press("Forward");
  await press("All the way");
  expect.equal((await state()).found[0].gradient, 12, "a a a");

  const source = root.getByRole("textbox", { name: "expression" });
  for (const [text, message] of [["(a + b", /a bracket is closed with \); got the end/], ["a b", /an operation \+ - \* \/ is expected; got "b"/],
    ["2 + ", /is expected; got the end/], ["a^b", /a power is a number; got "b"/], ["tan(a)", /is expected; got "tan"/]]) {
    await source.fill(text);
    expect.match(await root.getByRole("alert").textContent(), message, text);
  }
  const letters = { a: 2, b: -0.5, c: 3 };
  for (const [text, value, slopes] of [["-a^2 + b", -4.5, [-4, 1]], ["log(a)/sqrt(c)", Math.log(2) / Math.sqrt(3), [0.5 / Math.sqrt(3), -0.5 * Math.log(2) * 3 ** -1.5]],
    ["sin(a)*cos(b) - relu(c) + a^-1", Math.sin(2) * Math.cos(-0.5) - 3 + 0.5, [Math.cos(2) * Math.cos(-0.5) - 0.25, -Math.sin(2) * Math.sin(-0.5), -1]]]) {
    await source.fill(text);
    await press("Forward");
    await press("All the way");
    const now = await state();
    expect.equal(now.error, "", `${text} is read`);
    expect.near(now.out.at(-1), value, 1e-12, `${text} at ${JSON.stringify(letters)}`);
    expect.near(now.found.map((row) => row.gradient), slopes, 1e-12, `gradient of ${text}`);
    expect.near(now.found.map((row) => row.difference), slopes, 1e-7, `differences of ${text}`);
  }
  await press("tanh(a*b+a)*exp(b)");
  await press("Forward");
  await back.click();
  await back.click();
  await back.click();
  await everySize("expression_graph");
}

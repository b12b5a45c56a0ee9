// The museum's page as a reader uses it: guess first, be told, and hide an answer again.
import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import path from "node:path";

export default async function ({ page, open, expect, everySize, build, top }) {
  const program = path.join(build, "bin", "heed_museum"), folder = path.join(top, "build", "browser", "museum");
  if (!existsSync(program)) return "heed_museum is not built";
  execFileSync(program, ["--blind", "--out", folder], { stdio: "ignore" });
  await open(path.join(folder, "report.html"));
  const data = await page.evaluate(() => JSON.parse(document.getElementById("heed-data").textContent).panels.filter((one) => one.kind === "exhibit"));
  const exhibit = (i) => page.locator("section[data-kind=exhibit]").nth(i);
  expect.ok(data.length >= 12, "at least twelve exhibits");

  // Blind: neither the title nor the right side is shown, until a suspect is chosen.
  for (const [i, hit] of [[0, true], [1, false]]) {
    const one = exhibit(i), panel = data[i], chosen = hit ? panel.culprit : (panel.culprit + 1) % 3;
    expect.equal(await one.locator("h2").textContent(), `Exhibit ${i + 1}`, "a neutral title");
    expect.ok(!(await one.locator(".exhibit").isVisible()), "no answer yet");
    expect.equal(await one.locator(".figure svg svg").count(), 1, "the wrong side alone");
    await one.getByRole("button", { name: panel.suspects[chosen], exact: true }).focus();
    await page.keyboard.press("Enter");
    expect.ok((await one.locator(".answer").textContent()).startsWith(hit ? "Yes: " : "No, "), "told after the answer");
    expect.ok((await one.locator(".answer").textContent()).includes(panel.suspects[panel.culprit]), "with the true cause");
    expect.equal(await one.locator("h2").textContent(), panel.full_title, "and the title");
    expect.equal(await one.locator(".figure svg svg").count(), 2, "both sides");
    expect.ok(await one.locator(".exhibit").isVisible(), "code, measure and source");
  }
  await exhibit(0).getByRole("button", { name: "Guess first", exact: true }).click();
  expect.ok(!(await exhibit(0).locator(".exhibit").isVisible()), "hidden again");
  expect.equal(await exhibit(0).locator(".answer").textContent(), "", "and untold");
  await everySize("museum");
}

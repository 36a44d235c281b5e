// The reports that the program itself writes for its examples, opened one by one.
// ESCAPEMENT_PROGRAM and ESCAPEMENT_EXAMPLES say where they are.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { after, before, describe, test } from "node:test";
import { pathToFileURL } from "node:url";
import { launch, open } from "./browser.mjs";

const { ESCAPEMENT_PROGRAM: program, ESCAPEMENT_EXAMPLES: examples } = process.env;
const folder = mkdtempSync(join(tmpdir(), "escapement-examples-"));
let browser;

before(async () => (browser = await launch()));
after(async () => {
  await browser?.close();
  rmSync(folder, { recursive: true, force: true });
});

const dataOf = (html) => JSON.parse(/id="data">(.*?)<\/script>/s.exec(html)[1]);
const count = (columns, pattern) => columns.filter((c) => pattern.test(c.id)).length;

describe("report", () => {
  for (const file of readdirSync(examples).filter((f) => f.endsWith(".yaml")))
    test(`of ${basename(file, ".yaml")}`, async () => {
      const name = join(folder, basename(file, ".yaml"));
      execFileSync(program, ["run", join(examples, file), "-o", name, "--quiet"], { timeout: 120000 });
      const html = readFileSync(`${name}.html`, "utf8");
      const data = dataOf(html);
      const { page, complaints, close } = await open(browser, pathToFileURL(`${name}.html`).href);

      const curves = (id) =>
        page.locator(`.panel[id="plot-${id}"], .panel[id^="plot-${id}-"]`).evaluateAll((list) => list.reduce((n, e) => n + Number(e.dataset.series), 0));
      const { columns } = data.samples;
      assert.equal(await curves("q"), count(columns, /^q\//));
      assert.equal(await curves("v"), count(columns, /^v\//));
      assert.equal(await curves("gap"), count(columns, /^contacts\/.*\/gap$/));
      assert.equal(await curves("drift"), count(columns, /^drift\//));
      // forces that are not unique carry a caveat
      const caveats = await page.getByText("How joints share these forces is a choice").count();
      assert.equal(caveats > 0, data.summary.redundant_constraints.length > 0);
      const impacts = data.events ? data.events.kind.filter((k) => data.events.kinds[k] === "impact").length : 0;
      const marked = Number(await page.locator(".marks").getAttribute("data-impacts"));
      assert.ok(marked >= impacts, `${marked} marks, ${impacts} impacts`);

      const before = await page.locator(".picture").screenshot();
      await page.keyboard.press("Space");
      await page.waitForFunction(() => Number(document.getElementById("scrubber").value) > 0.02);
      await page.keyboard.press("Space");
      const after = await page.locator(".picture").screenshot();
      assert.ok(!before.equals(after), "the picture moves");
      // the scrubber moves the picture and the plots' cursors
      const box = await page.locator("#scrubber").boundingBox();
      const cursor = () => page.locator(".panel[data-ready] .u-cursor-x").first().evaluate((e) => e.getBoundingClientRect().left);
      const cursorBefore = await cursor();
      await page.mouse.click(box.x + 0.8 * box.width, box.y + box.height / 2);
      await page.waitForFunction(() => Number(document.getElementById("scrubber").value) > 0.5);
      // drawn with the next frame, which a busy machine may owe for a while
      await page.waitForFunction((x) => document.querySelector(".panel[data-ready] .u-cursor-x").getBoundingClientRect().left !== x, cursorBefore);
      const later = await page.locator(".picture").screenshot();
      assert.ok(!later.equals(after), "the scrubber moves the picture");

      // dark, and as narrow as a telephone
      const ground = () => page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);
      const light = await ground();
      await page.getByRole("button", { name: "Light or dark" }).click();
      assert.notEqual(await ground(), light);
      await page.setViewportSize({ width: 375, height: 700 });
      await page.waitForTimeout(150);
      assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= 375);
      assert.deepEqual(complaints, []);
      await close();
    });

  test("of a comparison", async () => {
    const name = join(folder, "comparison");
    execFileSync(program, ["compare", join(examples, "slider_crank.yaml"), "--schemes", "hem5,rk4,generalized-alpha:min_step=0.05", "--tolerances", "1e-4,1e-6,1e-8", "--steps", "1e-2,5e-3", "-o", name, "--quiet"], { timeout: 120000 });
    const { page, complaints, close } = await open(browser, pathToFileURL(`${name}.html`).href);
    const text = await page.locator("#page").innerText();
    for (const words of ["hem5", "rk4", "slope", "step would have to fall below", "phem56 at tolerance"]) assert.ok(text.includes(words), words);
    assert.equal(await page.locator("table").count(), 3);
    assert.deepEqual(complaints, []);
    await close();
  });
});

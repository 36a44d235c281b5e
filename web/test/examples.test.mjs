// The reports that the program itself writes for its examples, opened one by one.
// ESCAPEMENT_PROGRAM and ESCAPEMENT_EXAMPLES say where they are.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { after, before, describe, test } from "node:test";
import { pathToFileURL } from "node:url";
import { launch, open, overlaps } from "./browser.mjs";

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

/** Waits for a condition in the page; a busy browser that owes frames is asked for one now and then. */
async function until(page, condition, argument) {
  for (let tries = 1; tries <= 600; tries++) {
    if (await page.evaluate(condition, argument)) return;
    await page.waitForTimeout(100);
    if (tries % 20 === 0) await page.locator(".picture").screenshot();
  }
  throw new Error(`waited in vain for ${condition}`);
}

const still = new Set(["card_house", "stack_of_boxes"]); // they stand

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
      // every axis has a unit, but counts, ratios and quaternions, which have none
      const bare = await page.locator(".plots .panel").evaluateAll((list) => list.map((e) => e.dataset.axis).filter((label) => !/\(.+\)$/.test(label)));
      const without = ["iterations", "scaled error", "factor", "tries", ...(data.picture?.dimension === 3 ? ["coordinate"] : [])];
      assert.deepEqual(bare.filter((label) => !without.includes(label)), []);
      // forces that are not unique carry a caveat
      const caveats = await page.getByText("How joints share these forces is a choice").count();
      assert.equal(caveats > 0, data.summary.redundant_constraints.length > 0);
      const impacts = data.events ? data.events.kind.filter((k) => data.events.kinds[k] === "impact").length : 0;
      const marked = Number(await page.locator(".marks").getAttribute("data-impacts"));
      assert.ok(marked >= impacts, `${marked} marks, ${impacts} impacts`);

      const before = await page.locator(".picture").screenshot();
      await page.keyboard.press("Space");
      const at = () => page.evaluate(() => Number(document.getElementById("scrubber").value));
      await until(page, () => Number(document.getElementById("scrubber").value) > 0.02);
      // some mechanisms start so slowly that the first frames show nothing of it
      while (before.equals(await page.locator(".picture").screenshot()) && (await at()) < 0.5);
      // a short motion is over by now where the machine is busy
      if ((await page.getByTitle("Pause (space)").count()) > 0) await page.keyboard.press("Space");
      await until(page, () => document.querySelector('[title="Play (space)"]'));
      const after = await page.locator(".picture").screenshot();
      if (!still.has(basename(file, ".yaml"))) assert.ok(!before.equals(after), "the picture moves");
      // the scrubber moves the picture and the plots' cursors, drawn with the next frame and only in plots that are in sight
      const scrubber = page.locator("#scrubber");
      const box = await scrubber.boundingBox();
      const share = (await at()) < 0.6 ? 0.8 : 0.2;
      await scrubber.click({ position: { x: share * box.width, y: box.height / 2 } });
      await until(page, (x) => Math.abs(Number(document.getElementById("scrubber").value) - x) < 0.05, share);
      await until(page, () => {
        const panel = document.querySelector(".panel[data-ready]");
        panel.scrollIntoView({ block: "center" });
        const over = panel.querySelector(".u-over").getBoundingClientRect();
        const cursor = panel.querySelector(".u-cursor-x").getBoundingClientRect().right;
        return Math.abs((cursor - over.left) / over.width - Number(document.getElementById("scrubber").value)) < 0.01;
      });
      const later = await page.locator(".picture").screenshot();
      if (!still.has(basename(file, ".yaml"))) assert.ok(!later.equals(after), "the scrubber moves the picture");

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

  test("of contacts: arrows, flashes, a lens, impacts by key, a film", async () => {
    const name = join(folder, "contacts");
    execFileSync(program, ["run", join(examples, "slider_crank_clearance.yaml"), "-o", name, "--quiet"], { timeout: 120000 });
    const data = dataOf(readFileSync(`${name}.html`, "utf8"));
    const hits = new Float64Array(Uint8Array.from(Buffer.from(data.events.time.data, "base64")).buffer).filter((_, i) => data.events.kinds[data.events.kind[i]] === "impact");
    const times = [...new Set(hits)];
    const { page, complaints, close } = await open(browser, pathToFileURL(`${name}.html`).href, { width: 1400, height: 1000 });
    const shown = async () => Number(await page.locator("#time").textContent());
    const goes = async (key, t) => {
      await page.keyboard.press(key);
      await page.waitForFunction((x) => Math.abs(Number(document.getElementById("time").textContent) - x) < 1.01e-5, t);
    };
    const picture = () => page.locator(".picture").screenshot();
    await goes("n", times[0]);
    await goes("n", times[1]);
    await goes("p", times[0]);
    assert.ok((await page.locator("header").innerText()).includes("located one by one"), "why this scheme stands at the top");
    assert.equal(await page.locator("header .verdict").textContent(), "sound");

    // without arrows and flashes the picture is another one, with the lens again
    const withForces = await picture();
    await page.getByRole("button", { name: "Contact forces" }).click();
    const without = await picture();
    assert.ok(!without.equals(withForces));
    await page.getByRole("button", { name: "Magnify the nearest contact" }).click();
    assert.ok(!(await picture()).equals(without));

    // after a zoom the cursor stands where the time is, and the legend has the value of the nearest sample
    const plot = page.locator("#plot-q .u-over");
    const box = await plot.boundingBox();
    await page.mouse.move(box.x + 0.2 * box.width, box.y + 60);
    await page.mouse.down();
    await page.mouse.move(box.x + 0.5 * box.width, box.y + 60, { steps: 5 });
    await page.mouse.up();
    await page.mouse.move(box.x + 0.3 * box.width, box.y + 60);
    await page.waitForTimeout(300);
    const cursor = await page.locator("#plot-q .u-cursor-x").evaluate((e) => e.getBoundingClientRect().right);
    const t = await shown();
    const [from, to] = [0.02, 0.05].map((x) => x); // of a run of 0.1 s
    assert.ok(Math.abs((cursor - box.x) / box.width - (t - from) / (to - from)) < 0.02, `cursor at ${(cursor - box.x) / box.width}, time ${t}`);
    const values = (id) => new Float64Array(Uint8Array.from(Buffer.from(data.samples.columns.find((c) => c.id === id).data, "base64")).buffer);
    const time = new Float64Array(Uint8Array.from(Buffer.from(data.samples.time.data, "base64")).buffer);
    const nearest = time.reduce((best, x, i) => (Math.abs(x - t) < Math.abs(time[best] - t) ? i : best), 0);
    const legend = Number((await page.locator("#plot-q .key .value").first().textContent()).replace("−", "-"));
    const near = [nearest - 1, nearest, nearest + 1].map((i) => values("q/th1")[i]);
    assert.ok(legend >= Math.min(...near) - 1e-3 && legend <= Math.max(...near) + 1e-3, `${legend} of ${near}`);

    // a film of what is shown
    await page.keyboard.press("0");
    for (let i = 0; i < 2; i++) await page.keyboard.press("+");
    const download = page.waitForEvent("download");
    await page.getByRole("button", { name: "Record the motion" }).click();
    const film = await download;
    assert.equal(film.suggestedFilename(), "slider-crank_with_clearance.webm");
    const bytes = readFileSync(await film.path());
    assert.ok(bytes.length > 1000 && bytes.readUInt32BE(0) === 0x1a45dfa3, "a WebM file");
    assert.deepEqual(complaints, []);
    await close();
  });

  test("fits 390, 800 and 1400 pixels, light and dark, nothing over anything", async () => {
    for (const example of ["biped_leg", "slider_crank_clearance", "turntable"]) {
      const name = join(folder, `wide_${example}`);
      execFileSync(program, ["run", join(examples, `${example}.yaml`), "-o", name, "--quiet"], { timeout: 120000 });
      for (const width of [390, 800, 1400])
        for (const dark of [false, true]) {
          const { page, complaints, close } = await open(browser, pathToFileURL(`${name}.html`).href, { width, height: 900, dark });
          assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= width, `${example} at ${width} pixels`);
          assert.deepEqual(await overlaps(page), [], `${example} at ${width} pixels`);
          if (example === "slider_crank_clearance") assert.ok(await page.getByRole("button", { name: "Next impact (N)" }).isVisible(), `impacts at ${width} pixels`);
          assert.deepEqual(complaints, []);
          await close();
        }
    }
  });

  test("of a comparison", async () => {
    const name = join(folder, "comparison");
    execFileSync(program, ["compare", join(examples, "slider_crank.yaml"), "--schemes", "hem5,rk4,generalized-alpha:min_step=0.05", "--tolerances", "1e-4,1e-6,1e-8", "--steps", "1e-2,5e-3", "-o", name, "--quiet"], { timeout: 120000 });
    for (const width of [390, 800, 1400]) {
      const { page, complaints, close } = await open(browser, pathToFileURL(`${name}.html`).href, { width, dark: width === 800 });
      const text = await page.locator("#page").innerText();
      for (const words of ["hem5", "rk4", "slope", "step would have to fall below", "phem56 at tolerance", "Least work"]) assert.ok(text.includes(words), words);
      // tolerances beside steps in one table
      assert.equal(await page.locator("table").count(), 1);
      assert.deepEqual((await page.locator("thead th").allTextContents()).slice(0, 3), ["scheme", "tolerance", "step"]);
      assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= width, `${width} pixels`);
      assert.deepEqual(await overlaps(page), [], `${width} pixels`);
      assert.deepEqual(complaints, []);
      await close();
    }
  });
});

// The page of a parameter study in a real browser, as the program writes it and with rows of every kind.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, before, describe, test } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";
import { launch, open } from "./browser.mjs";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const templates = process.env.ESCAPEMENT_TEMPLATES ?? join(root, "dist");
const program = process.env.ESCAPEMENT_PROGRAM ?? join(root, "../build/release/escapement");
const examples = process.env.ESCAPEMENT_EXAMPLES ?? join(root, "../examples");
const folder = mkdtempSync(join(tmpdir(), "escapement-sweep-"));
let browser;

const packed = (numbers) => ({ type: "f64", data: Buffer.from(new Float64Array(numbers).buffer).toString("base64") });

/** Six by four rows over a and b: the last one failed, the first one suspect. */
function sample() {
  const rows = Array.from({ length: 24 }, (_, i) => [Math.floor(i / 4) / 10, 1 + (i % 4)]);
  return {
    format: 1,
    kind: "sweep",
    title: "sample <study>",
    version: "0",
    runs: 24,
    run: packed(rows.map((_, i) => i)),
    varied: [
      { name: "a", ...packed(rows.map((r) => r[0])) },
      { name: "b", ...packed(rows.map((r) => r[1])) },
    ],
    measures: [{ name: "m", ...packed(rows.map(([a, b], i) => (i === 23 ? NaN : a + b))) }],
    statuses: ["completed", "failed"],
    status: rows.map((_, i) => (i === 23 ? 1 : 0)),
    suspect: [0],
    messages: { 23: "the crank broke" },
    command: "escapement run m.yaml",
  };
}

before(async () => {
  const html = readFileSync(join(templates, "report.html"), "utf8");
  writeFileSync(join(folder, "sample.html"), html.replace("@DATA@", () => JSON.stringify(sample()).replaceAll("<", "\\u003c")));
  const study = `escapement: 1\nmodel: ${join(examples, "slider_crank_clearance.yaml")}\nvary: {c: [5e-4, 1e-3], restitution: [0.1, 0.5, 1.5]}\nmeasure: {impacts: impacts, left: final(energy.total)}\n`;
  writeFileSync(join(folder, "real.yaml"), study);
  execFileSync(program, ["sweep", "real.yaml", "-j", "1", "--end", "0.002", "--quiet"], { cwd: folder });
  browser = await launch();
});
after(async () => {
  await browser?.close();
  rmSync(folder, { recursive: true, force: true });
});

async function visit(name, action) {
  const seen = await open(browser, pathToFileURL(join(folder, `${name}.html`)).href);
  await action(seen.page);
  assert.deepEqual(seen.complaints, []);
  await seen.close();
}

/** Clicks where values of the axes are, by the axes' own ranges. */
async function clickAt(page, fx, fy) {
  const box = await page.locator(".sweep .u-over").boundingBox();
  await page.mouse.click(box.x + fx * box.width, box.y + (1 - fy) * box.height);
}
const kind = (page, name) => page.locator(".sweep-tools button", { hasText: name }).click();
const drawn = (page) =>
  page.locator(".sweep canvas").evaluate((canvas) => {
    const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
    return new Set(new Uint32Array(data.buffer)).size;
  });

describe("a study's page", () => {
  test("a grid opens as a heat map, and a click tells the run", () =>
    visit("sample", async (page) => {
      assert.equal(await page.locator("button[aria-pressed=true]").textContent(), "Heat map");
      assert.equal(await page.locator(".facts").innerText().then((t) => /24/.test(t)), true);
      await clickAt(page, 0.5 / 6, 0.5 / 4); // the lowest left cell
      assert.equal(await page.locator(".run-card h3").textContent(), "Run 0");
      assert.match(await page.locator(".run-card").innerText(), /suspect/);
      assert.equal(await page.locator(".run-card code").textContent(), "escapement run m.yaml --set a=0 --set b=1");
      await clickAt(page, 5.5 / 6, 3.5 / 4); // the failed one
      assert.equal(await page.locator(".run-card h3").textContent(), "Run 23");
      assert.match(await page.locator(".run-card").innerText(), /failed[^]*the crank broke/);
      assert.ok((await drawn(page)) > 20);
    }));

  test("every kind is drawn and can be clicked", () =>
    visit("sample", async (page) => {
      for (const name of ["Scatter", "Lines", "Histogram", "Heat map"]) {
        await kind(page, name);
        await page.waitForTimeout(100);
        assert.ok((await drawn(page)) > 3, name);
        assert.equal(await page.locator("button[aria-pressed=true]").textContent(), name);
      }
      await kind(page, "Scatter"); // x = a from -0.025 to 0.525, y = m from 0.825 to 4.675
      await page.locator(".sweep-tools select").nth(0).selectOption("a");
      await page.locator(".sweep-tools select").nth(1).selectOption("m");
      await clickAt(page, (0.2 + 0.025) / 0.55, (3.2 - 0.825) / 3.85);
      assert.match(await page.locator(".run-card code").textContent(), /--set a=0.2 --set b=3$/);
      await clickAt(page, (0.5 + 0.025) / 0.55, 0.02); // the cross of the failed one
      assert.equal(await page.locator(".run-card h3").textContent(), "Run 23");
    }));

  test("rows that failed or are suspect are listed and marked", () =>
    visit("sample", async (page) => {
      const text = await page.locator(".table").innerText();
      assert.match(text, /23[^]*failed[^]*the crank broke/);
      assert.match(text, /suspect/);
      assert.match(await page.locator(".sweep-legend").innerText(), /suspect[^]*failed/);
      assert.equal(await page.locator("h1").textContent(), "sample <study>");
    }));

  test("what the program writes tells the values to run again", () =>
    visit("real", async (page) => {
      await clickAt(page, 0.25, 0.1);
      const code = await page.locator(".run-card code").textContent();
      assert.match(code, /^escapement run .*slider_crank_clearance.yaml --end 0.002 --set c=0.0005 --set restitution=0.1$/);
      const words = code.split(" ").slice(1);
      const summary = JSON.parse(execFileSync(program, [...words, "--json", "--no-report"], { cwd: folder, encoding: "utf8" }));
      assert.match(await page.locator(".run-values.measures").innerText(), new RegExp(`impacts\\s+${summary.impacts}\\b`));
      assert.match(await page.locator(".table").innerText(), /refused[^]*restitution/);
    }));
});

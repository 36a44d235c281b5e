// The report in a real browser: what a reader sees and does.
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, before, describe, test } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";
import { launch, open } from "./browser.mjs";
import { samples, sliderCrank, writeSamples } from "./samples.mjs";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const folder = mkdtempSync(join(tmpdir(), "escapement-report-"));
const page = (name) => pathToFileURL(join(folder, `${name}.html`)).href;
let browser;

before(async () => {
  writeSamples(process.env.ESCAPEMENT_TEMPLATES ?? join(root, "dist"), folder);
  browser = await launch();
});
after(async () => {
  await browser?.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Opens a page, runs the test, and holds it to silence: no error, no dialog, nothing from the network. */
async function visit(name, options, action) {
  const visit = await open(browser, page(name), options);
  await action(visit.page);
  assert.deepEqual(visit.complaints, []);
  await visit.close();
}

const frames = (p, n = 3) =>
  p.evaluate(async (count) => {
    for (let i = 0; i < count; i++) await new Promise(requestAnimationFrame);
  }, n);

/** The pixels of pictures, read by the browser itself. */
function pixelsOf(pictures) {
  return Promise.all(
    pictures.map(async (data) => {
      const image = new Image();
      image.src = `data:image/png;base64,${data}`;
      await image.decode();
      const context = new OffscreenCanvas(image.width, image.height).getContext("2d");
      context.drawImage(image, 0, 0);
      return context.getImageData(0, 0, image.width, image.height).data;
    }),
  );
}
const read = (p, pictures, count) => p.evaluate(`(${pixelsOf})(${JSON.stringify(pictures)}).then(${count})`);

/** What an element looks like; pointer and focus are taken away first. */
async function look(p, locator) {
  await p.evaluate(() => document.activeElement?.blur());
  await p.mouse.move(0, 0);
  await frames(p);
  return (await locator.screenshot()).toString("base64");
}
const picture = (p) => look(p, p.locator(".picture"));

const colorsIn = async (p, locator) => read(p, [await look(p, locator)], ([a]) => new Set(new Uint32Array(a.buffer)).size);

/** How many pixels differ by more than rounding. */
const changes = (p, a, b) =>
  read(p, [a, b], ([one, two]) => one.reduce((n, x, i) => n + (Math.abs(x - two[i]) > 24 ? 1 : 0), 0));
const assertSame = async (p, a, b) => assert.equal(await changes(p, a, b), 0);
const assertChanged = async (p, a, b) => assert.ok((await changes(p, a, b)) > 50);

const timeShown = async (p) => Number((await p.locator("#time").textContent()).replace("−", "-"));
const cursors = (p) =>
  p.locator(".panel[data-ready] .u-cursor-x").evaluateAll((list) => list.map((e) => e.getBoundingClientRect().left));

async function scrub(p, fraction) {
  await p.locator("#scrubber").scrollIntoViewIfNeeded();
  const box = await p.locator("#scrubber").boundingBox();
  await p.mouse.click(box.x + 8 + fraction * (box.width - 16), box.y + box.height / 2);
  await frames(p);
}

describe("every page", () => {
  for (const name of Object.keys(samples))
    test(`${name} opens in silence and fits 375 pixels`, async () => {
      for (const options of [{}, { width: 375, height: 812 }])
        await visit(name, options, async (p) => {
          const wide = await p.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
          assert.ok(wide <= 0, `${wide} pixels too wide`);
          assert.ok((await p.locator("h1").textContent()).length > 0);
          assert.ok((await colorsIn(p, p.locator(".picture, .figure .plot").first())) > 10);
        });
    });
});

describe("the moving picture", () => {
  for (const name of ["pendulum", "tumbling", "hostile", "chain"])
    test(`${name} plays and follows the scrubber`, async () => {
      await visit(name, {}, async (p) => {
        const first = await picture(p);
        await p.keyboard.press("Space");
        await p.waitForFunction(() => Number(document.getElementById("time").textContent) > 0.3);
        await p.keyboard.press("Space");
        const stopped = await timeShown(p);
        assert.ok(stopped > 0.3);
        await assertChanged(p, await picture(p), first);
        await frames(p, 5);
        assert.equal(await timeShown(p), stopped, "paused time stands still");

        const before = await cursors(p);
        await scrub(p, 0.75);
        const now = await timeShown(p);
        assert.ok(Math.abs(now - 0.75 * (name === "tumbling" ? 12 : 10)) < 0.2, `${now}`);
        const moved = await cursors(p);
        assert.ok(moved.length >= 2);
        // a plot that has come into sight since has no place before
        moved.slice(0, before.length).forEach((x, i) => assert.ok(x > before[i] + 20));
        assert.ok(Math.max(...moved) - Math.min(...moved) < 2, "all cursors stand at one time");
        await assertChanged(p, await picture(p), first);
      });
    });

  test("arrows step through samples, plus and minus change the speed", async () => {
    await visit("pendulum", {}, async (p) => {
      await p.keyboard.press("ArrowRight");
      await p.keyboard.press("ArrowRight");
      await frames(p);
      assert.equal(await timeShown(p), 0.02);
      await p.keyboard.press("ArrowLeft");
      await frames(p);
      assert.equal(await timeShown(p), 0.01);
      await p.keyboard.press("+");
      assert.equal(await p.locator(".speed-value").textContent(), "×2");
      await p.keyboard.press("-");
      await p.keyboard.press("-");
      assert.equal(await p.locator(".speed-value").textContent(), "×0.5");
    });
  });

  test("follow and zoom change what is seen", async () => {
    for (const name of ["sliderCrank", "tumbling"])
      await visit(name, {}, async (p) => {
        const first = await picture(p);
        await p.getByRole("button", { name: "Zoom in" }).click();
        const near = await picture(p);
        await assertChanged(p, near, first);
        await p.getByLabel("follow").selectOption({ index: 1 });
        await assertChanged(p, await picture(p), near);
        await p.getByLabel("follow").selectOption({ index: 0 });
        await p.getByRole("button", { name: "Show everything" }).click();
        await assertSame(p, await picture(p), first);
      });
  });

  test("a spatial picture turns, and is drawn without WebGL too", async () => {
    await visit("tumbling", {}, async (p) => {
      const first = await picture(p);
      const box = await p.locator(".picture").boundingBox();
      await p.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
      await p.mouse.down();
      await p.mouse.move(box.x + box.width / 2 + 90, box.y + box.height / 2, { steps: 4 });
      await p.mouse.up();
      await assertChanged(p, await picture(p), first);
    });
    await visit("tumbling", { without: "webgl" }, async (p) => {
      assert.equal(await p.locator(".picture svg").count(), 1);
      assert.ok((await colorsIn(p, p.locator(".picture"))) > 10);
    });
  });
});

describe("impacts in space", () => {
  test("flash", async () => {
    await visit("tumbling", {}, async (p) => {
      await p.keyboard.press("n");
      await frames(p);
      const brass = async () => {
        const colour = await p.evaluate(() => getComputedStyle(document.documentElement).getPropertyValue("--brass").trim());
        const [r, g, b] = [1, 3, 5].map((i) => parseInt(colour.slice(i, i + 2), 16));
        const seen = `([a]) => { let n = 0; for (let i = 0; i < a.length; i += 4) if (Math.abs(a[i] - ${r}) + Math.abs(a[i + 1] - ${g}) + Math.abs(a[i + 2] - ${b}) < 40) n++; return n; }`;
        return read(p, [await picture(p)], seen);
      };
      const withFlash = await brass();
      await p.getByRole("button", { name: "Contact forces" }).click();
      const without = await brass();
      assert.ok(withFlash > without + 30, `${withFlash} and ${without} pixels of brass`);
    });
  });
});

describe("the plots", () => {
  test("show the curves of the run", async () => {
    await visit("sliderCrank", {}, async (p) => {
      const expected = { q: 6, "q-2": 2, v: 1, "v-2": 1, gap: 2, gap_rate: 2, force: 2, impulse: 2, energy: 3, drift: 2, step: 1, newton: 1 };
      const found = await p
        .locator(".plots .panel")
        .evaluateAll((list) => list.map((e) => [e.id.replace("plot-", ""), Number(e.dataset.series), e.querySelectorAll(".key").length]));
      assert.deepEqual(
        found,
        Object.entries(expected).map(([id, n]) => [id, n, n]),
      );
    });
  });

  test("draw rounding noise around zero as a line", async () => {
    await visit("pendulum", {}, async (p) => {
      const plot = p.locator("#plot-outputs-2");
      await plot.scrollIntoViewIfNeeded();
      await p.locator("#plot-outputs-2[data-ready]").waitFor();
      await frames(p);
      // of all canvas rows those with the curve's ink, which is no grey
      const rows = await plot.locator("canvas").evaluate((canvas) => {
        const { width, height } = canvas;
        const pixels = canvas.getContext("2d").getImageData(0, 0, width, height).data;
        const inked = (y) => Array.from({ length: width }, (_, x) => 4 * (y * width + x)).some((i) => pixels[i + 3] > 99 && Math.abs(pixels[i] - pixels[i + 2]) > 40);
        return [Array.from({ length: height }, (_, y) => y).filter(inked).length, height];
      });
      assert.ok(rows[0] > 0 && rows[0] < rows[1] / 10, `${rows}`);
    });
  });

  test("mark the impacts and say what happened there", async () => {
    const impacts = sliderCrank().events.total;
    assert.ok(impacts > 10);
    await visit("sliderCrank", {}, async (p) => {
      const marked = await p.locator(".panel, .marks").evaluateAll((list) => list.map((e) => Number(e.dataset.impacts)));
      assert.ok(marked.length > 10);
      assert.ok(marked.every((n) => n === impacts));
      // the foot of a mark is drawn in brass at the bottom of the plot
      const brass = await p.evaluate(() => {
        const color = getComputedStyle(document.documentElement).getPropertyValue("--brass").trim();
        const [r, g, b] = [1, 3, 5].map((i) => parseInt(color.slice(i, i + 2), 16));
        const canvas = document.querySelector("#plot-gap canvas, #plot-q canvas");
        const { data, width } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
        const columns = new Set();
        for (let i = 0; i < data.length; i += 4)
          if (Math.abs(data[i] - r) + Math.abs(data[i + 1] - g) + Math.abs(data[i + 2] - b) < 12) columns.add((i / 4) % width);
        return columns.size;
      });
      assert.ok(brass >= 0.6 * impacts, `${brass} marks of ${impacts}`);
      const box = await p.locator("#scrubber").boundingBox();
      for (let x = box.x + 8; x < box.x + box.width && !(await p.locator(".tip").count()); x += 2) await p.mouse.move(x, box.y + 17);
      assert.match(await p.locator(".tip").textContent(), /(upper|lower) impact.*impulse/);
    });
  });

  test("move time under the pointer and zoom together", async () => {
    await visit("pendulum", {}, async (p) => {
      const first = await picture(p);
      const place = async (plot) => {
        await p.locator(`${plot} .u-over`).scrollIntoViewIfNeeded();
        return p.locator(`${plot} .u-over`).boundingBox();
      };
      const middle = await place("#plot-q");
      await p.mouse.move(middle.x + middle.width / 2, middle.y + 40);
      await frames(p);
      assert.ok(Math.abs((await timeShown(p)) - 5) < 0.05);
      await assertChanged(p, await picture(p), first);
      const value = await p.locator("#plot-v .value").first().textContent();
      assert.match(value, /^−?[\d.]+$/);

      const ticks = () => p.locator(".plots").evaluate(() => [...document.querySelectorAll(".reset")].map((e) => e.hidden));
      assert.deepEqual(await ticks(), [true]);
      const over = await place("#plot-q");
      await p.mouse.move(over.x + over.width * 0.2, over.y + 40);
      await p.mouse.down();
      await p.mouse.move(over.x + over.width * 0.4, over.y + 40, { steps: 5 });
      await p.mouse.up();
      await frames(p);
      assert.deepEqual(await ticks(), [false]);
      // the middle of the other plot is now the middle of the chosen part
      const other = await place("#plot-v");
      await p.mouse.move(other.x + other.width / 2, other.y + 40);
      await frames(p);
      assert.ok(Math.abs((await timeShown(p)) - 3) < 0.05, `${await timeShown(p)}`);
      await p.keyboard.press("0");
      await frames(p);
      assert.deepEqual(await ticks(), [true]);
    });
  });

  test("fold long legends and hide curves", async () => {
    await visit("chain", {}, async (p) => {
      const keys = p.locator("#plot-q .key");
      assert.equal(await keys.count(), 80);
      const seen = () => keys.evaluateAll((list) => list.filter((e) => e.offsetParent).length);
      assert.equal(await seen(), 8);
      await p.locator("#plot-q .more").click();
      assert.equal(await seen(), 80);
      const canvas = p.locator("#plot-q canvas");
      const before = await look(p, canvas);
      await keys.first().click();
      assert.equal(await keys.first().getAttribute("aria-pressed"), "false");
      await assertChanged(p, await look(p, canvas), before);
    });
  });
});

describe("the file", () => {
  test("carries the licences of what it contains", () => {
    for (const [name, parts] of [["pendulum", ["uplot"]], ["tumbling", ["uplot", "three"]]]) {
      const html = readFileSync(join(folder, `${name}.html`), "utf8");
      for (const part of parts) assert.match(html, new RegExp(`${part} [0-9.]+\\n\\nThe MIT License`, "i"));
    }
  });
});

describe("text from a model", () => {
  test("is shown, never run", async () => {
    await visit("hostile", {}, async (p) => {
      const evil = "<script>alert(1)</script>";
      assert.equal(await p.locator("h1").textContent(), evil);
      assert.equal(await p.title(), `${evil} · Escapement`);
      assert.equal(await p.locator("script").count(), 2);
      assert.equal(await p.locator("main script, main img").count(), 0);
      assert.match(await p.locator(".message.failed").textContent(), /did not converge at t = 7.31/);
      assert.equal(await p.locator(".status").textContent(), "failed");
      await p.locator("summary", { hasText: "Model file" }).click();
      assert.match(await p.locator("pre").textContent(), /onerror=alert\(2\)/);
    });
  });
});

describe("the verdict", () => {
  test("turns the badge and says what speaks against the result", async () => {
    const colour = (p) => p.locator(".status").first().evaluate((e) => getComputedStyle(e).color);
    let sound;
    await visit("pendulum", {}, async (p) => {
      sound = await colour(p);
      assert.equal(await p.locator(".status").count(), 1);
      assert.equal(await p.locator(".findings").count(), 0);
    });
    await visit("suspect", {}, async (p) => {
      assert.notEqual(await colour(p), sound);
      assert.equal(await p.locator(".status.verdict").textContent(), "suspect");
      assert.match(await p.locator(".findings li").textContent(), /penetration \(floor\) at t = 1.5 s: 0.02, limit 1e-6; take a tighter tolerance/);
    });
  });
});

describe("equilibria", () => {
  test("stand at load factors, and their page says nothing of a motion", async () => {
    await visit("atRest", { width: 1400, height: 900 }, async (p) => {
      const head = await p.locator("header").textContent();
      assert.match(head, /At rest/);
      assert.match(await p.locator(".facts").textContent(), /Load factor1Equilibria11/);
      assert.doesNotMatch(await p.locator("body").innerText(), /undefined|∞|NaN/);
      assert.doesNotMatch(await p.locator(".transport .readout").textContent(), /s$/);
    });
  });
});

describe("light, dark and paper", () => {
  const ground = (p) => p.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);
  test("follow the system and the button", async () => {
    let light;
    await visit("pendulum", {}, async (p) => (light = await ground(p)));
    await visit("pendulum", { dark: true }, async (p) => {
      const dark = await ground(p);
      assert.notEqual(dark, light);
      await p.getByRole("button", { name: "Light or dark" }).click();
      assert.equal(await ground(p), light);
    });
  });
  test("print every plot on white", async () => {
    await visit("sliderCrank", { dark: true }, async (p) => {
      const pdf = await p.pdf({ format: "A4" });
      assert.ok(pdf.length > 50000);
      assert.equal(await p.locator(".plots .panel:not([data-ready])").count(), 0);
      assert.equal(await p.evaluate(() => document.documentElement.dataset.theme), "dark");
    });
  });
});

describe("studies", () => {
  test("show figures with slopes and tables", async () => {
    await visit("compare", {}, async (p) => {
      assert.deepEqual(await p.locator(".figure").evaluateAll((list) => list.map((e) => e.dataset.series)), ["4", "4"]);
      const slopes = await p.locator(".figure").first().locator(".value").allTextContents();
      assert.deepEqual(slopes, ["slope −0.2", "slope −0.2", "slope −0.25", "slope −0.5"]);
      assert.equal(await p.locator("tbody tr").count(), 20);
    });
  });
  test("zoom and come back", async () => {
    await visit("reproduce", {}, async (p) => {
      const plot = p.locator(".figure").nth(1).locator(".u-over");
      await plot.scrollIntoViewIfNeeded();
      const first = await look(p, plot);
      const box = await plot.boundingBox();
      await p.mouse.move(box.x + 50, box.y + 50);
      await p.mouse.down();
      await p.mouse.move(box.x + 200, box.y + 150, { steps: 5 });
      await p.mouse.up();
      await assertChanged(p, await look(p, plot), first);
      await p.locator(".figure").nth(1).getByRole("button", { name: "Show everything" }).click();
      await assertSame(p, await look(p, plot), first);
      assert.equal(await p.locator(".verdict.good").count(), 2);
      assert.equal(await p.locator(".verdict.bad").count(), 1);
    });
  });
  test("draw faint curves like their partners, axes of many decades and curves that cover each other", async () => {
    await visit("reproduce", {}, async (p) => {
      const figure = p.locator(".figure").nth(2);
      await figure.scrollIntoViewIfNeeded();
      const keys = await figure.locator(".key").evaluateAll((list) =>
        list.map((key) => [key.style.getPropertyValue("--key"), getComputedStyle(key.querySelector(".swatch")).opacity]),
      );
      assert.deepEqual(keys[1], [keys[0][0], "0.45"]);
      assert.deepEqual(keys.map((key) => key[1]), ["1", "0.45", "1", "1"]);
      assert.equal(new Set(keys.map((key) => key[0])).size, 3);
      assert.equal(await figure.locator(".value").nth(2).textContent(), "slope 0");
      // numbers at the axis of 33 decades and at that of 4; and the third curve's colour between the dashes of the fourth, which lies on it
      const seen = await figure.locator("canvas").evaluate((canvas) => {
        const ratio = devicePixelRatio || 1;
        const context = canvas.getContext("2d");
        const inked = (...box) => context.getImageData(...box.map((n) => n * ratio)).data.filter((v, i) => i % 4 === 3 && v > 60).length;
        const [width, height] = [canvas.width / ratio, canvas.height / ratio];
        const labels = [inked(24, 0, 26, height - 60), inked(60, height - 35, width - 60, 11)];
        const colors = [2, 3].map((i) => {
          const key = canvas.closest(".figure").querySelectorAll(".key")[i].style.getPropertyValue("--key").trim();
          return parseInt(key.slice(1), 16);
        });
        const all = context.getImageData(0, 0, canvas.width, canvas.height).data;
        const counts = [0, 0];
        for (let i = 0; i < all.length; i += 4) {
          const k = colors.indexOf((all[i] << 16) | (all[i + 1] << 8) | all[i + 2]);
          if (k >= 0 && all[i + 3] === 255) counts[k]++;
        }
        return { labels, counts };
      });
      assert.ok(seen.labels.every((n) => n > 100), `${seen.labels} pixels of numbers`);
      assert.ok(seen.counts.every((n) => n > 150), `${seen.counts} pixels of the two`);
    });
  });
});

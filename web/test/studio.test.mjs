// The live page, served by the program itself: what it lets in, what it refuses, and how quickly a moved slider is seen.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { copyFileSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import http from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { launch } from "./browser.mjs";

const { ESCAPEMENT_PROGRAM: program, ESCAPEMENT_EXAMPLES: examples } = process.env;
const folder = mkdtempSync(join(tmpdir(), "escapement-studio-"));
const file = join(folder, "slider_crank_clearance.yaml");
let server, address, browser;

before(async () => {
  copyFileSync(join(examples, "slider_crank_clearance.yaml"), file);
  server = spawn(program, ["studio", file], { stdio: ["ignore", "pipe", "ignore"] });
  address = await new Promise((resolve) => server.stdout.once("data", (text) => resolve(new URL(String(text).trim()))));
  browser = await launch();
});
after(async () => {
  await browser?.close();
  const ended = new Promise((resolve) => server.once("exit", resolve));
  server.kill("SIGINT");
  assert.equal(await ended, 0);
  rmSync(folder, { recursive: true, force: true });
});

/** A request as anybody could make it, with the headers as they are. */
function ask(path, { method = "GET", headers = {}, body } = {}) {
  return new Promise((resolve, reject) => {
    const request = http.request({ host: address.hostname, port: address.port, path, method, headers }, (response) => {
      let text = "";
      response.on("data", (part) => (text += part));
      response.on("end", () => resolve({ status: response.statusCode, text }));
    });
    request.on("error", reject);
    request.end(body);
  });
}
const token = () => address.searchParams.get("token");
const run = async (text, set = {}) => {
  const { status, text: answer } = await ask("/run", { method: "POST", headers: { "X-Escapement-Token": token() }, body: JSON.stringify({ text, set }) });
  assert.equal(status, 200);
  return JSON.parse(answer);
};

/** Milliseconds that the server with its runs and the browser have worked so far, all processes of this test's. */
function processorTime() {
  const parents = new Map(), times = new Map();
  for (const id of readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
    try {
      const fields = readFileSync(`/proc/${id}/stat`, "utf8").replace(/^.*\) /, "").split(" ");
      parents.set(id, fields[1]);
      times.set(id, 10 * [11, 12, 13, 14].reduce((sum, k) => sum + Number(fields[k]), 0)); // own and of children that have ended
    } catch {} // has ended meanwhile
  }
  const mine = (id) => id === String(process.pid) || (parents.has(id) && mine(parents.get(id)));
  return [...times].reduce((sum, [id, time]) => (id !== String(process.pid) && mine(id) ? sum + time : sum), 0);
}

describe("studio", () => {
  test("listens on this machine alone", () => {
    assert.equal(address.hostname, "127.0.0.1");
    assert.match(token(), /^[0-9a-f]{32}$/);
  });

  test("refuses a wrong token, other names and other origins", async () => {
    assert.equal((await ask("/")).status, 403);
    assert.equal((await ask(`/?token=${token().replace(/./, (c) => (c === "0" ? "1" : "0"))}`)).status, 403);
    assert.equal((await ask("/model")).status, 403);
    assert.equal((await ask("/model", { headers: { "X-Escapement-Token": token() } })).status, 200);
    assert.equal((await ask("/model", { headers: { "X-Escapement-Token": token(), Origin: "http://example.org" } })).status, 403);
    assert.equal((await ask(`/?token=${token()}`, { headers: { Host: "example.org" } })).status, 403);
    const put = { method: "PUT", headers: { "X-Escapement-Token": token(), Origin: "null" }, body: JSON.stringify({ text: "" }) };
    assert.equal((await ask("/model", put)).status, 403);
    assert.notEqual(readFileSync(file, "utf8"), "");
  });

  test("touches nothing outside the model's folder", async () => {
    for (const path of ["/../../etc/passwd", "/%2e%2e/%2e%2e/etc/passwd", "/etc/passwd", "/slider_crank_clearance.yaml"])
      assert.equal((await ask(path, { headers: { "X-Escapement-Token": token() } })).status, 404, path);
    for (const table of ["/etc/passwd", "../outside.csv", "a/../../outside.csv"]) {
      const { error } = await run(`escapement: 1\ntables: {a: {file: "${table}", x: 1, y: 2}}\ncoordinates: {x: {}}\nkinetic_energy: x'^2\nsimulation: {end: 1}\n`);
      assert.match(error.message, /outside the model's folder/);
      assert.equal(error.line, 2);
    }
  });

  test("says where a mistake is", async () => {
    const { error } = await run("escapement: 1\ncoordinates: {x: {}}\nkinetic_energy: y'^2\nsimulation: {end: 1}\n");
    assert.equal(error.line, 3);
    assert.match(error.message, /'y'/);
  });

  test("cancels a run that hangs when another is asked for", async () => {
    const endless = run("escapement: 1\ncoordinates: {x: {rate: 1}}\nkinetic_energy: x'^2/2\nsimulation: {end: 1e6, scheme: rk4, step: 1e-6, save_every: 1e5}\n");
    await new Promise((resolve) => setTimeout(resolve, 200));
    const quick = await run(readFileSync(file, "utf8"));
    assert.equal(quick.summary.status, "completed");
    assert.deepEqual(await endless, { superseded: true });
  });

  test("cancels a model that takes for ever to read, and a run when it is told to", async () => {
    const chain = 'escapement: 1\ndimension: 2\nbodies: {"b{k}": {repeat: {k: [1, 100000]}, mass: 1, inertia: 1, position: [k, 0]}}\njoints: {"j{k}": {repeat: {k: [2, 100000]}, revolute: ["b{k - 1}", "b{k}"], at: [k, 0]}}\nsimulation: {end: 1}\n';
    const endless = run(chain);
    await new Promise((resolve) => setTimeout(resolve, 300));
    const quick = await run(readFileSync(file, "utf8"));
    assert.equal(quick.summary.status, "completed");
    assert.deepEqual(await endless, { superseded: true });
    const hanging = run("escapement: 1\ncoordinates: {x: {rate: 1}}\nkinetic_energy: x'^2/2\nsimulation: {end: 1e6, scheme: rk4, step: 1e-6, save_every: 1e5}\n");
    await new Promise((resolve) => setTimeout(resolve, 200));
    assert.equal((await ask("/cancel", { method: "POST" })).status, 403);
    assert.equal((await ask("/cancel", { method: "POST", headers: { "X-Escapement-Token": token() } })).status, 200);
    assert.deepEqual(await hanging, { superseded: true });
  });

  test("says when a run was ended from outside, and goes on", async () => {
    const children = () =>
      readdirSync("/proc").filter((id) => {
        try {
          return /^\d+$/.test(id) && readFileSync(`/proc/${id}/stat`, "utf8").replace(/^.*\) /, "").split(" ")[1] === String(server.pid);
        } catch {
          return false; // has ended meanwhile
        }
      });
    const ended = run("escapement: 1\ncoordinates: {x: {rate: 1}}\nkinetic_energy: x'^2/2\nsimulation: {end: 1e6, scheme: rk4, step: 1e-6, save_every: 1e5}\n");
    while (children().length === 0) await new Promise((resolve) => setTimeout(resolve, 20));
    await new Promise((resolve) => setTimeout(resolve, 300)); // it has begun
    for (const id of children()) process.kill(Number(id), "SIGTERM");
    assert.match((await ended).error.message, /ended by the system \(signal 15\)/);
    assert.equal((await run(readFileSync(file, "utf8"))).summary.status, "completed");
  });

  test("gives parts of what it serves", async () => {
    const headers = { "X-Escapement-Token": token() };
    const whole = (await ask("/model", { headers })).text;
    const part = await ask("/model", { headers: { ...headers, Range: "bytes=10-19" } });
    assert.equal(part.status, 206);
    assert.equal(part.text, whole.slice(10, 20));
  });

  test("shows the motion, moves with a slider, and saves", async () => {
    const context = await browser.newContext({ viewport: { width: 1400, height: 900 } });
    const page = await context.newPage();
    page.setDefaultTimeout(180000);
    const complaints = [];
    page.on("console", (message) => message.type() === "error" && complaints.push(message.text()));
    page.on("pageerror", (error) => complaints.push(error.message));
    await page.goto(address.href);
    await page.waitForSelector("#page[data-ready]");
    const runs = () => page.locator(".live .stage").getAttribute("data-runs").then(Number);
    assert.equal(await runs(), 1);
    const first = await page.locator(".live .stage").screenshot();
    const slider = page.locator(".slider input").first();
    const move = (part) =>
      slider.evaluate(async (e, p) => {
        const stage = document.querySelector(".live .stage");
        const painted = new Promise((resolve) => new MutationObserver(resolve).observe(stage, { attributeFilter: ["data-painted"] }));
        e.value = String(Number(e.min) + p * (Number(e.max) - Number(e.min)));
        e.dispatchEvent(new Event("input"));
        await painted;
        return Number(document.querySelector(".live-status").dataset.milliseconds);
      }, part);
    await move(0.3);
    const times = [], working = processorTime();
    for (let k = 0; k < 10; k++) times.push(await move(0.4 + 0.03 * k));
    const work = (processorTime() - working) / times.length;
    times.sort((a, b) => a - b);
    // printed, for a busy machine says nothing; there the work of all processes together is what an idle one could need at most
    console.log(`# from a moved slider to the painted motion: ${times.map((t) => t.toFixed(0)).join(", ")} ms; work of server and browser together ${work.toFixed(0)} ms`);
    assert.ok(!first.equals(await page.locator(".live .stage").screenshot()), "another motion is seen");

    // the motion is made anew while the slider still moves, and the last place is the one that stays
    const seen = await slider.evaluate(async (e) => {
      const stage = document.querySelector(".live .stage");
      const [low, high] = [Number(e.min), Number(e.max)];
      const began = performance.now(), before = Number(stage.dataset.runs);
      const motions = () => Number(stage.dataset.runs) - before;
      for (let k = 0; motions() < 3 && performance.now() - began < 60000; k++) {
        e.value = String(low + (0.3 + 0.0001 * (k % 5000)) * (high - low));
        e.dispatchEvent(new Event("input"));
        await new Promise(requestAnimationFrame);
      }
      return motions();
    });
    assert.ok(seen >= 3, `${seen} motions while the slider moved for a minute`);
    for (let last = -1; last !== (await runs()); await page.waitForTimeout(600)) last = await runs();

    // a mistake is marked where it is, and the text is saved as it stands
    await page.locator(".cm-content").click();
    await page.keyboard.press("Control+Home");
    await page.keyboard.type("# a remark of mine\n");
    await page.keyboard.press("Control+End");
    await page.keyboard.type("\nmistake: 1\n");
    // a part of the word may have been looked at while it was typed
    await page.waitForFunction(() => document.querySelector(".live-status.bad")?.textContent.includes("'mistake'"));
    await page.waitForSelector(".cm-lintRange-error, .cm-lintPoint-error");
    await page.keyboard.press("Control+s");
    await page.waitForFunction(() => document.querySelector(".live-status").textContent.includes("saved"));
    assert.match(readFileSync(file, "utf8"), /^# a remark of mine\n[^]*mistake: 1\n$/);
    for (const width of [390, 800, 1400]) {
      await page.setViewportSize({ width, height: 800 });
      await page.waitForTimeout(150);
      assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= width, `no sideways scrolling at ${width}`);
    }
    assert.deepEqual(complaints, []);
    await context.close();
  });
});

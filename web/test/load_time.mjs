// node load_time.mjs PAGE.html: size, and the time until a page can be used, best and median of five; also the processor time
// of the page's own thread, which other work on the machine does not change much.
import { statSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { launch } from "./browser.mjs";

const file = process.argv[2];
const browser = await launch();
const times = [], busy = [];
for (let i = 0; i < 5; i++) {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
  const page = await context.newPage();
  page.setDefaultTimeout(180000);
  const inspector = await context.newCDPSession(page);
  await inspector.send("Performance.enable", { timeDomain: "threadTicks" });
  const start = performance.now();
  await page.goto(pathToFileURL(file).href, { waitUntil: "commit" });
  await page.waitForSelector(".panel[data-ready] .u-over");
  // interactive: a click on the scrubber is answered by a moved cursor
  const box = await page.locator("#scrubber").boundingBox();
  await page.mouse.click(box.x + box.width / 2, box.y + box.height / 2);
  await page.waitForFunction(() => Number(document.getElementById("time").textContent) > 0);
  times.push(performance.now() - start);
  const { metrics } = await inspector.send("Performance.getMetrics");
  busy.push(1000 * metrics.find((m) => m.name === "TaskDuration").value);
  await context.close();
}
await browser.close();
times.sort((a, b) => a - b);
busy.sort((a, b) => a - b);
const megabytes = statSync(file).size / 1e6;
console.log(`${megabytes.toFixed(2)} MB, interactive after ${times[0].toFixed(0)} ms (best), ${times[2].toFixed(0)} ms (median), ${busy[2].toFixed(0)} ms of processor time (median)`);

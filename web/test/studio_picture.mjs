// node studio_picture.mjs PROGRAM MODEL.yaml PICTURE.png: the live page, with a model in the middle of its motion.
import { spawn } from "node:child_process";
import { launch } from "./browser.mjs";

const [program, model, picture] = process.argv.slice(2);
const server = spawn(program, ["studio", model], { stdio: ["ignore", "pipe", "ignore"] });
const address = await new Promise((resolve) => server.stdout.once("data", (text) => resolve(String(text).trim())));
const browser = await launch();
const page = await browser.newPage({ viewport: { width: 1280, height: 760 } });
await page.goto(address);
await page.waitForSelector("#page[data-ready]");
await page.locator("#scrubber").evaluate((scrubber) => {
  scrubber.value = 0.07;
  scrubber.dispatchEvent(new Event("input"));
});
await page.waitForTimeout(300);
await page.screenshot({ path: picture });
await browser.close();
server.kill("SIGINT");

// node pictures.mjs REPORT.html TIME PICTURE.png SELECTOR [WIDTH HEIGHT]: a part of a report's page at a time, as part of the run.
import { pathToFileURL } from "node:url";
import { launch, open } from "./browser.mjs";

const [file, part, picture, selector, width = "1280", height = "800"] = process.argv.slice(2);
const browser = await launch();
const { page, close } = await open(browser, pathToFileURL(file).href, { width: Number(width), height: Number(height) });
await page.locator("#scrubber").evaluate((scrubber, value) => {
  scrubber.value = value;
  scrubber.dispatchEvent(new Event("input"));
}, part);
const element = page.locator(selector).first();
await element.scrollIntoViewIfNeeded();
await page.waitForTimeout(500); // what comes into sight is drawn then
await element.screenshot({ path: picture });
await close();
await browser.close();

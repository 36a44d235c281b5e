// Chromium without a window, a fresh profile each time.
import { chromium } from "playwright-core";

const flags = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"];

export function launch() {
  return chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: flags });
}

/** Opens an address; `complaints` collects everything a page should not do. */
export async function open(browser, url, { width = 1280, height = 800, dark = false, without = "" } = {}) {
  const context = await browser.newContext({ viewport: { width, height }, colorScheme: dark ? "dark" : "light" });
  const page = await context.newPage();
  page.setDefaultTimeout(180000); // the machines that test are busy ones
  const complaints = [];
  // what a graphics driver says of itself, and what the tests themselves do by reading pixels, is not the page's word
  page.on("console", (message) => /GL Driver Message|willReadFrequently/.test(message.text()) || complaints.push(`console: ${message.text()}`));
  page.on("pageerror", (error) => complaints.push(`error: ${error.message}`));
  page.on("request", (request) => /^(file|data|blob):/.test(request.url()) || complaints.push(`request: ${request.url()}`));
  page.on("dialog", (dialog) => {
    complaints.push(`dialog: ${dialog.message()}`);
    return dialog.dismiss();
  });
  if (without === "webgl")
    await page.addInitScript(() => {
      const original = HTMLCanvasElement.prototype.getContext;
      HTMLCanvasElement.prototype.getContext = function (kind, ...more) {
        return kind.startsWith("webgl") ? null : original.call(this, kind, ...more);
      };
    });
  await page.goto(url);
  await page.waitForSelector("#page[data-ready]");
  await page.waitForSelector("[data-ready] .u-over");
  await page.waitForTimeout(150);
  return { page, complaints, close: () => context.close() };
}

/** Texts of a page that cover each other, as pairs; what floats above the page on purpose is left out. */
export function overlaps(page) {
  return page.evaluate(() => {
    const floating = ".transport, .tools, .labels, .tip, .u-over, .cm-editor, .reset";
    const boxes = [];
    const walker = document.createTreeWalker(document.getElementById("page"), NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      const parent = node.parentElement;
      if (!node.data.trim() || parent.closest(floating) || !parent.checkVisibility()) continue;
      const range = document.createRange();
      range.selectNodeContents(node);
      for (const { left, right, top, bottom } of range.getClientRects()) {
        // what a box that scrolls by itself hides is not seen
        const frame = parent.closest(".scroll, pre")?.getBoundingClientRect();
        const end = Math.min(right, frame?.right ?? Infinity);
        if (end - left > 1) boxes.push({ left, right: end, top, bottom, text: node.data.trim().slice(0, 30) });
      }
    }
    boxes.sort((a, b) => a.top - b.top);
    const found = [];
    boxes.forEach((a, i) => {
      for (let k = i + 1; k < boxes.length && boxes[k].top < a.bottom - 3; k++)
        if (boxes[k].left < a.right - 1 && a.left < boxes[k].right - 1) found.push(`${a.text} | ${boxes[k].text}`);
    });
    return found;
  });
}

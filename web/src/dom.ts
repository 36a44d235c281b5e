// Elements are made here and nowhere from text: whatever a model says stays text.

type Child = Node | string | null | undefined | false;
type Attributes = Record<string, string | number | boolean | ((event: any) => void) | undefined>;

export function el<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const [key, value] of Object.entries(attributes)) {
    if (value === undefined || value === false) continue;
    if (typeof value === "function") element.addEventListener(key.replace(/^on/, ""), value);
    else element.setAttribute(key, value === true ? "" : String(value));
  }
  for (const child of children) if (child !== null && child !== undefined && child !== false) element.append(child);
  return element;
}

/** A text whose numbers like 1e-6 stay on one line. */
export function unbroken(text: string): Child[] {
  return text.split(/(\d\S*e-\d+)/).map((part, i) => (i % 2 === 1 ? el("span", { class: "unbroken" }, part) : part));
}

const namespace = "http://www.w3.org/2000/svg";

export function svg(tag: string, attributes: Record<string, string | number> = {}, ...children: Node[]): SVGElement {
  const element = document.createElementNS(namespace, tag);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, String(value));
  element.append(...children);
  return element;
}

/** A line icon of 24 units; `paths` are drawn with the text's colour. */
export function icon(...paths: string[]): SVGElement {
  return svg("svg", { viewBox: "0 0 24 24", class: "icon", "aria-hidden": "true" }, ...paths.map((d) => svg("path", { d })));
}

export function button(label: string, content: Node | string, onclick: (event: MouseEvent) => void, kind = ""): HTMLButtonElement {
  return el("button", { type: "button", class: kind, title: label, "aria-label": label, onclick }, content);
}

/** A fresh 2D context of a canvas that fills its box at the screen's resolution. */
export function fitCanvas(canvas: HTMLCanvasElement): { context: CanvasRenderingContext2D; width: number; height: number } {
  const ratio = Math.max(window.devicePixelRatio || 1, 1);
  const width = canvas.clientWidth;
  const height = canvas.clientHeight;
  // setting a size also clears the canvas and forgets pens and fonts
  canvas.width = Math.max(1, Math.round(width * ratio));
  canvas.height = Math.max(1, Math.round(height * ratio));
  const context = canvas.getContext("2d")!;
  context.scale(ratio, ratio);
  return { context, width, height };
}

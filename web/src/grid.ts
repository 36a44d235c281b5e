// The ground under a planar picture: a faint grid and a bar that says how long it is.
import { tick } from "./format";
import { colors, font } from "./theme";

/** From the world to the canvas. */
export interface Screen {
  scale: number; // pixels per unit
  x: (x: number) => number;
  y: (y: number) => number;
}

/** The smallest of 1, 2, 5 times a power of ten that is at least `least`. */
export function niceLength(least: number): number {
  const base = 10 ** Math.floor(Math.log10(least));
  return [1, 2, 5, 10].map((d) => d * base).find((d) => d >= least * 0.999999) ?? 10 * base;
}

export function drawGrid(context: CanvasRenderingContext2D, screen: Screen, width: number, height: number) {
  const step = niceLength(56 / screen.scale);
  const left = -screen.x(0) / screen.scale;
  const bottom = (screen.y(0) - height) / screen.scale;
  context.lineWidth = 1;
  context.strokeStyle = colors().grid;
  context.beginPath();
  for (let x = Math.ceil(left / step) * step; screen.x(x) < width; x += step) {
    const at = Math.round(screen.x(x)) + 0.5;
    context.moveTo(at, 0);
    context.lineTo(at, height);
  }
  for (let y = Math.ceil(bottom / step) * step; screen.y(y) > 0; y += step) {
    const at = Math.round(screen.y(y)) + 0.5;
    context.moveTo(0, at);
    context.lineTo(width, at);
  }
  context.stroke();
  drawBar(context, step, step * screen.scale, height);
}

function drawBar(context: CanvasRenderingContext2D, length: number, pixels: number, height: number) {
  const [x, y] = [14, height - 14];
  context.strokeStyle = context.fillStyle = colors().muted;
  context.beginPath();
  context.moveTo(x, y - 4);
  context.lineTo(x, y);
  context.lineTo(x + pixels, y);
  context.lineTo(x + pixels, y - 4);
  context.stroke();
  context.font = font;
  context.textBaseline = "bottom";
  context.fillText(`${tick(length, length)} m`, x + 4, y - 3);
}

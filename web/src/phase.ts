// A picture for models that say nothing about their looks: coordinate against rate, run through in time.
import type { Column, Table } from "./data";
import { el, fitCanvas } from "./dom";
import { tick, withUnit } from "./format";
import { Frames, type Getter, type Options, type View } from "./frames";
import { niceLength } from "./grid";
import { marker } from "./ink";
import { colors, faint, font, seriesColor } from "./theme";

interface Pair {
  name: string;
  x: Column;
  y: Column;
}

const margin = { left: 58, right: 16, top: 54, bottom: 40 };

export class PhaseView implements View {
  readonly element = el("canvas", { class: "picture", role: "img" });
  readonly targets: string[];
  readonly has: Options = { trails: false, forces: false, names: false, lens: false };
  readonly description = "The model describes no drawing, so this is the phase plane: a coordinate and its rate.";

  private readonly frames: Frames;
  private readonly pairs: Pair[];
  private chosen = 0;
  private magnification = 1;
  private range: [number, number, number, number] = [0, 0, 1, 1];
  private now: [Getter, Getter] = [() => 0, () => 0];
  private redraw = () => {};

  constructor(private readonly table: Table) {
    this.frames = new Frames(table);
    this.pairs = phasePairs(table);
    this.targets = this.pairs.map((pair) => pair.name);
    this.choose(0);
  }

  /** Here the followed thing is the coordinate that is shown. */
  follow(target: number) {
    this.choose(Math.max(0, target));
    this.redraw();
  }
  zoom(factor: number) {
    this.magnification = Math.min(1e6, Math.max(0.2, this.magnification * factor));
    this.redraw();
  }
  fit() {
    this.magnification = 1;
    this.redraw();
  }

  draw(t: number, speed: number, options: Options) {
    this.redraw = () => this.draw(t, speed, options);
    const { context, width, height } = fitCanvas(this.element);
    const pair = this.pairs[this.chosen];
    if (!pair || width === 0) return;
    this.frames.seek(t);
    const [cx, cy] = this.now.map((get) => get());
    const [x0, y0, x1, y1] = this.window(cx, cy);
    const x = (v: number) => margin.left + ((v - x0) / (x1 - x0)) * (width - margin.left - margin.right);
    const y = (v: number) => height - margin.bottom - ((v - y0) / (y1 - y0)) * (height - margin.top - margin.bottom);
    drawAxes(context, [x0, y0, x1, y1], x, y, width, height, pair);

    context.save();
    context.beginPath();
    context.rect(margin.left, margin.top, width - margin.left - margin.right, height - margin.top - margin.bottom);
    context.clip();
    const row = this.table.rowAt(t);
    this.stroke(context, x, y, 0, this.table.rows - 1, faint(seriesColor(0), 0.22), 1);
    this.stroke(context, x, y, 0, row, seriesColor(0), 1.5);
    marker(context, x(cx), y(cy), 5, seriesColor(0), colors().panel);
    context.restore();
  }

  private choose(index: number) {
    this.chosen = Math.min(index, this.pairs.length - 1);
    const pair = this.pairs[this.chosen];
    if (!pair) return;
    this.now = [this.frames.scalar(pair.x.id), this.frames.scalar(pair.y.id)];
    const [x0, x1] = extent(pair.x.values);
    const [y0, y1] = extent(pair.y.values);
    this.range = [x0, y0, x1, y1];
  }

  /** Everything, or the neighbourhood of the present point when zoomed in. */
  private window(cx: number, cy: number): [number, number, number, number] {
    const [x0, y0, x1, y1] = this.range;
    if (this.magnification === 1) return this.range;
    const [w, h] = [(x1 - x0) / this.magnification / 2, (y1 - y0) / this.magnification / 2];
    const [mx, my] = this.magnification > 1 ? [cx, cy] : [(x0 + x1) / 2, (y0 + y1) / 2];
    return [mx - w, my - h, mx + w, my + h];
  }

  private stroke(
    context: CanvasRenderingContext2D,
    x: (v: number) => number,
    y: (v: number) => number,
    from: number,
    to: number,
    color: string,
    width: number,
  ) {
    const pair = this.pairs[this.chosen];
    const [xs, ys] = [pair.x.values, pair.y.values];
    const stride = Math.max(1, Math.floor(this.table.rows / 20000));
    context.strokeStyle = color;
    context.lineWidth = width;
    context.beginPath();
    for (let i = from; i <= to; i += stride) context.lineTo(x(xs[i]), y(ys[i]));
    context.stroke();
  }
}

/** Coordinates with their rates; velocities of their own names pair up by position. */
function phasePairs(table: Table): Pair[] {
  const q = table.columns.filter((c) => c.id.startsWith("q/"));
  const v = table.columns.filter((c) => c.id.startsWith("v/"));
  return q.flatMap((x, i) => {
    const name = x.id.slice(2);
    const y = table.find(`v/${name}`) ?? (q.length === v.length ? v[i] : undefined);
    return y ? [{ name, x, y }] : [];
  });
}

function extent(values: ArrayLike<number>): [number, number] {
  let [low, high] = [Infinity, -Infinity];
  for (let i = 0; i < values.length; i++) {
    if (values[i] < low) low = values[i];
    if (values[i] > high) high = values[i];
  }
  if (!(high >= low)) return [-1, 1];
  const pad = 0.06 * (high - low) || 0.1 * Math.abs(high) || 1;
  return [low - pad, high + pad];
}

function drawAxes(
  context: CanvasRenderingContext2D,
  [x0, y0, x1, y1]: [number, number, number, number],
  x: (v: number) => number,
  y: (v: number) => number,
  width: number,
  height: number,
  pair: Pair,
) {
  const { grid, muted } = colors();
  context.font = font;
  context.lineWidth = 1;
  context.strokeStyle = grid;
  context.fillStyle = muted;
  const stepX = niceLength((80 * (x1 - x0)) / width);
  const stepY = niceLength((44 * (y1 - y0)) / height);
  context.textAlign = "center";
  context.textBaseline = "top";
  for (let v = Math.ceil(x0 / stepX) * stepX; v <= x1; v += stepX) {
    line(context, x(v), margin.top, x(v), height - margin.bottom);
    context.fillText(tick(Math.abs(v) < stepX / 1e6 ? 0 : v, stepX), x(v), height - margin.bottom + 6);
  }
  context.textAlign = "right";
  context.textBaseline = "middle";
  for (let v = Math.ceil(y0 / stepY) * stepY; v <= y1; v += stepY) {
    line(context, margin.left, y(v), width - margin.right, y(v));
    context.fillText(tick(Math.abs(v) < stepY / 1e6 ? 0 : v, stepY), margin.left - 6, y(v));
  }
  context.textAlign = "center";
  context.textBaseline = "bottom";
  context.fillText(withUnit(pair.name, pair.x.unit), (margin.left + width - margin.right) / 2, height - 6);
  context.save();
  context.translate(14, (margin.top + height - margin.bottom) / 2);
  context.rotate(-Math.PI / 2);
  context.fillText(withUnit(`${pair.name}′`, pair.y.unit), 0, 4);
  context.restore();
  context.textAlign = "left";
}

function line(context: CanvasRenderingContext2D, x0: number, y0: number, x1: number, y1: number) {
  context.beginPath();
  context.moveTo(x0, y0);
  context.lineTo(x1, y1);
  context.stroke();
}

export function canDrawPhase(table: Table): boolean {
  return phasePairs(table).length > 0;
}

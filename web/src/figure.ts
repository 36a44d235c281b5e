// Figures of any x against any y: work-precision diagrams, orbits, convergence, curves of papers.
import uPlot from "uplot";
import type { AxisData, FigureData, Packed, SeriesData } from "./data";
import { unpack } from "./data";
import { button, el } from "./dom";
import { number, withUnit } from "./format";
import { Legend } from "./legend";
import { logTicks, timeAxis, valueAxis } from "./panel";
import { colors, font, onTheme, seriesColor } from "./theme";

interface Curve {
  data: SeriesData;
  color: number; // and shape of its marks
  x: (number | null)[];
  y: (number | null)[];
}

type Range = [number, number];

interface Window {
  x: Range;
  y: Range;
}

const dashes: Record<string, number[]> = { dashed: [6, 4] };
const paleness = 0.45; // of faint curves; the style sheet has it for their legend

export function makeFigure(data: FigureData): HTMLElement {
  return new Figure(data).element;
}

class Figure {
  readonly element: HTMLElement;
  private readonly box = el("div", { class: "plot" });
  private readonly curves: Curve[];
  private readonly shown: boolean[];
  private readonly reset: HTMLButtonElement;
  private readonly full: Window;
  private wanted: Window;
  private seen: Window;
  private plot: uPlot | null = null;

  constructor(private readonly data: FigureData) {
    const palette = colorsOf(data.series);
    this.curves = data.series.map((series, i) => ({ data: series, color: palette[i], x: list(series.x), y: list(series.y) }));
    this.shown = this.curves.map(() => true);
    this.full = { x: this.range("x"), y: this.range("y") };
    this.wanted = this.seen = this.full;
    this.reset = button("Show everything", "Show everything", () => this.zoom(this.full.x, this.full.y), "quiet reset");
    this.reset.hidden = true;
    const legend = new Legend(
      this.curves.map((curve) => ({
        label: curve.data.name,
        color: curve.color,
        note: this.slopeNote(curve),
        mark: legendMark(curve.data),
        faint: curve.data.faint,
      })),
      this.shown,
      () => this.plot?.redraw(false),
    );
    this.element = el(
      "figure",
      { class: "panel figure", "data-series": this.curves.length },
      el("h3", {}, data.title),
      this.reset,
      this.box,
      legend.element,
      data.caption ? el("figcaption", {}, data.caption) : null,
      ...(data.notes ?? []).map((note) => el("p", { class: "note" }, note)),
    );
    // the width is known once the page has been laid out
    new ResizeObserver(() => this.resize()).observe(this.box);
    onTheme(() => this.plot?.redraw(false));
  }

  private resize() {
    const width = Math.floor(this.box.clientWidth);
    if (width === 0) return;
    const height = Math.round(Math.min(440, Math.max(260, 0.62 * width)));
    if (!this.plot) return this.build(width, height);
    this.plot.setSize({ width, height });
    this.show();
  }

  private build(width: number, height: number) {
    const { x, y } = this.data;
    // uPlot keeps axes and zooming; the curves may run anywhere, so they are drawn here
    const corners = [[...this.full.x], [...this.full.y]] as uPlot.AlignedData;
    this.plot = new uPlot(
      {
        width,
        height,
        padding: [8, 14, 0, 0],
        legend: { show: false },
        scales: {
          x: { time: false, distr: x.log ? 3 : 1, range: () => this.seen.x },
          y: { distr: y.log ? 3 : 1, range: () => this.seen.y },
        },
        axes: [xAxis(x), valueAxis(withUnit(y.label, y.unit), !!y.log)],
        series: [{}, { paths: () => null, points: { show: false } }],
        cursor: {
          points: { show: false },
          drag: { x: true, y: true, setScale: false, dist: 4 },
          bind: {
            dblclick: () => () => {
              this.zoom(this.full.x, this.full.y);
              return null;
            },
          },
        },
        hooks: {
          ready: [() => this.show()],
          setSelect: [(plot) => this.select(plot)],
          draw: [(plot) => this.draw(plot)],
        },
      },
      corners,
      this.box,
    );
    this.element.dataset.ready = "";
  }

  private zoom(x: Range, y: Range) {
    this.wanted = { x, y };
    this.reset.hidden = x === this.full.x && y === this.full.y;
    this.show();
  }

  private show() {
    const plot = this.plot;
    if (!plot) return;
    this.seen = this.data.equal ? equalized(this.wanted, plot) : this.wanted;
    plot.batch(() => {
      plot.setScale("x", { min: this.seen.x[0], max: this.seen.x[1] });
      plot.setScale("y", { min: this.seen.y[0], max: this.seen.y[1] });
    });
  }

  private select(plot: uPlot) {
    const { left, top, width, height } = plot.select;
    if (width < 4 && height < 4) return;
    plot.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
    const { clientWidth, clientHeight } = plot.over;
    // a drag along one axis keeps the other
    const xs = width < 8 ? [0, clientWidth] : [left, left + width];
    const ys = height < 8 ? [clientHeight, 0] : [top + height, top];
    this.zoom(xs.map((p) => plot.posToVal(p, "x")) as Range, ys.map((p) => plot.posToVal(p, "y")) as Range);
  }

  /** The smallest box around all curves, with room to breathe; whole decades on logarithmic axes. */
  private range(axis: "x" | "y"): Range {
    const { log } = this.data[axis];
    let [low, high] = [Infinity, -Infinity];
    for (const curve of this.curves)
      curve.x.forEach((_, i) => {
        const [x, y] = [curve.x[i], curve.y[i]];
        const value = axis === "x" ? x : y;
        if (!drawable(x, !!this.data.x.log) || !drawable(y, !!this.data.y.log)) return;
        low = Math.min(low, value!);
        high = Math.max(high, value!);
      });
    if (!(high >= low)) return log ? [0.1, 10] : [0, 1];
    if (!log) {
      const pad = 0.05 * (high - low) || 0.1 * Math.abs(high) || 1;
      return [low - pad, high + pad];
    }
    // a third of a decade beyond the outermost points
    return [low / 2, high * 2];
  }

  private draw(plot: uPlot) {
    const context = plot.ctx;
    const ratio = devicePixelRatio || 1;
    const { left, top, width, height } = plot.bbox;
    context.save();
    context.beginPath();
    context.rect(left, top, width, height);
    context.clip();
    const guides = (this.data.orders ?? []).map((order) => this.drawGuide(plot, order, ratio));
    const drawn: Drawn[] = [];
    this.curves.forEach((curve, i) => this.shown[i] && drawn.push(this.drawCurve(plot, curve, ratio, drawn)));
    this.drawPointNames(plot, drawn, ratio);
    // names of the guides go above the curves
    for (const label of guides) label?.();
    context.restore();
  }

  private drawCurve(plot: uPlot, curve: Curve, ratio: number, before: Drawn[]): Drawn {
    const context = plot.ctx;
    const { style = "line", faint: pale } = curve.data;
    context.strokeStyle = context.fillStyle = seriesColor(curve.color);
    context.globalAlpha = pale ? paleness : 1;
    context.lineWidth = 1.75 * ratio;
    context.lineJoin = "round";
    const places = curve.x.map((x, i) => this.place(plot, x, curve.y[i]));
    // a curve that lies on another leaves gaps, so that both are seen
    const below = before.find((other) => alike(other.places, places, 1.5 * ratio));
    const dash = below ? (below.dashed ? [4, 6] : [6, 6]) : (dashes[style] ?? []);
    context.setLineDash(dash.map((d) => d * ratio));
    context.lineDashOffset = below?.dashed ? 4 * ratio : 0;
    if (style !== "points") {
      context.beginPath();
      places.forEach((p, i) => {
        if (!p) return;
        const before = i > 0 ? places[i - 1] : null;
        if (before && style === "steps") context.lineTo(p[0], before[1]);
        if (before) context.lineTo(p[0], p[1]);
        else context.moveTo(p[0], p[1]);
      });
      context.stroke();
    }
    context.setLineDash([]);
    context.lineDashOffset = 0;
    const size = (below ? 2 : 3.5) * ratio;
    if (style === "points" || style === "both") for (const p of places) if (p) mark(context, p, curve.color, size);
    context.globalAlpha = 1;
    return { places, dashed: dash.length > 0, names: curve.data.points ?? [] };
  }

  /** What each point is: at its right, or its left where the frame ends; a name that would lie on another is left out. */
  private drawPointNames(plot: uPlot, drawn: Drawn[], ratio: number) {
    if (this.curves.reduce((sum, c) => sum + c.x.length, 0) > 40) return;
    const context = plot.ctx;
    const { left, top, width, height } = plot.bbox;
    context.font = font.replace("11px", `${9.5 * ratio}px`);
    context.fillStyle = colors().muted;
    context.textAlign = "left";
    const taken: Box[] = drawn.flatMap(({ places }) => places.flatMap((p) => (p ? [around(p, 3 * ratio)] : [])));
    const free = (box: Box) =>
      box.x0 >= left && box.x1 <= left + width && box.y0 >= top && box.y1 <= top + height && !taken.some((other) => overlap(box, other));
    for (const { places, names } of drawn)
      places.forEach((p, i) => {
        if (!p || !names[i]) return;
        const name = names[i].replace(/^tolerance /, "").replace(/^step /, "h = ");
        const [long, high, off] = [context.measureText(name).width, 9.5 * ratio, 6 * ratio];
        const spots = [p[1] - off, p[1] + off + high].flatMap((y) => [p[0] + off, p[0] - off - long].map((x) => ({ x0: x, x1: x + long, y0: y - high, y1: y })));
        const box = spots.find(free);
        if (!box) return;
        taken.push(box);
        context.fillText(name, box.x0, box.y1);
      });
  }

  private place(plot: uPlot, x: number | null, y: number | null): [number, number] | null {
    if (!drawable(x, !!this.data.x.log) || !drawable(y, !!this.data.y.log)) return null;
    return [plot.valToPos(x!, "x", true), plot.valToPos(y!, "y", true)];
  }

  /** A straight line of the given order through the middle of the diagram; its name is written by what is returned. */
  private drawGuide(plot: uPlot, order: number, ratio: number): (() => void) | undefined {
    const { min: x0, max: x1 } = plot.scales.x;
    const { min: y0, max: y1 } = plot.scales.y;
    if (!this.data.x.log || !this.data.y.log || !x0 || !x1 || !y0 || !y1) return;
    const middle = Math.sqrt(x0 * x1);
    const centre = Math.sqrt(y0 * y1);
    const at = (x: number) => centre * (x / middle) ** order;
    const context = plot.ctx;
    context.strokeStyle = context.fillStyle = colors().muted;
    context.globalAlpha = 0.55;
    context.lineWidth = ratio;
    context.setLineDash([2 * ratio, 3 * ratio]);
    const [a, b] = [this.place(plot, x0, at(x0))!, this.place(plot, x1, at(x1))!];
    context.beginPath();
    context.moveTo(...a);
    context.lineTo(...b);
    context.stroke();
    context.setLineDash([]);
    context.globalAlpha = 1;
    return () => this.labelGuide(plot, order, a, b, ratio);
  }

  private labelGuide(plot: uPlot, order: number, a: [number, number], b: [number, number], ratio: number) {
    const { left, top, width, height } = plot.bbox;
    const context = plot.ctx;
    const slope = (b[1] - a[1]) / (b[0] - a[0]);
    // where the line leaves the frame: at its right edge, beside the last points, or below its upper one
    let x = left + width - 20 * ratio;
    let y = a[1] + slope * (x - a[0]);
    const [highest, lowest] = [top + 20 * ratio, top + height - 8 * ratio];
    let right = left + width - 2 * ratio;
    if (y < highest || y > lowest) {
      y = y < highest ? highest : lowest;
      x = a[0] + (y - a[1]) / slope;
      right = Math.min(right, x - 6 * ratio);
    }
    context.font = font.replace("11px", `${11 * ratio}px`);
    context.textAlign = "right";
    const text = `slope ${number(order)}`;
    const baseline = y - 9 * ratio;
    context.lineJoin = "round";
    context.lineWidth = 4 * ratio;
    context.strokeStyle = colors().paper;
    context.strokeText(text, right, baseline);
    context.fillStyle = colors().muted;
    context.fillText(text, right, baseline);
    context.textAlign = "left";
  }

  private slopeNote({ x, y, data }: Curve): string | undefined {
    if (!this.data.slopes || !this.data.x.log || !this.data.y.log) return "";
    // points that are rounding say nothing about the order
    const counts = (_: unknown, i: number) => data.fit?.[i] ?? true;
    const slope = fitSlope(x.filter(counts), y.filter(counts));
    return slope === null ? "" : `slope ${number(Math.abs(slope) < 1e-6 ? 0 : slope, 3)}`;
  }
}

interface Drawn {
  places: ([number, number] | null)[];
  dashed: boolean;
  names: string[];
}

interface Box {
  x0: number;
  x1: number;
  y0: number;
  y1: number;
}

const around = ([x, y]: [number, number], r: number): Box => ({ x0: x - r, x1: x + r, y0: y - r, y1: y + r });
const overlap = (a: Box, b: Box) => a.x0 < b.x1 && b.x0 < a.x1 && a.y0 < b.y1 && b.y0 < a.y1;

/** Whether two drawn curves cover each other to the eye. */
function alike(a: Drawn["places"], b: Drawn["places"], within: number): boolean {
  if (a.length !== b.length) return false;
  return a.every((p, i) => {
    const q = b[i];
    return p && q ? Math.abs(p[0] - q[0]) < within && Math.abs(p[1] - q[1]) < within : !p && !q;
  });
}

/** A faint curve "NAME, ..." goes with the curve NAME and has its colour; every other one has its own. */
function colorsOf(series: SeriesData[]): number[] {
  const colors: number[] = [];
  let next = 0;
  for (const one of series) {
    const partner = one.faint ? series.findIndex((other) => !other.faint && one.name.startsWith(`${other.name},`)) : -1;
    colors.push(partner >= 0 && partner < colors.length ? colors[partner] : next++);
  }
  return colors;
}

function list(numbers: (number | null)[] | Packed): (number | null)[] {
  return Array.isArray(numbers) ? numbers : Array.from(unpack(numbers));
}

function drawable(value: number | null, log: boolean): boolean {
  return value !== null && Number.isFinite(value) && (!log || value > 0);
}

/** Least squares in the logarithms. */
export function fitSlope(x: (number | null)[], y: (number | null)[]): number | null {
  const points = x.flatMap((v, i) => (drawable(v, true) && drawable(y[i], true) ? [[Math.log(v!), Math.log(y[i]!)]] : []));
  if (points.length < 2) return null;
  const mean = (k: number) => points.reduce((sum, p) => sum + p[k], 0) / points.length;
  const [mx, my] = [mean(0), mean(1)];
  const across = points.reduce((sum, p) => sum + (p[0] - mx) ** 2, 0);
  return across > 0 ? points.reduce((sum, p) => sum + (p[0] - mx) * (p[1] - my), 0) / across : null;
}

function xAxis(axis: AxisData): uPlot.Axis {
  return { ...timeAxis(withUnit(axis.label, axis.unit)), ...(axis.log ? logTicks(40) : {}) };
}

function legendMark({ style }: SeriesData): "line" | "dash" | "point" {
  return style === "points" ? "point" : style === "dashed" ? "dash" : "line";
}

/** Widens one axis so that a circle is round. */
function equalized({ x, y }: Window, plot: uPlot): Window {
  const { width: w, height: h } = plot.bbox;
  const scale = Math.max((x[1] - x[0]) / w, (y[1] - y[0]) / h);
  const widen = ([a, b]: Range, size: number): Range => [(a + b) / 2 - size / 2, (a + b) / 2 + size / 2];
  return { x: widen(x, scale * w), y: widen(y, scale * h) };
}

/** Shapes tell the series apart where colours cannot. */
function mark(context: CanvasRenderingContext2D, [x, y]: [number, number], index: number, r: number) {
  context.beginPath();
  const corners = [0, 4, 3, 4, 3][index % 5];
  const turn = [0, Math.PI / 4, -Math.PI / 2, 0, Math.PI / 2][index % 5];
  if (corners === 0) context.arc(x, y, r, 0, 7);
  for (let k = 0; k < corners; k++) {
    const angle = turn + (2 * Math.PI * k) / corners;
    context.lineTo(x + 1.25 * r * Math.cos(angle), y + 1.25 * r * Math.sin(angle));
  }
  context.closePath();
  context.fill();
}

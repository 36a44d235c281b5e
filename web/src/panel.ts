// One plot over time: curves, legend, the page's time cursor, marks where impacts are.
import uPlot from "uplot";
import type { Clock } from "./clock";
import type { Event, Numbers } from "./data";
import { el } from "./dom";
import { power, ticks, withUnit } from "./format";
import { Legend, shownAtFirst } from "./legend";
import { eventTip } from "./tip";
import { colors, faint, font, onTheme, seriesColor } from "./theme";

export interface Curve {
  label: string;
  values: () => Numbers;
}

export interface PanelSpec {
  id: string;
  title: string;
  quantity: string;
  unit: string;
  log?: boolean;
  whole?: boolean; // counts: no ticks between whole numbers
  paths?: "line" | "steps" | "points";
  time: Numbers;
  curves: Curve[];
  note?: string;
}

type Values = Numbers | (number | null)[];

const height = 210;
const axisWidth = 62;
const paperWidth = 680; // of both A4 and letter, without margins

export class Panel {
  readonly element: HTMLElement;
  private plot: uPlot | null = null;
  private readonly box = el("div", { class: "plot" });
  private readonly legend: Legend;
  private readonly shown: boolean[];
  private visible = false;
  private stale = true;

  constructor(
    private readonly spec: PanelSpec,
    private readonly clock: Clock,
    private readonly events: Event[],
  ) {
    this.shown = spec.curves.map((_, i) => i < shownAtFirst);
    this.legend = new Legend(
      spec.curves.map((curve, i) => ({
        label: curve.label,
        color: i,
        note: spec.paths === "points" ? "" : undefined,
        mark: spec.paths === "points" ? "point" : "line",
      })),
      this.shown,
      (i) => this.plot?.setSeries(i + 1, { show: this.shown[i] }),
    );
    this.element = el(
      "section",
      { class: "panel", id: `plot-${spec.id}`, "data-series": spec.curves.length, "data-impacts": events.length, "data-axis": withUnit(spec.quantity, spec.unit) },
      el("h3", {}, spec.title),
      this.box,
      this.legend.element,
      spec.note ? el("p", { class: "note" }, spec.note) : null,
    );
    this.box.style.height = `${height}px`;
    this.follow();
  }

  /** Everything must be drawn before it is printed, seen or not, and no wider than a sheet. */
  fitPaper() {
    this.build();
    this.plot!.setSize({ width: paperWidth, height });
    this.showView();
  }
  fitScreen() {
    this.resize();
  }

  private follow() {
    const observer = new IntersectionObserver(
      (entries) => {
        this.visible = entries[entries.length - 1].isIntersecting;
        if (!this.visible) return;
        if (!this.plot) this.build();
        else if (this.stale) this.showView();
        else this.showTime();
      },
      { rootMargin: "300px" },
    );
    observer.observe(this.element);
    new ResizeObserver(() => this.resize()).observe(this.box);
    this.clock.onTime(() => this.visible && this.showTime());
    this.clock.onView(() => {
      this.stale = true;
      if (this.visible) this.showView();
    });
    onTheme(() => this.plot?.redraw(false));
  }

  private build() {
    if (this.plot) return;
    const data: Values[] = [this.spec.time];
    for (const curve of this.spec.curves) data.push(drawable(curve.values(), !!this.spec.log));
    this.plot = new uPlot(this.options(), data as uPlot.AlignedData, this.box);
    this.box.style.height = "";
    this.element.dataset.ready = "";
  }

  private resize() {
    const width = Math.floor(this.box.clientWidth);
    if (this.plot && width > 0 && width !== this.plot.width) {
      this.plot.setSize({ width, height });
      this.showTimeLater();
    }
  }

  private showView() {
    if (!this.plot) return;
    this.stale = false;
    this.plot.setScale("x", { min: this.clock.from, max: this.clock.to });
    this.showTimeLater();
  }

  /** The plot takes new scales and sizes after the present task; places on it are known then. */
  private showTimeLater() {
    queueMicrotask(() => this.showTime());
  }

  private showTime() {
    const plot = this.plot;
    if (!plot) return;
    const t = this.clock.t;
    const inside = t >= this.clock.from && t <= this.clock.to;
    const left = inside ? plot.valToPos(t, "x") : -10;
    plot.setCursor({ left, top: inside ? 0 : -10 }, false);
    const row = plot.valToIdx(t);
    this.legend.update((i) => (plot.data[i + 1] as Values)[row]);
  }

  private options(): uPlot.Options {
    const { spec, clock } = this;
    return {
      width: Math.max(120, Math.floor(this.box.clientWidth)),
      height,
      padding: [8, 12, 0, 0],
      legend: { show: false },
      scales: {
        x: { time: false, range: () => [clock.from, clock.to] },
        y: spec.log ? { distr: 3, range: logRange } : { range: linearRange },
      },
      axes: [timeAxis(clock.label), valueAxis(withUnit(spec.quantity, spec.unit), !!spec.log, !!spec.whole)],
      series: [{}, ...spec.curves.map((_, i) => this.curveOptions(i))],
      cursor: {
        y: false,
        drag: { x: true, y: false, setScale: false, dist: 4 },
        points: { size: 6, width: 1.5, fill: () => colors().panel },
        bind: {
          mousemove: (plot, _, handler) => (e) => {
            handler(e);
            this.hover(plot, e);
            return null;
          },
          mouseleave: () => () => {
            eventTip.hide();
            return null;
          },
          dblclick: () => () => {
            clock.resetZoom();
            return null;
          },
        },
      },
      hooks: {
        ready: [() => this.showView()],
        setSelect: [
          (plot) => {
            const { left, width } = plot.select;
            if (width < 4) return;
            plot.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
            clock.zoom(plot.posToVal(left, "x"), plot.posToVal(left + width, "x"));
          },
        ],
        drawAxes: [(plot) => drawEvents(plot, this.events)],
      },
    };
  }

  private curveOptions(i: number): uPlot.Series {
    const { paths } = this.spec;
    return {
      show: this.shown[i],
      stroke: () => seriesColor(i),
      width: 1.5,
      pxAlign: 0, // curves lie between pixels, or they become stairs
      points:
        paths === "points" ? { show: true, size: 5, fill: () => seriesColor(i) } : { show: this.spec.time.length < 3 },
      paths: paths === "steps" ? uPlot.paths.stepped!({ align: -1 }) : paths === "points" ? () => null : undefined,
    };
  }

  private hover(plot: uPlot, e: MouseEvent) {
    const left = plot.cursor.left ?? -1;
    if (left < 0) return;
    if (!this.clock.playing) this.clock.seek(plot.posToVal(left, "x"));
    const reach = plot.posToVal(left + 4, "x") - plot.posToVal(left, "x");
    eventTip.showNear(this.events, plot.posToVal(left, "x"), reach, e.clientX, e.clientY);
  }
}

/** What uPlot can draw: no infinities, and nothing below zero on logarithmic axes. */
function drawable(values: Numbers, log: boolean): Values {
  const bad = (x: number) => !Number.isFinite(x) || (log && x <= 0);
  return values.some(bad) ? Array.from(values, (x) => (bad(x) ? null : x)) : values;
}

const linearRange: uPlot.Range.Function = (_, low, high) => {
  if (low === null || high === null) return [0, 1];
  // rounding noise around a constant, or around zero, is not worth a picture of its own
  const largest = Math.max(Math.abs(low), Math.abs(high));
  const size = high - low;
  if (largest < 1e-20) return [-1, 1];
  if (size <= 1e-13 * largest) return [low - largest / 10, high + largest / 10];
  return [low - 0.06 * size, high + 0.06 * size];
};

const logRange: uPlot.Range.Function = (_, low, high) => {
  if (low === null || high === null) return [1e-16, 1];
  const a = 10 ** Math.floor(Math.log10(low) + 1e-9);
  const b = 10 ** Math.ceil(Math.log10(high) - 1e-9);
  return a === b ? [a / 10, b * 10] : [a, b];
};

const axisLook = (): uPlot.Axis => ({
  stroke: () => colors().muted,
  font,
  labelFont: font,
  labelSize: 16,
  labelGap: 0,
  gap: 4,
  grid: { stroke: () => colors().grid, width: 1 },
  ticks: { stroke: () => colors().rule, width: 1, size: 4 },
});

const linearLabels: uPlot.Axis.Values = (_, splits) => {
  const step = splits.length > 1 ? Math.abs(splits[1] - splits[0]) : Math.abs(splits[0]) || 1;
  return ticks(splits, step);
};

export function timeAxis(label: string): uPlot.Axis {
  return { ...axisLook(), size: 26, space: 64, label, values: linearLabels };
}

const wholeSteps = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 1e4, 1e5, 1e6];

export function valueAxis(label: string, log: boolean, whole = false): uPlot.Axis {
  return {
    ...axisLook(),
    size: axisWidth,
    space: 32,
    label,
    ...(whole ? { incrs: wholeSteps } : {}),
    ...(log ? logTicks(24) : { values: linearLabels }),
  };
}

/** Decades, every so many that labels of `space` pixels fit; in a short range also 2 and 5. */
export function logTicks(space: number): uPlot.Axis {
  return {
    // uPlot looks for an increment first, and has none for more than 32 decades; it takes any above 5
    incrs: (_plot, _axis, low, high) => [Math.max(5, high - low)],
    splits: (plot, axis, low, high) => {
      const length = (axis === 0 ? plot.bbox.width : plot.bbox.height) / (devicePixelRatio || 1);
      const decades = Math.log10(high / low);
      const every = Math.max(1, Math.ceil((decades * space) / length));
      const digits = every === 1 && decades < 2.5 && (3.5 * decades * space) / length < 1 ? [1, 2, 5] : [1];
      const ticks: number[] = [];
      for (let e = Math.floor(Math.log10(low)); e <= Math.log10(high) + 1e-9; e++)
        if (e % every === 0) ticks.push(...digits.map((d) => Number(`${d}e${e}`)).filter((x) => x >= low * 0.999999 && x <= high * 1.000001));
      return ticks;
    },
    filter: (_, ticks) => ticks,
    values: (_, ticks) => ticks.map(power),
  };
}

/** A foot at the bottom for each impact in sight, and a thread above it while there are few. */
function drawEvents(plot: uPlot, events: Event[]) {
  if (events.length === 0) return;
  const { ctx: context, bbox } = plot;
  const ratio = devicePixelRatio || 1;
  const { min, max } = plot.scales.x;
  const seen = events.filter((e) => e.t >= min! && e.t <= max!);
  const brass = colors().brass;
  const bottom = bbox.top + bbox.height;
  // where marks would merge into a bar, they grow shorter and paler
  const crowd = Math.min(1, (0.25 * bbox.width) / ratio / Math.max(1, seen.length));
  const foot = (4 + 3 * crowd) * ratio;
  context.save();
  context.lineWidth = ratio;
  let previous = -1;
  for (const event of seen) {
    const x = Math.round(plot.valToPos(event.t, "x", true)) + 0.5;
    if (x === previous) continue;
    previous = x;
    if (seen.length <= 80) {
      context.strokeStyle = faint(brass, 0.22);
      line(context, x, bbox.top, x, bottom);
    }
    context.strokeStyle = faint(brass, 0.4 + 0.6 * crowd);
    line(context, x, bottom - foot, x, bottom);
  }
  context.restore();
}

function line(context: CanvasRenderingContext2D, x0: number, y0: number, x1: number, y1: number) {
  context.beginPath();
  context.moveTo(x0, y0);
  context.lineTo(x1, y1);
  context.stroke();
}

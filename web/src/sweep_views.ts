// Four ways to look at a study: what each draws, and which rows stand where.
import type uPlot from "uplot";
import type { SweepTable } from "./sweep_data";
import { colors, faint, seriesColor } from "./theme";

type Range = [number, number];
export type Place = { row: number; x: number; y: number; reach: number }; // in the plot's pixels; reach: half its size

export interface Choice {
  x: string;
  y: string;
  color: string; // "" for none
}

export interface View {
  x: Range;
  y: Range;
  xLabel: string;
  yLabel: string;
  draw(plot: uPlot, ratio: number): Place[];
  legend: { label: string; color: string }[];
  scale?: Range; // of the colours
}

const finite = (x: number) => Number.isFinite(x);

function around(values: number[]): Range {
  const known = values.filter(finite);
  if (known.length === 0) return [0, 1];
  const low = known.reduce((a, b) => Math.min(a, b));
  const high = known.reduce((a, b) => Math.max(a, b));
  const pad = 0.05 * (high - low) || 0.1 * Math.abs(high) || 1;
  return [low - pad, high + pad];
}

// even steps of lightness, which order values for every eye and on paper, light enough at the dark end for the dark page
const ramp = ["#5a2a83", "#3b6aa0", "#2a9d8f", "#7cc957", "#e3d32f"];

/** From dark violet to light yellow. */
export function scaleColor(fraction: number): string {
  const stops = ramp.map((c) => parseInt(c.slice(1), 16));
  const place = Math.min(ramp.length - 1.001, Math.max(0, (ramp.length - 1) * fraction));
  const [a, b] = [stops[Math.floor(place)], stops[Math.floor(place) + 1]];
  const part = place - Math.floor(place);
  const mix = (shift: number) => Math.round(((a >> shift) & 255) * (1 - part) + ((b >> shift) & 255) * part);
  return `rgb(${mix(16)}, ${mix(8)}, ${mix(0)})`;
}

const within = (value: number, [low, high]: Range) => (high > low ? (value - low) / (high - low) : 0.5);

function extent(values: number[]): Range {
  const known = values.filter(finite);
  return known.length > 0 ? [known.reduce((a, b) => Math.min(a, b)), known.reduce((a, b) => Math.max(a, b))] : [0, 1];
}

/** A failed row has no measures: a cross at the lower edge says where it is. */
function cross(context: CanvasRenderingContext2D, x: number, y: number, r: number) {
  context.strokeStyle = colors().ruby;
  context.beginPath();
  context.moveTo(x - r, y - r);
  context.lineTo(x + r, y + r);
  context.moveTo(x - r, y + r);
  context.lineTo(x + r, y - r);
  context.stroke();
}

function drawPoint(context: CanvasRenderingContext2D, table: SweepTable, row: number, x: number, y: number, color: string, ratio: number) {
  const r = (table.rows > 2000 ? 1.75 : 3.5) * ratio;
  context.fillStyle = color;
  context.beginPath();
  context.arc(x, y, r, 0, 7);
  context.fill();
  if (table.state(row) !== "suspect") return;
  context.strokeStyle = colors().brass;
  context.lineWidth = 1.5 * ratio;
  context.beginPath();
  context.arc(x, y, r + 2.5 * ratio, 0, 7);
  context.stroke();
}

function placed(table: SweepTable, { x, y }: Choice, plot: uPlot, ratio: number): Place[] {
  const bottom = plot.bbox.top + plot.bbox.height - 7 * ratio;
  const places: Place[] = [];
  for (let row = 0; row < table.rows; row++) {
    const [a, b] = [table.value(x, row), table.value(y, row)];
    if (!finite(a)) continue;
    const failed = table.state(row) === "failed";
    if (!failed && !finite(b)) continue;
    places.push({ row, x: plot.valToPos(a, "x", true), y: failed || !finite(b) ? bottom : plot.valToPos(b, "y", true), reach: 6 * ratio });
  }
  return places;
}

export function scatter(table: SweepTable, choice: Choice): View {
  const scale = choice.color ? extent(table.values(choice.color)) : undefined;
  return {
    x: around(table.values(choice.x)),
    y: around(table.values(choice.y)),
    xLabel: choice.x,
    yLabel: choice.y,
    scale,
    legend: [],
    draw: (plot, ratio) => {
      const places = placed(table, choice, plot, ratio);
      plot.ctx.lineWidth = 1.5 * ratio;
      for (const p of places) {
        if (table.state(p.row) === "failed") cross(plot.ctx, p.x, p.y, 4 * ratio);
        else drawPoint(plot.ctx, table, p.row, p.x, p.y, scale ? scaleColor(within(table.value(choice.color, p.row), scale)) : seriesColor(0), ratio);
      }
      return places;
    },
  };
}

const most_lines = 8;

/** One line for each value of the parameter that colours it, through its rows in the order of x. */
export function lines(table: SweepTable, choice: Choice): View {
  const levels = choice.color ? table.levels(choice.color) : [];
  const few = levels.length <= most_lines;
  const scale = few || !choice.color ? undefined : extent(levels);
  const color = (row: number) => {
    if (!choice.color) return seriesColor(0);
    const value = table.value(choice.color, row);
    return scale ? scaleColor(within(value, scale)) : seriesColor(levels.indexOf(value));
  };
  return {
    x: around(table.values(choice.x)),
    y: around(table.values(choice.y)),
    xLabel: choice.x,
    yLabel: choice.y,
    scale,
    legend: few && choice.color ? levels.map((v, i) => ({ label: `${choice.color} = ${v}`, color: seriesColor(i) })) : [],
    draw: (plot, ratio) => {
      const places = placed(table, choice, plot, ratio);
      const groups = new Map<string, Place[]>();
      for (const p of places) {
        // what is neither on an axis nor a colour tells lines apart too
        const key = table.parameters.filter((name) => name !== choice.x).map((name) => table.value(name, p.row)).join(" ");
        groups.set(key, [...(groups.get(key) ?? []), p]);
      }
      plot.ctx.lineWidth = 1.5 * ratio;
      for (const group of groups.values()) {
        const known = group.filter((p) => table.state(p.row) !== "failed").sort((a, b) => a.x - b.x);
        plot.ctx.strokeStyle = known.length > 0 ? color(known[0].row) : "";
        plot.ctx.beginPath();
        known.forEach((p, i) => (i ? plot.ctx.lineTo(p.x, p.y) : plot.ctx.moveTo(p.x, p.y)));
        plot.ctx.stroke();
      }
      for (const p of places) {
        if (table.state(p.row) === "failed") cross(plot.ctx, p.x, p.y, 4 * ratio);
        else drawPoint(plot.ctx, table, p.row, p.x, p.y, color(p.row), ratio);
      }
      return places;
    },
  };
}

/** Half way to the neighbours. */
function edges(levels: number[]): Range[] {
  const step = levels.length > 1 ? levels[1] - levels[0] : Math.abs(levels[0]) || 1;
  return levels.map((v, i) => {
    const before = i > 0 ? (v - levels[i - 1]) / 2 : (levels.length > 1 ? levels[1] - v : step) / 2;
    const after = i + 1 < levels.length ? (levels[i + 1] - v) / 2 : (i > 0 ? v - levels[i - 1] : step) / 2;
    return [v - before, v + after];
  });
}

/** Two parameters span it; where several rows share a cell the mean is shown. */
export function heatMap(table: SweepTable, choice: Choice): View {
  const [xs, ys] = [table.levels(choice.x), table.levels(choice.y)];
  const [xEdges, yEdges] = [edges(xs), edges(ys)];
  const cells = new Map<string, number[]>();
  for (let row = 0; row < table.rows; row++) {
    const key = `${xs.indexOf(table.value(choice.x, row))} ${ys.indexOf(table.value(choice.y, row))}`;
    cells.set(key, [...(cells.get(key) ?? []), row]);
  }
  const mean = (rows: number[]) => {
    const known = rows.map((row) => table.value(choice.color, row)).filter(finite);
    return known.length > 0 ? known.reduce((a, b) => a + b) / known.length : NaN;
  };
  const scale = extent([...cells.values()].map(mean));
  return {
    x: [xEdges[0][0], xEdges[xs.length - 1][1]],
    y: [yEdges[0][0], yEdges[ys.length - 1][1]],
    xLabel: choice.x,
    yLabel: choice.y,
    scale,
    legend: [],
    draw: (plot, ratio) => {
      const context = plot.ctx;
      const places: Place[] = [];
      for (const [key, rows] of cells) {
        const [i, k] = key.split(" ").map(Number);
        const [left, right] = xEdges[i].map((v) => plot.valToPos(v, "x", true));
        const [bottom, top] = yEdges[k].map((v) => plot.valToPos(v, "y", true));
        const value = mean(rows);
        const place = { row: rows[0], x: (left + right) / 2, y: (top + bottom) / 2, reach: Math.max(right - left, bottom - top) / 2 };
        places.push(place);
        context.fillStyle = finite(value) ? scaleColor(within(value, scale)) : faint(colors().ruby, 0.12);
        context.fillRect(left, top, right - left + 0.5, bottom - top + 0.5);
        context.lineWidth = 1.5 * ratio;
        const r = Math.min(4 * ratio, (right - left) / 4, (bottom - top) / 4);
        if (rows.some((row) => table.state(row) === "failed")) cross(context, place.x, place.y, r);
        else if (rows.some((row) => table.state(row) === "suspect")) {
          context.strokeStyle = colors().paper;
          context.beginPath();
          context.arc(place.x, place.y, r, 0, 7);
          context.stroke();
        }
      }
      return places;
    },
  };
}

/** As many bars as the cube root of the rows asks for (Rice's rule); suspect rows stand on top of the others. */
export function histogram(table: SweepTable, choice: Choice): View {
  const rows = Array.from({ length: table.rows }, (_, i) => i).filter((row) => finite(table.value(choice.x, row)));
  const [low, high] = extent(rows.map((row) => table.value(choice.x, row)));
  const count = Math.max(1, Math.ceil(2 * Math.cbrt(rows.length)));
  const width = high > low ? (high - low) / count : 1;
  const first = high > low ? low : low - 0.5;
  const bars: number[][] = Array.from({ length: high > low ? count : 1 }, () => []);
  for (const row of rows) bars[Math.min(bars.length - 1, Math.floor((table.value(choice.x, row) - first) / width))].push(row);
  const tallest = bars.reduce((most, bar) => Math.max(most, bar.length), 1);
  return {
    x: [first - 0.5 * width, first + (bars.length + 0.5) * width],
    y: [0, 1.08 * tallest],
    xLabel: choice.x,
    yLabel: "runs",
    legend: [],
    draw: (plot, ratio) =>
      bars.flatMap((bar, i) => {
        const [left, right] = [first + i * width, first + (i + 1) * width].map((v) => plot.valToPos(v, "x", true));
        const suspect = bar.filter((row) => table.state(row) === "suspect").length;
        const [zero, middle, top] = [0, bar.length - suspect, bar.length].map((n) => plot.valToPos(n, "y", true));
        plot.ctx.fillStyle = seriesColor(0);
        plot.ctx.fillRect(left + ratio, middle, right - left - 2 * ratio, zero - middle);
        plot.ctx.fillStyle = colors().brass;
        plot.ctx.fillRect(left + ratio, top, right - left - 2 * ratio, middle - top);
        return bar.length > 0 ? [{ row: bar[0], x: (left + right) / 2, y: (top + zero) / 2, reach: Math.max((right - left) / 2, (zero - top) / 2) }] : [];
      }),
  };
}

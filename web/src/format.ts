// Numbers as people like to read them.
import { el } from "./dom";

function minus(text: string): string {
  return text.replace(/^-/, "−");
}

function trim(text: string): string {
  return text.includes(".") ? text.replace(/\.?0+$/, "") : text;
}

/** 12 345, 0.5, 1.234e-9: at most `digits` significant digits. */
export function number(x: number, digits = 6): string {
  const { mantissa, exponent } = parts(x, digits);
  return exponent === 0 ? mantissa : `${mantissa}e${exponent}`;
}

/** The same set as in print, with a raised exponent. */
export function printed(x: number, digits = 6): Node {
  const { mantissa, exponent } = parts(x, digits);
  if (exponent === 0) return document.createTextNode(mantissa);
  return el("span", { class: "printed" }, `${mantissa} × 10`, el("sup", {}, minus(String(exponent))));
}

function parts(x: number, digits: number): { mantissa: string; exponent: number } {
  const plain = (mantissa: string) => ({ mantissa, exponent: 0 });
  if (Number.isNaN(x)) return plain("–");
  if (!Number.isFinite(x)) return plain(x > 0 ? "∞" : "−∞");
  const size = Math.abs(x);
  if (Number.isInteger(x) && size < 1e12) return plain(group(x));
  if (size >= 1e-3 && size < Math.min(1e6, 10 ** digits)) return plain(minus(trim(x.toPrecision(digits))));
  const [mantissa, exponent] = x.toExponential(digits - 1).split("e");
  return { mantissa: minus(trim(mantissa)), exponent: Number(exponent) };
}

/** Whole numbers in groups of three. */
export function group(x: number): string {
  return minus(String(x)).replace(/\B(?=(\d{3})+(?!\d))/g, " ");
}

/** For values that change while one looks: constant width. */
export function live(x: number | null | undefined): string {
  if (x === null || x === undefined || Number.isNaN(x)) return "–";
  if (x === 0) return "0";
  const size = Math.abs(x);
  return minus(size >= 1e-3 && size < 1e5 ? x.toPrecision(5) : x.toExponential(3).replace("e+", "e"));
}

/** The label of a tick, with as many digits as the distance between ticks asks for. */
export function tick(x: number, step: number): string {
  if (x === 0) return "0";
  const size = Math.max(Math.abs(x), step);
  if (size >= 1e5 || step < 1e-4) {
    const digits = Math.max(0, Math.ceil(Math.log10(Math.abs(x) / step) - 1e-9) + 1);
    const [mantissa, exponent] = x.toExponential(Math.min(digits, 12)).split("e");
    return minus(trim(mantissa)) + (Number(exponent) === 0 ? "" : `e${Number(exponent)}`);
  }
  return minus(trim(x.toFixed(decimalsOf(step))));
}

const room = 8; // characters beside an axis

/** Labels that have room beside an axis: where numbers differ in their last digits alone, the roundest is written, and of the others by how
 * much they differ from it. */
export function ticks(values: number[], step: number): string[] {
  const labels = values.map((x) => tick(x, step));
  if (labels.every((label) => label.length <= room)) return labels;
  const base = labels.reduce((best, label, i) => (label.length < labels[best].length ? i : best), 0);
  const text = labels[base].length <= room ? labels[base] : `≈${number(values[base], 4)}`;
  return values.map((x, i) => (i === base ? text : `${x > values[base] ? "+" : ""}${tick(Math.round((x - values[base]) / step) * step, step)}`));
}

/** Decimals that write a step of 0.25 in full. */
function decimalsOf(step: number): number {
  let decimals = Math.min(12, Math.max(0, Math.ceil(-Math.log10(step) - 1e-9)));
  while (decimals < 12 && Math.abs(step * 10 ** decimals - Math.round(step * 10 ** decimals)) > 1e-6) decimals++;
  return decimals;
}

/** Ticks of logarithmic axes. */
export function power(x: number): string {
  return x >= 0.01 && x <= 1000 ? trim(x.toPrecision(1).includes("e") ? String(x) : x.toPrecision(1)) : x.toExponential(0).replace("+", "");
}

export function withUnit(label: string, unit: string | undefined): string {
  return unit ? `${label} (${unit})` : label;
}

/** A time with enough digits to tell two samples of the run apart. */
export function time(t: number, duration: number): string {
  const decimals = duration > 0 ? Math.min(9, Math.max(0, 4 - Math.floor(Math.log10(duration)))) : 3;
  return minus(t.toFixed(decimals));
}

/** Seconds of computing. */
export function seconds(x: number): string {
  if (x < 1e-3) return `${number(x * 1e6, 3)} µs`;
  if (x < 1) return `${number(x * 1e3, 3)} ms`;
  if (x < 120) return `${number(x, 3)} s`;
  return `${Math.floor(x / 60)} min ${Math.round(x % 60)} s`;
}

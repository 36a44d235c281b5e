// The page of a parameter study: pick what is drawn against what, click a run to see it.
import uPlot from "uplot";
import type { SweepData } from "./data";
import { button, el } from "./dom";
import { group, number } from "./format";
import { pageHeader } from "./header";
import { timeAxis, valueAxis } from "./panel";
import { factList } from "./summary";
import { SweepTable } from "./sweep_data";
import { heatMap, histogram, lines, scaleColor, scatter, type Choice, type Place, type View } from "./sweep_views";
import { cellTable } from "./table";
import { colors, onTheme } from "./theme";

const makers = { scatter, lines, heat: heatMap, histogram };
type Kind = keyof typeof makers;
const titles: Record<Kind, string> = { scatter: "Scatter", lines: "Lines", heat: "Heat map", histogram: "Histogram" };
const most_told = 200; // rows listed below

export function showSweep(data: SweepData, root: HTMLElement) {
  const table = new SweepTable(data);
  const count = (state: string) => table.runs.filter((_, row) => table.state(row) === state).length;
  const [failed, suspect] = [count("failed"), count("suspect")];
  root.append(
    pageHeader({ kicker: "Parameter study", title: data.title, subtitle: data.subtitle ?? "", version: data.version }),
    factList([
      ["runs", group(table.rows), table.rows < data.runs ? `of ${group(data.runs)}` : ""],
      ["failed", group(failed)],
      ["suspect", group(suspect)],
    ]),
    new SweepPlot(table).element,
    notes(table),
  );
}

/** Rows that did not end well, and why. */
function notes(table: SweepTable): HTMLElement {
  const rows = table.runs.map((_, row) => row).filter((row) => table.state(row) !== "sound");
  if (rows.length === 0) return el("div");
  return cellTable({
    title: "Runs that failed or are suspect",
    columns: ["run", ...table.parameters, "status", "message"],
    rows: rows.slice(0, most_told).map((row) => [
      String(table.runs[row]),
      ...table.parameters.map((name) => table.value(name, row)),
      table.state(row) === "failed" ? table.status(row) : "suspect",
      table.message(row),
    ]),
    digits: 6,
    notes: rows.length > most_told ? [`and ${rows.length - most_told} more`] : [],
  });
}

class SweepPlot {
  readonly element: HTMLElement;
  private readonly box = el("div", { class: "plot" });
  private readonly card = el("aside", { class: "run-card", "aria-live": "polite" }, el("p", { class: "muted" }, "Click a point to see its run."));
  private readonly legend = el("div", { class: "sweep-legend" });
  private readonly kinds: Record<Kind, HTMLButtonElement>;
  private readonly selects: Record<keyof Choice, HTMLSelectElement>;
  private readonly labels: Record<keyof Choice, HTMLElement>;
  private kind: Kind;
  private view!: View;
  private plot: uPlot | null = null;
  private places: Place[] = [];
  private chosen = -1;

  constructor(private readonly table: SweepTable) {
    const names = Object.keys(titles) as Kind[];
    this.kinds = Object.fromEntries(names.map((k) => [k, button(titles[k], titles[k], () => this.pick(k), "kind")])) as Record<Kind, HTMLButtonElement>;
    const select = () => el("select", { onchange: () => this.rebuild() });
    this.selects = { x: select(), y: select(), color: select() };
    const label = (key: keyof Choice) => el("label", {}, el("span", {}, key), this.selects[key]);
    this.labels = { x: label("x"), y: label("y"), color: label("color") };
    this.element = el(
      "section",
      { class: "sweep" },
      el("div", { class: "sweep-tools" }, ...names.map((k) => this.kinds[k]), this.labels.x, this.labels.y, this.labels.color),
      el("div", { class: "sweep-body" }, el("figure", { class: "panel figure" }, this.box, this.legend), this.card),
    );
    this.kind = table.parameters.length > 1 && this.isGrid() ? "heat" : "scatter";
    this.pick(this.kind);
    new ResizeObserver(() => this.resize()).observe(this.box);
    onTheme(() => this.rebuild());
  }

  /** Whether a heat map has cells: every parameter takes few values. */
  private isGrid(): boolean {
    return this.table.parameters.slice(0, 2).every((name) => this.table.levels(name).length ** 2 <= 4 * this.table.rows);
  }

  private pick(kind: Kind) {
    this.kind = kind;
    for (const [k, b] of Object.entries(this.kinds)) b.setAttribute("aria-pressed", String(k === kind));
    const { parameters, measures, names } = this.table;
    const [p, m] = [parameters[0], measures[0]];
    const fill = (key: keyof Choice, options: string[], wanted: string, text: string, shown = true) => {
      const before = this.selects[key].value;
      this.selects[key].replaceChildren(...options.map((o) => el("option", { value: o }, o || "none")));
      this.selects[key].value = options.includes(before) && before ? before : wanted;
      this.labels[key].firstChild!.textContent = text;
      this.labels[key].hidden = !shown;
    };
    const second = parameters[1] ?? "";
    if (kind === "histogram") fill("x", names, m, "of");
    else fill("x", kind === "scatter" ? names : parameters, p, "x");
    fill("y", kind === "heat" ? parameters : kind === "lines" ? measures : names, kind === "heat" ? second : m, "y", kind !== "histogram");
    fill("color", kind === "heat" ? measures : ["", ...(kind === "lines" ? parameters : names)], kind === "heat" ? m : kind === "lines" ? second : "", "colour", kind !== "histogram");
    if (kind === "heat" && this.selects.y.value === this.selects.x.value) this.selects.y.value = parameters.find((n) => n !== this.selects.x.value) ?? p;
    this.kinds.heat.disabled = parameters.length < 2;
    this.rebuild();
  }

  private choice(): Choice {
    const { x, y, color } = this.selects;
    return { x: x.value, y: y.value, color: color.value };
  }

  private rebuild() {
    this.view = makers[this.kind](this.table, this.choice());
    this.plot?.destroy();
    this.plot = null;
    this.showLegend();
    this.resize();
  }

  private resize() {
    const width = Math.floor(this.box.clientWidth);
    if (width === 0) return;
    const height = Math.round(Math.min(520, Math.max(280, 0.62 * width)));
    if (this.plot) return this.plot.setSize({ width, height });
    const { x, y } = this.view;
    this.plot = new uPlot(
      {
        width,
        height,
        padding: [8, 14, 0, 0],
        legend: { show: false },
        scales: { x: { time: false, range: () => x }, y: { range: () => y } },
        axes: [timeAxis(this.view.xLabel), valueAxis(this.view.yLabel, false)],
        series: [{}, { paths: () => null, points: { show: false } }],
        cursor: { points: { show: false }, drag: { setScale: false, x: false, y: false } },
        hooks: { draw: [(plot) => this.draw(plot)] },
      },
      [x, y] as uPlot.AlignedData,
      this.box,
    );
    this.plot.over.addEventListener("click", (event) => this.click(event));
    this.element.dataset.ready = "";
  }

  private draw(plot: uPlot) {
    const ratio = devicePixelRatio || 1;
    const { left, top, width, height } = plot.bbox;
    plot.ctx.save();
    plot.ctx.beginPath();
    plot.ctx.rect(left, top, width, height);
    plot.ctx.clip();
    this.places = this.view.draw(plot, ratio);
    const mark = this.places.find((p) => p.row === this.chosen);
    if (mark) {
      plot.ctx.strokeStyle = colors().ink;
      plot.ctx.lineWidth = 2 * ratio;
      plot.ctx.strokeRect(mark.x - 7 * ratio, mark.y - 7 * ratio, 14 * ratio, 14 * ratio);
    }
    plot.ctx.restore();
  }

  private click(event: MouseEvent) {
    const plot = this.plot!;
    const ratio = devicePixelRatio || 1;
    const [x, y] = [event.offsetX * ratio + plot.bbox.left, event.offsetY * ratio + plot.bbox.top];
    let best = -1;
    let least = Infinity;
    this.places.forEach((p, i) => {
      const distance = Math.hypot(p.x - x, p.y - y);
      if (distance < least && distance < p.reach + 12 * ratio) [best, least] = [i, distance];
    });
    if (best >= 0) this.show(this.places[best].row);
  }

  private show(row: number) {
    this.chosen = row;
    this.plot?.redraw(false);
    const { table } = this;
    const line = (name: string) => el("div", {}, el("dt", {}, name), el("dd", {}, number(table.value(name, row), 8)));
    const state = table.state(row);
    const command = table.command(row);
    const code = el("code", {}, command);
    this.card.replaceChildren(
      el("h3", {}, `Run ${table.runs[row]}`),
      el("p", { class: `run-state ${state}` }, state === "failed" ? table.status(row) : `${table.status(row)}, ${state}`),
      table.message(row) ? el("p", { class: "message" }, table.message(row)) : "",
      el("dl", { class: "run-values" }, ...table.parameters.map(line)),
      el("dl", { class: "run-values measures" }, ...table.measures.map(line)),
      el("p", { class: "muted" }, "To run it again, with its own report:"),
      code,
      button("Copy", "Copy", () => void navigator.clipboard?.writeText(command), "quiet"),
    );
  }

  private showLegend() {
    const { legend, scale } = this.view;
    const parts: HTMLElement[] = legend.map((one) => el("span", { class: "key" }, swatch(one.color), one.label));
    if (scale) {
      const steps = Array.from({ length: 24 }, (_, i) => swatch(scaleColor(i / 23), "step"));
      parts.push(el("span", { class: "scale" }, `${this.choice().color} ${number(scale[0], 4)}`, el("span", { class: "steps" }, ...steps), number(scale[1], 4)));
    }
    const has = (state: string) => this.table.runs.some((_, row) => this.table.state(row) === state);
    if (has("suspect")) parts.push(el("span", { class: "key suspect" }, this.kind === "histogram" ? "■ suspect" : "◯ suspect"));
    if (has("failed")) parts.push(el("span", { class: "key failed" }, this.kind === "histogram" ? "failed runs are not counted" : "✕ failed"));
    this.legend.replaceChildren(...parts);
  }
}

function swatch(color: string, kind = "swatch"): HTMLElement {
  const element = el("span", { class: kind });
  element.style.background = color;
  return element;
}

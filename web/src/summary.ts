// What was run and how it went, in numbers.
import type { Clock } from "./clock";
import type { Drift, Event, EventData, RunData, Summary } from "./data";
import { button, el } from "./dom";
import { group, number, printed, seconds, withUnit } from "./format";
import { cellTable } from "./table";

type Fact = [label: string, value: string | Node, note?: string];

/** The figures everybody asks for first. */
export function keyFacts(summary: Summary): HTMLElement {
  return factList(summary.equilibrium ? factsAtRest(summary) : factsOfMotion(summary));
}

function factsAtRest({ load, steps, iterations, equilibrium }: Summary): Fact[] {
  return [
    ["Load factor", number(load ?? 1)],
    ["Equilibria", group(steps)],
    ["Iterations", group(iterations ?? 0)],
    ["Unbalanced force", printed(equilibrium?.residual ?? 0, 3), "of the largest"],
  ];
}

function factsOfMotion(summary: Summary): Fact[] {
  const facts: Fact[] = [
    ["Simulated", `${number(summary.t)} s`],
    ["Steps", group(summary.steps), summary.rejected_steps > 0 ? `${group(summary.rejected_steps)} rejected` : "none rejected"],
    ["Average step", measured(summary.average_step, "s", 4)],
    ["Work", group(summary.work), "evaluations"],
  ];
  const { impacts, max_penetration, max_drift, energy, wall_seconds } = summary;
  const hasContacts = (impacts ?? 0) > 0 || (max_penetration ?? 0) > 0;
  if (impacts !== undefined && hasContacts) facts.push(["Impacts", group(impacts)]);
  if (max_penetration !== undefined && hasContacts) facts.push(["Penetration", measured(max_penetration, "m"), "largest"]);
  if (max_drift && Object.keys(summary.drift_by_constraint ?? {}).length > 0) {
    facts.push(["Drift, position", printed(max_drift.position, 3), "largest"]);
    facts.push(["Drift, velocity", printed(max_drift.velocity, 3), "largest"]);
  }
  if (energy) facts.push(["Energy error", measured(energy.max_error, "J"), "largest"]);
  if (wall_seconds !== undefined) facts.push(["Computed in", seconds(wall_seconds), speedNote(summary)]);
  return facts;
}

function measured(x: number, unit: string, digits = 3): Node {
  return el("span", {}, printed(x, digits), ` ${unit}`);
}

function speedNote({ steps, wall_seconds }: Summary): string | undefined {
  if (!wall_seconds || !steps) return undefined;
  return `${seconds(wall_seconds / steps)} per step`;
}

export function factList(facts: Fact[]): HTMLElement {
  return el(
    "dl",
    // in one row, or in two of the same length
    { class: "facts", style: `--columns: ${facts.length <= 5 ? facts.length : Math.ceil(facts.length / 2)}` },
    ...facts.map(([label, value, note]) =>
      el("div", {}, el("dt", {}, label), el("dd", { class: typeof value === "string" && value.length > 24 ? "long" : "" }, value), note ? el("dd", { class: "note" }, note) : null),
    ),
  );
}

/** All the rest, folded away until wanted. */
export function details(data: RunData, events: Event[], clock: Clock): HTMLElement {
  const { summary } = data;
  const section = el("section", { class: "details", id: "details" }, el("h2", {}, "In detail"));
  const grid = el("div", { class: "columns" });
  section.append(grid);
  const add = (table: HTMLElement | null) => table && grid.append(table);
  add(pairs("Run", { scheme: summary.scheme, ...data.settings, version: summary.version }));
  add(pairs("Parameters", data.parameters));
  add(driftTable(summary.drift_by_constraint));
  add(energyTable(summary));
  add(pairs("Evaluations", summary.evaluations, { work: summary.work }));
  add(finalTable(summary));
  if (data.events && events.length > 0) section.append(eventTable(events, data.events, clock));
  if (data.model.text)
    section.append(
      el("details", {}, el("summary", {}, `Model file${data.model.file ? ` ${data.model.file}` : ""}`), el("pre", { tabindex: 0 }, data.model.text)),
    );
  return section;
}

function pairs(title: string, values: Record<string, unknown> | undefined, last: Record<string, unknown> = {}): HTMLElement | null {
  const known = Object.entries({ ...values, ...last }).filter(([, value]) => value !== undefined);
  const rows = known.map(([key, value]) => [key.replaceAll("_", " "), cell(value)]);
  return rows.length > 0 ? cellTable({ title, columns: ["", ""], rows }) : null;
}

function cell(value: unknown): string | number | boolean {
  return typeof value === "number" || typeof value === "boolean" ? value : String(value);
}

function driftTable(drift: Record<string, Drift> | undefined): HTMLElement | null {
  const rows = Object.entries(drift ?? {}).map(([name, d]) => [name, d.position, d.velocity]);
  return rows.length > 0 ? cellTable({ title: "Largest drift", columns: ["constraint", "position", "velocity"], rows }) : null;
}

function energyTable({ energy }: Summary): HTMLElement | null {
  if (!energy) return null;
  const rows = [
    ["at the start", energy.initial],
    ["at the end", energy.final],
    ["largest error", energy.max_error],
  ];
  return cellTable({ title: "Energy", columns: ["", "J"], rows });
}

function finalTable({ final, t }: Summary): HTMLElement | null {
  if (!final) return null;
  const same = Object.keys(final.q).join() === Object.keys(final.v).join();
  const title = `State at t = ${number(t)} s`;
  if (same) return cellTable({ title, columns: ["", "value", "rate"], rows: Object.entries(final.q).map(([k, x]) => [k, x, final.v[k]]) });
  return cellTable({ title, columns: ["", "value"], rows: [...Object.entries(final.q), ...Object.entries(final.v)] });
}

const rowsAtOnce = 200;

/** Built when it is opened; a row leads to its moment. */
function eventTable(events: Event[], { total, units, note }: EventData, clock: Clock): HTMLElement {
  const title = `Events (${group(total)}${events.length < total ? `, ${group(events.length)} listed` : ""})`;
  const fold = el("details", { id: "events" }, el("summary", {}, title));
  const body = el("tbody");
  let count = 0;
  const more = button("Show more events", "Show more", () => grow(), "quiet");
  const grow = () => {
    for (const event of events.slice(count, count + rowsAtOnce)) body.append(eventRow(event, clock));
    count = Math.min(events.length, count + rowsAtOnce);
    more.hidden = count >= events.length;
  };
  const { velocity, impulse } = units;
  const head = ["t (s)", "contact", "kind", withUnit("before", velocity), withUnit("after", velocity), withUnit("impulse", impulse)];
  if (note) head.push("");
  fold.addEventListener("toggle", () => count === 0 && grow());
  fold.append(
    el(
      "div",
      { class: "scroll" },
      el("table", {}, el("thead", {}, el("tr", {}, ...head.map((h) => el("th", { scope: "col" }, h)))), body),
    ),
    more,
  );
  return fold;
}

function eventRow(event: Event, clock: Clock): HTMLElement {
  const seek = button(`Go to t = ${number(event.t, 9)}`, number(event.t, 9), () => {
    clock.pause();
    clock.seek(event.t);
  }, "link");
  const numbers = [event.before, event.after, event.impulse].map((x) => el("td", { class: "number" }, printed(x, 5)));
  const note = event.note ? el("td", {}, event.note) : null;
  return el("tr", {}, el("td", { class: "number" }, seek), el("td", {}, event.contact), el("td", {}, event.kind), ...numbers, note);
}

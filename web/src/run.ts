// The page of one simulation.
import { Clock } from "./clock";
import { type Event, type RunData, Table, unpackEvents } from "./data";
import { el } from "./dom";
import { group, number } from "./format";
import { pageHeader } from "./header";
import { Panel } from "./panel";
import { runPanels } from "./panels";
import { makePicture, type SpatialMaker } from "./picture";
import { details, keyFacts } from "./summary";
import { eventTip } from "./tip";
import { makeTransport } from "./transport";

export function showRun(data: RunData, root: HTMLElement, spatial: SpatialMaker | null) {
  const samples = new Table(data.samples);
  const frames = data.frames ? new Table(data.frames) : samples;
  const steps = data.steps ? new Table(data.steps) : null;
  const events = unpackEvents(data.events);
  const impacts = events.filter(isImpact);
  if (data.events) eventTip.units = data.events.units;
  const atRest = data.summary.equilibrium !== undefined;
  const clock = new Clock(samples.time[0] ?? 0, samples.time[samples.rows - 1] ?? 0, atRest ? "load" : "time");

  root.append(
    pageHeader({
      kicker: atRest ? "At rest" : "Simulation",
      title: data.title,
      subtitle: subtitle(data),
      status: data.summary.status,
      verdict: data.summary.verdict,
      findings: data.summary.findings,
      message: data.summary.message,
      reason: choice(data.summary),
      version: data.summary.version,
    }),
    keyFacts(data.summary),
  );
  const specs = runPanels(samples, steps, impacts, data.events?.units.impulse ?? "");
  for (const spec of specs) if (spec.quantity === "multiplier") spec.note = redundancy(data.summary.redundant_constraints ?? []);
  const panels = specs.map((spec) => new Panel(spec, clock, impacts));
  const picture = makePicture(data.picture, frames, clock, spatial, impacts, data.title);
  root.append(
    el(
      "div",
      { class: "workbench" },
      el("div", { class: "bench" }, picture?.element, makeTransport(clock, frames, impacts), hint(picture?.description ?? "", samples, data)),
      el("div", { class: "plots" }, ...panels.map((panel) => panel.element)),
    ),
    details(data, events, clock),
  );
  clock.seek(clock.start);
  addEventListener("beforeprint", () => panels.forEach((panel) => panel.fitPaper()));
  addEventListener("afterprint", () => panels.forEach((panel) => panel.fitScreen()));
}

/** What the automatic choice took at first, and why. */
function choice({ scheme, scheme_choice: why }: RunData["summary"]): string | undefined {
  return scheme === "auto" && typeof why === "string" && why ? `The automatic choice: ${why}.` : undefined;
}

function isImpact(event: Event): boolean {
  return event.kind === "impact" || Math.abs(event.impulse) > 0;
}

/** A caveat for forces that are not unique. */
function redundancy(rows: string[]): string | undefined {
  if (rows.length === 0) return undefined;
  const names = rows.slice(0, 8).join(", ") + (rows.length > 8 ? ` and ${rows.length - 8} more` : "");
  return `Redundant: ${names}. How joints share these forces is a choice.`;
}

function subtitle({ summary, settings, model }: RunData): string {
  const parts = [` ${summary.scheme ?? "equilibria under a growing load"}`];
  if (typeof settings.tolerance === "number") parts.push(`tolerance ${number(settings.tolerance)}`);
  else if (typeof settings.step === "number") parts.push(`step ${number(settings.step)} s`);
  if (model.file) parts.push(model.file);
  return parts.join(" · ");
}

function hint(picture: string, samples: Table, data: RunData): HTMLElement {
  const hits = data.events ? ", N and P go to the next and previous impact" : "";
  const keys = `Space plays, arrows step${hits}. Point at a plot to move time, drag in it to zoom, double-click to see the whole run.`;
  const thin = samples.every > 1 ? `The curves show the extrema of every ${group(samples.every)} samples.` : "";
  const every = data.picture?.every ?? 1;
  const few = every > 1 ? `The picture shows one body in ${group(every)}.` : "";
  const part = data.left_out ? `Plots and tables show the first 1,000 of each kind; the result file holds ${group(data.left_out)} more columns.` : "";
  return el("p", { class: "note hint" }, [picture, keys, few, thin, part].filter(Boolean).join(" "));
}

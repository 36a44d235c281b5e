// Which plots a run gets: one per kind of quantity and unit.
import type { Column, Event, Numbers, Table } from "./data";
import type { PanelSpec } from "./panel";

interface Kind {
  key: string;
  title: string;
  quantity: string;
  match: (id: string) => string | null; // the curve's name, or null when it is not of this kind
  log?: boolean;
  whole?: boolean;
  paths?: PanelSpec["paths"];
}

const under = (prefix: string) => (id: string) => (id.startsWith(prefix) ? id.slice(prefix.length) : null);
const contact = (field: string) => (id: string) => {
  const parts = /^contacts\/(.*)\/([^/]*)$/.exec(id);
  return parts && parts[2] === field ? parts[1] : null;
};
const brake = (id: string) => /^brakes\/(.*)\/force$/.exec(id)?.[1] ?? null;
const exactly = (id: string, label: string) => (other: string) => (other === id ? label : null);

// first what the model's author has asked for
const sampleKinds: Kind[] = [
  { key: "outputs", title: "Outputs", quantity: "output", match: under("outputs/") },
  { key: "q", title: "Coordinates", quantity: "coordinate", match: under("q/") },
  { key: "v", title: "Velocities", quantity: "velocity", match: under("v/") },
  { key: "states", title: "States", quantity: "state", match: under("states/") },
  { key: "gap", title: "Gaps", quantity: "gap", match: contact("gap") },
  { key: "gap_rate", title: "Gap rates", quantity: "gap rate", match: contact("gap_rate") },
  { key: "force", title: "Contact forces", quantity: "force", match: contact("force") },
  { key: "friction", title: "Friction", quantity: "friction", match: contact("friction") },
  { key: "slip", title: "Slip velocities", quantity: "slip", match: contact("slip") },
  { key: "brakes", title: "Friction in joints", quantity: "friction", match: brake },
  { key: "lambda", title: "Constraint forces", quantity: "multiplier", match: under("lambda/") },
  { key: "energy", title: "Energy", quantity: "energy", match: under("energy/") },
  { key: "drift", title: "Drift off the constraints", quantity: "drift", match: under("drift/"), log: true },
];

const stepKinds: Kind[] = [
  { key: "step", title: "Step size", quantity: "step", match: exactly("steps/size", "accepted steps"), log: true, paths: "steps" },
  { key: "newton", title: "Newton iterations", quantity: "iterations", match: exactly("steps/newton", "iterations per step"), whole: true, paths: "steps" },
  { key: "error", title: "Error estimate", quantity: "scaled error", match: exactly("steps/error", "estimate per step"), log: true },
  { key: "scaling", title: "Scaling factor", quantity: "factor", match: exactly("steps/scaling", "of the Newton system"), log: true, paths: "steps" },
  { key: "rejected", title: "Rejected tries", quantity: "tries", match: exactly("steps/rejected", "rejected before the step"), whole: true, paths: "steps" },
];

export function runPanels(samples: Table, steps: Table | null, impacts: Event[], impulseUnit: string): PanelSpec[] {
  const specs = collect(sampleKinds, samples);
  const impulses = impulsePanel(impacts, impulseUnit);
  if (impulses) insertAfter(specs, ["force", "gap_rate", "gap"], impulses);
  const change = energyChange(samples);
  if (change) insertAfter(specs, ["energy"], change);
  if (steps) specs.push(...collect(stepKinds, steps));
  return specs;
}

function collect(kinds: Kind[], table: Table): PanelSpec[] {
  const specs: PanelSpec[] = [];
  for (const kind of kinds) {
    const byUnit = new Map<string, PanelSpec>();
    for (const column of table.columns) {
      const name = kind.match(column.id);
      if (name === null || nothingToSee(kind, column)) continue;
      const spec = byUnit.get(column.unit) ?? newSpec(kind, column.unit, table);
      byUnit.set(column.unit, spec);
      spec.curves.push({ label: curveLabel(kind, name, table), values: () => column.values });
    }
    specs.push(...byUnit.values());
  }
  // several units of one kind need ids of their own
  const seen = new Map<string, number>();
  for (const spec of specs) {
    const count = (seen.get(spec.id) ?? 0) + 1;
    seen.set(spec.id, count);
    if (count > 1) spec.id += `-${count}`;
  }
  return specs;
}

function newSpec(kind: Kind, unit: string, table: Table): PanelSpec {
  const { key, title, quantity, log, whole, paths } = kind;
  return { id: key, title, quantity, unit, log, whole, paths, time: table.time, curves: [] };
}

/** The rate of a coordinate carries its name and a prime; a velocity of its own name keeps that. */
function curveLabel(kind: Kind, name: string, table: Table): string {
  return kind.key === "v" && table.find(`q/${name}`) ? `${name}′` : name;
}

/** Explicit schemes have no iterations, fixed steps no estimate: no empty plots for them. */
function nothingToSee(kind: Kind, column: Column): boolean {
  return stepKinds.includes(kind) && kind.key !== "step" && !column.values.some((x) => x > 0);
}

function impulsePanel(impacts: Event[], unit: string): PanelSpec | null {
  const hits = impacts.filter((e) => Number.isFinite(e.impulse) && e.impulse !== 0);
  if (hits.length === 0) return null;
  const time = Float64Array.from(hits, (e) => e.t);
  const names = [...new Set(hits.map((e) => e.contact))];
  return {
    id: "impulse",
    title: "Contact impulses",
    quantity: "impulse",
    unit,
    paths: "points",
    time,
    curves: names.map((name) => ({
      label: name,
      values: () => Float64Array.from(hits, (e) => (e.contact === name ? e.impulse : NaN)),
    })),
  };
}

/** Where energy is kept, its curve is flat: the change is what one wants to see. */
function energyChange(samples: Table): PanelSpec | null {
  const total = samples.find("energy/total");
  const kinetic = samples.find("energy/kinetic");
  if (!total || !kinetic || samples.rows < 2) return null;
  const start = total.values[0];
  const change = Float64Array.from(total.values, (e) => e - start);
  const largest = largestSize(change);
  const scale = largestSize(kinetic.values);
  if (!(largest > 0) || largest > 1e-3 * scale) return null;
  return {
    id: "energy_change",
    title: "Change of energy",
    quantity: "E − E(0)",
    unit: total.unit,
    time: samples.time,
    curves: [{ label: "total − start", values: () => change }],
  };
}

function largestSize(values: Numbers): number {
  let size = 0;
  for (const x of values) size = Math.max(size, Math.abs(x));
  return size;
}

function insertAfter(specs: PanelSpec[], ids: string[], spec: PanelSpec) {
  for (const id of ids) {
    const at = specs.map((s) => s.id.split("-")[0]).lastIndexOf(id);
    if (at >= 0) {
      specs.splice(at + 1, 0, spec);
      return;
    }
  }
  specs.push(spec);
}

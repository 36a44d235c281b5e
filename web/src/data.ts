// What the program writes into the page; docs/report-data.md says the same in words.

/** Little-endian numbers in base64. */
export interface Packed {
  type: "f32" | "f64";
  data: string;
}

/** One recorded quantity; `id` is its table and its name: q/x, contacts/floor/gap, energy/total. */
export interface ColumnData extends Packed {
  id: string;
  unit: string;
}

/** Columns over one time axis. `every` > 1: the first and last rows are samples, each pair of rows between holds extrema. */
export interface TableData {
  time: Packed;
  every: number;
  columns: ColumnData[];
}

/** Impacts and contact changes, as parallel lists; `contact` and `kind` are positions in the name lists. */
export interface EventData {
  total: number; // all that happened; the lists may be shorter
  units: { velocity: string; impulse: string };
  contacts: string[];
  kinds: string[];
  time: Packed;
  contact: number[];
  kind: number[];
  before: Packed;
  after: Packed;
  impulse: Packed;
  note?: string[];
}

/** A number, or the id of a column of the frames. */
export type Scalar = number | string;
export type Point = Scalar[]; // two or three

export interface Shape {
  kind: "box" | "circle" | "capsule" | "polygon" | "sphere" | "cylinder" | "plane" | "hull";
  size: number[]; // box: sides; circle, sphere: radius; capsule, cylinder: length, radius; plane: normal
  points?: number[][]; // polygon; corners of a hull
  faces?: number[][]; // hull: positions of their corners, counter-clockwise
  at?: number[]; // in the body's frame
  angle?: number; // planar
  orientation?: number[]; // spatial: w, x, y, z
}

export interface Body {
  name: string;
  pose: Scalar[]; // x, y, angle or x, y, z, w, x, y, z
  shapes: Shape[];
  node?: boolean; // of a line that is drawn
}

export interface Joint {
  name: string;
  kind: string;
  bodies: number[]; // positions in bodies, -1 is the ground
  at: number[][]; // the joint's point in each body's frame (the ground's is the world's)
}

/** A spring or damper between two bodies. */
export interface Link {
  name: string;
  bodies: number[];
  at: number[][];
}

export interface Contact {
  name: string;
  point: Point;
  normal: Point; // direction of the force drawn
  force: string; // id of a frame column
}

export interface Primitive {
  name: string;
  kind: "point" | "segment" | "circle" | "polyline" | "polygon";
  points: Point[];
  radius?: Scalar;
  shades?: Scalar[]; // polyline: what each of its pieces is coloured by
  shade?: string; // what that is
}

/** Where shapes touch, frame by frame, of contacts that are found while the run goes on. */
export interface PointsData {
  time: Packed; // of the frames
  starts: number[]; // each frame's first point, and how many there are in all
  numbers: Packed; // for each point its place and the force there
}

export interface PictureData {
  dimension: 2 | 3;
  every?: number; // bodies that each one of `bodies` stands for
  up?: number[]; // spatial: against gravity
  primitives: Primitive[];
  bodies: Body[];
  joints: Joint[];
  links: Link[];
  contacts: Contact[];
  points?: PointsData;
}

export interface Drift {
  position: number;
  velocity: number;
}

export type Status = "completed" | "stopped" | "interrupted" | "failed";

/** What a run measured of itself that is not small against the model's own size. */
export interface Finding {
  what: string;
  where: string; // contact or constraint, empty: the whole model
  t: number;
  value: number;
  limit: number; // above it the run is suspect
  remedy: string;
}

/** The JSON summary of the command line, unchanged. */
export interface Summary {
  model: string;
  scheme?: string;
  status: Status;
  verdict?: "sound" | "suspect"; // files of older versions have none
  findings?: Finding[];
  message?: string;
  t: number;
  steps: number;
  rejected_steps: number;
  average_step: number;
  evaluations?: Record<string, number>;
  work: number;
  max_drift?: Drift;
  drift_by_constraint?: Record<string, Drift>;
  max_penetration?: number;
  impacts?: number;
  redundant_constraints?: string[];
  energy?: { initial: number; final: number; max_error: number };
  final?: { q: Record<string, number>; v: Record<string, number> };
  wall_seconds?: number;
  equilibrium?: { residual: number }; // of statics, which has nothing of a motion
  load?: number;
  iterations?: number;
  version: string;
  [more: string]: unknown;
}

export interface RunData {
  format: 1;
  kind: "run";
  title: string;
  model: { file: string; text: string };
  settings: Record<string, string | number | boolean>; // scheme's options, tolerance or step, end, ...
  parameters: Record<string, number | string>;
  summary: Summary;
  samples: TableData;
  left_out?: number; // columns of wide models that the samples do not hold
  frames: TableData | null; // null: the samples are the frames
  steps: TableData | null;
  events: EventData | null;
  picture: PictureData | null;
}

export interface AxisData {
  label: string;
  unit?: string;
  log?: boolean;
}

export interface SeriesData {
  name: string;
  x: (number | null)[] | Packed;
  y: (number | null)[] | Packed;
  style?: "line" | "points" | "both" | "dashed" | "steps";
  faint?: boolean; // for the published curve behind ours
  fit?: boolean[]; // which points count in a slope; all unless given
  points?: string[]; // what each point is, for the pointer
}

export interface FigureData {
  title: string;
  caption?: string;
  x: AxisData;
  y: AxisData;
  series: SeriesData[];
  slopes?: boolean; // fit a slope to each series of a log-log figure
  orders?: number[]; // draw guides of these slopes
  equal?: boolean; // one scale for both axes
  notes?: string[];
}

export type Cell = string | number | boolean | null;

export interface TableOfCells {
  title: string;
  columns: string[];
  rows: Cell[][];
  digits?: number; // significant digits of numbers, 6 unless told
  verdict?: number; // position of the column that says how well it went
  notes?: string[];
}

export interface SectionData {
  title: string;
  text?: string[];
  figures?: FigureData[];
  tables?: TableOfCells[];
}

/** Comparisons of schemes and reproductions of papers. */
export interface StudyData {
  format: 1;
  kind: "compare" | "reproduce";
  title: string;
  subtitle?: string;
  version: string;
  status?: Status;
  message?: string;
  facts?: [string, Cell][];
  text?: string[];
  figures?: FigureData[];
  tables?: TableOfCells[];
  sections?: SectionData[];
}

export interface NamedColumn extends Packed {
  name: string;
}

/** A parameter study: rows that were made, column by column. */
export interface SweepData {
  format: 1;
  kind: "sweep";
  title: string;
  subtitle?: string;
  version: string;
  runs: number; // that the study has
  run: Packed; // number of each row
  varied: NamedColumn[];
  measures: NamedColumn[];
  statuses: string[];
  status: number[]; // index of each row's
  suspect: number[]; // rows
  messages: Record<string, string>; // by row
  command: string; // what runs one of them, but for its parameters
}

export type PageData = RunData | StudyData | SweepData;

export type Numbers = Float64Array | Float32Array;

/** The numbers behind a base64 text. */
export function unpack(packed: Packed): Numbers {
  const text = atob(packed.data);
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
  return packed.type === "f64" ? new Float64Array(bytes.buffer) : new Float32Array(bytes.buffer);
}

export class Column {
  private numbers: Numbers | null = null;
  constructor(readonly data: ColumnData) {}
  get id() {
    return this.data.id;
  }
  get unit() {
    return this.data.unit;
  }
  /** Unpacked when first asked for: most columns of a long run are not on the screen. */
  get values(): Numbers {
    return (this.numbers ??= unpack(this.data));
  }
}

export class Table {
  readonly time: Numbers;
  readonly columns: Column[];
  readonly every: number;
  private readonly byId = new Map<string, Column>();

  constructor(data: TableData) {
    this.time = unpack(data.time);
    this.every = data.every;
    this.columns = data.columns.map((c) => new Column(c));
    for (const c of this.columns) this.byId.set(c.id, c);
  }
  find(id: string): Column | undefined {
    return this.byId.get(id);
  }
  get rows() {
    return this.time.length;
  }
  /** The last row at or before t (the later one of two rows of equal time). */
  rowAt(t: number): number {
    let low = 0;
    let high = this.time.length - 1;
    while (low < high) {
      const mid = (low + high + 1) >> 1;
      if (this.time[mid] <= t) low = mid;
      else high = mid - 1;
    }
    return low;
  }
}

export interface Event {
  t: number;
  contact: string;
  kind: string;
  before: number;
  after: number;
  impulse: number;
  note: string;
}

export function unpackEvents(data: EventData | null): Event[] {
  if (!data) return [];
  const time = unpack(data.time);
  const before = unpack(data.before);
  const after = unpack(data.after);
  const impulse = unpack(data.impulse);
  return Array.from(time, (t, i) => ({
    t,
    contact: data.contacts[data.contact[i]] ?? "",
    kind: data.kinds[data.kind[i]] ?? "",
    before: before[i],
    after: after[i],
    impulse: impulse[i],
    note: data.note?.[i] ?? "",
  }));
}

export function readPage(): PageData {
  const text = document.getElementById("data")?.textContent ?? "";
  return JSON.parse(text) as PageData;
}

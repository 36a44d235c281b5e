// Values of the moving picture at any time, between two recorded rows by straight lines.
import type { Body, PictureData, Point, Scalar, Table } from "./data";
import type { Points } from "./points";

export type Getter = () => number;
export type Place = number[]; // two or three coordinates in the world

const trailSeconds = 1.5; // as seen on the screen
export const trailPieces = 120;
const trailsAtMost = 12;

/** Something that moves: it has a name, can be followed, and may leave a trail. */
export interface Mover {
  name: string;
  place: () => Place;
  color: number; // position in the palette
  trail: boolean;
}

/** Of many things that leave a trail, a dozen, spread evenly. */
export function withTrail(movers: Mover[]): Mover[] {
  const all = movers.filter((m) => m.trail);
  const n = Math.min(all.length, trailsAtMost);
  return Array.from({ length: n }, (_, i) => all[Math.floor(((i + 1) * all.length) / n) - 1]);
}

export const isMoving = (scalars: Scalar[]) => scalars.some((s) => typeof s === "string");

/** What moves in a picture: first the primitives, then the bodies; the colours count in the same order. */
export function findMovers(picture: PictureData, frames: Frames): Mover[] {
  const drawn = picture.primitives.filter((p) => isMoving(p.points.flat()));
  const bodies = picture.bodies.filter((b) => isMoving(b.pose));
  const dots = drawn.some((p) => p.kind === "point" || p.kind === "circle") || bodies.length > 0;
  return [
    ...drawn.map((p, i) => {
      const points = p.points.map((point) => frames.point(point));
      // lines leave no trail where there are dots that do
      const trail = p.kind === "point" || p.kind === "circle" || p.kind === "polygon" || (!dots && p.kind === "segment");
      const place = p.kind === "segment" ? points[points.length - 1] : () => middle(points.map((point) => point()));
      return { name: p.name, place, color: i, trail };
    }),
    ...bodies.map((body, i) => ({ name: body.name, place: frames.pose(body), color: drawn.length + i, trail: !body.node })),
  ];
}

export function middle(places: Place[]): Place {
  return places[0].map((_, k) => places.reduce((sum, p) => sum + p[k], 0) / places.length);
}

export class Frames {
  private row = 0;
  private weight = 0;

  constructor(
    readonly table: Table,
    private readonly dimension = 2,
  ) {}

  seek(t: number) {
    const { time, rows } = this.table;
    this.row = this.table.rowAt(t);
    const next = Math.min(this.row + 1, rows - 1);
    const h = time[next] - time[this.row];
    this.weight = h > 0 ? Math.min(1, Math.max(0, (t - time[this.row]) / h)) : 0;
  }
  seekRow(row: number) {
    this.row = row;
    this.weight = 0;
  }

  /** Times of a trail that ends at t: what was seen lately, never coarser than the rows themselves. */
  trailTimes(t: number, speed: number): number[] {
    const { time } = this.table;
    const row = this.table.rowAt(t);
    const start = Math.max(t - trailSeconds * speed, time[Math.max(0, row - trailPieces)]);
    return Array.from({ length: trailPieces + 1 }, (_, k) => start + ((t - start) * k) / trailPieces);
  }

  scalar(s: Scalar): Getter {
    if (typeof s === "number") return () => s;
    const column = this.table.find(s);
    if (!column) return () => NaN;
    const values = column.values;
    const last = values.length - 1;
    return () => {
      const a = values[this.row];
      return this.weight === 0 ? a : a + this.weight * (values[Math.min(this.row + 1, last)] - a);
    };
  }
  /** A point; a plane one in space lies at height zero. */
  point(p: Point): () => Place {
    const parts = p.map((s) => this.scalar(s));
    while (parts.length < this.dimension) parts.push(() => 0);
    return () => parts.map((get) => get());
  }
  pose(body: Body): () => Place {
    if (body.pose.length < 7) return this.point(body.pose);
    const place = this.point(body.pose.slice(0, 3));
    const turn = body.pose.slice(3).map((s) => this.quaternionPart(s));
    return () => {
      // the shorter way round between two rows, then back to unit length
      const a = turn.map((part) => part(0));
      const b = turn.map((part) => part(1));
      const sign = a.reduce((sum, x, i) => sum + x * b[i], 0) < 0 ? -1 : 1;
      const q = a.map((x, i) => x + this.weight * (sign * b[i] - x));
      const size = Math.hypot(...q) || 1;
      return [...place(), ...q.map((x) => x / size)];
    };
  }

  private quaternionPart(s: Scalar): (ahead: 0 | 1) => number {
    if (typeof s === "number") return () => s;
    const values = this.table.find(s)?.values ?? new Float64Array(1);
    const last = values.length - 1;
    return (ahead) => values[Math.min(this.row + ahead, last)];
  }
}

/** At most `count` rows spread over the run, with the first and the last. */
export function spreadRows(table: Table, count: number): number[] {
  const n = Math.min(count, table.rows);
  return Array.from({ length: n }, (_, i) => (n === 1 ? 0 : Math.round((i * (table.rows - 1)) / (n - 1))));
}

/** The point `local` of a body in the world. */
export function toWorld(pose: Place, local: number[]): Place {
  if (pose.length <= 3) {
    const [x, y, angle = 0] = pose;
    const c = Math.cos(angle);
    const s = Math.sin(angle);
    return [x + c * local[0] - s * local[1], y + s * local[0] + c * local[1]];
  }
  const [x, y, z, w, a, b, c] = pose;
  const [u, v, n] = local;
  const tx = 2 * (b * n - c * v);
  const ty = 2 * (c * u - a * n);
  const tz = 2 * (a * v - b * u);
  return [
    x + u + w * tx + b * tz - c * ty,
    y + v + w * ty + c * tx - a * tz,
    z + n + w * tz + a * ty - b * tx,
  ];
}

/** The size an arrow's full length stands for: all but the very hardest forces are below. */
export function forceScale(picture: PictureData, table: Table, points: Points): number {
  const sizes = [...points.sizes];
  for (const contact of picture.contacts) {
    const values = table.find(contact.force)?.values;
    if (!values) continue;
    const stride = Math.max(1, Math.floor(values.length / 5000));
    for (let i = 0; i < values.length; i += stride) if (Math.abs(values[i]) > 0) sizes.push(Math.abs(values[i]));
  }
  sizes.sort((a, b) => a - b);
  return sizes.length ? sizes[Math.floor(0.98 * (sizes.length - 1))] : 1;
}

export interface Options {
  trails: boolean;
  forces: boolean;
  names: boolean;
  lens: boolean; // a magnified view of the nearest contact
}

/** What a picture can do, whatever it shows. */
export interface View {
  readonly element: HTMLElement;
  readonly targets: string[]; // what can be followed
  readonly has: Options; // what there is to switch
  readonly description: string;
  draw(t: number, speed: number, options: Options): void;
  follow(target: number): void; // -1: nothing
  zoom(factor: number): void;
  fit(): void;
}

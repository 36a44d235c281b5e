// Formula systems draw lines without saying what holds them together: ends that stay together are hinges, ends that
// never move are on the ground.
import type { PictureData } from "./data";
import { type Frames, isMoving, middle, type Place, spreadRows } from "./frames";

export interface Hinge {
  place: () => Place;
  ground: boolean;
}

interface End {
  place: () => Place;
  owner: number;
  still: boolean;
  track: Place[]; // where it is at some rows
}

export function findHinges(picture: PictureData, frames: Frames): Hinge[] {
  const ends = lineEnds(picture, frames);
  const rows = spreadRows(frames.table, 7);
  for (const row of rows) {
    frames.seekRow(row);
    for (const end of ends) end.track.push(end.place());
  }
  const size = Math.max(...ends.flatMap((end) => end.track.flat().map(Math.abs)), 0);
  const together = (a: End, b: End) => a.track.every((p, i) => p.every((x, k) => Math.abs(x - b.track[i][k]) <= 1e-6 * size));

  const hinges: Hinge[] = [];
  const done = new Set<End>();
  for (const end of ends) {
    if (done.has(end)) continue;
    const group = ends.filter((other) => together(end, other));
    for (const other of group) done.add(other);
    const ground = group.some((other) => other.still);
    if (ground || new Set(group.map((other) => other.owner)).size > 1) hinges.push({ place: end.place, ground });
  }
  return hinges;
}

/** Ends of moving lines; corners and middles of moving polygons, which a line may end at. */
function lineEnds(picture: PictureData, frames: Frames): End[] {
  return picture.primitives.flatMap((primitive, owner) => {
    const { kind, points } = primitive;
    if (kind === "point" || kind === "circle" || !isMoving(points.flat())) return [];
    const chosen = kind === "polygon" ? points : [points[0], points[points.length - 1]];
    const ends: End[] = chosen.map((point) => ({ place: frames.point(point), owner, still: !isMoving(point), track: [] }));
    const corners = points.map((point) => frames.point(point));
    if (kind === "polygon") ends.push({ place: () => middle(corners.map((corner) => corner())), owner, still: false, track: [] });
    return ends;
  });
}

// Strokes that a planar picture is made of.
import type { Shape } from "./data";
import { toWorld, type Place } from "./frames";
import type { Screen } from "./grid";

type Context = CanvasRenderingContext2D;

export function path(context: Context, screen: Screen, places: Place[], closed: boolean) {
  context.beginPath();
  places.forEach(([x, y], i) => (i ? context.lineTo(screen.x(x), screen.y(y)) : context.moveTo(screen.x(x), screen.y(y))));
  if (closed) context.closePath();
}

/** Makes the outline of a shape the current path; says whether it has an inside. */
export function shapePath(context: Context, screen: Screen, pose: Place, shape: Shape): boolean {
  const [a = 0, b = 0] = shape.size;
  const centre = toWorld(pose, shape.at ?? [0, 0]);
  const place = [...centre, (pose[2] ?? 0) + (shape.angle ?? 0)];
  const outline = (corners: number[][]) =>
    path(
      context,
      screen,
      corners.map((corner) => toWorld(place, corner)),
      true,
    );
  switch (shape.kind) {
    case "box":
      outline([[-a / 2, -b / 2], [a / 2, -b / 2], [a / 2, b / 2], [-a / 2, b / 2]]);
      return true;
    case "polygon":
      outline(shape.points ?? []);
      return true;
    case "capsule": {
      const [p, q] = [toWorld(place, [-a / 2, 0]), toWorld(place, [a / 2, 0])];
      const turn = -place[2];
      context.beginPath();
      context.arc(screen.x(p[0]), screen.y(p[1]), b * screen.scale, turn + Math.PI / 2, turn - Math.PI / 2);
      context.arc(screen.x(q[0]), screen.y(q[1]), b * screen.scale, turn - Math.PI / 2, turn + Math.PI / 2);
      context.closePath();
      return true;
    }
    case "plane": {
      // the line itself, long enough for every zoom, with nothing inside
      const normal = Math.atan2(b, a) + place[2];
      const far = 1e4 / screen.scale;
      const ends = [-far, far].map((s) => [centre[0] - s * Math.sin(normal), centre[1] + s * Math.cos(normal)]);
      path(context, screen, ends, false);
      return false;
    }
    default:
      context.beginPath();
      context.arc(screen.x(centre[0]), screen.y(centre[1]), a * screen.scale, 0, 7);
      // a spoke shows how it turns
      context.moveTo(screen.x(centre[0]), screen.y(centre[1]));
      context.lineTo(...edge(screen, place, a));
      return true;
  }
}

function edge(screen: Screen, place: Place, radius: number): [number, number] {
  const [x, y] = toWorld(place, [radius, 0]);
  return [screen.x(x), screen.y(y)];
}

export function marker(context: Context, x: number, y: number, r: number, stroke: string, fill: string, square = false) {
  context.lineWidth = 1.5;
  context.strokeStyle = stroke;
  context.fillStyle = fill;
  context.beginPath();
  if (square) context.rect(x - r, y - r, 2 * r, 2 * r);
  else context.arc(x, y, r, 0, 7);
  context.fill();
  context.stroke();
}

/** The draughtsman's sign for a centre of mass: a disc of two dark and two light quarters. */
export function centreMark(context: Context, x: number, y: number, r: number, dark: string, light: string) {
  context.lineWidth = 1;
  marker(context, x, y, r, dark, light);
  context.fillStyle = dark;
  for (const start of [0, Math.PI]) {
    context.beginPath();
    context.moveTo(x, y);
    context.arc(x, y, r, start, start + Math.PI / 2);
    context.fill();
  }
}

export function arrow(context: Context, x0: number, y0: number, x1: number, y1: number, color: string) {
  const angle = Math.atan2(y1 - y0, x1 - x0);
  const head = Math.min(8, 0.6 * Math.hypot(x1 - x0, y1 - y0));
  context.strokeStyle = context.fillStyle = color;
  context.lineWidth = 2;
  context.lineCap = "butt";
  context.beginPath();
  context.moveTo(x0, y0);
  context.lineTo(x1 - head * 0.7 * Math.cos(angle), y1 - head * 0.7 * Math.sin(angle));
  context.stroke();
  context.beginPath();
  context.moveTo(x1, y1);
  for (const side of [-0.42, 0.42]) context.lineTo(x1 - head * Math.cos(angle + side), y1 - head * Math.sin(angle + side));
  context.fill();
}

/** Short slanted strokes: this point belongs to the ground. */
export function hatch(context: Context, x: number, y: number, color: string) {
  context.strokeStyle = color;
  context.lineWidth = 1;
  context.beginPath();
  context.moveTo(x - 10, y + 8);
  context.lineTo(x + 10, y + 8);
  for (let k = -8; k <= 8; k += 4) {
    context.moveTo(x + k + 2, y + 8);
    context.lineTo(x + k - 2, y + 13);
  }
  context.moveTo(x - 6, y + 8);
  context.lineTo(x, y);
  context.lineTo(x + 6, y + 8);
  context.stroke();
}

export function spring(context: Context, x0: number, y0: number, x1: number, y1: number) {
  const length = Math.hypot(x1 - x0, y1 - y0) || 1;
  const [ux, uy] = [(x1 - x0) / length, (y1 - y0) / length];
  const lead = Math.min(8, length / 6);
  const turns = 10;
  const at = (s: number, side: number): [number, number] => [x0 + ux * s - uy * side, y0 + uy * s + ux * side];
  context.beginPath();
  context.moveTo(x0, y0);
  context.lineTo(...at(lead, 0));
  for (let k = 0; k < turns; k++) context.lineTo(...at(lead + ((length - 2 * lead) * (k + 0.5)) / turns, k % 2 ? 4 : -4));
  context.lineTo(...at(length - lead, 0));
  context.lineTo(x1, y1);
  context.stroke();
}

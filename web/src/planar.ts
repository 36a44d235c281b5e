// The moving picture of planar models, on a canvas.
import type { Contact, Event, Joint, Link, PictureData, Primitive, Scalar, Table } from "./data";
import { el, fitCanvas } from "./dom";
import {
  findMovers,
  forceScale,
  Frames,
  type Getter,
  isMoving,
  type Mover,
  type Options,
  type Place,
  spreadRows,
  toWorld,
  type View,
  withTrail,
} from "./frames";
import { drawGrid, type Screen } from "./grid";
import { findHinges, type Hinge } from "./hinges";
import { arrow, centreMark, hatch, marker, path, shapePath, spring } from "./ink";
import { Points } from "./points";
import { isShaded, Shade } from "./shade";
import { colors, faint, font, seriesColor } from "./theme";

interface Item {
  primitive: Primitive;
  points: (() => Place)[];
  radius: Getter;
  shades: Getter[];
  color: number; // -1: it never moves
}

interface Part {
  pose: () => Place;
  color: number; // -1: it never moves
}

// room around the picture, in pixels: the tools are above, the scale below
const [above, side, below] = [52, 28, 36];

export class PlanarView implements View {
  readonly element = el("canvas", { class: "picture", role: "img" });
  readonly targets: string[];
  readonly has: Options;
  readonly description = "Drag to move, wheel to zoom.";

  private readonly frames: Frames;
  private readonly items: Item[];
  private readonly parts: Part[];
  private readonly movers: Mover[];
  private readonly hinges: Hinge[];
  private readonly contacts: { data: Contact; point: () => Place; normal: () => Place; force: Getter; gap: Getter; widest: number }[];
  private readonly points: Points;
  private readonly hardest: number; // impulse
  private readonly reference: number;
  private readonly shade: Shade;
  private readonly bounds: [number, number, number, number];
  private followed = -1;
  private centre: Place = [0, 0];
  private magnification = 1;
  private redraw = () => {};

  constructor(
    private readonly picture: PictureData,
    table: Table,
    private readonly impacts: Event[] = [],
  ) {
    this.frames = new Frames(table);
    let color = 0;
    const colorOf = (scalars: Scalar[]) => (isMoving(scalars) ? color++ : -1);
    this.items = picture.primitives.map((primitive) => ({
      primitive,
      points: primitive.points.map((p) => this.frames.point(p)),
      radius: this.frames.scalar(primitive.radius ?? 0),
      shades: (primitive.shades ?? []).map((s) => this.frames.scalar(s)),
      color: colorOf(primitive.points.flat()),
    }));
    this.parts = picture.bodies.map((body) => ({ pose: this.frames.pose(body), color: colorOf(body.pose) }));
    this.contacts = picture.contacts.map((data) => ({
      data,
      point: this.frames.point(data.point),
      normal: this.frames.point(data.normal),
      force: this.frames.scalar(data.force),
      ...this.gapOf(data, table),
    }));
    this.hardest = impacts.reduce((most, e) => Math.max(most, Math.abs(e.impulse) || 0), 0);
    this.points = new Points(picture.points, 2);
    this.reference = forceScale(picture, table, this.points);
    this.shade = new Shade(picture, table);

    this.movers = findMovers(picture, this.frames);
    this.hinges = picture.bodies.length === 0 ? findHinges(picture, this.frames) : [];
    this.targets = this.movers.map((m) => m.name);
    this.has = {
      trails: this.movers.some((m) => m.trail),
      forces: this.contacts.length + this.points.most > 0,
      lens: this.contacts.some((c) => c.widest > 0),
      names: this.targets.length + picture.joints.length > 0,
    };
    this.bounds = this.findBounds(table);
    this.fit();
    this.listen();
  }

  follow(target: number) {
    this.followed = target;
    if (target < 0) this.centre = this.middle();
    else this.centre = [0, 0];
    this.redraw();
  }
  zoom(factor: number) {
    this.magnification = Math.min(1e7, Math.max(0.05, this.magnification * factor));
    this.redraw();
  }
  fit() {
    this.magnification = 1;
    this.centre = this.followed < 0 ? this.middle() : [0, 0];
    this.redraw();
  }

  draw(t: number, speed: number, options: Options) {
    this.redraw = () => this.draw(t, speed, options);
    const { context, width, height } = fitCanvas(this.element);
    if (width === 0) return;
    this.frames.seek(t);
    const screen = this.screen(width, height);
    drawGrid(context, screen, width, height);
    if (options.trails) this.drawTrails(context, screen, t, speed);
    this.frames.seek(t);
    for (const item of this.items) this.drawItem(context, screen, item);
    for (const link of this.picture.links) this.drawLink(context, screen, link);
    this.drawBodies(context, screen);
    for (const joint of this.picture.joints) this.drawJoint(context, screen, joint);
    for (const hinge of this.hinges) this.drawHinge(context, screen, hinge);
    if (options.forces) {
      this.drawContacts(context, screen, Math.min(width, height));
      this.drawPoints(context, screen, t, Math.min(width, height));
      this.drawImpacts(context, screen, t, speed, Math.min(width, height));
    }
    if (options.names) this.drawNames(context, screen);
    if (this.shade.most > 0) this.drawShadeKey(context, width, height);
    if (options.lens) this.drawLens(context, screen, width, height);
  }

  private drawShadeKey(context: CanvasRenderingContext2D, width: number, height: number) {
    const [x, y, long] = [width - 130, height - 16, 110];
    const ramp = context.createLinearGradient(x, 0, x + long, 0);
    this.shade.stops.forEach((color, i, all) => ramp.addColorStop(i / (all.length - 1), color));
    context.fillStyle = ramp;
    context.fillRect(x, y, long, 4);
    context.font = font;
    context.fillStyle = colors().muted;
    context.textAlign = "end";
    context.textBaseline = "alphabetic";
    context.fillText(this.shade.text, x + long, y - 5);
    context.textAlign = "start";
  }

  /** The gap of a contact over time and the widest it becomes; 0 where it is not recorded. */
  private gapOf(contact: Contact, table: Table): { gap: Getter; widest: number } {
    const id = contact.force.replace(/force$/, "gap");
    const column = table.find(id);
    let widest = 0;
    for (const x of column?.values ?? []) if (x > widest) widest = x;
    return { gap: column ? this.frames.scalar(id) : () => NaN, widest };
  }

  /** A flash where something struck lately: a ring that grows and fades, an arrow as long as the impulse is hard. */
  private drawImpacts(context: CanvasRenderingContext2D, screen: Screen, t: number, speed: number, size: number) {
    const lasting = 0.35 * speed; // seconds on the screen
    const { brass } = colors();
    for (let i = this.impacts.length - 1; i >= 0; i--) {
      const impact = this.impacts[i];
      const age = (t - impact.t) / lasting;
      if (age > 1 || age < -1e-9) continue;
      const contact = this.contacts.find((c) => c.data.name === impact.contact);
      if (!contact) continue;
      const [x, y] = contact.point();
      const [nx, ny] = contact.normal();
      if (!Number.isFinite(x) || !Number.isFinite(y)) continue;
      const [px, py] = [screen.x(x), screen.y(y)];
      const strength = this.hardest > 0 ? Math.sqrt(Math.abs(impact.impulse) / this.hardest) || 0 : 0.5;
      context.strokeStyle = faint(brass, 0.9 * (1 - age));
      context.lineWidth = 3;
      context.beginPath();
      context.arc(px, py, 5 + (8 + 18 * strength) * Math.max(0, age), 0, 7);
      context.stroke();
      const length = 0.2 * size * strength;
      if (length > 2) arrow(context, px, py, px + nx * length, py - ny * length, faint(brass, 1 - 0.8 * Math.max(0, age)));
    }
  }

  /** The contact that is nearest to touching, so large that its widest gap fills a third of the lens. */
  private drawLens(context: CanvasRenderingContext2D, screen: Screen, width: number, height: number) {
    const known = this.contacts.filter((c) => c.widest > 0 && Number.isFinite(c.point()[0]));
    if (known.length === 0) return;
    const nearest = known.reduce((a, b) => (b.gap() < a.gap() ? b : a));
    const radius = Math.min(110, 0.2 * Math.min(width, height) + 30);
    const [lx, ly] = [width - radius - 14, height - radius - 14];
    const [cx, cy] = nearest.point();
    const scale = Math.max(screen.scale, (0.65 * radius) / nearest.widest);
    const inside: Screen = { scale, x: (x) => lx + (x - cx) * scale, y: (y) => ly - (y - cy) * scale };
    context.save();
    context.beginPath();
    context.arc(lx, ly, radius, 0, 7);
    context.fillStyle = colors().panel;
    context.fill();
    context.clip();
    for (const item of this.items) this.drawItem(context, inside, item);
    this.drawBodies(context, inside);
    this.drawContacts(context, inside, radius);
    context.restore();
    context.strokeStyle = colors().rule;
    context.lineWidth = 1.5;
    context.beginPath();
    context.arc(lx, ly, radius, 0, 7);
    context.stroke();
    context.font = font;
    context.fillStyle = colors().muted;
    context.textAlign = "center";
    context.textBaseline = "alphabetic";
    const name = `${nearest.data.name}, ×${Math.round(scale / screen.scale)}`;
    context.lineWidth = 4;
    context.strokeStyle = colors().panel; // lines of the picture do not run through it
    context.strokeText(name, lx, ly + radius - 12);
    context.fillText(name, lx, ly + radius - 12);
    context.textAlign = "start";
  }

  /** Joints and centres shrink where there are many, and grow again as one comes nearer. */
  private markSize(): number {
    const count = Math.max(1, this.parts.length, this.hinges.length);
    return 3.5 * Math.min(1, Math.max(0.4, 16 / count) * Math.sqrt(this.magnification));
  }

  private middle(): Place {
    const [x0, y0, x1, y1] = this.bounds;
    return [(x0 + x1) / 2, (y0 + y1) / 2];
  }

  private screen(width: number, height: number): Screen {
    const [x0, y0, x1, y1] = this.bounds;
    const inner = { width: width - 2 * side, height: height - above - below };
    const scale = this.magnification * Math.min(inner.width / (x1 - x0), inner.height / (y1 - y0));
    const offset = this.followed >= 0 ? this.movers[this.followed].place() : [0, 0];
    const cx = this.centre[0] + offset[0];
    const cy = this.centre[1] + offset[1];
    return {
      scale,
      x: (x) => width / 2 + (x - cx) * scale,
      y: (y) => above + inner.height / 2 - (y - cy) * scale,
    };
  }

  /** The box that holds everything at every time. */
  private findBounds(table: Table): [number, number, number, number] {
    let [x0, y0, x1, y1] = [Infinity, Infinity, -Infinity, -Infinity];
    const add = (p: Place, r = 0) => {
      if (!Number.isFinite(p[0]) || !Number.isFinite(p[1])) return;
      x0 = Math.min(x0, p[0] - r);
      x1 = Math.max(x1, p[0] + r);
      y0 = Math.min(y0, p[1] - r);
      y1 = Math.max(y1, p[1] + r);
    };
    for (const row of spreadRows(table, 400)) {
      this.frames.seekRow(row);
      for (const item of this.items) for (const point of item.points) add(point(), Math.abs(item.radius()) || 0);
      this.parts.forEach((part, i) => this.addBody(part.pose(), i, add));
      for (const joint of [...this.picture.joints, ...this.picture.links])
        joint.at.forEach((at, k) => add(this.anchor(joint, k, at)));
    }
    if (!(x1 >= x0)) return [-1, -1, 1, 1];
    // something that stays on a line still gets a picture with two sides
    const size = Math.max(x1 - x0, y1 - y0) || 1;
    const padX = Math.max(0, 0.25 * size - (x1 - x0)) / 2;
    const padY = Math.max(0, 0.25 * size - (y1 - y0)) / 2;
    return [x0 - padX, y0 - padY, x1 + padX, y1 + padY];
  }

  private addBody(pose: Place, index: number, add: (p: Place, r?: number) => void) {
    add(pose);
    for (const shape of this.picture.bodies[index].shapes) {
      const [a = 0, b = 0] = shape.size;
      const place = [...toWorld(pose, shape.at ?? [0, 0]), (pose[2] ?? 0) + (shape.angle ?? 0)];
      if (shape.kind === "circle") add(place, a);
      else if (shape.kind === "capsule") for (const s of [-1, 1]) add(toWorld(place, [(s * a) / 2, 0]), b);
      else if (shape.kind === "polygon") for (const p of shape.points ?? []) add(toWorld(place, p));
      else if (shape.kind === "box")
        for (const s of [-1, 1]) for (const r of [-1, 1]) add(toWorld(place, [(s * a) / 2, (r * b) / 2]));
    }
  }

  private anchor(joint: Joint | Link, side: number, at: number[]): Place {
    const body = joint.bodies[side];
    return body >= 0 && this.parts[body] ? toWorld(this.parts[body].pose(), at) : at;
  }

  private drawItem(context: CanvasRenderingContext2D, screen: Screen, item: Item) {
    const { kind } = item.primitive;
    const color = item.color < 0 ? colors().muted : seriesColor(item.color);
    const places = item.points.map((p) => p());
    context.strokeStyle = color;
    context.fillStyle = faint(color, 0.18);
    context.lineWidth = kind === "segment" || kind === "polyline" ? (item.color < 0 ? 1.5 : 2.5) : 1.75;
    context.lineCap = context.lineJoin = "round";
    if (kind === "point") return marker(context, screen.x(places[0][0]), screen.y(places[0][1]), 4, color, color);
    if (kind === "circle") {
      context.beginPath();
      context.arc(screen.x(places[0][0]), screen.y(places[0][1]), Math.abs(item.radius()) * screen.scale || 0, 0, 7);
      context.fill();
    } else if (isShaded(item.primitive)) {
      return this.drawShaded(context, screen, item, places);
    } else {
      path(context, screen, places, kind === "polygon");
      if (kind === "polygon") context.fill();
    }
    context.stroke();
  }

  private drawShaded(context: CanvasRenderingContext2D, screen: Screen, item: Item, places: Place[]) {
    context.lineWidth = 4;
    item.shades.forEach((shade, k) => {
      context.strokeStyle = this.shade.color(shade());
      path(context, screen, [places[k], places[k + 1]], false);
      context.stroke();
    });
  }

  private drawBodies(context: CanvasRenderingContext2D, screen: Screen) {
    this.parts.forEach((part, i) => {
      if (this.picture.bodies[i].node) return;
      const pose = part.pose();
      const color = part.color < 0 ? colors().muted : seriesColor(part.color);
      context.lineWidth = 1.5;
      context.lineJoin = context.lineCap = "round";
      context.strokeStyle = color;
      context.fillStyle = faint(color, 0.16);
      const { shapes } = this.picture.bodies[i];
      for (const shape of shapes) {
        if (shapePath(context, screen, pose, shape)) context.fill();
        context.stroke();
      }
      if (part.color < 0) return;
      // without a shape a body is what holds its joints together
      if (shapes.length === 0) this.drawSticks(context, screen, pose, i);
      centreMark(context, screen.x(pose[0]), screen.y(pose[1]), this.markSize() * (shapes.length ? 1 : 1.3), color, colors().panel);
    });
  }

  private drawSticks(context: CanvasRenderingContext2D, screen: Screen, pose: Place, body: number) {
    context.lineWidth = 2.5;
    for (const joint of this.picture.joints)
      joint.bodies.forEach((b, k) => {
        if (b !== body || !joint.at[k]) return;
        path(context, screen, [pose, toWorld(pose, joint.at[k])], false);
        context.stroke();
      });
  }

  private drawLink(context: CanvasRenderingContext2D, screen: Screen, link: Link) {
    const [a, b] = link.at.map((at, k) => this.anchor(link, k, at));
    if (!a || !b) return;
    context.strokeStyle = colors().muted;
    context.lineWidth = 1.25;
    spring(context, screen.x(a[0]), screen.y(a[1]), screen.x(b[0]), screen.y(b[1]));
  }

  private drawJoint(context: CanvasRenderingContext2D, screen: Screen, joint: Joint) {
    const places = joint.at.map((at, k) => this.anchor(joint, k, at));
    const { ink, panel, muted } = colors();
    if (places.length === 0) return;
    const [x, y] = [screen.x(places[0][0]), screen.y(places[0][1])];
    if (joint.bodies.includes(-1)) hatch(context, x, y, muted);
    if (joint.kind === "distance" && places[1]) {
      context.strokeStyle = muted;
      context.setLineDash([4, 3]);
      path(context, screen, places, false);
      context.stroke();
      context.setLineDash([]);
    }
    if (joint.kind === "gear") return;
    const square = joint.kind === "prismatic" || joint.kind === "slot" || joint.kind === "fixed";
    marker(context, x, y, this.markSize(), ink, joint.kind === "fixed" ? ink : panel, square);
  }

  private drawHinge(context: CanvasRenderingContext2D, screen: Screen, hinge: Hinge) {
    const { ink, panel, muted } = colors();
    const [x, y] = hinge.place();
    if (hinge.ground) hatch(context, screen.x(x), screen.y(y), muted);
    marker(context, screen.x(x), screen.y(y), this.markSize(), ink, panel);
  }

  private drawContacts(context: CanvasRenderingContext2D, screen: Screen, size: number) {
    const { ruby } = colors();
    for (const contact of this.contacts) {
      const [px, py] = contact.point();
      const [nx, ny] = contact.normal();
      const force = contact.force();
      if (!Number.isFinite(px) || !Number.isFinite(py)) continue;
      const x = screen.x(px);
      const y = screen.y(py);
      const length = (Math.min(Math.abs(force) / this.reference, 1.4) || 0) * 0.2 * size * Math.sign(force);
      // it begins where the force acts, or ends there where it would leave the picture
      const [dx, dy] = [nx * length, -ny * length];
      const { clientWidth, clientHeight } = context.canvas;
      const leaves = x + dx < 0 || x + dx > clientWidth || y + dy < 0 || y + dy > clientHeight;
      if (Math.abs(length) > 1) leaves ? arrow(context, x - dx, y - dy, x, y, ruby) : arrow(context, x, y, x + dx, y + dy, ruby);
      marker(context, x, y, 2.5, ruby, Math.abs(force) > 0 ? ruby : colors().panel);
    }
  }

  /** Contacts that come and go: arrows on the second body, along the whole force. */
  private drawPoints(context: CanvasRenderingContext2D, screen: Screen, t: number, size: number) {
    const { ruby } = colors();
    const longest = this.points.length * size;
    const dot = this.points.most > 60 ? 1.25 : 2;
    for (const { place, force } of this.points.at(t)) {
      const [x, y] = [screen.x(place[0]), screen.y(place[1])];
      const strength = Math.hypot(force[0], force[1]);
      const length = (Math.min(strength / this.reference, 1.4) || 0) * longest;
      if (length > 1) arrow(context, x, y, x + (force[0] / strength) * length, y - (force[1] / strength) * length, ruby);
      marker(context, x, y, dot, ruby, strength > 0 ? ruby : colors().panel);
    }
  }

  private drawTrails(context: CanvasRenderingContext2D, screen: Screen, t: number, speed: number) {
    const times = this.frames.trailTimes(t, speed);
    context.lineWidth = 1.5;
    for (const mover of withTrail(this.movers)) {
      if (mover === this.movers[this.followed]) continue;
      let last: Place | null = null;
      times.forEach((time, k) => {
        this.frames.seek(time);
        const here = mover.place();
        if (last) {
          context.strokeStyle = faint(seriesColor(mover.color), (0.55 * k) / times.length);
          path(context, screen, [last, here], false);
          context.stroke();
        }
        last = here;
      });
    }
  }

  private drawNames(context: CanvasRenderingContext2D, screen: Screen) {
    context.font = font;
    context.textBaseline = "middle";
    for (const { name, place } of this.movers) {
      const [x, y] = place();
      context.lineWidth = 3;
      context.strokeStyle = colors().panel;
      context.strokeText(name, screen.x(x) + 9, screen.y(y) - 9);
      context.fillStyle = colors().ink;
      context.fillText(name, screen.x(x) + 9, screen.y(y) - 9);
    }
    for (const joint of this.picture.joints) {
      if (!joint.at[0]) continue;
      const [x, y] = this.anchor(joint, 0, joint.at[0]);
      context.fillStyle = colors().muted;
      context.fillText(joint.name, screen.x(x) + 8, screen.y(y) + 10);
    }
  }

  private listen() {
    const canvas = this.element;
    const pointers = new Map<number, [number, number]>();
    const spread = () => {
      const [a, b] = [...pointers.values()];
      return b ? Math.hypot(a[0] - b[0], a[1] - b[1]) : 0;
    };
    canvas.addEventListener("pointerdown", (e) => {
      canvas.setPointerCapture(e.pointerId);
      pointers.set(e.pointerId, [e.clientX, e.clientY]);
    });
    const up = (e: PointerEvent) => pointers.delete(e.pointerId);
    canvas.addEventListener("pointerup", up);
    canvas.addEventListener("pointercancel", up);
    canvas.addEventListener("pointermove", (e) => {
      const before = pointers.get(e.pointerId);
      if (!before) return;
      const gap = spread();
      pointers.set(e.pointerId, [e.clientX, e.clientY]);
      if (pointers.size === 2 && gap > 0) return this.zoom(spread() / gap);
      const { scale } = this.screen(canvas.clientWidth, canvas.clientHeight);
      this.centre = [this.centre[0] - (e.clientX - before[0]) / scale, this.centre[1] + (e.clientY - before[1]) / scale];
      this.redraw();
    });
    canvas.addEventListener("wheel", (e) => this.wheel(e), { passive: false });
  }

  /** Zooms about the pointer: what is under it stays there. */
  private wheel(e: WheelEvent) {
    e.preventDefault();
    const canvas = this.element;
    const box = canvas.getBoundingClientRect();
    const before = this.screen(canvas.clientWidth, canvas.clientHeight).scale;
    this.zoom(Math.exp(-e.deltaY * (e.deltaMode === 1 ? 0.05 : 0.0015)));
    const after = this.screen(canvas.clientWidth, canvas.clientHeight).scale;
    const px = e.clientX - box.left - canvas.clientWidth / 2;
    const py = e.clientY - box.top - (above + canvas.clientHeight - below) / 2;
    this.centre = [this.centre[0] + px / before - px / after, this.centre[1] - py / before + py / after];
    this.redraw();
  }
}

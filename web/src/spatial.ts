// The moving picture of spatial models. WebGL draws it; where a browser has none, scalable vector graphics do.
import {
  ArrowHelper,
  BufferAttribute,
  BufferGeometry,
  Color,
  DirectionalLight,
  GridHelper,
  Group,
  HemisphereLight,
  Line,
  LineBasicMaterial,
  Mesh,
  type Object3D,
  PCFShadowMap,
  PerspectiveCamera,
  PlaneGeometry,
  Quaternion,
  Scene,
  ShadowMaterial,
  Vector3,
  WebGLRenderer,
} from "three";
import { OrbitControls } from "three/addons/controls/OrbitControls.js";
import { SVGRenderer } from "three/addons/renderers/SVGRenderer.js";
import type { Event, PictureData, Shape, Table } from "./data";
import { el } from "./dom";
import { Flashes } from "./flashes";
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
  trailPieces,
  type View,
  withTrail,
} from "./frames";
import { niceLength } from "./grid";
import { Points } from "./points";
import { Shade } from "./shade";
import { ball, edges, rod, setColor, setRod, shapeMesh } from "./solids";
import { colors, isDark, seriesColor } from "./theme";

export class SpatialView implements View {
  readonly element = el("div", { class: "picture spatial", role: "img" });
  readonly targets: string[];
  readonly has: Options;
  readonly description = "Drag to turn, wheel to zoom, right button to move.";

  private readonly frames: Frames;
  private readonly renderer: WebGLRenderer | SVGRenderer;
  private readonly camera = new PerspectiveCamera(32, 1, 0.01, 100);
  private readonly controls: OrbitControls;
  private readonly labels = el("div", { class: "labels" });
  private readonly shadeKey = el("div", { class: "shade" });
  private readonly up: Vector3;
  private readonly centre = new Vector3();
  private readonly poses: (() => Place)[];
  private readonly tracked: Mover[];
  private readonly points: Points;
  private readonly reference: number;
  private readonly shade: Shade;
  private size = 1;
  private floor = 0;
  private scene = new Scene();
  private movements: (() => void)[] = []; // put the scene in place for one moment
  private trails: Line[] = [];
  private arrows: ArrowHelper[] = [];
  private pointArrows: ArrowHelper[] = []; // as many as touch at one time
  private readonly flashes: Flashes;
  private paintedWith: unknown = null;
  private followed = -1;
  private lastTarget: Place | null = null;
  private redraw = () => {};

  constructor(
    private readonly picture: PictureData,
    private readonly table: Table,
    impacts: Event[] = [],
  ) {
    this.frames = new Frames(table, 3);
    this.flashes = new Flashes(picture.contacts, impacts, this.frames);
    this.poses = picture.bodies.map((body) => this.frames.pose(body));
    this.tracked = findMovers(picture, this.frames);
    this.targets = this.tracked.map((t) => t.name);
    this.points = new Points(picture.points, 3);
    this.reference = forceScale(picture, table, this.points);
    const forces = picture.contacts.length + this.points.most > 0;
    this.has = { trails: this.tracked.some((m) => m.trail), forces, names: this.targets.length > 0, lens: false };
    this.shade = new Shade(picture, table);
    const [ux = 0, uy = 0, uz = 1] = picture.up ?? [];
    this.up = new Vector3(ux, uy, uz).normalize();
    this.measure();

    this.renderer = makeRenderer();
    const drawn = this.renderer.domElement as HTMLElement;
    this.element.append(drawn, this.labels);
    if (this.shade.most > 0) this.element.append(this.shadeKey);
    this.camera.up.copy(this.up);
    this.controls = new OrbitControls(this.camera, drawn);
    this.controls.addEventListener("change", () => this.redraw());
    this.fit();
  }

  follow(target: number) {
    this.followed = target;
    this.lastTarget = null;
    if (target < 0) this.controls.target.copy(this.centre);
    this.controls.update();
    this.redraw();
  }
  zoom(factor: number) {
    this.camera.position.sub(this.controls.target).divideScalar(factor).add(this.controls.target);
    this.controls.update();
    this.redraw();
  }
  fit() {
    // from the front, a little to the right and above, wherever up is
    const side = new Vector3(1, 0, 0);
    if (Math.abs(this.up.x) > 0.9) side.set(0, 1, 0);
    side.addScaledVector(this.up, -side.dot(this.up)).normalize();
    const front = new Vector3().crossVectors(side, this.up);
    const from = side.multiplyScalar(0.75).addScaledVector(front, 1.2).addScaledVector(this.up, 0.6).normalize();
    this.controls.target.copy(this.centre);
    this.camera.position.copy(this.centre).addScaledVector(from, 1.9 * this.size);
    this.camera.near = this.size / 500;
    this.camera.far = this.size * 100;
    this.controls.update();
    this.lastTarget = null;
    this.redraw();
  }

  draw(t: number, speed: number, options: Options) {
    this.redraw = () => this.draw(t, speed, options);
    const { clientWidth: width, clientHeight: height } = this.element;
    if (width === 0 || height === 0) return;
    this.fitSize(width, height);
    if (this.paintedWith !== colors()) this.build();
    this.drawTrails(t, speed, options.trails);
    this.frames.seek(t);
    for (const move of this.movements) move();
    this.drawArrows(options.forces);
    this.drawPoints(t, options.forces);
    this.flashes.draw(t, speed, this.size, options.forces);
    this.keepFollowing();
    this.renderer.render(this.scene, this.camera);
    this.drawNames(options.names, width, height);
  }

  /** Centre, size and the height of the floor, over the whole run. */
  private measure() {
    const low = new Vector3(Infinity, Infinity, Infinity);
    const high = new Vector3(-Infinity, -Infinity, -Infinity);
    this.floor = Infinity;
    const add = (p: Place, r = 0) => {
      const v = new Vector3(p[0], p[1], p[2]);
      if (!Number.isFinite(v.x + v.y + v.z)) return;
      low.min(v.clone().subScalar(r));
      high.max(v.clone().addScalar(r));
      this.floor = Math.min(this.floor, v.dot(this.up) - r);
    };
    const points = this.picture.primitives.map((p) => p.points.map((point) => this.frames.point(point)));
    const radii = this.picture.primitives.map((p) => this.frames.scalar(p.radius ?? 0));
    for (const row of spreadRows(this.table, 300)) {
      this.frames.seekRow(row);
      points.forEach((list, i) => list.forEach((point) => add(point(), Math.abs(radii[i]()) || 0)));
      this.poses.forEach((pose, i) => {
        const here = pose();
        add(here);
        for (const shape of this.picture.bodies[i].shapes)
          if (shape.kind !== "plane") add(toWorld(here, shape.at ?? [0, 0, 0]), reach(shape));
      });
    }
    for (const joint of this.picture.joints) joint.bodies.forEach((b, k) => b < 0 && joint.at[k] && add(joint.at[k]));
    if (!(high.x >= low.x)) {
      low.set(-1, -1, -1);
      high.set(1, 1, 1);
      this.floor = -1;
    }
    this.centre.copy(low).add(high).multiplyScalar(0.5);
    this.size = low.distanceTo(high) || 1;
  }

  private fitSize(width: number, height: number) {
    const aspect = width / height;
    if (this.camera.aspect === aspect && this.element.dataset.size === `${width}x${height}`) return;
    this.element.dataset.size = `${width}x${height}`;
    this.camera.aspect = aspect;
    // narrow pictures keep the width in sight
    this.camera.fov = aspect < 1.2 ? 32 * (1.2 / aspect) ** 0.7 : 32;
    this.camera.updateProjectionMatrix();
    if (this.renderer instanceof WebGLRenderer) this.renderer.setPixelRatio(Math.min(devicePixelRatio || 1, 2));
    this.renderer.setSize(width, height);
  }

  private build() {
    dispose(this.scene);
    this.paintedWith = colors();
    this.shadeKey.textContent = this.shade.text;
    this.shadeKey.style.setProperty("--ramp", `linear-gradient(to right, ${this.shade.stops.join(", ")})`);
    if (this.renderer instanceof SVGRenderer) this.renderer.setClearColor(new Color(colors().panel), 1);
    this.scene = new Scene();
    this.movements = [];
    this.light();
    this.ground();
    this.addBodies();
    this.addPrimitives();
    this.addJoints();
    this.trails = withTrail(this.tracked).map((m) => this.addTrail(m.color));
    this.arrows = this.picture.contacts.map(() => {
      const arrow = new ArrowHelper(this.up, this.centre, 1, colors().ruby);
      this.scene.add(arrow);
      return arrow;
    });
    this.pointArrows = [];
    this.flashes.addTo(this.scene);
  }

  private light() {
    const sky = new HemisphereLight(0xffffff, isDark() ? 0x30363c : 0xb8b4aa, isDark() ? 1.6 : 2.2);
    sky.position.copy(this.up);
    const sun = new DirectionalLight(0xffffff, isDark() ? 1.3 : 1.6);
    sun.position.copy(this.centre).addScaledVector(this.up, 2 * this.size);
    sun.position.add(new Vector3(0.5, -0.8, 0.3).multiplyScalar(this.size));
    sun.target.position.copy(this.centre);
    sun.castShadow = true;
    sun.shadow.mapSize.set(1024, 1024);
    const view = sun.shadow.camera;
    view.left = view.bottom = -this.size;
    view.right = view.top = this.size;
    view.near = 0.1 * this.size;
    view.far = 6 * this.size;
    sun.shadow.bias = -0.0005;
    // and a lamp that the reader carries
    const lamp = new DirectionalLight(0xffffff, 0.9);
    this.movements.push(() => lamp.position.copy(this.camera.position));
    lamp.target.position.copy(this.centre);
    this.scene.add(sky, sun, sun.target, lamp, lamp.target);
  }

  private ground() {
    const step = niceLength(this.size / 8);
    const cells = 20;
    const grid = new GridHelper(cells * step, cells, colors().rule, colors().grid);
    const toUp = new Quaternion().setFromUnitVectors(new Vector3(0, 1, 0), this.up);
    grid.quaternion.copy(toUp);
    const height = this.floor - this.centre.dot(this.up);
    grid.position.copy(this.centre).addScaledVector(this.up, height);
    this.scene.add(grid);
    if (this.renderer instanceof SVGRenderer) return;
    const shade = new Mesh(new PlaneGeometry(cells * step, cells * step), new ShadowMaterial({ opacity: isDark() ? 0.45 : 0.16 }));
    shade.quaternion.setFromUnitVectors(new Vector3(0, 0, 1), this.up);
    shade.position.copy(grid.position).addScaledVector(this.up, 1e-4 * this.size);
    shade.receiveShadow = true;
    this.scene.add(shade);
  }

  private addBodies() {
    let color = this.picture.primitives.filter((p) => isMoving(p.points.flat())).length;
    this.picture.bodies.forEach((body, i) => {
      const still = !isMoving(body.pose);
      const paint = still ? colors().muted : seriesColor(color++);
      const group = new Group();
      for (const shape of body.shapes) {
        const mesh = shapeMesh(shape, paint, still, this.size);
        group.add(mesh);
        if (this.renderer instanceof WebGLRenderer && shape.kind !== "plane") mesh.add(edges(mesh, paint));
      }
      if (body.shapes.length === 0 && !still && !body.node) {
        group.add(ball(0.012 * this.size, paint));
        for (const joint of this.picture.joints)
          joint.bodies.forEach((b, k) => {
            if (b !== i || !joint.at[k]) return;
            const stick = rod(0.005 * this.size, paint);
            setRod(stick, [0, 0, 0], joint.at[k]);
            group.add(stick);
          });
      }
      this.scene.add(group);
      this.movements.push(() => {
        const [x, y, z, w, a, b, c] = this.poses[i]();
        group.position.set(x, y, z);
        group.quaternion.set(a, b, c, w);
      });
    });
  }

  private addPrimitives() {
    let color = 0;
    for (const item of this.picture.primitives) {
      const still = !isMoving(item.points.flat());
      const paint = still ? colors().muted : seriesColor(color++);
      const points = item.points.map((p) => this.frames.point(p));
      const radius = this.frames.scalar(item.radius ?? 0);
      if (item.kind === "point" || item.kind === "circle") this.addBall(points[0], item.kind === "point" ? null : radius, paint);
      else this.addRods(points, item.kind === "polygon", paint, still, item.shades?.map((s) => this.frames.scalar(s)));
    }
  }

  private addBall(place: () => Place, radius: Getter | null, paint: string) {
    const mesh = ball(1, paint);
    this.scene.add(mesh);
    this.movements.push(() => {
      mesh.position.fromArray(place());
      mesh.scale.setScalar(radius ? Math.abs(radius()) : 0.012 * this.size);
    });
  }

  private addRods(points: (() => Place)[], closed: boolean, paint: string, still: boolean, shades?: Getter[]) {
    const count = points.length - (closed ? 0 : 1);
    for (let k = 0; k < count; k++) {
      const mesh = rod((still ? 0.003 : 0.006) * this.size, paint);
      this.scene.add(mesh);
      this.movements.push(() => setRod(mesh, points[k](), points[(k + 1) % points.length]()));
      const shade = shades?.[k];
      if (shade) this.movements.push(() => setColor(mesh, this.shade.color(shade())));
    }
  }

  private anchor(body: number, at: number[]): Place {
    return body >= 0 && this.poses[body] ? toWorld(this.poses[body](), at) : at;
  }

  private addJoints() {
    for (const joint of this.picture.joints) {
      if (!joint.at[0] || joint.kind === "gear") continue;
      const mesh = ball(0.011 * this.size, colors().ink);
      this.scene.add(mesh);
      this.movements.push(() => mesh.position.fromArray(this.anchor(joint.bodies[0], joint.at[0])));
    }
    const pairs = [...this.picture.links, ...this.picture.joints.filter((j) => j.kind === "distance")];
    for (const link of pairs) {
      const mesh = rod(0.003 * this.size, colors().muted);
      this.scene.add(mesh);
      this.movements.push(() => setRod(mesh, this.anchor(link.bodies[0], link.at[0]), this.anchor(link.bodies[1], link.at[1])));
    }
  }

  private addTrail(color: number): Line {
    const geometry = new BufferGeometry();
    geometry.setAttribute("position", new BufferAttribute(new Float32Array(3 * (trailPieces + 1)), 3));
    const shades = new Float32Array(4 * (trailPieces + 1));
    const { r, g, b } = new Color(seriesColor(color));
    for (let k = 0; k <= trailPieces; k++) shades.set([r, g, b, k / trailPieces], 4 * k);
    geometry.setAttribute("color", new BufferAttribute(shades, 4));
    const line = new Line(geometry, new LineBasicMaterial({ vertexColors: true, transparent: true }));
    line.frustumCulled = false;
    this.scene.add(line);
    return line;
  }

  private drawTrails(t: number, speed: number, shown: boolean) {
    const times = this.frames.trailTimes(t, speed);
    const owners = withTrail(this.tracked);
    this.trails.forEach((line, i) => {
      line.visible = shown;
      if (!shown) return;
      const places = line.geometry.getAttribute("position") as BufferAttribute;
      times.forEach((time, k) => {
        this.frames.seek(time);
        const [x, y, z] = owners[i].place();
        places.setXYZ(k, x, y, z);
      });
      places.needsUpdate = true;
    });
  }

  private drawArrows(shown: boolean) {
    this.picture.contacts.forEach((contact, i) => {
      const arrow = this.arrows[i];
      const force = this.frames.scalar(contact.force)();
      const length = Math.min(Math.abs(force) / this.reference, 1.4) * 0.2 * this.size;
      const place = this.frames.point(contact.point)();
      arrow.visible = shown && length > 1e-3 * this.size && Number.isFinite(place[0]);
      if (!arrow.visible) return;
      arrow.position.fromArray(place);
      arrow.setDirection(new Vector3().fromArray(this.frames.point(contact.normal)()).multiplyScalar(Math.sign(force)).normalize());
      arrow.setLength(length, Math.min(0.05 * this.size, 0.4 * length), Math.min(0.025 * this.size, 0.2 * length));
    });
  }

  /** Contacts that come and go: arrows on the second body, along the whole force. */
  private drawPoints(t: number, shown: boolean) {
    const points = shown ? this.points.at(t) : [];
    while (this.pointArrows.length < points.length) {
      const arrow = new ArrowHelper(this.up, this.centre, 1, colors().ruby);
      this.pointArrows.push(arrow);
      this.scene.add(arrow);
    }
    this.pointArrows.forEach((arrow, i) => {
      const force = new Vector3().fromArray(points[i]?.force ?? [0, 0, 0]);
      const length = Math.min(force.length() / this.reference, 1.4) * this.points.length * this.size;
      arrow.visible = length > 1e-3 * this.size;
      if (!arrow.visible) return;
      arrow.position.fromArray(points[i].place);
      arrow.setDirection(force.normalize());
      arrow.setLength(length, Math.min(0.05 * this.size, 0.4 * length), Math.min(0.025 * this.size, 0.2 * length));
    });
  }

  /** The camera moves as the followed thing does. */
  private keepFollowing() {
    if (this.followed < 0) return;
    const here = this.tracked[this.followed].place().slice(0, 3);
    const shift = new Vector3().fromArray(here).sub(this.lastTarget ? new Vector3().fromArray(this.lastTarget) : this.controls.target);
    this.controls.target.add(shift);
    this.camera.position.add(shift);
    this.camera.lookAt(this.controls.target);
    this.lastTarget = here;
  }

  private drawNames(shown: boolean, width: number, height: number) {
    if (!shown) return this.labels.replaceChildren();
    const tags = this.tracked.map(({ name, place }) => {
      const at = new Vector3().fromArray(place()).project(this.camera);
      const tag = el("span", {}, name);
      tag.style.transform = `translate(${((at.x + 1) / 2) * width + 8}px, ${((1 - at.y) / 2) * height - 18}px)`;
      return tag;
    });
    this.labels.replaceChildren(...tags);
  }
}

function makeRenderer(): WebGLRenderer | SVGRenderer {
  // asked first, because the renderer complains aloud when there is none
  const probe = document.createElement("canvas");
  const context = probe.getContext("webgl2");
  if (!context) return new SVGRenderer();
  context.getExtension("WEBGL_lose_context")?.loseContext();
  const renderer = new WebGLRenderer({ antialias: true, alpha: true, preserveDrawingBuffer: true });
  renderer.shadowMap.enabled = true;
  renderer.shadowMap.type = PCFShadowMap;
  return renderer;
}

/** How far a shape extends from its own centre. */
function reach(shape: Shape): number {
  const [a = 0, b = 0, c = 0] = shape.size;
  if (shape.kind === "box") return Math.max(a, b, c) / 2;
  if (shape.kind === "hull") return Math.max(...(shape.points ?? []).map((p) => Math.hypot(...p)));
  if (shape.kind === "capsule" || shape.kind === "cylinder") return Math.max(a / 2, b);
  return a;
}

function dispose(scene: Scene) {
  scene.traverse((object: Object3D) => {
    const { geometry, material } = object as Mesh;
    geometry?.dispose();
    for (const m of [material].flat()) m?.dispose();
  });
}

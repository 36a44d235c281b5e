// Runs that look like the program's, for trying the page: node samples.mjs FOLDER writes one page each.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

export function pack(values, type = "f64") {
  const array = type === "f64" ? Float64Array.from(values) : Float32Array.from(values);
  return { type, data: Buffer.from(array.buffer).toString("base64") };
}

export function column(id, unit, values, type) {
  return { id, unit, ...pack(values, type) };
}

export function table(time, columns) {
  return { time: pack(time), every: 1, columns: columns.map(([id, unit, values]) => column(id, unit, values)) };
}

/** First and last sample, and between them two rows per bucket: its extrema in the order they happen. */
export function thin(time, columns, buckets) {
  const n = time.length;
  const size = Math.ceil((n - 2) / buckets);
  const starts = [];
  for (let a = 1; a < n - 1; a += size) starts.push(a);
  const newTime = [time[0]];
  for (const a of starts) newTime.push(time[a], time[Math.min(a + (size >> 1), n - 2)]);
  newTime.push(time[n - 1]);
  const thinned = columns.map(([id, unit, values]) => {
    const rows = [values[0]];
    for (const a of starts) {
      let low = a;
      let high = a;
      for (let i = a; i < Math.min(a + size, n - 1); i++) {
        if (values[i] < values[low]) low = i;
        if (values[i] > values[high]) high = i;
      }
      rows.push(values[Math.min(low, high)], values[Math.max(low, high)]);
    }
    rows.push(values[n - 1]);
    return column(id, unit, rows, "f32");
  });
  return { time: pack(newTime), every: size, columns: thinned };
}

export function strided(time, columns, rows) {
  const stride = Math.ceil(time.length / rows);
  const pick = (values) => values.filter((_, i) => i % stride === 0 || i === time.length - 1);
  return { time: pack(pick(time)), every: 1, columns: columns.map(([id, unit, v]) => column(id, unit, pick(v), "f32")) };
}

function summary(more) {
  return {
    model: "model",
    scheme: "hem5",
    status: "completed",
    verdict: "sound",
    findings: [],
    message: "",
    t: 10,
    steps: 1480,
    rejected_steps: 12,
    average_step: 6.7568e-3,
    evaluations: { mass: 8880, force: 8880, jacobian: 8880, curvature: 0, stiffness: 0, damping: 0, linear_solves: 8880 },
    work: 26640,
    max_drift: { position: 3.1e-9, velocity: 4.4e-16 },
    drift_by_constraint: { rod: { position: 3.1e-9, velocity: 4.4e-16 } },
    max_penetration: 0,
    impacts: 0,
    energy: { initial: 0, final: 2.1e-9, max_error: 2.4e-9 },
    wall_seconds: 0.00412,
    version: "0.1.0",
    ...more,
  };
}

const settings = { tolerance: 1e-8, end: 10, save_every: 0.01, projection: "none" };

function columnsOf(names) {
  return Object.fromEntries(names.map((name) => [name, []]));
}

/** A point on a rod, by small Runge-Kutta steps in the angle. */
function swing(end, count, damping = 0) {
  const g = 9.81;
  let [a, w] = [0, 0];
  const h = end / (count - 1);
  const out = columnsOf(["t", "x", "y", "vx", "vy", "lambda", "T", "V", "E"]);
  const f = (a, w) => [w, -g * Math.cos(a) - damping * w];
  for (let i = 0; i < count; i++) {
    const [x, y] = [Math.cos(a), Math.sin(a)];
    out.t.push(i * h);
    out.x.push(x);
    out.y.push(y);
    out.vx.push(-w * y);
    out.vy.push(w * x);
    out.lambda.push(w * w - g * y);
    out.T.push((w * w) / 2);
    out.V.push(g * y);
    out.E.push((w * w) / 2 + g * y);
    const k1 = f(a, w);
    const k2 = f(a + (h / 2) * k1[0], w + (h / 2) * k1[1]);
    const k3 = f(a + (h / 2) * k2[0], w + (h / 2) * k2[1]);
    const k4 = f(a + h * k3[0], w + h * k3[1]);
    a += (h / 6) * (k1[0] + 2 * k2[0] + 2 * k3[0] + k4[0]);
    w += (h / 6) * (k1[1] + 2 * k2[1] + 2 * k3[1] + k4[1]);
  }
  return out;
}

function pendulumColumns(s) {
  let seed = 1;
  const noise = () => (seed = (seed * 16807) % 2147483647) / 2147483647;
  return [
    ["q/x", "", s.x],
    ["q/y", "", s.y],
    ["v/x", "", s.vx],
    ["v/y", "", s.vy],
    ["outputs/angle", "", s.x.map((x, i) => Math.atan2(s.y[i], x))],
    ["outputs/still", "m", s.t.map(() => 1e-28 * noise())],
    ["lambda/rod", "", s.lambda],
    ["energy/kinetic", "J", s.T],
    ["energy/potential", "J", s.V],
    ["energy/total", "J", s.E],
    ["drift/position", "", s.t.map((t) => 3e-10 * (0.1 + t) * (1 + 0.3 * Math.sin(9 * t)))],
    ["drift/velocity", "", s.t.map(() => 4e-16 * noise())],
  ];
}

const pendulumDrawing = {
  dimension: 2,
  primitives: [
    { name: "rod", kind: "segment", points: [[0, 0], ["q/x", "q/y"]] },
    { name: "bob", kind: "circle", points: [["q/x", "q/y"]], radius: 0.06 },
  ],
  bodies: [],
  joints: [],
  links: [],
  contacts: [],
};

const pendulumText = `escapement: 1
name: pendulum on a rod
parameters: {m: 1, l: 1, g: 9.81}
coordinates:
  x: {start: 1, rate: 0}
  y: {start: 0, rate: 0}
kinetic_energy: m/2*(x'^2 + y'^2)
potential_energy: m*g*y
constraints: {rod: (x^2 + y^2 - l^2)/2}
outputs: {angle: "atan2(y, x)"}
drawing:
  rod: {segment: [[0, 0], [x, y]]}
  bob: {circle: [x, y], radius: 0.06}
simulation: {end: 10, scheme: hem5, tolerance: 1e-8, save_every: 0.01}
`;

function adaptiveSteps(end, count) {
  const t = [0];
  const size = [];
  const rejected = [];
  while (t[t.length - 1] < end && size.length < count) {
    const now = t[t.length - 1];
    const h = (end / count) * (1.4 + Math.sin(5.3 * now) + 0.2 * Math.sin(37 * now));
    size.push(Math.min(h, end - now));
    rejected.push(Math.sin(5.3 * now) < -0.995 ? 1 : 0);
    t.push(Math.min(end, now + h));
  }
  const error = size.map((h) => 1e-8 * (0.3 + 0.6 * Math.abs(Math.sin(1e3 * h))));
  return table(t.slice(0, size.length), [
    ["steps/size", "s", size],
    ["steps/newton", "", size.map(() => 0)],
    ["steps/error", "", error],
    ["steps/rejected", "", rejected],
  ]);
}

export function pendulum(more = {}) {
  const s = swing(10, 1001);
  return {
    format: 1,
    kind: "run",
    title: "pendulum on a rod",
    model: { file: "pendulum.yaml", text: pendulumText },
    settings,
    parameters: { m: 1, l: 1, g: 9.81 },
    summary: summary({ model: "pendulum on a rod", final: { q: { x: s.x[1000], y: s.y[1000] }, v: { x: s.vx[1000], y: s.vy[1000] } } }),
    samples: table(s.t, pendulumColumns(s)),
    frames: null,
    steps: adaptiveSteps(10, 1400),
    events: null,
    picture: pendulumDrawing,
    ...more,
  };
}

/** A run that says of itself that it is not to be trusted. */
export function suspect() {
  const findings = [{ what: "penetration", where: "floor", t: 1.5, value: 0.02, limit: 1e-6, remedy: "take a tighter tolerance" }];
  const sound = pendulum();
  return { ...sound, summary: { ...sound.summary, verdict: "suspect", findings } };
}

/** Equilibria under a growing load, as `statics` records them: a summary without anything of a motion. */
export function atRest() {
  const summary = { model: "a bend", status: "completed", message: "", load: 1, steps: 11, iterations: 4443, equilibrium: { residual: 2e-13 }, version: "0.1.0" };
  return { ...pendulum(), title: "a bend", settings: {}, steps: null, summary };
}

/** No drawing, a hostile name, a failed run: the page must take all of it. */
export function hostile() {
  const evil = "<script>alert(1)</script>";
  const data = pendulum({ title: evil, picture: null });
  data.model = { file: `${evil}.yaml`, text: `${evil}</script><img src=x onerror=alert(2)><!--` };
  data.parameters = { [evil]: 1 };
  data.samples.columns[0].id = `q/${evil}`;
  data.samples.columns[2].id = `v/${evil}`;
  data.summary = {
    ...data.summary,
    model: evil,
    status: "failed",
    message: `Newton's method did not converge at t = 7.31 in constraint '${evil}' (residual 2.1e-3); try a smaller step or tolerance 1e-6.`,
    drift_by_constraint: { [evil]: { position: 1e-3, velocity: 1e-2 } },
    final: { q: { [evil]: 1 }, v: { [evil]: 2 } },
  };
  return data;
}

export const longRun = { samples: 600000, end: 600 };

export function huge() {
  const s = swing(longRun.end, longRun.samples, 0.002);
  const columns = pendulumColumns(s);
  const count = 20000;
  const events = Array.from({ length: 4000 }, (_, i) => (i + 0.5) * 0.15);
  const base = pendulum({ title: "pendulum, ten minutes at a thousand samples per second" });
  return {
    ...base,
    summary: { ...base.summary, t: longRun.end, steps: longRun.samples, impacts: events.length, max_penetration: 1e-9 },
    samples: thin(s.t, columns, count),
    frames: strided(s.t, columns.slice(0, 4), 2 * count),
    steps: null,
    events: eventList(events.map((t) => ({ t, contact: 0, before: -1, after: 0.5, impulse: 1.5 + Math.sin(t) })), ["floor"]),
  };
}

function eventList(list, contacts) {
  return {
    total: list.length,
    units: { velocity: "m/s", impulse: "N s" },
    contacts,
    kinds: ["impact"],
    time: pack(list.map((e) => e.t)),
    contact: list.map((e) => e.contact),
    kind: list.map(() => 0),
    before: pack(list.map((e) => e.before)),
    after: pack(list.map((e) => e.after)),
    impulse: pack(list.map((e) => e.impulse)),
  };
}

/** A crank drives a block that has play in its guide: real kinematics, and a block that bounces between the walls. */
export function sliderCrank() {
  const [l1, l2, end, count] = [0.153, 0.306, 0.2, 4001];
  const [half, play, e, mass] = [0.05, 0.012, 0.4, 0.038];
  const h = end / (count - 1);
  const names = ["t", "a1", "x1", "y1", "a2", "x2", "y2", "x3", "y3", "v1", "vy3", "up", "low", "fup", "flow", "T", "V", "E", "rup", "rlow"];
  const s = columnsOf(names);
  const hits = [];
  let [y, vy] = [0, 0];
  for (let i = 0; i < count; i++) {
    const t = i * h;
    const omega = 150 - 40 * t;
    const a1 = 150 * t - 20 * t * t;
    const drive = l1 * Math.sin(a1);
    const a2 = Math.asin((y - drive) / l2);
    const values = {
      t, a1, a2, x1: (l1 / 2) * Math.cos(a1), y1: drive / 2,
      x2: l1 * Math.cos(a1) + (l2 / 2) * Math.cos(a2), y2: drive + (l2 / 2) * Math.sin(a2),
      x3: l1 * Math.cos(a1) + l2 * Math.cos(a2), y3: y, v1: omega, vy3: vy,
      up: play - y, low: play + y, rup: -vy, rlow: vy, fup: 0, flow: 0,
    };
    values.T = 0.5 * 2e-4 * omega * omega + 0.5 * mass * vy * vy;
    values.V = mass * 9.81 * y;
    values.E = values.T + values.V;
    const push = 900 * Math.sin(a1) + 240 * Math.cos(2.7 * a1);
    const resting = (side) => Math.abs(y - side * play) < 1e-9 && side * push > 0;
    if (resting(1)) values.fup = mass * push;
    if (resting(-1)) values.flow = -mass * push;
    for (const name of names) s[name].push(values[name]);
    vy += h * push;
    y += h * vy;
    const side = Math.sign(y);
    if (Math.abs(y) > play) {
      y = side * play;
      const before = vy * side;
      vy = before > 0.15 ? -e * vy : 0;
      if (before > 0.15) hits.push({ t: t + h, contact: side > 0 ? 0 : 1, before: -before, after: e * before, impulse: mass * (1 + e) * before });
    }
  }
  const bounce = s.t.map((t) => 1e-5 * (1 + 0.5 * Math.sin(300 * t)));
  const samples = table(s.t, [
    ["q/crank.x", "m", s.x1], ["q/crank.y", "m", s.y1], ["q/crank.angle", "rad", s.a1],
    ["q/rod.x", "m", s.x2], ["q/rod.y", "m", s.y2], ["q/rod.angle", "rad", s.a2],
    ["q/slider.x", "m", s.x3], ["q/slider.y", "m", s.y3],
    ["v/crank.angle", "rad/s", s.v1], ["v/slider.y", "m/s", s.vy3],
    ["contacts/upper/gap", "m", s.up], ["contacts/lower/gap", "m", s.low],
    ["contacts/upper/gap_rate", "m/s", s.rup], ["contacts/lower/gap_rate", "m/s", s.rlow],
    ["contacts/upper/force", "N", s.fup], ["contacts/lower/force", "N", s.flow],
    ["energy/kinetic", "J", s.T], ["energy/potential", "J", s.V], ["energy/total", "J", s.E],
    ["drift/position", "", bounce.map((b) => b * 1e-9)], ["drift/velocity", "", bounce.map((b) => b * 1e-8)],
  ]);
  const wall = (name, side) => ({ name, kind: "segment", points: [[0.12, side * (half + play)], [0.5, side * (half + play)]] });
  const guide = { name: "guide", kind: "polyline", points: [[0.12, -half - play - 0.012], [0.5, -half - play - 0.012]] };
  return {
    format: 1,
    kind: "run",
    title: "slider-crank with clearance",
    model: { file: "slider_crank_clearance.yaml", text: "escapement: 1\nname: slider-crank with clearance\n" },
    settings: { step: 5e-5, end, save_every: 0, impact_law: "newton" },
    parameters: { l1, l2, c: play, e },
    summary: summary({
      model: "slider-crank with clearance", scheme: "moreau-midpoint-ggl", t: end, steps: 4000, rejected_steps: 0, average_step: 5e-5,
      impacts: hits.length, max_penetration: 4.4e-16,
      drift_by_constraint: { pin: { position: 1e-14, velocity: 1e-13 }, wrist: { position: 1.2e-14, velocity: 1.4e-13 } },
      energy: { initial: 2.25, final: s.E[count - 1], max_error: 3.1e-4 }, wall_seconds: 0.0213,
    }),
    samples,
    frames: null,
    steps: table(s.t.slice(1), [["steps/size", "s", s.t.slice(1).map(() => h)], ["steps/newton", "", s.t.slice(1).map((t) => 2 + (Math.sin(700 * t) > 0.8 ? 2 : 0))]]),
    events: eventList(hits, ["upper", "lower"]),
    picture: {
      dimension: 2,
      primitives: [wall("upper wall", 1), wall("lower wall", -1), guide],
      bodies: [
        { name: "crank", pose: ["q/crank.x", "q/crank.y", "q/crank.angle"], shapes: [{ kind: "capsule", size: [l1, 0.012] }] },
        { name: "rod", pose: ["q/rod.x", "q/rod.y", "q/rod.angle"], shapes: [{ kind: "capsule", size: [l2, 0.009] }] },
        { name: "slider", pose: ["q/slider.x", "q/slider.y", 0], shapes: [{ kind: "box", size: [0.09, 2 * half] }] },
      ],
      joints: [
        { name: "main bearing", kind: "revolute", bodies: [-1, 0], at: [[0, 0], [-l1 / 2, 0]] },
        { name: "crank pin", kind: "revolute", bodies: [0, 1], at: [[l1 / 2, 0], [-l2 / 2, 0]] },
        { name: "wrist pin", kind: "revolute", bodies: [1, 2], at: [[l2 / 2, 0], [0, 0]] },
      ],
      links: [],
      contacts: [
        { name: "upper", point: ["q/slider.x", half + play], normal: [0, -1], force: "contacts/upper/force" },
        { name: "lower", point: ["q/slider.x", -half - play], normal: [0, 1], force: "contacts/lower/force" },
      ],
    },
  };
}

/** A box that tumbles about its middle axis, and a ball that bounces beside it. */
export function tumbling() {
  const [count, end] = [2001, 12];
  const h = end / (count - 1);
  const inertia = [1, 2, 3];
  let w = [0.02, 3, 0.02];
  let q = [1, 0, 0, 0];
  let [z, vz] = [1.4, 0];
  const s = columnsOf(["t", "qw", "qx", "qy", "qz", "wx", "wy", "wz", "z", "vz", "gap", "force", "T"]);
  const hits = [];
  const rate = (w, q) => {
    const [a, b, c] = w;
    const dw = [((inertia[1] - inertia[2]) / inertia[0]) * b * c, ((inertia[2] - inertia[0]) / inertia[1]) * c * a, ((inertia[0] - inertia[1]) / inertia[2]) * a * b];
    const [s0, x, y, u] = q;
    return [dw, [(-x * a - y * b - u * c) / 2, (s0 * a + y * c - u * b) / 2, (s0 * b + u * a - x * c) / 2, (s0 * c + x * b - y * a) / 2]];
  };
  for (let i = 0; i < count; i++) {
    const t = i * h;
    const T = (inertia[0] * w[0] ** 2 + inertia[1] * w[1] ** 2 + inertia[2] * w[2] ** 2) / 2;
    const row = { t, qw: q[0], qx: q[1], qy: q[2], qz: q[3], wx: w[0], wy: w[1], wz: w[2], z, vz, gap: z - 0.2, force: z - 0.2 < 1e-9 ? 9.81 : 0, T };
    for (const name of Object.keys(s)) s[name].push(row[name]);
    for (let k = 0; k < 8; k++) {
      const [dw, dq] = rate(w, q);
      const wm = w.map((x, j) => x + (h / 16) * dw[j]);
      const qm = q.map((x, j) => x + (h / 16) * dq[j]);
      const [ew, eq] = rate(wm, qm);
      w = w.map((x, j) => x + (h / 8) * ew[j]);
      q = q.map((x, j) => x + (h / 8) * eq[j]);
      const size = Math.hypot(...q);
      q = q.map((x) => x / size);
    }
    vz -= 9.81 * h;
    z += h * vz;
    if (z < 0.2) {
      const before = vz;
      z = 0.2;
      vz = before < -0.15 ? -0.82 * before : 0;
      if (vz > 0) hits.push({ t: t + h, contact: 0, before, after: vz, impulse: vz - before });
    }
  }
  const zero = s.t.map(() => 0);
  return {
    format: 1,
    kind: "run",
    title: "tumbling box and bouncing ball",
    model: { file: "tumbling.yaml", text: "escapement: 1\ndimension: 3\n" },
    settings: { tolerance: 1e-6, end },
    parameters: {},
    summary: summary({ scheme: "auto", t: end, impacts: hits.length, max_penetration: 1e-12, status: "stopped", message: "Stopped by the condition box.wy < -2.9 at t = 12." }),
    samples: table(s.t, [
      ["q/box.x", "m", zero], ["q/box.y", "m", zero], ["q/box.z", "m", zero.map(() => 1.1)],
      ["q/box.qw", "", s.qw], ["q/box.qx", "", s.qx], ["q/box.qy", "", s.qy], ["q/box.qz", "", s.qz],
      ["q/ball.x", "m", zero.map(() => 1.3)], ["q/ball.y", "m", zero], ["q/ball.z", "m", s.z],
      ["v/box.wx", "rad/s", s.wx], ["v/box.wy", "rad/s", s.wy], ["v/box.wz", "rad/s", s.wz], ["v/ball.vz", "m/s", s.vz],
      ["contacts/floor/gap", "m", s.gap], ["contacts/floor/force", "N", s.force], ["energy/kinetic", "J", s.T], ["energy/total", "J", s.T],
    ]),
    frames: null,
    steps: adaptiveSteps(end, 900),
    events: eventList(hits, ["floor"]),
    picture: {
      dimension: 3,
      up: [0, 0, 1],
      primitives: [{ name: "post", kind: "segment", points: [[0, 0, 0], [0, 0, 1.1]] }],
      bodies: [
        { name: "box", pose: ["q/box.x", "q/box.y", "q/box.z", "q/box.qw", "q/box.qx", "q/box.qy", "q/box.qz"],
          shapes: [{ kind: "box", size: [1.1, 0.65, 0.18] }, { kind: "cylinder", size: [0.5, 0.07], at: [0, 0, 0.3] }, { kind: "capsule", size: [0.3, 0.06], at: [0.4, 0, -0.1], orientation: [0.7071067811865476, 0, 0.7071067811865476, 0] }] },
        { name: "ball", pose: ["q/ball.x", "q/ball.y", "q/ball.z", 1, 0, 0, 0], shapes: [{ kind: "sphere", size: [0.2] }] },
        { name: "floor", pose: [0, 0, 0, 1, 0, 0, 0], shapes: [{ kind: "plane", size: [0, 0, 1] }] },
      ],
      joints: [{ name: "ball joint", kind: "spherical", bodies: [-1, 0], at: [[0, 0, 1.1], [0, 0, 0]] }],
      links: [],
      contacts: [{ name: "floor", point: ["q/ball.x", "q/ball.y", 0], normal: [0, 0, 1], force: "contacts/floor/force" }],
    },
  };
}

/** Forty links without shapes: sticks, springs, long legends. */
export function chain() {
  const [links, count, end] = [40, 501, 10];
  const t = Array.from({ length: count }, (_, i) => (i * end) / (count - 1));
  const columns = [];
  const bodies = [];
  const joints = [];
  const angle = (k, t) => -Math.PI / 2 + 0.9 * Math.cos(1.2 * t - 0.11 * k) * (0.4 + (0.6 * k) / links);
  const xs = t.map(() => 0);
  const ys = t.map(() => 0);
  for (let k = 0; k < links; k++) {
    const name = `link${k + 1}`;
    const a = t.map((now) => angle(k, now));
    const x = a.map((phi, i) => xs[i] + 0.05 * Math.cos(phi));
    const y = a.map((phi, i) => ys[i] + 0.05 * Math.sin(phi));
    a.forEach((phi, i) => {
      xs[i] += 0.1 * Math.cos(phi);
      ys[i] += 0.1 * Math.sin(phi);
    });
    columns.push([`q/${name}.x`, "m", x], [`q/${name}.y`, "m", y], [`q/${name}.angle`, "rad", a]);
    bodies.push({ name, pose: [`q/${name}.x`, `q/${name}.y`, `q/${name}.angle`], shapes: [] });
    joints.push({ name: `pin${k + 1}`, kind: "revolute", bodies: [k - 1, k], at: [k === 0 ? [0, 0] : [0.05, 0], [-0.05, 0]] });
  }
  const data = pendulum({ title: "chain of forty links", samples: table(t, columns), steps: null });
  data.picture = { dimension: 2, primitives: [], bodies, joints, links: [{ name: "spring", bodies: [-1, links - 1], at: [[3, -3], [0.05, 0]] }], contacts: [] };
  return data;
}

export function compare() {
  const tolerances = [1e-2, 1e-4, 1e-6, 1e-8, 1e-10];
  const schemes = { hem5: 5, phem56: 5, rkf45: 4, "generalized-alpha": 2 };
  const works = Object.entries(schemes).map(([name, order], k) => ({
    name,
    order,
    work: tolerances.map((tol) => Math.round((900 + 200 * k) * tol ** (-1 / order) * 0.6)),
    error: tolerances.map((tol) => tol * (0.4 + 0.5 * k)),
  }));
  return {
    format: 1,
    kind: "compare",
    title: "slider-crank",
    subtitle: "four schemes at five tolerances, against phem56 at tolerance 1e-13",
    version: "0.1.0",
    status: "completed",
    facts: [["Schemes", 4], ["Runs", 20], ["Simulated", "2 s"], ["Reference error", "below 1e-12"]],
    figures: [
      {
        title: "Work against precision",
        caption: "Evaluations of the equations of motion against the global error at the end.",
        x: { label: "global error", log: true },
        y: { label: "work", log: true },
        slopes: true,
        orders: [-0.2, -0.5],
        series: works.map((w) => ({ name: w.name, x: w.error, y: w.work, style: "both" })),
      },
      {
        title: "Drift against tolerance",
        x: { label: "tolerance", log: true },
        y: { label: "largest drift", unit: "m", log: true },
        series: works.map((w) => ({ name: w.name, x: tolerances, y: tolerances.map((x, i) => (w.order === 2 ? 1e-15 * (i + 1) : x / 30)), style: "both" })),
      },
    ],
    tables: [
      {
        title: "Table 3",
        digits: 4,
        columns: ["scheme", "tolerance", "average step", "work", "drift, position", "drift, velocity", "error", "time (ms)"],
        rows: works.flatMap((w) => tolerances.map((tol, i) => [w.name, tol, 2 / w.work[i], w.work[i], tol / 30, tol / 400, w.error[i], w.work[i] * 1.3e-3])),
        notes: ["Work counts force, Jacobian, curvature and linear solves."],
      },
    ],
  };
}

export function reproduce() {
  const angle = Array.from({ length: 721 }, (_, i) => (i * Math.PI) / 180);
  const t = Array.from({ length: 400 }, (_, i) => i / 400);
  return {
    format: 1,
    kind: "reproduce",
    title: "Structural methods for the spinning top",
    subtitle: "paper 002",
    version: "0.1.0",
    sections: [
      {
        title: "Table 2",
        text: ["Step sizes as printed, errors measured against a reference of 15 digits."],
        tables: [
          {
            title: "Spinning top",
            columns: ["place", "published", "ours", "ratio", "verdict"],
            verdict: 4,
            rows: [
              ["Table 2, row 1", 1.02e-3, 1.02e-3, 1, "equal to the printed digits"],
              ["Table 2, row 2", 3.4e-5, 3.5e-5, 1.03, "same to within 5 %"],
              ["Table 2, row 3", 8.8e-7, 1.9e-6, 2.16, "differs because the printed step is not the one used"],
              ["Table 2, row 4", null, 2.1e-8, null, "not printed"],
            ],
          },
        ],
      },
      {
        title: "Figure 1",
        figures: [
          {
            title: "Path of the centre of mass",
            caption: "Seen from above, one period of precession.",
            x: { label: "x", unit: "m" },
            y: { label: "y", unit: "m" },
            equal: true,
            series: [{ name: "centre of mass", x: angle.map((a) => (1 + 0.15 * Math.cos(7 * a)) * Math.cos(a)), y: angle.map((a) => (1 + 0.15 * Math.cos(7 * a)) * Math.sin(a)) }],
          },
          {
            title: "Energy",
            x: { label: "t", unit: "s" },
            y: { label: "energy", unit: "J" },
            series: [
              { name: "published", x: t.filter((_, i) => i % 20 === 0), y: t.filter((_, i) => i % 20 === 0).map((x) => Math.exp(-x)), style: "points", faint: true },
              { name: "ours", x: t, y: t.map((x) => Math.exp(-x) + 0.004 * Math.sin(40 * x)) },
              { name: "converged", x: t, y: t.map((x) => Math.exp(-x)), style: "dashed" },
              { name: "held", x: t.filter((_, i) => i % 40 === 0), y: t.filter((_, i) => i % 40 === 0).map((x) => 0.9 - 0.3 * x), style: "steps" },
            ],
          },
          {
            title: "Condition number",
            x: { label: "h", unit: "s", log: true },
            y: { label: "C", log: true },
            slopes: true,
            orders: [-4],
            series: [
              { name: "no scaling", x: [1e-8, 1e-6, 1e-4], y: [1e33, 1e25, 1e17], style: "both" },
              { name: "no scaling, published", x: [1e-8, 1e-6, 1e-4], y: [3e33, 3e25, 3e17], style: "both", faint: true },
              { name: "full", x: [1e-8, 1e-6, 1e-4], y: [5, 5, 5], style: "both" },
              { name: "full, another way", x: [1e-8, 1e-6, 1e-4], y: [5, 5, 5], style: "both" },
            ],
          },
        ],
      },
    ],
  };
}

export const samples = { pendulum, suspect, atRest, hostile, huge, sliderCrank, tumbling, chain, compare, reproduce };

// the same escape as in the program: nothing in the data can close its element
export function render(template, data) {
  const json = JSON.stringify(data).replaceAll("<", "\\u003c");
  return template.replace("@DATA@", () => json);
}

export function writeSamples(templates, folder) {
  mkdirSync(folder, { recursive: true });
  const read = (name) => readFileSync(join(templates, name), "utf8");
  for (const [name, make] of Object.entries(samples)) {
    const data = make();
    writeFileSync(join(folder, `${name}.html`), render(read(data.picture?.dimension === 3 ? "report3d.html" : "report.html"), data));
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) writeSamples(process.argv[2], process.argv[3]);

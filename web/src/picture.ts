// The moving picture with its tools: follow, zoom, trails, forces, names.
import type { Clock } from "./clock";
import type { Event, PictureData, Table } from "./data";
import { button, el, icon } from "./dom";
import type { Options, View } from "./frames";
import { canDrawPhase, PhaseView } from "./phase";
import { PlanarView } from "./planar";
import { onTheme } from "./theme";

/** How spatial models are drawn; only the larger page carries it. */
export type SpatialMaker = (picture: PictureData, table: Table, impacts: Event[]) => View;

export interface Picture {
  element: HTMLElement;
  description: string;
}

export function makePicture(
  data: PictureData | null,
  table: Table,
  clock: Clock,
  spatial: SpatialMaker | null,
  impacts: Event[],
  title: string,
): Picture | null {
  const view = makeView(data, table, spatial, impacts);
  if (!view) return null;
  const options: Options = { trails: view.has.trails, forces: view.has.forces, names: false, lens: false };
  const draw = () => view.draw(clock.t, clock.speed, options);
  clock.onTime(draw);
  clock.onState(draw);
  onTheme(draw);
  new ResizeObserver(draw).observe(view.element);
  view.element.setAttribute("aria-label", "moving picture of the model");
  return { element: el("div", { class: "stage" }, view.element, tools(view, options, draw, recorder(view, clock, title))), description: view.description };
}

export function makeView(picture: PictureData | null, table: Table, spatial: SpatialMaker | null, impacts: Event[]): View | null {
  if (picture && picture.primitives.length + picture.bodies.length > 0) {
    if (picture.dimension === 3 && spatial) return spatial(picture, table, impacts);
    if (picture.dimension === 2) return new PlanarView(picture, table, impacts);
  }
  return canDrawPhase(table) ? new PhaseView(table) : null;
}

function tools(view: View, options: Options, draw: () => void, record: HTMLElement | null): HTMLElement {
  const bar = el(
    "div",
    { class: "tools", role: "toolbar", "aria-label": "picture" },
    followMenu(view, draw),
    button("Zoom in", icon("M11 4a7 7 0 1 0 0 14 7 7 0 0 0 0-14M16.5 16.5 21 21M8 11h6M11 8v6"), () => view.zoom(1.5)),
    button("Zoom out", icon("M11 4a7 7 0 1 0 0 14 7 7 0 0 0 0-14M16.5 16.5 21 21M8 11h6"), () => view.zoom(1 / 1.5)),
    button("Show everything", icon("M4 9V4h5M20 9V4h-5M4 15v5h5M20 15v5h-5"), () => view.fit()),
  );
  const toggle = (key: keyof Options, label: string, ...paths: string[]) => {
    if (!view.has[key]) return;
    const made = button(label, icon(...paths), () => {
      options[key] = !options[key];
      made.setAttribute("aria-pressed", String(options[key]));
      draw();
    });
    made.setAttribute("aria-pressed", String(options[key]));
    bar.append(made);
  };
  toggle("trails", "Trails", "M3 19c5 0 5-6 9-8s5-2 6-4", "M19 4a2 2 0 1 1 0 4 2 2 0 0 1 0-4");
  toggle("forces", "Contact forces", "M5 19 18 6M10 5h9v9");
  toggle("lens", "Magnify the nearest contact", "M12 4a8 8 0 1 0 0 16 8 8 0 0 0 0-16", "M12 10a2 2 0 1 0 0 4 2 2 0 0 0 0-4");
  toggle("names", "Names", "M5 6h14M12 6v13M9 19h6");
  if (record) bar.append(record);
  return bar;
}

/** Plays what the plots show once and saves the picture as a WebM film. */
function recorder(view: View, clock: Clock, title: string): HTMLElement | null {
  const canvas = view.element instanceof HTMLCanvasElement ? view.element : view.element.querySelector("canvas");
  if (!canvas || typeof MediaRecorder === "undefined" || !("captureStream" in canvas)) return null;
  let running: MediaRecorder | null = null;
  const made = button("Record the motion (WebM)", icon("M4 7h11v10H4zM15 11l5-3v8l-5-3"), () => {
    if (running) return running.stop();
    const parts: Blob[] = [];
    const film = new MediaRecorder(canvas.captureStream(60), { mimeType: "video/webm", videoBitsPerSecond: 8e6 });
    running = film;
    made.setAttribute("aria-pressed", "true");
    film.ondataavailable = (e) => parts.push(e.data);
    film.onstop = () => {
      running = null;
      made.setAttribute("aria-pressed", "false");
      clock.pause();
      const link = el("a", { download: `${title.replace(/[^\w-]+/g, "_") || "motion"}.webm` });
      link.href = URL.createObjectURL(new Blob(parts, { type: "video/webm" }));
      link.click();
      setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
    };
    clock.seek(clock.from);
    let last = clock.from;
    clock.onTime(() => {
      if (running !== film || film.state !== "recording") return;
      if (clock.t < last || clock.t >= clock.to) film.stop(); // the end, or a zoomed part begins again
      last = clock.t;
    });
    film.start();
    clock.play();
  });
  made.setAttribute("aria-pressed", "false");
  return made;
}

function followMenu(view: View, draw: () => void): HTMLElement | null {
  if (view.targets.length < 1) return null;
  const phase = view instanceof PhaseView;
  if (phase && view.targets.length < 2) return null;
  const menu = el("select", {
    title: phase ? "Coordinate" : "Follow",
    "aria-label": phase ? "coordinate shown" : "follow",
    onchange: () => {
      view.follow(Number(menu.value));
      draw();
    },
  });
  if (!phase) menu.append(el("option", { value: -1 }, "Fixed view"));
  view.targets.forEach((name, i) => menu.append(el("option", { value: i }, phase ? name : `Follow ${name}`)));
  return menu;
}

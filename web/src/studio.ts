// The live page: the model's text, sliders for its parameters, and its motion, made anew while they change.
import { Clock } from "./clock";
import { type RunData, Table, unpackEvents } from "./data";
import { button, el, icon } from "./dom";
import { type Diagnosis, makeEditor, type Word } from "./editor";
import type { Options, View } from "./frames";
import { number, time } from "./format";
import { makeView } from "./picture";
import { SpatialView } from "./spatial";
import { onTheme, startTheme, toggleTheme } from "./theme";

interface Parameter {
  name: string;
  value: number;
}
type Live = RunData & { values: Parameter[] };
type Answer = Live | { error: { message: string; line: number; column: number } } | { superseded: true };

const token = new URLSearchParams(location.search).get("token") ?? "";

async function ask<T>(path: string, method: string, body?: unknown, signal?: AbortSignal): Promise<T> {
  const response = await fetch(path, { method, signal, headers: { "X-Escapement-Token": token }, body: body === undefined ? undefined : JSON.stringify(body) });
  if (!response.ok) throw new Error((await response.text()).trim());
  return response.json();
}

/** The motion of the last run that succeeded. */
class Stage {
  readonly element = el("div", { class: "stage" });
  private readonly scrubber = el("input", { type: "range", id: "scrubber", min: 0, max: 1, step: "any", value: 0, "aria-label": "time in the run", oninput: () => this.scrub() });
  private readonly readout = el("output", { id: "time", "aria-label": "time" });
  private readonly play = button("Play (space)", icon("M7 4.5v15l12-7.5z"), () => this.clock?.toggle(), "play");
  readonly controls = el("div", { class: "transport" }, this.play, el("div", { class: "scrubber" }, this.scrubber), el("div", { class: "readout" }, this.readout));
  private clock: Clock | null = null;
  private view: View | null = null;
  private options: Options = { trails: true, forces: true, names: false, lens: false };

  constructor() {
    onTheme(() => this.draw());
    new ResizeObserver(() => this.draw()).observe(this.element);
    document.addEventListener("keydown", (e) => {
      if (e.key !== " " || (e.target as HTMLElement).closest("input, button, .cm-editor")) return;
      e.preventDefault();
      this.clock?.toggle();
    });
  }

  /** A new run of the same length goes on where the old one stands. */
  show(data: Live) {
    const samples = new Table(data.samples);
    const frames = data.frames ? new Table(data.frames) : samples;
    const impacts = unpackEvents(data.events).filter((e) => e.kind === "impact" || Math.abs(e.impulse) > 0);
    const start = samples.time[0] ?? 0;
    const end = samples.time[samples.rows - 1] ?? 0;
    if (!this.clock || this.clock.start !== start || this.clock.end !== end) this.restart(new Clock(start, end));
    const view = makeView(data.picture, frames, (picture, table, hits) => new SpatialView(picture, table, hits), impacts);
    this.view = view;
    this.element.replaceChildren(...(view ? [view.element] : [el("p", { class: "note" }, "This model has nothing to draw.")]));
    view?.element.setAttribute("aria-label", "moving picture of the model");
    this.draw();
    this.element.dataset.runs = String(Number(this.element.dataset.runs ?? 0) + 1);
  }

  private restart(clock: Clock) {
    const playing = this.clock?.playing ?? false;
    this.clock?.pause();
    this.clock = clock;
    clock.onTime(() => this.draw());
    clock.onState(() => {
      this.play.setAttribute("aria-pressed", String(clock.playing));
      this.play.replaceChildren(icon(clock.playing ? "M8 5v14M16 5v14" : "M7 4.5v15l12-7.5z"));
    });
    if (playing) clock.play();
  }
  private scrub() {
    const clock = this.clock;
    if (!clock) return;
    clock.pause();
    clock.seek(clock.start + Number(this.scrubber.value) * clock.duration);
  }
  private draw() {
    const clock = this.clock;
    if (!clock) return;
    this.view?.draw(clock.t, clock.speed, { ...this.options, trails: this.options.trails && this.view.has.trails, forces: this.options.forces && this.view.has.forces });
    this.scrubber.value = String(clock.duration > 0 ? (clock.t - clock.start) / clock.duration : 0);
    this.readout.textContent = `${time(clock.t, clock.duration)} / ${number(clock.end)} s`;
  }
}

/** One slider per parameter, from nothing to twice its value in the text. */
class Sliders {
  readonly element = el("div", { class: "sliders" });
  private shown = "";
  readonly moved = new Map<string, number>();

  constructor(private readonly changed: () => void) {}

  show(values: Parameter[]) {
    const names = values.map((p) => p.name).join("\n");
    if (names === this.shown) return;
    this.shown = names;
    for (const name of this.moved.keys()) if (!values.some((p) => p.name === name)) this.moved.delete(name);
    this.element.replaceChildren(...values.map((p) => this.row(p)));
  }
  /** The text has changed: its own values hold. */
  forget() {
    this.moved.clear();
    this.shown = "";
  }

  private row({ name, value }: Parameter): HTMLElement {
    const reach = Math.abs(value) || 1;
    const readout = el("output", {}, number(value));
    const input = el("input", { type: "range", min: value - reach, max: value + reach, step: "any", value, "aria-label": name, oninput: () => set(Number(input.value)) });
    const set = (x: number) => {
      readout.textContent = number(x);
      if (x === value) this.moved.delete(name);
      else this.moved.set(name, x);
      this.changed();
    };
    const reset = button(`Back to ${number(value)}`, icon("M4 12a8 8 0 1 0 3-6M4 4v5h5"), () => {
      input.value = String(value);
      set(value);
    });
    return el("label", { class: "slider" }, el("span", { class: "name" }, name), input, readout, reset);
  }
}

/**
 * One run at a time, and after it one with the newest values. A run that is under way may come to its end where that is soon, by what the
 * last one took, so that the motion follows a slider as it moves; one that takes longer is given up for the newest.
 */
class Runs {
  private current: { abort: AbortController; began: number; clock: number } | null = null;
  private wanted = false;
  private usual = 0; // milliseconds of the last run

  constructor(
    private readonly start: (signal: AbortSignal) => Promise<Answer>,
    private readonly tell: { answered: (answer: Answer, milliseconds: () => number) => void; failed: (why: string) => void; goesOn: (seconds: number | null) => void; givenUp: () => void },
  ) {}

  async want() {
    if (this.current) {
      const left = Math.max(100, 2 * this.usual) - (performance.now() - this.current.began);
      if (left > 0) {
        if (!this.wanted) setTimeout(() => this.wanted && this.want(), left);
        this.wanted = true;
        return;
      }
      this.end();
    }
    this.wanted = false;
    const began = performance.now();
    const mine = { abort: new AbortController(), began, clock: 0 };
    mine.clock = window.setInterval(() => this.tell.goesOn(Math.round((performance.now() - began) / 1000)), 1000);
    this.current = mine;
    try {
      const answer = await this.start(mine.abort.signal);
      if (this.current !== mine) return;
      this.end();
      this.usual = performance.now() - began;
      this.tell.answered(answer, () => performance.now() - began);
    } catch (e) {
      if (this.current !== mine) return;
      this.end();
      this.tell.failed((e as Error).message);
    }
    if (this.wanted) this.want();
  }
  giveUp() {
    this.end();
    this.wanted = false;
    this.tell.givenUp();
  }
  private end() {
    if (!this.current) return;
    clearInterval(this.current.clock);
    this.current.abort.abort();
    this.current = null;
    this.tell.goesOn(null);
  }
}

async function main() {
  startTheme();
  const model = await ask<{ file: string; text: string; words: Word[] }>("/model", "GET");
  document.title = `${model.file} · Escapement studio`;
  const stage = new Stage();
  const status = el("p", { class: "live-status", role: "status" });
  const stop = button("Stop this run", "Stop", () => runs.giveUp(), "quiet");
  stop.hidden = true;
  const runs = new Runs(
    (signal) => ask<Answer>("/run", "POST", { text: editor.text(), set: Object.fromEntries(sliders.moved) }, signal),
    {
      answered: (answer, milliseconds) => {
        if ("superseded" in answer) return;
        if ("error" in answer) return fail(answer.error);
        editor.diagnose(null);
        sliders.show(answer.values);
        stage.show(answer);
        const { summary } = answer;
        const bad = summary.status === "failed" || summary.verdict === "suspect";
        status.className = `live-status ${bad ? "bad" : "good"}`;
        status.textContent = [summary.status, summary.verdict, `${summary.scheme}, ${summary.steps} steps`, summary.message].filter(Boolean).join(" · ");
        // seen once the next frame is painted
        requestAnimationFrame(() =>
          setTimeout(() => {
            status.dataset.milliseconds = String(milliseconds());
            stage.element.dataset.painted = stage.element.dataset.runs;
          }),
        );
      },
      failed: (why) => fail({ message: `No answer: ${why || "'escapement studio' has ended"}`, line: 0, column: 0 }),
      goesOn: (seconds) => {
        stop.hidden = seconds === null;
        if (seconds === null) return;
        status.className = "live-status";
        status.textContent = `running, ${seconds} s`;
      },
      givenUp: () => {
        status.className = "live-status bad";
        status.textContent = "stopped; change the text or a slider to run again";
        ask("/cancel", "POST", {}).catch(() => {});
      },
    },
  );
  const run = () => runs.want();
  window.addEventListener("pagehide", () => void fetch("/cancel", { method: "POST", keepalive: true, headers: { "X-Escapement-Token": token } }));
  const fail = (error: Diagnosis) => {
    status.className = "live-status bad";
    status.textContent = error.line > 0 ? `line ${error.line}, column ${error.column}: ${error.message}` : error.message;
    editor.diagnose(error);
  };
  const sliders = new Sliders(run);
  const save = async () => {
    try {
      await ask("/model", "PUT", { text: editor.text() });
      status.className = "live-status good";
      status.textContent = `${model.file} saved`;
    } catch (e) {
      fail({ message: (e as Error).message, line: 0, column: 0 });
    }
  };
  const editor = makeEditor(model.text, model.words, {
    changed: () => {
      sliders.forget();
      run();
    },
    save,
  });
  document.getElementById("page")!.append(
    el(
      "header",
      { class: "masthead" },
      el("span", { class: "brand" }, "Escapement studio", el("span", { class: "muted" }, `  ${model.file}`)),
      button("Save (Ctrl-S)", "Save", save, "quiet"),
      button("Light or dark", icon("M12 3a9 9 0 1 0 9 9 7 7 0 0 1-9-9"), toggleTheme, "theme"),
    ),
    el("div", { class: "live" }, el("div", { class: "text" }, editor.element), el("div", { class: "motion" }, el("div", { class: "live-line" }, status, stop), stage.element, stage.controls, sliders.element)),
  );
  await runs.want();
  document.getElementById("page")!.dataset.ready = "";
}

main().catch((e) => document.getElementById("page")!.append(el("p", { class: "message failed", role: "alert" }, String(e.message ?? e))));

// Play, pause, scrub, speed; and the same from the keyboard.
import type { Clock } from "./clock";
import type { Event, Table } from "./data";
import { button, el, fitCanvas, icon } from "./dom";
import { group, number, time } from "./format";
import { colors, faint, onTheme } from "./theme";
import { eventTip } from "./tip";

const playPath = "M7 4.5v15l12-7.5z";
const pausePath = "M8 5v14M16 5v14";

export function makeTransport(clock: Clock, table: Table, impacts: Event[]): HTMLElement {
  const play = button("Play (space)", icon(playPath), () => clock.toggle(), "play");
  const readout = el("output", { id: "time", "aria-label": "time" });
  const speed = el("span", { class: "speed-value", "aria-live": "polite" });
  const reset = button("Show the whole run (0)", "Whole run", () => clock.resetZoom(), "quiet reset");
  const bar = el(
    "div",
    { class: "transport" },
    play,
    makeScrubber(clock, impacts),
    el("div", { class: "readout" }, readout, el("span", { class: "muted" }, ` / ${number(clock.end)}${clock.unit}`)),
    el(
      "div",
      { class: "speed" },
      button("Slower (−)", icon("M6 12h12"), () => clock.changeSpeed(-1)),
      speed,
      button("Faster (+)", icon("M6 12h12M12 6v12"), () => clock.changeSpeed(1)),
    ),
    impacts.length > 0
      ? el(
          "div",
          { class: "impacts" },
          button("Previous impact (P)", icon("M18 6l-8 6 8 6zM7 6v12"), () => toImpact(clock, impacts, -1)),
          button("Next impact (N)", icon("M6 6l8 6-8 6zM17 6v12"), () => toImpact(clock, impacts, 1)),
        )
      : null,
    reset,
  );
  const showTime = () => (readout.textContent = time(clock.t, clock.duration));
  const showState = () => {
    play.replaceChildren(icon(clock.playing ? pausePath : playPath));
    play.title = clock.playing ? "Pause (space)" : "Play (space)";
    play.setAttribute("aria-label", play.title);
    play.setAttribute("aria-pressed", String(clock.playing));
    speed.textContent = `×${clock.speed >= 1 ? group(clock.speed) : number(clock.speed, 1)}`;
    speed.title = `${number(clock.speed)} seconds of the model in one second`;
  };
  const showView = () => (reset.hidden = !clock.zoomed);
  clock.onTime(showTime);
  clock.onState(showState);
  clock.onView(showView);
  showTime();
  showState();
  showView();
  listenToKeys(clock, table, impacts);
  return bar;
}

function makeScrubber(clock: Clock, impacts: Event[]): HTMLElement {
  const input = el("input", {
    type: "range",
    id: "scrubber",
    min: 0,
    max: 1,
    step: "any",
    value: 0,
    "aria-label": "time in the run",
    oninput: () => {
      clock.pause();
      clock.seek(clock.start + Number(input.value) * clock.duration);
    },
    onmousemove: (e: MouseEvent) => {
      const box = input.getBoundingClientRect();
      const at = (x: number) => clock.start + ((x - box.left) / box.width) * clock.duration;
      eventTip.showNear(impacts, at(e.clientX), at(4) - at(0), e.clientX, box.top);
    },
    onmouseleave: () => eventTip.hide(),
  });
  const marks = el("canvas", { class: "marks", "data-impacts": impacts.length });
  const drawMarks = () => {
    const { context, width, height } = fitCanvas(marks);
    const x = (t: number) => ((t - clock.start) / (clock.duration || 1)) * width;
    if (clock.zoomed) {
      context.fillStyle = faint(colors().steel, 0.18);
      context.fillRect(x(clock.from), 0, Math.max(2, x(clock.to) - x(clock.from)), height);
    }
    const crowd = Math.min(1, (0.25 * width) / Math.max(1, impacts.length));
    context.fillStyle = faint(colors().brass, 0.4 + 0.6 * crowd);
    let previous = -1;
    for (const impact of impacts) {
      const at = Math.round(x(impact.t));
      if (at !== previous) context.fillRect(at, height - 7, 1, 4 + 3 * crowd);
      previous = at;
    }
  };
  clock.onTime(() => (input.value = String(clock.duration > 0 ? (clock.t - clock.start) / clock.duration : 0)));
  clock.onView(drawMarks);
  onTheme(drawMarks);
  new ResizeObserver(drawMarks).observe(marks);
  return el("div", { class: "scrubber" }, marks, input);
}

/** To the nearest impact after or before the present time. */
function toImpact(clock: Clock, impacts: Event[], direction: 1 | -1) {
  clock.pause();
  const apart = 1e-12 * Math.max(Math.abs(clock.start), Math.abs(clock.end));
  const times = impacts.map((e) => e.t).filter((t) => (t - clock.t) * direction > apart);
  if (times.length === 0) return;
  const t = direction > 0 ? Math.min(...times.slice(0, 1e5)) : Math.max(...times.slice(-1e5));
  clock.seek(t);
  // what is shown follows, with the same width
  const width = clock.to - clock.from;
  if (t < clock.from || t > clock.to) clock.zoom(Math.min(t - width / 2, clock.end - width), Math.max(t + width / 2, clock.start + width));
}

/** Space plays, N and P lead from impact to impact, arrows step through the samples (with shift a hundredth of what is shown), plus and minus change speed. */
function listenToKeys(clock: Clock, table: Table, impacts: Event[]) {
  const step = (direction: 1 | -1, far: boolean) => {
    clock.pause();
    if (far) return clock.seek(clock.t + (direction * (clock.to - clock.from)) / 100);
    let row = table.rowAt(clock.t);
    // two samples of one time are one stop
    if (direction > 0) while (row < table.rows - 1 && table.time[row] <= clock.t) row++;
    else while (row > 0 && table.time[row] >= clock.t) row--;
    clock.seek(table.time[row]);
  };
  const keys: Record<string, (e: KeyboardEvent) => void> = {
    " ": () => clock.toggle(),
    ArrowRight: (e) => step(1, e.shiftKey),
    ArrowLeft: (e) => step(-1, e.shiftKey),
    "+": () => clock.changeSpeed(1),
    "-": () => clock.changeSpeed(-1),
    "0": () => clock.resetZoom(),
    n: () => toImpact(clock, impacts, 1),
    p: () => toImpact(clock, impacts, -1),
  };
  document.addEventListener("keydown", (e) => {
    const target = e.target as HTMLElement;
    const action = keys[e.key];
    if (!action || e.ctrlKey || e.metaKey || e.altKey) return;
    if (target.closest("select, textarea, pre")) return;
    // a focused button keeps its own space
    if (e.key === " " && target.closest("button, summary, a")) return;
    e.preventDefault();
    action(e);
  });
}

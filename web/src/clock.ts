// The one time of the page: picture, cursors and scrubber follow it; playing moves it.

type Listener = () => void;

export class Clock {
  t: number;
  playing = false;
  speed: number;
  from: number; // what the plots show
  to: number;

  private readonly timeListeners: Listener[] = [];
  private readonly viewListeners: Listener[] = [];
  private readonly stateListeners: Listener[] = [];
  private frame = 0;
  private last = 0;

  constructor(
    readonly start: number,
    readonly end: number,
    readonly of: "time" | "load" = "time", // equilibria stand at load factors
  ) {
    this.t = this.from = start;
    this.to = end;
    this.speed = comfortableSpeed(this.duration);
  }

  get duration() {
    return this.end - this.start;
  }
  get label() {
    return this.of === "load" ? "load factor" : "t (s)";
  }
  get unit() {
    return this.of === "load" ? "" : " s";
  }
  get zoomed() {
    return this.from > this.start || this.to < this.end;
  }

  onTime(listener: Listener) {
    this.timeListeners.push(listener);
  }
  onView(listener: Listener) {
    this.viewListeners.push(listener);
  }
  onState(listener: Listener) {
    this.stateListeners.push(listener);
  }

  seek(t: number) {
    this.t = Math.min(this.end, Math.max(this.start, t));
    this.schedule();
  }

  play() {
    if (this.playing || this.duration <= 0) return;
    this.playing = true;
    // playing stays inside the part that the plots show
    if (this.t >= this.to || this.t < this.from) this.t = this.from;
    this.last = performance.now();
    this.schedule();
    this.tell(this.stateListeners);
  }
  pause() {
    if (!this.playing) return;
    this.playing = false;
    this.tell(this.stateListeners);
  }
  toggle() {
    if (this.playing) this.pause();
    else this.play();
  }

  /** To the next speed of the series 1, 2, 5 up or down. */
  changeSpeed(direction: 1 | -1) {
    const exponent = Math.floor(Math.log10(this.speed) + 1e-9);
    const digit = Math.round(this.speed / 10 ** exponent);
    const up: Record<number, number> = { 1: 2, 2: 5, 5: 10 };
    const down: Record<number, number> = { 1: 0.5, 2: 1, 5: 2 };
    const next = (direction > 0 ? up : down)[digit] * 10 ** exponent;
    this.speed = Number(Math.min(1e6, Math.max(1e-9, next)).toPrecision(1));
    this.tell(this.stateListeners);
  }

  zoom(from: number, to: number) {
    const a = Math.max(this.start, Math.min(from, to));
    const b = Math.min(this.end, Math.max(from, to));
    // below this the numbers themselves are too coarse to draw
    if (b - a <= 1e-12 * Math.max(Math.abs(a), Math.abs(b))) return;
    this.from = a;
    this.to = b;
    this.tell(this.viewListeners);
  }
  resetZoom() {
    this.zoom(this.start, this.end);
  }

  private schedule() {
    if (this.frame === 0) this.frame = requestAnimationFrame((now) => this.tick(now));
  }
  private tick(now: number) {
    this.frame = 0;
    if (this.playing) {
      const elapsed = Math.max(0, now - this.last) / 1000;
      this.last = now;
      this.t += elapsed * this.speed;
      if (this.t >= this.to) {
        // a zoomed part repeats, the whole run stops at its end
        if (this.zoomed) this.t = this.from;
        else {
          this.t = this.to;
          this.pause();
        }
      }
      if (this.playing) this.schedule();
    }
    this.tell(this.timeListeners);
  }
  private tell(listeners: Listener[]) {
    for (const listener of listeners) listener();
  }
}

/** Real time where that is watchable, else about ten seconds for the whole run. */
function comfortableSpeed(duration: number): number {
  if (!(duration > 0) || (duration >= 2 && duration <= 40)) return 1;
  const wanted = duration / 10;
  const exponent = Math.floor(Math.log10(wanted));
  const digit = wanted / 10 ** exponent;
  return Number(((digit >= 5 ? 5 : digit >= 2 ? 2 : 1) * 10 ** exponent).toPrecision(1));
}

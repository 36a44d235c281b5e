// Where shapes touch, and the forces there, of contacts that are found while a run goes on: as many as there are at each time.
import { type Numbers, type PointsData, unpack } from "./data";
import type { Place } from "./frames";

export interface TouchingPoint {
  place: Place;
  force: number[];
}

export class Points {
  readonly most: number; // in one frame
  readonly sizes: number[] = []; // of some of the forces
  private readonly time: Numbers;
  private readonly starts: number[];
  private readonly numbers: Numbers;

  constructor(
    data: PointsData | undefined,
    private readonly dimension: number,
  ) {
    this.time = data ? unpack(data.time) : new Float64Array(0);
    this.numbers = data ? unpack(data.numbers) : new Float64Array(0);
    this.starts = data?.starts ?? [0];
    this.most = this.starts.reduce((most, start, i) => Math.max(most, i > 0 ? start - this.starts[i - 1] : 0), 0);
    const count = this.starts[this.starts.length - 1];
    for (let i = 0; i < count; i += Math.max(1, Math.floor(count / 5000))) {
      const size = Math.hypot(...this.point(i).force);
      if (size > 0) this.sizes.push(size);
    }
  }

  /** Those of the last frame at or before t. */
  at(t: number): TouchingPoint[] {
    let low = 0;
    let high = this.time.length - 1;
    if (high < 0) return [];
    while (low < high) {
      const mid = (low + high + 1) >> 1;
      if (this.time[mid] <= t) low = mid;
      else high = mid - 1;
    }
    return Array.from({ length: this.starts[low + 1] - this.starts[low] }, (_, k) => this.point(this.starts[low] + k));
  }

  /** How long the longest arrow is, in parts of the picture: shorter where there are many. */
  get length(): number {
    return 0.2 * Math.min(1, Math.max(0.25, 4 / Math.sqrt(Math.max(1, this.most))));
  }

  private point(i: number): TouchingPoint {
    const n = this.dimension;
    const from = 2 * n * i;
    return { place: Array.from(this.numbers.subarray(from, from + n)), force: Array.from(this.numbers.subarray(from + n, from + 2 * n)) };
  }
}

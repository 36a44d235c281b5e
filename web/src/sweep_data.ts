// The table of a parameter study, column by column.
import type { SweepData } from "./data";
import { unpack } from "./data";

export type State = "sound" | "suspect" | "failed";

export class SweepTable {
  readonly names: string[]; // of columns: parameters, then measures
  readonly runs: number[];
  private readonly columns = new Map<string, ArrayLike<number>>();
  private readonly suspect: Set<number>;

  constructor(readonly data: SweepData) {
    this.names = [...data.varied, ...data.measures].map((c) => c.name);
    this.runs = Array.from(unpack(data.run));
    this.suspect = new Set(data.suspect);
    for (const column of [...data.varied, ...data.measures]) this.columns.set(column.name, unpack(column));
  }
  get parameters() {
    return this.data.varied.map((c) => c.name);
  }
  get measures() {
    return this.data.measures.map((c) => c.name);
  }
  get rows() {
    return this.runs.length;
  }
  value(name: string, row: number): number {
    return this.columns.get(name)![row];
  }
  values(name: string): number[] {
    return Array.from(this.columns.get(name)!);
  }
  status(row: number): string {
    return this.data.statuses[this.data.status[row]];
  }
  state(row: number): State {
    if (this.status(row) === "failed" || this.status(row) === "refused") return "failed";
    return this.suspect.has(row) ? "suspect" : "sound";
  }
  message(row: number): string {
    return this.data.messages[String(row)] ?? "";
  }
  /** Every value that a parameter takes, in order; of random draws there are as many as rows. */
  levels(name: string): number[] {
    return [...new Set(this.values(name))].sort((a, b) => a - b);
  }
  /** What one types to see this run alone. */
  command(row: number): string {
    return [this.data.command, ...this.parameters.map((name) => `--set ${name}=${this.value(name, row)}`)].join(" ");
  }
}

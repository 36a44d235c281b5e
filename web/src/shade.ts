// Lines that are coloured by a quantity: beams by their bending moment.
import type { PictureData, Primitive, Table } from "./data";
import { live } from "./format";
import { colors } from "./theme";

/** One scale of colours for a whole picture and a whole run: grey is zero, the strongest colours are the largest values. */
export class Shade {
  readonly most: number; // of the sizes
  private readonly name: string;
  private readonly signed: boolean;

  constructor(picture: PictureData, table: Table) {
    let [low, high] = [0, 0];
    const shaded = picture.primitives.filter((p) => p.shades);
    for (const shade of shaded.flatMap((p) => p.shades ?? []))
      for (const x of typeof shade === "number" ? [shade] : (table.find(shade)?.values ?? [])) {
        if (x < low) low = x;
        if (x > high) high = x;
      }
    this.most = Math.max(-low, high);
    this.signed = low < 0;
    this.name = shaded[0]?.shade ?? "";
  }

  color(value: number): string {
    const { muted, steel, ruby } = colors();
    const part = this.most > 0 ? Math.min(1, Math.abs(value) / this.most) : 0;
    return mix(muted, value < 0 ? steel : ruby, Number.isFinite(part) ? part : 0);
  }

  /** What the colours mean, in words. */
  get text(): string {
    return `${this.name}: ${this.signed ? `${live(-this.most)} … ` : "0 … "}${live(this.most)}`;
  }
  /** The colours from the lowest value to the highest. */
  get stops(): string[] {
    const parts = this.signed ? [-1, -0.5, 0, 0.5, 1] : [0, 0.25, 0.5, 0.75, 1];
    return parts.map((x) => this.color(x * this.most));
  }
}

export const isShaded = (primitive: Primitive) => (primitive.shades?.length ?? 0) > 0;

function mix(from: string, to: string, part: number): string {
  const [a, b] = [from, to].map((c) => parseInt(c.slice(1), 16));
  const channel = (shift: number) => Math.round(((a >> shift) & 255) * (1 - part) + ((b >> shift) & 255) * part);
  return `rgb(${channel(16)}, ${channel(8)}, ${channel(0)})`;
}

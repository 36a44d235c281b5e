// The small card that says what happened at an impact.
import type { Event } from "./data";
import { el } from "./dom";
import { number } from "./format";

class EventTip {
  units = { velocity: "", impulse: "" };
  private element: HTMLElement | null = null;

  /** Describes the events within `reach` of t, or hides. */
  showNear(events: Event[], t: number, reach: number, x: number, y: number) {
    const near = events.filter((e) => Math.abs(e.t - t) <= reach);
    if (near.length === 0) return this.hide();
    near.sort((a, b) => Math.abs(a.t - t) - Math.abs(b.t - t));
    const first = near[0];
    const row = (name: string, value: number, unit: string) =>
      Number.isNaN(value) ? null : el("div", {}, el("dt", {}, name), el("dd", {}, `${number(value, 4)} ${unit}`));
    const card = el(
      "div",
      { class: "tip", role: "tooltip" },
      el("strong", {}, first.contact || "event"),
      ` ${first.kind}`,
      el(
        "dl",
        {},
        row("t", first.t, "s"),
        row("before", first.before, this.units.velocity),
        row("after", first.after, this.units.velocity),
        row("impulse", first.impulse, this.units.impulse),
      ),
      first.note ? el("p", {}, first.note) : null,
      near.length > 1 ? el("small", {}, `and ${near.length - 1} more here`) : null,
    );
    this.hide();
    this.element = card;
    document.body.append(card);
    const { width, height } = card.getBoundingClientRect();
    card.style.left = `${Math.max(8, Math.min(x + 14, innerWidth - width - 8))}px`;
    card.style.top = `${Math.max(8, y - height - 12)}px`;
  }

  hide() {
    this.element?.remove();
    this.element = null;
  }
}

export const eventTip = new EventTip();

// Names, colours and values under a plot; a click hides or shows a curve.
import { button, el } from "./dom";
import { live } from "./format";
import { onTheme, seriesColor } from "./theme";

export interface LegendEntry {
  label: string;
  color: number; // position in the palette
  note?: string; // instead of a value that changes
  mark?: "line" | "dash" | "point";
  faint?: boolean; // as its curve
}

/** How many curves a plot shows at first, and names its legend shows before it folds. */
export const shownAtFirst = 8;

export class Legend {
  readonly element = el("div", { class: "legend" });
  private readonly values: HTMLElement[] = [];
  private readonly keys: HTMLButtonElement[] = [];
  private readonly list = el("ul");
  private folded: boolean;
  private readonly texts: string[] = [];

  constructor(
    readonly entries: LegendEntry[],
    private readonly shown: boolean[],
    private readonly toggled: (index: number) => void,
  ) {
    this.folded = entries.length > shownAtFirst;
    entries.forEach((entry, i) => this.list.append(this.item(entry, i)));
    this.element.append(this.list);
    if (this.folded) this.element.append(this.foldButton(), this.allButton("All", true), this.allButton("None", false));
    this.fold();
    this.paint();
    onTheme(() => this.paint());
  }

  /** The values at the cursor; `null` where there is none. */
  update(valueOf: (index: number) => number | null | undefined) {
    this.values.forEach((element, i) => {
      if (this.entries[i].note !== undefined || (this.folded && i >= shownAtFirst)) return;
      const text = live(valueOf(i));
      if (this.texts[i] !== text) element.textContent = this.texts[i] = text;
    });
  }

  private item(entry: LegendEntry, i: number): HTMLElement {
    const value = el("span", { class: "value" }, entry.note ?? "");
    const key = el(
      "button",
      { type: "button", class: "key", onclick: () => this.toggle(i) },
      el("i", { class: `swatch ${entry.mark ?? "line"}${entry.faint ? " faint" : ""}` }),
      el("span", { class: "name" }, entry.label),
      value,
    );
    this.values.push(value);
    this.keys.push(key);
    return el("li", {}, key);
  }

  private toggle(i: number) {
    this.shown[i] = !this.shown[i];
    this.paint();
    this.toggled(i);
  }

  private foldButton(): HTMLElement {
    const more = button("", "", () => {
      this.folded = !this.folded;
      this.fold();
      label();
    }, "quiet more");
    const label = () => {
      const text = this.folded ? `${this.entries.length - shownAtFirst} more` : "fewer";
      more.textContent = more.title = text;
      more.setAttribute("aria-label", text);
      more.setAttribute("aria-expanded", String(!this.folded));
    };
    label();
    return more;
  }

  private allButton(text: string, show: boolean): HTMLElement {
    return button(`${text} curves`, text, () => {
      this.shown.forEach((now, i) => {
        if (now !== show) this.toggle(i);
      });
    }, "quiet");
  }

  private fold() {
    [...this.list.children].forEach((item, i) => ((item as HTMLElement).hidden = this.folded && i >= shownAtFirst));
  }

  private paint() {
    this.keys.forEach((key, i) => {
      key.setAttribute("aria-pressed", String(this.shown[i]));
      key.style.setProperty("--key", seriesColor(this.entries[i].color));
    });
  }
}

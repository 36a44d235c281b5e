// Tables of cells, as a journal would set them.
import type { Cell, TableOfCells } from "./data";
import { el, unbroken } from "./dom";
import { printed } from "./format";

export function cellTable(data: TableOfCells): HTMLElement {
  const numeric = data.columns.map((_, i) => data.rows.some((row) => typeof row[i] === "number"));
  const head = data.columns.some((c) => c !== "")
    ? el("thead", {}, el("tr", {}, ...data.columns.map((c, i) => el("th", { scope: "col", class: numeric[i] ? "number" : "" }, c))))
    : null;
  const body = el("tbody", {}, ...data.rows.map((row) => el("tr", {}, ...row.map((c, i) => makeCell(c, i, numeric[i], data)))));
  return el(
    "div",
    { class: "table" },
    el("h3", {}, data.title),
    el("div", { class: "scroll" }, el("table", { class: data.verdict === undefined ? "" : "verdicts" }, head, body)),
    ...(data.notes ?? []).map((note) => el("p", { class: "note" }, note)),
  );
}

function makeCell(value: Cell, column: number, numeric: boolean, data: TableOfCells): HTMLElement {
  const kind = numeric ? "number" : column === data.verdict ? `verdict ${verdict(value)}` : "";
  const written = text(value, data.digits);
  const content = typeof written === "string" ? unbroken(written) : [written];
  if (column === 0) return el("th", { scope: "row", class: kind }, ...content);
  return el("td", { class: kind }, ...content);
}

function text(value: Cell, digits = 6): string | Node {
  if (value === null) return "–";
  if (typeof value === "boolean") return value ? "yes" : "no";
  return typeof value === "number" ? printed(value, digits) : value;
}

/** A verdict's colour; the words say it too. */
function verdict(value: Cell): string {
  const words = String(value).toLowerCase();
  if (/^(equal|same|holds|yes|true|better)/.test(words)) return "good";
  return /^(differs|fails|no\b|false|worse|does not)/.test(words) ? "bad" : "";
}

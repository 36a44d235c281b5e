// The head of every page: name, how it went, light or dark.
import type { Finding, Status } from "./data";
import { button, el, icon, svg } from "./dom";
import { number } from "./format";
import { toggleTheme } from "./theme";

export interface HeaderText {
  kicker: string;
  title: string;
  subtitle: string;
  status?: Status;
  verdict?: "sound" | "suspect";
  findings?: Finding[];
  message?: string;
  reason?: string; // why this scheme
  version: string;
}

export function pageHeader(text: HeaderText): HTMLElement {
  document.title = `${text.title} · Escapement`;
  const { status, verdict, message } = text;
  const suspect = verdict === "suspect";
  return el(
    "header",
    {},
    el(
      "div",
      { class: "masthead" },
      el("span", { class: "brand" }, escapeWheel(), "Escapement", el("span", { class: "muted" }, ` ${text.version}`)),
      button("Light or dark", icon("M12 3a9 9 0 1 0 9 9 7 7 0 0 1-9-9"), toggleTheme, "theme"),
    ),
    el("p", { class: "kicker" }, text.kicker),
    el("h1", {}, text.title),
    el(
      "p",
      { class: "subtitle" },
      status ? el("span", { class: `status ${status}${suspect ? " suspect" : ""}` }, status) : null,
      suspect ? el("span", { class: "status suspect verdict" }, "suspect") : null,
      verdict === "sound"
        ? el("span", { class: "verdict sound", title: "what the run measured of itself is small against the model's own size" }, soundUpTo(status))
        : null,
      text.subtitle,
    ),
    text.reason ? el("p", { class: "reason" }, text.reason) : null,
    message ? el("p", { class: `message ${status ?? ""}`, role: status === "failed" ? "alert" : "status" }, message) : null,
    findingList(text.findings ?? [], suspect),
  );
}

/** A run that did not come to its end is judged up to there. */
function soundUpTo(status?: Status): string {
  return status === "failed" ? "sound up to its failure" : status === "interrupted" ? "sound up to its interruption" : "sound";
}

/** What speaks against the result, and what to do about it. */
function findingList(findings: Finding[], suspect: boolean): HTMLElement | null {
  if (findings.length === 0) return null;
  const line = (f: Finding) =>
    `${f.what}${f.where ? ` (${f.where})` : ""} at t = ${number(f.t)} s: ${number(f.value, 2)}, limit ${number(f.limit, 2)}; ${f.remedy}.`;
  return el(
    "div",
    { class: `message findings${suspect ? " suspect" : ""}`, role: "status" },
    el("p", {}, suspect ? "Do not trust this result before you have looked into:" : "Noticed:"),
    el("ul", {}, ...findings.map((f) => el("li", {}, line(f)))),
  );
}

/** The wheel the program is named after: fifteen undercut teeth on a rim. */
function escapeWheel(): SVGElement {
  const teeth = 15;
  const at = (radius: number, turn: number) => {
    const angle = (2 * Math.PI * turn) / teeth;
    return `${(12 + radius * Math.cos(angle)).toFixed(2)} ${(12 + radius * Math.sin(angle)).toFixed(2)}`;
  };
  let d = `M${at(8, 0)}`;
  for (let k = 0; k < teeth; k++) d += `L${at(11.5, k + 0.35)}L${at(8, k + 0.5)}A8 8 0 0 1 ${at(8, k + 1)}`;
  return svg(
    "svg",
    { viewBox: "0 0 24 24", class: "wheel", "aria-hidden": "true" },
    svg("path", { d: `${d}Z` }),
    svg("circle", { cx: 12, cy: 12, r: 5.6 }),
    svg("path", { d: "M12 6.4v11.2M6.4 12h11.2" }),
    svg("circle", { cx: 12, cy: 12, r: 1.4 }),
  );
}

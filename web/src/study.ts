// The page of a comparison of schemes or of a reproduced paper.
import type { SectionData, StudyData } from "./data";
import { el, unbroken } from "./dom";
import { makeFigure } from "./figure";
import { number } from "./format";
import { pageHeader } from "./header";
import { factList } from "./summary";
import { cellTable } from "./table";

const kinds = { compare: "Comparison of schemes", reproduce: "Reproduction" };

export function showStudy(data: StudyData, root: HTMLElement) {
  root.append(
    pageHeader({
      kicker: kinds[data.kind],
      title: data.title,
      subtitle: data.subtitle ?? "",
      status: data.status,
      message: data.message,
      version: data.version,
    }),
  );
  const facts = (data.facts ?? []).map(([k, v]) => [k, typeof v === "number" ? number(v) : String(v)] as [string, string]);
  if (facts.length > 0) root.append(factList(facts));
  const { text, figures, tables } = data;
  root.append(...content({ title: "", text, figures, tables }));
  for (const section of data.sections ?? [])
    root.append(el("section", { class: "chapter" }, el("h2", {}, section.title), ...content(section)));
}

function content({ text, figures, tables }: SectionData): HTMLElement[] {
  const parts: HTMLElement[] = (text ?? []).map((paragraph) => el("p", { class: "prose" }, ...unbroken(paragraph)));
  if (figures?.length) parts.push(el("div", { class: `figures${figures.length === 1 ? " single" : ""}` }, ...figures.map(makeFigure)));
  if (tables?.length) parts.push(...tables.map(cellTable));
  return parts;
}

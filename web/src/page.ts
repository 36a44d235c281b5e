// Finds out which page this is and shows it.
import { readPage } from "./data";
import { el } from "./dom";
import type { SpatialMaker } from "./picture";
import { showRun } from "./run";
import { showStudy } from "./study";
import { showSweep } from "./sweep";
import { startTheme } from "./theme";

export function showPage(spatial: SpatialMaker | null) {
  startTheme();
  const data = readPage();
  const root = document.getElementById("page")!;
  if (data.format !== 1) root.append(el("p", { class: "message failed" }, "This report was written in a format that the page does not know."));
  else if (data.kind === "run") showRun(data, root, spatial);
  else if (data.kind === "sweep") showSweep(data, root);
  else showStudy(data, root);
  root.dataset.ready = "";
}

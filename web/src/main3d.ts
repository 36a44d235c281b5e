import { showPage } from "./page";
import { SpatialView } from "./spatial";

showPage((picture, table, impacts) => new SpatialView(picture, table, impacts));

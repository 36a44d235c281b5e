import { showPage } from "./page";
import { SpatialView } from "./spatial";

showPage((picture, table) => new SpatialView(picture, table));

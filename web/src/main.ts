import { showPage } from "./page";

showPage(null);

// What the curves of a numeric feature with its average, band and lines do not need: a part of its own.
import "./style.css";

export { additions } from "./additions.ts";
export { curveControls } from "./controls.ts";
export { groupsAt } from "./legend.ts";

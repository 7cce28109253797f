// What the curves of a numeric feature with its average, band and lines do not need: a part of its own.
import "./style.css";

export { categoryChart } from "./categories.ts";
export { curveControls } from "./controls.ts";

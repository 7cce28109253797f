// The views of the page. A new view is a folder here and a line in this list; the kernel determines their order. The code of a
// view that is `onDemand` is a part of its own, which a page loads when it needs it.
import { onDemand } from "./onDemand.ts";

export { dependence } from "./dependence/index.ts";
export { importance } from "./importance/index.ts";
export { stress } from "./stress/index.ts";
export const importance_over_tau = onDemand(
  "importance_over_tau",
  () => import("./importance_over_tau/index.ts"),
);
export const indicators = onDemand("indicators", () => import("./indicators/index.ts"));
export const performance = onDemand("performance", () => import("./performance/index.ts"));
export const pixels = onDemand(
  "pixels",
  () => import("./pixels/index.ts"),
  ({ picture_rows }, { inputs }) => inputs.image_rows + picture_rows > 0,
);
export const over_time = onDemand("over_time", () => import("./over_time/index.ts"));
export const selection = onDemand("selection", () => import("./selection/index.ts"));
export const slices = onDemand("slices", () => import("./slices/index.ts"));
export const small_curves = onDemand("small_curves", () => import("./small_curves/index.ts"));
export const surface = onDemand("surface", () => import("./surface/index.ts"));
export const comparison = onDemand(
  "comparison",
  () => import("./comparison/index.ts"),
  // Where there is something to compare with.
  ({ others, measures }, { frame, inputs }) =>
    inputs.compare_with !== "" ||
    others.length + inputs.ice_filter.length + inputs.cohorts.length > 0 ||
    measures.some(({ name }) => name.startsWith("probability:")) ||
    Boolean(frame?.learner),
);

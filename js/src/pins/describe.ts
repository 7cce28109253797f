import type { Inputs } from "../session/inputs.ts";
import { counted, isolated, level } from "../widget/format.ts";

/** A short description of a pinned view. */
export function describeView({
  feature,
  measure,
  tau,
  stress_feature,
  ice_filter,
  groups,
}: Partial<Inputs>) {
  return [
    feature && measure ? `${measure} along ${isolated(feature)}` : "",
    tau && stress_feature ? `τ ${level(tau)} of ${isolated(stress_feature)}` : "",
    ice_filter?.length ? counted(ice_filter.length, "condition") : "",
    groups ? `rows grouped by ${isolated(groups)}` : "",
  ]
    .filter(Boolean)
    .join(", ");
}

export const pinName = (note: string, state: Partial<Inputs>): string =>
  note.trim() ? isolated(note.trim()) : describeView(state);

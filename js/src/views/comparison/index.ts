import "./style.css";
import type { View } from "../view.ts";
import { comparisonPanel } from "./element.ts";
import { type Comparison, readComparison } from "./reader.ts";

declare module "../../session/frame.ts" {
  interface Parts {
    comparison: Comparison;
  }
}

export const comparison: View<Comparison> = {
  name: "comparison",
  read: readComparison,
  panel: comparisonPanel,
};

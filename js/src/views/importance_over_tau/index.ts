import "./style.css";
import type { View } from "../view.ts";
import { importanceOverTauPanel } from "./element.ts";
import { type DrawnMeasure, readDrawnMeasure } from "./reader.ts";

declare module "../../session/frame.ts" {
  interface Parts {
    importance_over_tau: DrawnMeasure;
  }
}

export const importance_over_tau: View<DrawnMeasure> = {
  name: "importance_over_tau",
  read: readDrawnMeasure,
  panel: importanceOverTauPanel,
};

import "../../charts/smallChart.css";
import "./style.css";
import type { View } from "../view.ts";
import { smallCurvesPanel } from "./element.ts";
import { readSmallCurves, type SmallCurves } from "./reader.ts";

declare module "../../session/frame.ts" {
  interface Parts {
    small_curves: SmallCurves;
  }
}

export const small_curves: View<SmallCurves> = {
  name: "small_curves",
  read: readSmallCurves,
  panel: smallCurvesPanel,
};

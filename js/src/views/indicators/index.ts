import "../../charts/smallChart.css";
import "./style.css";
import type { View } from "../view.ts";
import { indicatorsPanel } from "./element.ts";
import { type Indicators, readIndicators } from "./reader.ts";

declare module "../../session/frame.ts" {
  interface Parts {
    indicators: Indicators;
  }
}

export const indicators: View<Indicators> = {
  name: "indicators",
  read: readIndicators,
  panel: indicatorsPanel,
};

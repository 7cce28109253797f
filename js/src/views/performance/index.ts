import "./style.css";
import type { View } from "../view.ts";
import { performancePanel } from "./element.ts";
import { type Performance, readPerformance } from "./reader.ts";

declare module "../../session/frame.ts" {
  interface Parts {
    performance: Performance;
  }
}

export const performance: View<Performance> = {
  name: "performance",
  read: readPerformance,
  panel: performancePanel,
};

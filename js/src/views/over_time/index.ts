import "./style.css";
import type { View } from "../view.ts";
import { overTimePanel } from "./element.ts";
import { type OverTime, readOverTime } from "./reader.ts";

declare module "../../session/frame.ts" {
  interface Parts {
    over_time: OverTime;
  }
}

export const over_time: View<OverTime> = {
  name: "over_time",
  read: readOverTime,
  panel: overTimePanel,
};

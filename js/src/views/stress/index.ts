import "./style.css";
import type { View } from "../view.ts";
import { stressPanel } from "./element.ts";
import { readStress, type Stress } from "./reader.ts";

declare module "../../session/frame.ts" {
  interface Parts {
    stress: Stress;
  }
}

export const stress: View<Stress> = {
  name: "stress",
  read: readStress,
  panel: stressPanel,
};

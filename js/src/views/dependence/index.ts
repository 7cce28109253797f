import "./style.css";
import { isolated, isolatedIn } from "../../widget/format.ts";
import type { View } from "../view.ts";
import { dependencePanel } from "./element.ts";
import { type Dependence, readDependence } from "./reader.ts";

declare module "../../session/frame.ts" {
  interface Parts {
    dependence: Dependence;
  }
}

export const dependence: View<Dependence> = {
  name: "dependence",
  read: readDependence,
  panel: dependencePanel,
  averagesShape: ({ grid }) => [grid.length],
  summary: ({ label, feature }) =>
    `curve of ${isolatedIn(label, feature)} along ${isolated(feature)}`,
};

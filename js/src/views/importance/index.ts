import "./style.css";
import { isolated } from "../../widget/format.ts";
import type { View } from "../view.ts";
import { importancePanel } from "./element.ts";
import { type Importance, readImportance } from "./reader.ts";

declare module "../../session/frame.ts" {
  interface Parts {
    importance: Importance;
  }
}

export const importance: View<Importance> = {
  name: "importance",
  read: readImportance,
  panel: importancePanel,
  averagesShape: ({ measures, value }) => [measures.length, value.length / measures.length],
  summary({ order: [first], low }, { features }) {
    if (first === undefined) return "";
    // The interval of the most important feature by the first measure.
    const bound = low[first] ?? Number.NaN;
    return bound <= 0
      ? "no feature is clearly above zero"
      : `most important feature ${isolated(features[first]?.name ?? "")}`;
  },
};

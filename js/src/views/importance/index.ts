import "./style.css";
import { isolated } from "../../format.ts";
import type { View } from "../view.ts";
import { importancePanel } from "./element.ts";
import { type Importance, readImportance } from "./reader.ts";

declare module "../../frame.ts" {
  interface Parts {
    importance: Importance;
  }
}

export const importance: View<Importance> = {
  name: "importance",
  read: readImportance,
  panel: importancePanel,
  averagesShape: ({ measures, value }) => [measures.length, value.length / measures.length],
  summary({ order: [first] }, { features }) {
    return first === undefined
      ? ""
      : `most important feature ${isolated(features[first]?.name ?? "")}`;
  },
};

import "./style.css";
import { counted } from "../../widget/format.ts";
import type { View } from "../view.ts";
import { selectionPanel } from "./element.ts";
import { readSelection, type Selection } from "./reader.ts";

declare module "../../session/frame.ts" {
  interface Parts {
    selection: Selection;
  }
}

export const selection: View<Selection> = {
  name: "selection",
  read: readSelection,
  panel: selectionPanel,
  summary: ({ nSelected }) => (nSelected ? `${counted(nSelected, "row")} selected` : ""),
};

import "./style.css";
import type { View } from "../view.ts";
import { slicesPanel } from "./element.ts";
import { readSlices, type Slices } from "./reader.ts";

declare module "../../session/frame.ts" {
  interface Parts {
    slices: Slices;
  }
}

export const slices: View<Slices> = {
  name: "slices",
  read: readSlices,
  panel: slicesPanel,
  summary: ({ label, slices: [first], difference }) =>
    first && (difference[0] ?? 0) > 0 ? `${label} is highest where ${first.text}` : "",
};

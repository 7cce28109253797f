import "./style.css";
import type { View } from "../view.ts";
import { surfacePanel } from "./element.ts";
import { readSurface, type Surface } from "./reader.ts";

declare module "../../session/frame.ts" {
  interface Parts {
    surface: Surface;
  }
}

export const surface: View<Surface> = {
  name: "surface",
  read: readSurface,
  panel: surfacePanel,
};

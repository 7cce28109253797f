import "./style.css";
import type { View } from "../view.ts";
import { pixelsPanel } from "./element.ts";
import { type Pixels, readPixels } from "./reader.ts";

declare module "../../session/frame.ts" {
  interface Parts {
    pixels: Pixels;
  }
}

export const pixels: View<Pixels> = {
  name: "pixels",
  read: readPixels,
  panel: pixelsPanel,
};

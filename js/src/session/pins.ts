import type { Inputs } from "./inputs.ts";
import { isRecord } from "./wire.ts";

/** A pinned view with its note; at most one pin of a list is the ghost. */
export interface Pin {
  note: string;
  state: Partial<Inputs>;
  ghost: boolean;
}

/** Reads the pins of a host and leaves out invalid ones. */
export const readPins = (raw: unknown): Pin[] =>
  Array.isArray(raw)
    ? raw.filter(
        (pin): pin is Pin =>
          isRecord(pin) &&
          typeof pin.note === "string" &&
          isRecord(pin.state) &&
          typeof pin.ghost === "boolean",
      )
    : [];

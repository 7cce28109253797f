import type { Inputs } from "../inputs.ts";
import { isRecord } from "../wire.ts";

/** A view that is kept with a note; at most one of a list is the ghost under the present view. */
export interface Pin {
  note: string;
  state: Partial<Inputs>;
  ghost: boolean;
}

/** The pins that a host holds; what is none is left out. */
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

/** The list with a pin at another place, as far as there is one. */
export function movePin(pins: Pin[], from: number, by: number): Pin[] {
  const to = from + by;
  const pin = pins[from];
  if (!pin || to < 0 || to >= pins.length) return pins;
  const rest = pins.filter((_, i) => i !== from);
  return [...rest.slice(0, to), pin, ...rest.slice(to)];
}

export const renamePin = (pins: Pin[], at: number, note: string): Pin[] =>
  pins.map((pin, i) => (i === at ? { ...pin, note } : pin));

export const removePin = (pins: Pin[], at: number): Pin[] => pins.filter((_, i) => i !== at);

/** The list with this pin as the only ghost, or with none. */
export const setGhost = (pins: Pin[], at: number, ghost: boolean): Pin[] =>
  pins.map((pin, i) => ({ ...pin, ghost: ghost && i === at }));

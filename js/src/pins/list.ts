import type { Pin } from "../session/pins.ts";

/** Returns the list with one pin moved, within the ends of the list. */
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

/** Returns the list with this pin as the only ghost, or without a ghost. */
export const setGhost = (pins: Pin[], at: number, ghost: boolean): Pin[] =>
  pins.map((pin, i) => ({ ...pin, ghost: ghost && i === at }));

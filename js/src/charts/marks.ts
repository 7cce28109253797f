import { type Attributes, set } from "../widget/dom.ts";

/** The learner's mark, a diamond; the model's is a dot of another colour. */
export const DIAMOND = "M0,-4.5L4.5,0L0,4.5L-4.5,0Z";

type Position = number | null | undefined;

/** Moves a mark to a position, or hides it where the position is not known. */
export function place(mark: Element, at: Position[], attributes: () => Attributes): void {
  const known = at.every(Number.isFinite);
  set(mark, known ? { ...attributes(), visibility: null } : { visibility: "hidden" });
}

/** Moves a vertical line, or hides it. */
export const placeUpright = (line: Element, x: Position) =>
  place(line, [x], () => ({ x1: x, x2: x }));

/** Moves a horizontal line, or hides it. */
export const placeLevel = (line: Element, y: Position, x1: number, x2: number) =>
  place(line, [y], () => ({ x1, x2, y1: y, y2: y }));

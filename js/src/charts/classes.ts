/** Number of classes with their own colour and dash; all later classes share one style. */
export const OWN_LOOKS = 10;
const DASHES = [[], [6, 3], [1.5, 2.5], [8, 3, 2, 3], [3, 2], [10, 4]] as const;

export interface Look {
  /** Class of the style sheet; it sets `color` and makes a bar hollow. */
  className: string;
  /** The custom property that holds the colour. */
  colour: string;
  dash: readonly number[];
}

/** The style of a class: a colour of its own, and a dash and filled or hollow bars, so that neighbours differ in each. */
export function lookOf(index: number): Look {
  if (index >= OWN_LOOKS)
    return { className: "uq-class-other", colour: "--uq-faint", dash: [1, 3] };
  return {
    className: `uq-class-${index}${index % 2 ? " uq-hollow-bar" : ""}`,
    colour: `--uq-class-${index}`,
    dash: DASHES[index % DASHES.length] as readonly number[],
  };
}

/** The styles of so many classes; all without their own style share the last one. */
export const looksOf = (count: number): Look[] =>
  Array.from({ length: Math.min(Math.max(1, count), OWN_LOOKS + 1) }, (_, i) => lookOf(i));

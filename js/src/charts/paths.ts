type Values = ArrayLike<number>;

/** The stretches of points whose coordinates are all known. */
function stretches(...coordinates: Values[]): number[][] {
  const runs: number[][] = [];
  let isOpen = false;
  for (let i = 0; i < (coordinates[0]?.length ?? 0); i++) {
    const isKnown = coordinates.every((values) => Number.isFinite(values[i]));
    if (isKnown && isOpen) runs.at(-1)?.push(i);
    else if (isKnown) runs.push([i]);
    isOpen = isKnown;
  }
  return runs;
}

const points = (run: number[], x: Values, y: Values): string =>
  run.map((i) => `${x[i]?.toFixed(2)},${y[i]?.toFixed(2)}`).join("L");

/** The path of a line through points, interrupted where one is missing; null without points. */
export const linePath = (x: Values, y: Values): string | null =>
  // A closed line of a single point is a dot.
  stretches(y, x)
    .map((run) => `M${points(run, x, y)}${run.length > 1 ? "" : "Z"}`)
    .join("") || null;

/** The outline of the area between two lines, interrupted where one of them is; null without points. */
export const areaPath = (x: Values, low: Values, high: Values): string | null =>
  stretches(low, high, x)
    .map((run) => `M${points(run, x, high)}L${points([...run].reverse(), x, low)}Z`)
    .join("") || null;

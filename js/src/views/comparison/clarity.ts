import { counted } from "../../format.ts";

/** Says how many differences are clear; where an interval holds zero, it is not clear from these rows. */
export function clarity(
  low: ArrayLike<number>,
  high: ArrayLike<number>,
  what: "feature" | "point",
): string {
  const known = Array.from(low, (end, i) => [end, high[i] ?? Number.NaN] as const).filter(
    ([from, to]) => Number.isFinite(from) && Number.isFinite(to),
  );
  const above = known.filter(([from]) => from > 0).length;
  const below = known.filter(([, to]) => to < 0).length;
  const unclear = known.length - above - below;
  const many = (n: number) => counted(n, what);
  const parts = [
    ...(above ? [`clearly above zero at ${many(above)}`] : []),
    ...(below ? [`clearly below zero at ${many(below)}`] : []),
    ...(unclear ? [`not clear from these rows at ${many(unclear)}`] : []),
  ];
  if (!parts.length) return "The difference has no interval.";
  return `The difference is ${parts.join(", ")}.`;
}

import { counted } from "../../widget/format.ts";

/** Whether an interval is known and holds zero. */
export const isUnclear = (
  low: number | null | undefined,
  high: number | null | undefined,
): boolean => typeof low === "number" && typeof high === "number" && low <= 0 && 0 <= high;

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

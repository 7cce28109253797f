import { decimals, interval } from "../../widget/format.ts";

/** Both ends of an interval with as many decimals as its width needs, so that a column of them can be read. */
export function intervalOf(low: number | null, high: number | null): string {
  if (low === null || high === null || !(high > low)) return interval(low, high);
  const print = decimals(high - low);
  return `${print(low)} to ${print(high)}`;
}

import type { ScaleLinear } from "d3-scale";
import type { Tick } from "./axis.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const MONTH = 30.4 * DAY;
const YEAR = 365.25 * DAY;
/** Weeks begin on a Monday. */
const MONDAY = Date.UTC(1970, 0, 5);
const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

type Unit = "time" | "day" | "month" | "year";
/** Steps of a time axis, from fine to coarse: the unit, how many of it, and milliseconds. */
const STEPS: [unit: Unit, count: number, size: number][] = [
  ...[1, 5, 15, 30, 60, 180, 360, 720].map((n): [Unit, number, number] => ["time", n, n * MINUTE]),
  ...[1, 2, 7, 14].map((n): [Unit, number, number] => ["day", n, n * DAY]),
  ...[1, 3, 6].map((n): [Unit, number, number] => ["month", n, n * MONTH]),
  ...[1, 2, 5, 10, 20, 50, 100, 200, 500].map((n): [Unit, number, number] => ["year", n, n * YEAR]),
];

/** The moments of a step from the first to the last; in UTC, which stands for the clock of the column. */
function moments(first: number, last: number, unit: Unit, count: number): number[] {
  const start = new Date(first);
  const list: number[] = [];
  const isMonthly = unit === "month" || unit === "year";
  const size = unit === "time" ? count * MINUTE : count * DAY;
  const monthly = unit === "year" ? 12 * count : count;
  const firstMonth = start.getUTCFullYear() * 12 + start.getUTCMonth();
  const origin = unit === "day" ? MONDAY : 0;
  let k = isMonthly ? Math.floor(firstMonth / monthly) : Math.floor((first - origin) / size);
  for (; ; k++) {
    const month = new Date(0);
    if (isMonthly) month.setUTCFullYear(Math.floor((k * monthly) / 12), (k * monthly) % 12, 1);
    const at = isMonthly ? month.getTime() : origin + k * size;
    if (at > last) return list;
    if (at >= first) list.push(at);
  }
}

function label(at: number, unit: Unit, isFirst: boolean): string {
  const date = new Date(at);
  const [year, month] = [date.getUTCFullYear(), MONTHS[date.getUTCMonth()]];
  if (unit === "year") return String(year);
  if (unit === "month")
    return isFirst || date.getUTCMonth() === 0 ? `${month} ${year}` : `${month}`;
  const day = `${date.getUTCDate()} ${month}`;
  if (unit === "day") return isFirst ? `${day} ${year}` : day;
  const time = date.toISOString().slice(11, 16);
  if (at % DAY === 0) return day;
  return isFirst ? `${day} ${time}` : time;
}

/** Ticks of an axis of milliseconds at whole years, months, days, hours or minutes. */
export function timeTicks(
  scale: ScaleLinear<number, number>,
  pixels: number,
  spacing: number,
): Tick[] {
  const [first = 0, last = 0] = scale.domain();
  const most = Math.max(1, Math.floor(pixels / (spacing * 1.2)));
  const step = STEPS.find(([, , size]) => (last - first) / size <= most) ?? STEPS.at(-1);
  if (!step) return [];
  const [unit, count] = step;
  return moments(first, last, unit, count).map((at, i) => ({
    at: scale(at),
    label: label(at, unit, i === 0),
  }));
}

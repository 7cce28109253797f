import { scaleLinear } from "d3-scale";
import { describe, expect, it } from "vitest";
import { timeTicks } from "../../src/charts/timeTicks.ts";

const DAY = 86_400_000;

/** The labels along an axis of 600 pixels between two moments in UTC. */
function ticks(from: string, to: string, pixels = 600) {
  const domain = [Date.parse(`${from}Z`), Date.parse(`${to}Z`)];
  const scale = scaleLinear(domain, [0, pixels]);
  return timeTicks(scale, pixels, 64).map(({ at, label }) => ({
    label,
    moment: new Date(Math.round(scale.invert(at))).toISOString(),
    at,
  }));
}
const labels = (...args: Parameters<typeof ticks>) => ticks(...args).map(({ label }) => label);

describe("ticks of a time axis", () => {
  it("stand at whole years, whose first days have different distances", () => {
    const years = ticks("2017-03-05T00:00", "2023-02-01T00:00");
    expect(years.map(({ label }) => label)).toEqual([
      "2018",
      "2019",
      "2020",
      "2021",
      "2022",
      "2023",
    ]);
    for (const { moment } of years) expect(moment).toMatch(/-01-01T00:00:00.000Z$/);
  });

  it("name the year at the first month and at each January", () => {
    expect(labels("2020-09-20T00:00", "2021-04-10T00:00")).toEqual([
      "Oct 2020",
      "Nov",
      "Dec",
      "Jan 2021",
      "Feb",
      "Mar",
      "Apr",
    ]);
  });

  it("count quarters of a year from January", () => {
    expect(labels("2020-02-20T00:00", "2021-10-31T00:00")).toEqual([
      "Apr 2020",
      "Jul",
      "Oct",
      "Jan 2021",
      "Apr",
      "Jul",
      "Oct",
    ]);
  });

  it("are days of the month within weeks, and hours within a day", () => {
    expect(labels("2020-02-27T12:00", "2020-03-03T12:00")).toEqual([
      "28 Feb 2020",
      "29 Feb",
      "1 Mar",
      "2 Mar",
      "3 Mar",
    ]);
    expect(labels("2020-02-28T20:30", "2020-02-29T05:30")).toEqual([
      "28 Feb 21:00",
      "29 Feb",
      "03:00",
    ]);
    const weeks = ticks("2024-01-03T00:00", "2024-02-12T12:00");
    expect(weeks.map(({ label }) => label)[0]).toBe("8 Jan 2024");
    for (const { moment } of weeks) expect(new Date(moment).getUTCDay()).toBe(1);
  });

  it("reach from minutes to centuries, in order, within the axis and with room for their labels", () => {
    const ends = [20 / 1440, 0.3, 1, 3, 20, 90, 400, 1500, 9000, 40_000, 200_000];
    for (const start of ["1969-11-05T10:20", "2024-02-29T23:59"])
      for (const days of ends)
        for (const pixels of [180, 420, 1100]) {
          const to = new Date(Date.parse(`${start}Z`) + days * DAY).toISOString().slice(0, 16);
          const all = ticks(start, to, pixels);
          const at = all.map((tick) => tick.at);
          expect(all.length, `${days} days, ${pixels} px`).toBeGreaterThan(0);
          expect(at).toEqual([...at].sort((a, b) => a - b));
          expect(Math.min(...at)).toBeGreaterThanOrEqual(0);
          expect(Math.max(...at)).toBeLessThanOrEqual(pixels);
          expect(new Set(all.map(({ moment }) => moment)).size).toBe(all.length);
        }
  });
});

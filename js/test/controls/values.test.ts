import { afterEach, describe, expect, it } from "vitest";
import type { Condition } from "../../src/session/condition.ts";
import { aboutBinary, wireFrame } from "../fixtures.ts";
import { choose, clearPage, mount, painted } from "../mount.ts";

afterEach(clearPage);

const TOWNS = Array.from({ length: 300 }, (_, i) => `town ${i}`);
const column = { kind: "categorical" as const, min: null, max: null, integer: false, values: null };
const about = {
  ...aboutBinary(),
  extra: [
    { ...column, name: "town", values: TOWNS, missing: 3 },
    {
      ...column,
      name: "joined",
      dates: ["2024-01-30", "2024-02-09"] as [string, string],
      missing: 2,
    },
  ],
};

const withFilter = (ice_filter: Condition[]) =>
  mount(about, wireFrame(about, 1, { ice_filter }), { ice_filter });
const values = (request: Record<string, unknown>) => {
  const [condition] = request.ice_filter as Condition[];
  return condition && "values" in condition ? condition.values : null;
};

describe("a column that the model does not see", () => {
  it("is offered after the features, with every value and the missing one", async () => {
    const { one, lastRequest, receive } = await mount(about);
    const add = one<HTMLSelectElement>("uq-filter-add");
    expect([...add.querySelectorAll("optgroup option")].map((o) => o.textContent)).toEqual([
      "town",
      "joined",
    ]);
    choose(add, "town");
    expect(values(lastRequest())).toEqual([...TOWNS, null]);
    await receive(wireFrame(about, 2, { ice_filter: [] }));
    choose(add, "joined");
    expect(lastRequest().ice_filter).toEqual([
      { feature: "joined", low: null, high: null, missing: true },
    ]);
  });
});

describe("a long list of values", () => {
  it("is searched, and all and none act on what is listed", async () => {
    const { one, all, lastRequest, receive } = await withFilter([
      { feature: "town", values: [...TOWNS, null] },
    ]);
    expect(all("uq-filter-value")).toHaveLength(100);
    expect(one("uq-filter-item").textContent).toContain("201 more; search for them");
    const search = one<HTMLInputElement>("uq-filter-search");
    search.value = "Town 29";
    search.dispatchEvent(new Event("input"));
    expect(all<HTMLInputElement>("uq-filter-value").map(({ value }) => value)).toEqual(
      TOWNS.filter((town) => town.startsWith("town 29")),
    );
    one("uq-filter-none").click();
    const left = [...TOWNS.filter((town) => !town.startsWith("town 29")), null];
    expect(values(lastRequest())).toEqual(left);
    await receive(wireFrame(about, 2, { ice_filter: [{ feature: "town", values: ["town 1"] }] }));
    expect(search.value).toBe("Town 29");
    one("uq-filter-all").click();
    expect(values(lastRequest())).toEqual([
      "town 1",
      ...TOWNS.filter((t) => t.startsWith("town 29")),
    ]);
    search.value = "nowhere";
    search.dispatchEvent(new Event("input"));
    expect(one("uq-filter-item").textContent).toContain("no such value");
  });

  it("can be limited to one value, also to the missing one", async () => {
    const { one, all, lastRequest, receive } = await withFilter([
      { feature: "town", values: TOWNS },
    ]);
    const only = (name: string) =>
      all("uq-filter-only").find((button) => button.getAttribute("aria-label") === name);
    only("only town 7")?.click();
    expect(values(lastRequest())).toEqual(["town 7"]);
    await receive(wireFrame(about, 2, { ice_filter: [{ feature: "town", values: ["town 7"] }] }));
    const search = one<HTMLInputElement>("uq-filter-search");
    search.value = "missing";
    search.dispatchEvent(new Event("input"));
    only("only missing")?.click();
    expect(values(lastRequest())).toEqual([null]);
  });
});

describe("a range of dates", () => {
  const range = (low: string | null, high: string | null, missing: boolean | "only" = true) =>
    ({ feature: "joined", low, high, missing }) as Condition;

  it("has fields of dates and sliders of days", async () => {
    const { one, lastRequest, receive } = await withFilter([range("2024-02-01", null)]);
    const [low, high] = [
      one<HTMLInputElement>("uq-filter-low"),
      one<HTMLInputElement>("uq-filter-high"),
    ];
    expect([low.type, low.value, high.value]).toEqual(["date", "2024-02-01", ""]);
    const sliders = one("uq-filter-item").querySelectorAll<HTMLInputElement>("input[type=range]");
    expect([...sliders].map(({ value, max }) => [value, max])).toEqual([
      ["2", "10"],
      ["10", "10"],
    ]);
    const upper = sliders[1] as HTMLInputElement;
    upper.value = "4";
    upper.dispatchEvent(new Event("input"));
    const narrow = { ice_filter: [range("2024-02-01", "2024-02-03")] };
    expect(lastRequest()).toEqual(narrow);
    await receive(wireFrame(about, 2, narrow));
    high.value = "2024-01-02";
    high.dispatchEvent(new Event("change"));
    expect(lastRequest()).toEqual({ ice_filter: [range("2024-02-01", "2024-02-01")] });
  });

  it("can be limited to the rows without a date", async () => {
    const { one, lastRequest, receive } = await withFilter([range("2024-02-01", null)]);
    one("uq-filter-only").click();
    expect(lastRequest()).toEqual({ ice_filter: [range(null, null, "only")] });
    await receive(wireFrame(about, 2, { ice_filter: [range(null, null, "only")] }));
    await painted();
    expect(one("uq-filter-only").getAttribute("aria-pressed")).toBe("true");
    expect(one<HTMLInputElement>("uq-filter-low").disabled).toBe(true);
    one("uq-filter-only").click();
    expect(lastRequest()).toEqual({ ice_filter: [range(null, null, true)] });
  });
});

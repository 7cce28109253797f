import { afterEach, describe, expect, it } from "vitest";
import { aboutBinary, wireFrame } from "../fixtures.ts";
import { clearPage, mount } from "../mount.ts";

afterEach(clearPage);

const about = { ...aboutBinary(), views: [...aboutBinary().views, "over_time"] };
const DAY = 86_400_000;

function framed(meta: Record<string, unknown> = {}, periods = 3) {
  const frame = wireFrame(about, 1) as ReturnType<typeof wireFrame> & {
    meta: Record<string, unknown>;
  };
  const of = (at: (i: number) => number) => Float64Array.from({ length: periods }, (_, i) => at(i));
  const columns: Record<string, Float64Array> = {
    start: of((i) => 10 * i * DAY),
    middle: of((i) => (10 * i + 4) * DAY),
    end: of((i) => (10 * i + 9) * DAY),
    count: of(() => 25),
    value: of((i) => 0.1 + i / 10),
    low: of((i) => (i === 1 ? Number.NaN : i / 10)),
    high: of((i) => 0.2 + i / 10),
    calibration: of(() => 0.5),
    calibration_low: of(() => 0.4),
    calibration_high: of(() => 0.6),
  };
  if (periods)
    for (const [name, values] of Object.entries(columns)) {
      frame.cols[`over_time.${name}`] = new DataView(values.buffer as ArrayBuffer);
      frame.meta.cols[`over_time.${name}`] = { dtype: "f8", shape: [periods] };
    }
  Object.assign(frame.meta, {
    over_time: {
      ...{ stale: false, axis: "<b>day", dates: true, filters: true, level: 0.95 },
      ...{ label: "error rate", unit: "", n_rows: 75, missing: 2, overall: 0.2 },
      ...{ calibration: "rows inside 90% intervals", reference: 0.9 },
      sentences: ["error rate: no clear change over time"],
      ...meta,
    },
  });
  return frame;
}

const panelOf = (root: HTMLElement) => root.querySelector(".uq-over_time") as HTMLElement;
const drawn = (root: HTMLElement) => [
  ...panelOf(root).querySelectorAll<HTMLElement>(".uq-layers:not([hidden])"),
];

describe("the view over time", () => {
  it("draws the indicator and the calibration, and reads each period by keyboard", async () => {
    const { root } = await mount(about, framed());
    const panel = panelOf(root);
    expect(drawn(root)).toHaveLength(2);
    expect(panel.textContent).toContain("along <b>day, 75 rows, 2 rows without a time");
    expect(panel.textContent).toContain("no clear change over time");
    const reader = drawn(root)[0]?.querySelector("[role=slider]") as HTMLElement;
    reader.dispatchEvent(new KeyboardEvent("keydown", { key: "End" }));
    expect(reader.getAttribute("aria-valuetext")).toBe(
      "1970-01-21 to 1970-01-30, error rate 0.3, interval 0.2 to 0.4, rows 25",
    );
    // A period without an interval has a point alone.
    const bars = drawn(root)[0]?.querySelectorAll(".uq-periods line") as NodeListOf<Element>;
    expect([...bars].map((bar) => bar.getAttribute("visibility"))).toEqual([null, "hidden", null]);
  });

  it("takes the periods under a box as the filter, in the place of another one on time", async () => {
    const { root, lastRequest, model } = await mount(about, framed(), {
      ice_filter: [{ feature: "<b>day", low: null, high: "1970-01-20", missing: true }],
    });
    const reader = drawn(root)[0]?.querySelector("[role=slider]") as HTMLElement;
    const at = (type: string, clientX: number) =>
      reader.dispatchEvent(
        new PointerEvent(type, { clientX, clientY: 60, button: 0, bubbles: true, pointerId: 1 }),
      );
    at("pointerdown", 150);
    at("pointermove", 300);
    at("pointermove", 460);
    at("pointerup", 460);
    const { ice_filter } = lastRequest() as { ice_filter: Record<string, unknown>[] };
    expect(ice_filter).toEqual([
      { feature: "<b>day", low: "1970-01-11T00:00:00.000", high: "1970-01-30T00:00:00.000" },
    ]);
    expect(model.saved.length).toBe(1);
  });

  it("says where no row has a time, and is one chart without a calibration", async () => {
    const { root, receive } = await mount(about, framed({ calibration: null }));
    expect(drawn(root)).toHaveLength(1);
    await receive({ ...framed({ n_rows: 0, calibration: null }, 0), seq: 2 });
    expect(panelOf(root).querySelector<HTMLElement>(".uq-empty")?.hidden).toBe(false);
    expect(panelOf(root).textContent).toContain("no row has a time");
  });
});

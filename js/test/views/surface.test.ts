import { afterEach, describe, expect, it } from "vitest";
import { aboutBinary, aboutMulti, wireFrame } from "../fixtures.ts";
import { choose, clearPage, mount } from "../mount.ts";

afterEach(clearPage);

/** A frame with a surface of three values by two categories. */
function withSurface(about = aboutMulti()) {
  const frame = wireFrame(about, 1, { second: "site" });
  const average = [0, 1, 2, 3, 4, 8];
  const columns = {
    first: [1, 2, 4],
    second: [0, 1],
    average,
    low: average.map((v) => v - 1),
    high: average.map((v) => v + 1),
    interaction: [-1, 0.5, 0, 0, 0.5, 1],
  };
  for (const [name, values] of Object.entries(columns)) {
    frame.cols[`surface.${name}`] = new DataView(Float64Array.from(values).buffer);
    const shape = values.length === 6 ? [3, 2] : [values.length];
    frame.meta.cols[`surface.${name}`] = { dtype: "f8", shape };
  }
  frame.cols["surface.near"] = new DataView(Uint8Array.of(1, 1, 1, 1, 1, 0).buffer);
  frame.meta.cols["surface.near"] = { dtype: "u1", shape: [3, 2] };
  frame.meta.surface = {
    stale: false,
    features: ["petal length", "site"],
    label: "probability",
    unit: "",
    labels: [null, ["north", "<b>south</b>"]],
    n_rows: 143,
    h_squared: 0.25,
  };
  return frame;
}

const views = [...aboutBinary().views, "surface"];

describe("the surface", () => {
  it("is a heat map of each point, with crosses where data are few", async () => {
    const about = { ...aboutMulti(), views };
    const { root } = await mount(about, withSurface(about));
    const panel = root.querySelector(".uq-surface") as HTMLElement;
    const [average, interaction] = [...panel.querySelectorAll(".uq-heat")];
    expect(average?.querySelectorAll("rect")).toHaveLength(6);
    const opacity = [...(average?.querySelectorAll("rect") ?? [])].map((rect) =>
      Number(rect.getAttribute("fill-opacity")),
    );
    expect(opacity).toEqual([...opacity].sort((a, b) => a - b));
    const hidden = [...(average?.querySelectorAll(".uq-far-cell") ?? [])].map((cross) =>
      cross.getAttribute("visibility"),
    );
    expect(hidden).toEqual([...Array(5).fill("hidden"), null]);
    expect(average?.querySelector("title")?.textContent).toBe(
      "petal length 1, site north: probability 0",
    );
    expect(interaction?.querySelector("rect")?.getAttribute("class")).toBe("uq-below");
    expect(panel.textContent).toContain("25 % of its variance");
    expect(panel.querySelector("b")).toBeNull();
  });

  it("says in a page of which level it is", async () => {
    const about = { ...aboutMulti(), views };
    const frame = withSurface(about);
    frame.meta.surface.stale = true;
    const { root, model, receive } = await mount(about, frame);
    const panel = root.querySelector(".uq-surface") as HTMLElement;
    expect(panel.textContent).toContain("works together");
    Object.assign(model, { isStill: true });
    await receive({ ...frame, seq: 2 });
    expect(panel.textContent).toContain("at τ = 0; this page holds no surface at this τ");
  });

  it("has its numbers in a table", async () => {
    const about = { ...aboutMulti(), views };
    const { root } = await mount(about, withSurface(about));
    const table = root.querySelector(".uq-surface .uq-twin") as HTMLDetailsElement;
    table.open = true;
    table.dispatchEvent(new Event("toggle"));
    const rows = [...table.querySelectorAll("tr")].map((row) =>
      [...row.children].map(({ textContent }) => textContent),
    );
    expect(rows.at(-1)).toEqual(["4", "<b>south</b>", "8", "7 to 9", "few"]);
  });

  it("is opened by a second feature, and is hidden without one", async () => {
    const about = { ...aboutMulti(), views };
    const { root, one, lastRequest } = await mount(about, wireFrame(about, 1));
    const panel = root.querySelector(".uq-surface") as HTMLElement;
    expect((panel.querySelector(".uq-surface-grid") as HTMLElement).hidden).toBe(true);
    const second = one<HTMLSelectElement>("uq-second");
    expect([...second.options].map(({ value }) => value)).not.toContain("petal length");
    choose(second, "site");
    expect(lastRequest()).toEqual({ second: "site" });
  });
});

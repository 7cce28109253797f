import { afterEach, describe, expect, it } from "vitest";
import { aboutBinary, wireFrame } from "../fixtures.ts";
import { clearPage, mount } from "../mount.ts";

const about = aboutBinary();
afterEach(clearPage);

const shown = (root: HTMLElement) =>
  [...root.querySelectorAll<HTMLElement>(".uq-slot:not([hidden]) > .uq-panel")].map((panel) =>
    panel.getAttribute("aria-label"),
  );
const arrangement = (root: HTMLElement) =>
  root.querySelector<HTMLElement>(".uq-panels")?.dataset.layout;

describe("a layout", () => {
  it("shows the panels of its views, and arranges them", async () => {
    const { root, receive } = await mount(about, wireFrame(about, 1));
    expect(shown(root).slice(0, 3)).toEqual(["Importance", "Dependence", "Stress"]);
    expect(arrangement(root)).toBe("list");
    await receive(wireFrame(about, 2, { views: ["dependence", "stress"] }));
    expect(shown(root)).toEqual(["Dependence", "Stress"]);
    expect(arrangement(root)).toBe("grid");
    await receive(wireFrame(about, 3, { views: ["importance"] }));
    expect(shown(root)).toEqual(["Importance"]);
    expect(arrangement(root)).toBe("single");
  });

  it("sets the stress view below the list of few features", async () => {
    const few = { ...about, features: about.features.slice(0, 3) };
    const { root, receive } = await mount(few, wireFrame(few, 1));
    expect(arrangement(root)).toBe("few");
    await receive(wireFrame(few, 2, { views: ["importance", "stress"] }));
    expect(arrangement(root)).toBe("list");
  });
});

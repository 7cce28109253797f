import { afterEach, describe, expect, it, vi } from "vitest";
import type { Help } from "../../src/session/help.ts";
import { aboutBinary, wireFrame } from "../fixtures.ts";
import { clearPage, mount, openMore, press } from "../mount.ts";

const texts = {
  tips: { "uq-repeats": "more shuffles", "uq-center": "shift the lines" },
  panels: { importance: ["first", "second <b>"], population: ["what if"], elsewhere: ["unseen"] },
  tour: [
    { at: "importance", text: "start" },
    { at: "missing", text: "of a view that is not shown" },
    { at: "pin-bar", text: "end" },
  ],
  intervals: [
    { name: "u-statistic", label: "new rows", accounts_for: "other rows" },
    { name: "model", label: "same donors", accounts_for: "rows that are scored" },
  ],
};
const about = { ...aboutBinary(), help: texts as unknown as Help };
afterEach(clearPage);

describe("help", () => {
  it("stands behind a question mark of each panel that has some", async () => {
    const { all, root } = await mount(about);
    const [population, importance, ...others] = all<HTMLButtonElement>("uq-help");
    expect(others).toEqual([]);
    expect(population?.getAttribute("aria-label")).toBe("about Stress level");
    const isOpen = (is: boolean) => () =>
      expect(importance?.getAttribute("aria-expanded")).toBe(String(is));
    importance?.click();
    await vi.waitFor(isOpen(true));
    const text = root.querySelector(`#${importance?.getAttribute("aria-controls")}`);
    expect([...(text?.children ?? [])].map((p) => p.textContent)).toEqual(["first", "second <b>"]);
    importance?.click();
    await vi.waitFor(isOpen(false));
    expect(text?.isConnected).toBe(false);
  });

  it("gives a control its line when the pointer or the focus comes to it", async () => {
    const { one } = await mount(about);
    const repeats = one("uq-repeats");
    expect(repeats.title).toBe("");
    repeats.dispatchEvent(new Event("focusin", { bubbles: true }));
    expect(repeats.title).toBe("more shuffles");
    await openMore(one("uq-dependence-options"));
    const center = one("uq-center");
    center.closest("label")?.dispatchEvent(new Event("pointerover", { bubbles: true }));
    expect(center.title).toBe("shift the lines");
    expect(center.closest("label")?.title).toBe("shift the lines");
  });

  it("shows the default interval, the others under more, and what each accounts for", async () => {
    const { one } = await mount(about);
    const select = one<HTMLSelectElement>("uq-interval");
    expect(select.title).toBe("other rows");
    const group = select.querySelector("optgroup");
    expect(group?.label).toBe("more");
    expect(
      [...(group?.children ?? [])].map((o) => [o.textContent, o.getAttribute("title")]),
    ).toEqual([["same donors", "rows that are scored"]]);
  });
});

describe("the tour", () => {
  it("goes through the parts of the page that are shown, and back", async () => {
    const { one, all, root } = await mount(about);
    one("uq-tour").click();
    await vi.waitFor(() => one("uq-tour-card"));
    const card = () => one("uq-tour-card");
    expect(card().textContent).toContain("1 of 2. start");
    expect(card().parentElement?.className).toContain("uq-importance");
    expect(document.activeElement).toBe(one("uq-tour-next"));
    one("uq-tour-next").click();
    expect(card().textContent).toContain("2 of 2. end");
    expect(one("uq-tour-next").textContent).toBe("Done");
    expect(root.querySelectorAll(".uq-tour-at")).toHaveLength(1);
    one("uq-tour-back").click();
    expect(card().textContent).toContain("1 of 2");
    one("uq-tour-next").click();
    one("uq-tour-next").click();
    expect(all("uq-tour-card")).toEqual([]);
    expect(root.querySelector(".uq-tour-at")).toBeNull();
    expect(document.activeElement).toBe(one("uq-tour"));
  });

  it("leaves out the views that are hidden", async () => {
    const { one, receive } = await mount(about);
    await receive(wireFrame(about, 2, { views: ["stress"] }));
    one("uq-tour").click();
    await vi.waitFor(() => one("uq-tour-card"));
    expect(one("uq-tour-card").textContent).toContain("1 of 1. end");
  });

  it("ends at Escape and at Close", async () => {
    const { one, all } = await mount(about);
    one("uq-tour").click();
    await vi.waitFor(() => one("uq-tour-card"));
    press(one("uq-tour-next"), "Escape");
    expect(all("uq-tour-card")).toEqual([]);
    one("uq-tour").click();
    await vi.waitFor(() => one("uq-tour-card"));
    one("uq-help-close").click();
    expect(all("uq-tour-card")).toEqual([]);
  });
});

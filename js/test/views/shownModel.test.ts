import { afterEach, describe, expect, it } from "vitest";
import { aboutBinary, wireFrame } from "../fixtures.ts";
import { choose, clearPage, mount, painted } from "../mount.ts";

const forest = {
  ...aboutBinary(),
  title: "forest",
  models: ["forest", "<b>line</b>"],
  model: "forest",
};
const line = {
  ...forest,
  title: "<b>line</b>",
  model: "<b>line</b>",
  measures: forest.measures.slice(0, 1),
};
const description = { schema: 1, ...line };
afterEach(clearPage);

describe("a choice among models", () => {
  it("is there where there are several, and asks for the chosen one", async () => {
    const { one, lastRequest } = await mount(forest);
    const select = one<HTMLSelectElement>("uq-shown-model");
    expect([...select.options].map(({ value }) => value)).toEqual(forest.models);
    choose(select, "<b>line</b>");
    expect(lastRequest()).toEqual({ shown_model: "<b>line</b>" });
    clearPage();
    expect((await mount(aboutBinary())).all("uq-shown-model")).toEqual([]);
  });

  for (const first of ["_about", "_frame"])
    it(`shows the other model when its ${first} and the other one arrived`, async () => {
      const { el, model, one } = await mount(forest);
      one("uq-shown-model").focus();
      const root = one("uq-root");
      const messages: [string, unknown][] = [
        ["_about", description],
        ["_frame", wireFrame(line, 2)],
      ];
      if (first === "_frame") messages.reverse();
      for (const [name, value] of messages) {
        expect(one("uq-root")).toBe(root);
        expect(one("uq-root").getAttribute("aria-label")).toBe("What drives forest");
        model.receive(name, value);
      }
      await painted();
      expect(el.querySelectorAll(".uq")).toHaveLength(1);
      expect(one("uq-root").getAttribute("aria-label")).toBe("What drives <b>line</b>");
      expect(one("uq-root").dataset.seq).toBe("2");
      const select = one<HTMLSelectElement>("uq-shown-model");
      expect(select.value).toBe("<b>line</b>");
      expect(document.activeElement).toBe(select);
      expect(one<HTMLSelectElement>("uq-measure").options).toHaveLength(1);
    });

  it("leaves sections open that were open", async () => {
    const { el, model } = await mount(forest);
    const names = ["uq-importance-options", "uq-anchor-options", "uq-table-toggle"];
    const section = (name: string) =>
      el.querySelector<HTMLElement>(`[data-testid="${name}"]`)?.closest("details");
    for (const name of names) section(name)?.setAttribute("open", "");
    await painted();
    model.receive("_about", description);
    model.receive("_frame", wireFrame(line, 2));
    await painted();
    expect(names.filter((name) => section(name)?.open)).toEqual(names);
    expect(section("uq-dependence-options")?.open).toBe(false);
    expect(section("uq-importance-options")?.textContent).not.toBe("more");
  });

  it("leaves no listener of the former widget behind", async () => {
    const { abort, model } = await mount(forest);
    const before = model.listeners();
    model.receive("_about", description);
    model.receive("_frame", wireFrame(line, 2));
    await painted();
    expect(model.listeners()).toBe(before);
    abort.abort();
    expect(model.listeners()).toBe(0);
  });

  it("is undone with the inputs that changed with it", async () => {
    const { lastRequest, model, one } = await mount(
      forest,
      wireFrame(forest, 1, { measure: "nll" }),
    );
    model.receive("_about", description);
    model.receive("_frame", wireFrame(line, 2));
    await painted();
    one("uq-undo").click();
    expect(lastRequest()).toEqual({ shown_model: "forest", measure: "nll" });
  });
});

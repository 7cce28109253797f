import { afterEach, describe, expect, it, vi } from "vitest";
import { describeView, pinName } from "../../src/pins/describe.ts";
import { movePin, removePin, renamePin, setGhost } from "../../src/pins/list.ts";
import { type Pin, readPins } from "../../src/session/pins.ts";
import { aboutBinary, aboutMulti, inputsOf, wireFrame } from "../fixtures.ts";
import { choose, clearPage, mount, painted, press } from "../mount.ts";

const about = aboutBinary();
const [first, second] = ["mean radius", "mean texture"];
afterEach(clearPage);

const pin = (note: string, changes = {}): Pin => ({
  note,
  state: inputsOf(about, changes),
  ghost: false,
});
const three = () => [
  pin("one", { tau: 0.1 }),
  pin("two", { tau: 0.2, feature: second }),
  pin("three", { tau: 0.3 }),
];
const notes = (pins: Pin[]) => pins.map(({ note }) => note).join(" ");

describe("a list of pins", () => {
  it("is copied when pins are moved, renamed or deleted", () => {
    const pins = three();
    expect(notes(movePin(pins, 0, 1))).toBe("two one three");
    expect(notes(movePin(pins, 2, -1))).toBe("one three two");
    expect(movePin(pins, 2, 1)).toBe(pins);
    expect(movePin(pins, 0, -1)).toBe(pins);
    expect(notes(renamePin(pins, 1, "2"))).toBe("one 2 three");
    expect(notes(removePin(pins, 1))).toBe("one three");
    expect(notes(pins)).toBe("one two three");
  });

  it("has at most one ghost", () => {
    const one = setGhost(three(), 0, true);
    expect(setGhost(one, 2, true).map(({ ghost }) => ghost)).toEqual([false, false, true]);
    expect(setGhost(one, 0, false).some(({ ghost }) => ghost)).toBe(false);
  });

  it("leaves out invalid pins of a host", () => {
    for (const raw of [undefined, null, 5, {}, "pins"]) expect(readPins(raw)).toEqual([]);
    const [whole] = three();
    expect(readPins([whole, null, 5, { note: 1 }, { ...whole, state: [] }])).toEqual([whole]);
  });

  it("names a pin by its note, else by its inputs", () => {
    expect(pinName(" a note ", {})).toBe("a note");
    const ice_filter = [{ feature: first, low: 1, high: null }];
    const state = inputsOf(about, { tau: 0.5, ice_filter });
    expect(pinName(" ", state)).toBe(`prediction along ${first}, τ 0.50 of ${first}, 1 condition`);
    expect(describeView(inputsOf(about))).toBe(`prediction along ${first}`);
  });
});

const withPins = (pins: Pin[] = three()) => mount(about, wireFrame(about, 1), { pins });
type Mounted = Awaited<ReturnType<typeof mount>>;
const pinsOf = ({ model }: Mounted) => model.get("pins") as Pin[];
const marked = ({ all }: Mounted) =>
  all("uq-pin-view").findIndex((view) => view.getAttribute("aria-selected") === "true");
const type = (field: HTMLInputElement, text: string, key = "Enter") => {
  field.focus();
  field.value = text;
  press(field, key);
};
/** Checks whether a button is available; an unavailable one keeps the focus. */
const can = (button: HTMLElement) => {
  expect((button as HTMLButtonElement).disabled).toBe(false);
  return button.getAttribute("aria-disabled") !== "true";
};
const isShown = (element: Element | null | undefined) =>
  element !== null && element !== undefined && !element.closest("[hidden]");

describe("pinned views", () => {
  it("have no panel while there are none", async () => {
    const { root } = await withPins([]);
    expect(isShown(root.querySelector(".uq-pins"))).toBe(false);
  });

  it("store the inputs that the controls show, and focus the note", async () => {
    const widget = await withPins([]);
    const { one, all, model } = widget;
    choose(one<HTMLSelectElement>("uq-feature"), second);
    one("uq-pin").click();
    expect(pinsOf(widget)).toEqual([{ ...pin("", { feature: second }) }]);
    await painted();
    expect(document.activeElement).toBe(one("uq-pin-note"));
    type(one("uq-pin-note"), "the second feature");
    expect(notes(pinsOf(widget))).toBe("the second feature");
    expect(all("uq-pin-view")[0]?.textContent).toBe("1the second feature");
    expect(document.activeElement).toBe(all("uq-pin-view")[0]);
    expect(model.saved.at(-1)).toEqual({ pins: pinsOf(widget) });
  });

  it("leave the focus alone if it has moved before their shelf comes", async () => {
    const { one, all } = await withPins([]);
    one("uq-pin").click();
    one("uq-feature").focus();
    await painted();
    expect(all("uq-pin-view")).toHaveLength(1);
    expect(document.activeElement).toBe(one("uq-feature"));
  });

  it("are shown by arrow keys, starting at the selected one", async () => {
    const widget = await withPins();
    const { all, lastRequest } = widget;
    expect(all("uq-pin-view").map(({ tabIndex }) => tabIndex)).toEqual([0, -1, -1]);
    expect(marked(widget)).toBe(-1);
    press(all("uq-pin-view")[0] as Element, "ArrowRight");
    expect(marked(widget)).toBe(0);
    expect(lastRequest()).toEqual(inputsOf(about, { tau: 0.1 }));
    await widget.receive(wireFrame(about, 2, { tau: 0.1 }));
    press(all("uq-pin-view")[0] as Element, "ArrowRight");
    expect(document.activeElement).toBe(all("uq-pin-view")[1]);
    expect(lastRequest()).toMatchObject({ tau: 0.2, feature: second });
    press(all("uq-pin-view")[1] as Element, "End");
    expect(marked(widget)).toBe(2);
    press(all("uq-pin-view")[2] as Element, "ArrowRight");
    expect(marked(widget)).toBe(2);
    all("uq-pin-view")[1]?.click();
    expect(marked(widget)).toBe(1);
  });

  it("are separate undo steps", async () => {
    const { all, lastRequest, receive, one } = await withPins();
    all("uq-pin-view")[0]?.click();
    await receive(wireFrame(about, 2, { tau: 0.1 }));
    all("uq-pin-view")[2]?.click();
    await receive(wireFrame(about, 3, { tau: 0.3 }));
    one("uq-undo").click();
    expect(lastRequest()).toEqual({ tau: 0.1 });
  });

  it("are moved, renamed and deleted by keyboard, and keep the focus", async () => {
    const widget = await withPins();
    const { all, one } = widget;
    all("uq-pin-view")[0]?.click();
    const alt = (key: string) => {
      const event = new KeyboardEvent("keydown", { key, altKey: true, bubbles: true });
      document.activeElement?.dispatchEvent(event);
    };
    alt("ArrowRight");
    expect(notes(pinsOf(widget))).toBe("two one three");
    expect(document.activeElement).toBe(all("uq-pin-view")[1]);
    alt("ArrowRight");
    alt("ArrowRight");
    expect(notes(pinsOf(widget))).toBe("two three one");
    press(document.activeElement as Element, "F2");
    expect(document.activeElement).toBe(one("uq-pin-note"));
    type(one("uq-pin-note"), "not this", "Escape");
    expect(one<HTMLInputElement>("uq-pin-note").value).toBe("one");
    expect(document.activeElement).toBe(all("uq-pin-view")[2]);
    press(document.activeElement as Element, "Delete");
    expect(notes(pinsOf(widget))).toBe("two three");
    expect(document.activeElement).toBe(all("uq-pin-view")[1]);
    press(document.activeElement as Element, "Delete");
    press(document.activeElement as Element, "Delete");
    expect(pinsOf(widget)).toEqual([]);
    expect(document.activeElement).toBe(one("uq-pin"));
  });

  it("are moved, renamed and deleted by buttons", async () => {
    const widget = await withPins();
    const { all, one, root } = widget;
    expect(isShown(root.querySelector(".uq-pin-edit"))).toBe(false);
    all("uq-pin-view")[1]?.click();
    expect(isShown(root.querySelector(".uq-pin-edit"))).toBe(true);
    one("uq-pin-earlier").click();
    expect(notes(pinsOf(widget))).toBe("two one three");
    expect(can(one("uq-pin-earlier"))).toBe(false);
    one("uq-pin-later").click();
    one("uq-pin-ghost").click();
    expect(pinsOf(widget).map(({ ghost }) => ghost)).toEqual([false, true, false]);
    expect(all("uq-pin-view")[1]?.dataset.ghost).toBe("true");
    one("uq-pin-delete").click();
    expect(notes(pinsOf(widget))).toBe("one three");
  });

  it("follow the kernel, which can refuse them", async () => {
    const { all, model, one } = await withPins();
    one("uq-pin").click();
    await painted();
    expect(all("uq-pin-view")).toHaveLength(4);
    model.receive("pins", three());
    await painted();
    expect(all("uq-pin-view")).toHaveLength(3);
  });

  it("show notes as text", async () => {
    const { root, all } = await withPins([pin("<b>bold</b> <img src=x onerror=alert(1)>")]);
    expect(root.querySelector("b, img")).toBeNull();
    expect(all("uq-pin-view")[0]?.textContent).toContain("<b>bold</b>");
  });
});

describe("undo", () => {
  const control = (element: Element, key: string, shiftKey = false) => {
    const event = new KeyboardEvent("keydown", {
      key,
      shiftKey,
      ctrlKey: true,
      bubbles: true,
      cancelable: true,
    });
    element.dispatchEvent(event);
    return event;
  };

  it("works by keys and by buttons", async () => {
    const { one, lastRequest, receive, root } = await mount(about);
    expect(can(one("uq-undo"))).toBe(false);
    await receive(wireFrame(about, 2, { feature: second }));
    await receive(wireFrame(about, 3, { feature: second, center: true }));
    expect(can(one("uq-undo"))).toBe(true);
    expect(control(one("uq-tau"), "z").defaultPrevented).toBe(true);
    expect(lastRequest()).toEqual({ center: false });
    await receive(wireFrame(about, 4, { feature: second }));
    one("uq-undo").click();
    expect(lastRequest()).toEqual({ feature: first });
    await receive(wireFrame(about, 5));
    expect(can(one("uq-undo"))).toBe(false);
    control(root, "Z", true);
    expect(lastRequest()).toEqual({ feature: second });
    await receive(wireFrame(about, 6, { feature: second }));
    control(root, "y");
    expect(lastRequest()).toEqual({ center: true });
    await receive(wireFrame(about, 7, { feature: second, center: true }));
    expect(can(one("uq-redo"))).toBe(false);
  });

  it("does not record a late frame as a change", async () => {
    const { one, receive } = await mount(about);
    await receive(wireFrame(about, 2, { feature: second }));
    one("uq-undo").click();
    await receive(wireFrame(about, 2, { feature: second }));
    await receive(wireFrame(about, 3));
    expect(can(one("uq-redo"))).toBe(true);
    expect(can(one("uq-undo"))).toBe(false);
  });

  it("includes a request that is not answered yet", async () => {
    const { one, lastRequest } = await mount(about);
    choose(one<HTMLSelectElement>("uq-feature"), second);
    await painted();
    control(one("uq-tau"), "z");
    await painted();
    expect(lastRequest()).toEqual({ feature: second });
    expect(one<HTMLSelectElement>("uq-feature").value).toBe(first);
  });

  it("leaves its keys to text fields, and suppresses those of the notebook", async () => {
    const { one, root } = await withPins();
    const seen = vi.fn();
    document.body.addEventListener("keydown", seen);
    expect(control(one("uq-repeats"), "z").defaultPrevented).toBe(false);
    expect(seen).toHaveBeenCalledTimes(1);
    expect(control(one("uq-tau"), "z").defaultPrevented).toBe(true);
    expect(seen).toHaveBeenCalledTimes(1);
    for (const element of root.querySelectorAll("button, input, [role=option]"))
      expect(element.getAttribute("data-lm-suppress-shortcuts")).toBe("true");
  });
});

describe("the code", () => {
  it("is copied, or an error is shown", async () => {
    const written: string[] = [];
    const clipboard = { writeText: async (text: string) => void written.push(text) };
    vi.stubGlobal("navigator", { ...navigator, clipboard });
    const frame = wireFrame(about, 1);
    frame.meta.code = "uq.explore(model, X, y, tau=0.5)";
    const { one } = await mount(about, frame);
    one("uq-copy").click();
    await painted();
    expect(written).toEqual(["uq.explore(model, X, y, tau=0.5)"]);
    expect(one("uq-pin-status").textContent).toBe("copied");
    clipboard.writeText = () => Promise.reject(new Error("not allowed"));
    one("uq-copy").click();
    await painted();
    expect(one("uq-pin-status").textContent).toContain("does not let this page copy");
    vi.unstubAllGlobals();
  });

  it("is not available before the first frame", async () => {
    const { one } = await mount(about, {});
    expect(one<HTMLButtonElement>("uq-copy").disabled).toBe(true);
  });
});

/** A frame with a ghost, whose numbers are half of the current ones. */
function haunting(base = about, changes = {}, pinned = {}) {
  const raw = wireFrame(base, 1, changes);
  raw.meta.ghost = { note: "before", state: inputsOf(base, { ...changes, tau: 0.4, ...pinned }) };
  const add = (name: string, of: string, factor = 0.5) => {
    const values = new Float64Array(raw.cols[of].buffer).map((v) => v * factor);
    raw.cols[name] = new DataView(values.buffer);
    raw.meta.cols[name] = raw.meta.cols[of];
  };
  add("importance.ghost", "importance.value");
  add("dependence.ghost", "dependence.average");
  add("dependence.ghost_grid", "dependence.grid", 1);
  add("stress.ghost", "stress.taus");
  return raw;
}

describe("a ghost", () => {
  const keys = (root: HTMLElement) =>
    [...root.querySelectorAll('[data-testid="uq-pin-key"]')]
      .filter(isShown)
      .map(({ textContent }) => textContent);
  const rows = (root: HTMLElement, panel: string) => {
    const details = root.querySelector(`.uq-${panel} .uq-twin`) as HTMLDetailsElement;
    details.open = true;
    details.dispatchEvent(new Event("toggle"));
    return [...details.querySelectorAll("tr")].map((row) =>
      [...row.children].map(({ textContent }) => textContent),
    );
  };

  it("is drawn and named in every chart and is in every table", async () => {
    const { root, receive } = await mount(about, haunting());
    expect(keys(root)).toEqual(["pin: before", "pin: before", "pin: before"]);
    const outlines = [...root.querySelectorAll(".uq-pin-outline")];
    expect(outlines).toHaveLength(60);
    const bar = root.querySelector(".uq-bar rect");
    const width = (element: Element | null | undefined) => Number(element?.getAttribute("width"));
    expect(width(outlines[0])).toBeCloseTo(width(bar) / 2, 0);
    const line = root.querySelector(".uq-curves .uq-pin-line");
    expect(line?.getAttribute("d")?.match(/[ML]/g)).toHaveLength(50);
    expect(root.querySelector(".uq-profile path.uq-pin-line")?.getAttribute("d")).toMatch(/^M/);
    expect(root.querySelector(".uq-pin-now")?.getAttribute("visibility")).toBeNull();
    for (const panel of ["importance", "dependence", "stress"]) {
      const [head = [], row = []] = rows(root, panel);
      expect(row[head.indexOf("pin")]).toMatch(/\d/);
    }
    await receive(wireFrame(about, 2));
    expect(keys(root)).toEqual([]);
    expect(root.querySelector(".uq-curves .uq-pin-line")?.getAttribute("d")).toBeNull();
    expect(root.querySelector(".uq-pin-outline")?.getAttribute("visibility")).toBe("hidden");
    expect(rows(root, "importance")[0]).not.toContain("pin");
  });

  it("spans the whole of τ where the other profiles have more levels", async () => {
    const raw = haunting();
    const [lines, levels] = [raw.meta.cols["stress.value"].shape[0] as number, 81];
    const add = (name: string, values: Float32Array, shape: number[]) => {
      raw.cols[name] = new DataView(values.buffer);
      raw.meta.cols[name] = { dtype: "f4", shape };
    };
    add(
      "stress.fine_taus",
      Float32Array.from({ length: levels }, (_, i) => -1 + i / 40),
      [levels],
    );
    add("stress.fine_value", new Float32Array(lines * levels).fill(0.5), [lines, levels]);
    const { root } = await mount(about, raw);
    const ends = (selector: string) => {
      const d = root.querySelector(selector)?.getAttribute("d") ?? "";
      const xs = [...d.matchAll(/[ML](-?[\d.]+)/g)].map(([, x]) => Number(x));
      return [xs.at(0), xs.at(-1)];
    };
    expect(ends(".uq-profile path.uq-pin-line")).toEqual(ends(".uq-others path"));
  });

  it("is named after what it is of", async () => {
    const raw = haunting();
    raw.meta.ghost.of = "model";
    const { root } = await mount(about, raw);
    expect(keys(root)).toEqual(["model: before", "model: before", "model: before"]);
    expect(rows(root, "importance")[0]).toContain("model");
  });

  it("is not drawn if it has other inputs, and the legend says so", async () => {
    const other = { feature: second, indicator: "nll" };
    const { root } = await mount(about, haunting(about, {}, other));
    expect(keys(root)).toEqual([
      "pin: before",
      "no such curve of the pin: before",
      "no such profile of the pin: before",
    ]);
    expect(root.querySelector(".uq-curves .uq-pin-line")?.getAttribute("d")).toBeNull();
    expect(root.querySelector(".uq-profile path.uq-pin-line")?.getAttribute("d")).toBeNull();
  });

  it("is a ring around the point of each category", async () => {
    const multi = aboutMulti();
    const { root } = await mount(multi, haunting(multi, { feature: "site" }));
    const rings = [...root.querySelectorAll(".uq-category-rows circle.uq-pin-line")];
    expect(rings.filter((ring) => !ring.hasAttribute("visibility"))).toHaveLength(4);
  });

  it("that cannot be read does not affect the rest", async () => {
    const raw = haunting();
    raw.meta.ghost.state.tau = "0.4";
    const { root, one } = await mount(about, raw);
    expect(keys(root)).toEqual([]);
    expect(one("uq-error").textContent).toContain("an invalid pin");
    expect(root.querySelectorAll(".uq-bar circle")).toHaveLength(60);
  });
});

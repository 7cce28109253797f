import { afterEach, describe, expect, it, vi } from "vitest";
import factory from "../../src/index.ts";
import { INPUT_TYPES } from "../../src/session/inputs.ts";
import { Session } from "../../src/session/session.ts";
import { viewsNamed } from "../../src/views/index.ts";
import { FakeModel } from "../fakeModel.ts";
import { aboutBinary, wireFrame } from "../fixtures.ts";
import { clearPage, mount, painted, slide } from "../mount.ts";

const about = aboutBinary();
afterEach(clearPage);

const session = (model: FakeModel) => new Session(model, viewsNamed, new AbortController().signal);

describe("a session", () => {
  it("increments the counter in the same save as the change", () => {
    const model = new FakeModel(about, wireFrame(about, 4), { _seq: 4 });
    session(model).request({ tau: 0.25 });
    expect(model.saved).toEqual([{ tau: 0.25, _seq: 5 }]);
  });

  it("continues after a reload if the kernel is ahead of the saved counter", () => {
    const model = new FakeModel(about, wireFrame(about, 90), { _seq: 12 });
    session(model).request({ tau: 0.25 });
    expect(model.saved[0]?._seq).toBe(91);
  });

  it("asks once for the first frame, when a view is shown and there is none", () => {
    const empty = new FakeModel(about, {});
    const s = session(empty);
    expect(empty.saved).toEqual([]);
    s.begin();
    s.begin();
    empty.receive("_frame", wireFrame(about, 1));
    expect(empty.saved).toEqual([{ _seq: 1 }]);
    const full = new FakeModel(about);
    session(full).begin();
    expect(full.saved).toEqual([]);
  });

  it("shows the requested inputs until the kernel answers, then the accepted ones", () => {
    const model = new FakeModel(about);
    const s = session(model);
    s.request({ tau: 0.4 });
    expect(s.inputs.tau).toBe(0.4);
    model.receive("_frame", wireFrame(about, 2, { tau: 0 }));
    expect(s.inputs.tau).toBe(0);
  });

  it("stops the work of the newest request", () => {
    const model = new FakeModel(about, wireFrame(about, 6), { _seq: 6 });
    const s = session(model);
    s.stop();
    s.stop();
    expect(model.saved).toEqual([{ _stop: 6 }, { _stop: 7 }]);
  });

  it("accepts a frame with a broken part, keeps the previous part and reports the error", () => {
    const model = new FakeModel(about);
    const s = session(model);
    s.request({ tau: 0.4 });
    const broken = wireFrame(about, 2);
    delete broken.cols["stress.value"];
    const stress = s.frame?.stress;
    model.receive("_frame", broken);
    expect(s.frame?.seq).toBe(2);
    expect(s.frame?.stress).toBe(stress);
    expect(s.problem).toMatch(/"stress.value"/);
    s.request({ tau: 0.5 });
    expect(model.saved).toHaveLength(2);
    model.receive("_frame", wireFrame(about, 3));
    expect(s.problem).toBeNull();
  });

  it("survives a frame whose parts have wrong types", () => {
    vi.spyOn(console, "error").mockImplementation(() => undefined);
    const model = new FakeModel(about);
    const s = session(model);
    const broken = wireFrame(about, 2);
    broken.meta.importance.order = 5;
    model.receive("_frame", broken);
    expect(s.problem).toMatch(/has at "importance.order" no list of indices; run the cell again/);
    expect(s.frame?.seq).toBe(2);
    expect(s.frame?.dependence).not.toBeNull();
  });

  it("removes its listeners and timers when it ends", () => {
    const model = new FakeModel(about);
    const abort = new AbortController();
    new Session(model, viewsNamed, abort.signal);
    expect(model.listeners()).toBe(5);
    abort.abort();
    expect(model.listeners()).toBe(0);
  });
});

describe("two views of one model", () => {
  it("share one request queue with one request in flight", async () => {
    const { model, widget, one } = await mount(about);
    const second = document.body.appendChild(document.createElement("div"));
    widget.render({ model, el: second, signal: new AbortController().signal });
    await painted();
    slide(one("uq-tau"), 0.2);
    slide(second.querySelector('[data-testid="uq-tau"]') as HTMLInputElement, 0.6);
    expect(model.saved).toEqual([{ tau: 0.2, _seq: 2 }]);
    model.receive("_frame", wireFrame(about, 2, { tau: 0.2 }));
    expect(model.saved[1]).toEqual({ tau: 0.6, _seq: 3 });
    model.receive("_frame", wireFrame(about, 3, { tau: 0.6 }));
    await painted();
    expect(one<HTMLInputElement>("uq-tau").valueAsNumber).toBeCloseTo(0.6);
  });

  it("do not share ids", async () => {
    const { model, widget } = await mount(about);
    const second = document.body.appendChild(document.createElement("div"));
    widget.render({ model, el: second, signal: new AbortController().signal });
    const ids = [...document.querySelectorAll("[id]")].map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it("of two models share nothing", () => {
    expect(factory()).not.toBe(factory());
  });

  it("end separately", async () => {
    const { model, widget, one, receive } = await mount(about);
    const abort = new AbortController();
    const el = document.body.appendChild(document.createElement("div"));
    widget.render({ model, el, signal: abort.signal });
    await painted();
    abort.abort();
    await receive(wireFrame(about, 9));
    expect(one("uq-root").dataset.seq).toBe("9");
    expect((el.firstElementChild as HTMLElement).dataset.seq).toBe("1");
  });
});

describe("undo of every input", () => {
  const EXAMPLES: Record<string, unknown> = {
    views: ["importance"],
    held: [{ feature: "mean area", value: 5 }],
    ice_filter: [{ feature: "mean area", low: 1, high: null }],
    cohorts: [{ name: "one", ice_filter: [], complement: false }],
    importance_of: ["nll"],
    what_if: [{ feature: "mean area", value: 5 }],
    selection: "3",
    feature: "mean area",
    stress_feature: "mean area",
    measure: "entropy",
    indicator: "nll",
    interval: "model",
  };

  it.each(Object.entries(INPUT_TYPES))("%s is restored and changed again", (name, type) => {
    const model = new FakeModel(about);
    model.kernel = ({ _seq }, to) => {
      if (typeof _seq !== "number") return;
      const names = Object.keys(INPUT_TYPES);
      const inputs = Object.fromEntries(names.map((one) => [one, to.get(one)]));
      to.receive("_frame", { ...wireFrame(about, _seq), inputs });
    };
    const s = session(model);
    const before = Reflect.get(s.inputs, name);
    const other = { string: `${before}x`, boolean: before !== true, number: Number(before) + 0.5 };
    const changed = EXAMPLES[name] ?? Reflect.get(other, type);
    expect(changed).not.toEqual(before);
    s.request({ [name]: changed });
    expect(model.get(name)).toEqual(changed);
    expect(s.step(true)).toBe(true);
    expect(model.get(name)).toEqual(before);
    expect(s.step(true)).toBe(false);
    expect(s.step(false)).toBe(true);
    expect(model.get(name)).toEqual(changed);
  });
});

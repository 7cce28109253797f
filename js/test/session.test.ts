import { afterEach, describe, expect, it, vi } from "vitest";
import factory from "../src/index.ts";
import { Session } from "../src/session.ts";
import { aboutBinary, FakeModel, wireFrame } from "./fixtures.ts";
import { clearPage, mount, painted, slide } from "./mount.ts";

const about = aboutBinary();
afterEach(clearPage);

const session = (model: FakeModel) => new Session(model, new AbortController().signal);

describe("a session", () => {
  it("bumps the counter in the same save as the change", () => {
    const model = new FakeModel(about, wireFrame(about, 4), { _seq: 4 });
    session(model).request({ tau: 0.25 });
    expect(model.saved).toEqual([{ tau: 0.25, _seq: 5 }]);
  });

  it("continues after a reload where the kernel is ahead of the saved counter", () => {
    const model = new FakeModel(about, wireFrame(about, 90), { _seq: 12 });
    session(model).request({ tau: 0.25 });
    expect(model.saved[0]?._seq).toBe(91);
  });

  it("asks for the first frame where there is none, and only there", () => {
    const empty = new FakeModel(about, {});
    session(empty);
    expect(empty.saved).toEqual([{ _seq: 1 }]);
    const full = new FakeModel(about);
    session(full);
    expect(full.saved).toEqual([]);
  });

  it("shows what was asked until the kernel has answered, then what the kernel accepted", () => {
    const model = new FakeModel(about);
    const s = session(model);
    s.request({ tau: 0.4 });
    expect(s.inputs.tau).toBe(0.4);
    model.receive("_frame", wireFrame(about, 2, { tau: 0 }));
    expect(s.inputs.tau).toBe(0);
  });

  it("asks to stop the work behind the newest request", () => {
    const model = new FakeModel(about, wireFrame(about, 6), { _seq: 6 });
    const s = session(model);
    s.stop();
    s.stop();
    expect(model.saved).toEqual([{ _stop: 6 }, { _stop: 7 }]);
  });

  it("takes a frame with a broken part for an answer, keeps that part and says what is wrong", () => {
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

  it("survives a frame whose parts are not what they should be", () => {
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

  it("leaves nothing behind when it ends", () => {
    const model = new FakeModel(about);
    const abort = new AbortController();
    new Session(model, abort.signal);
    expect(model.listeners()).toBe(4);
    abort.abort();
    expect(model.listeners()).toBe(0);
  });
});

describe("two views of one model", () => {
  it("share one gate: together they hold one request in flight", async () => {
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

  it("of two models have nothing in common", () => {
    expect(factory()).not.toBe(factory());
  });

  it("end one by one: the other goes on", async () => {
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

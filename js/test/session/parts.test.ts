import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { moreOnDemand } from "../../src/controls/onDemand.ts";
import { core } from "../../src/session/core.ts";
import { type Code, PartLoader } from "../../src/session/parts.ts";
import { onDemand } from "../../src/views/onDemand.ts";
import type { Context, Panel } from "../../src/views/view.ts";
import { FakeModel } from "../fakeModel.ts";
import { aboutBinary } from "../fixtures.ts";
import { clearPage } from "../mount.ts";

interface Greeting {
  greet(name: string): string;
}

// As in the bundle, where the name of the part stands in the place of the import.
const code = (() => "greeting") as unknown as Code<Greeting>;
const script = (make: string, build = "") =>
  `export default { build: ${JSON.stringify(build)}, make: ${make} };`;
const MAKE = '(core) => ({ greet: (name) => core[0] + " " + name })';
const ANSWER = { part: "greeting", script: script(MAKE), style: ".uq-greeting { color: red }" };

// happy-dom imports no blobs, so the addresses of this test are data.
beforeEach(() => {
  vi.spyOn(URL, "createObjectURL").mockImplementation((blob) => addresses.get(blob as Blob) ?? "");
  vi.stubGlobal("Blob", FakeBlob);
  core.exports[0] = "hello";
});
afterEach(() => {
  clearPage();
  vi.unstubAllGlobals();
  globalThis.uqwidgetsParts = undefined;
});

const addresses = new WeakMap<object, string>();
class FakeBlob {
  constructor([text]: string[]) {
    addresses.set(this, `data:text/javascript,${encodeURIComponent(text ?? "")}`);
  }
}

function widget(patience?: number) {
  const model = new FakeModel(aboutBinary());
  const abort = new AbortController();
  const late = vi.fn();
  const root = document.body.appendChild(document.createElement("div"));
  const parts = new PartLoader(model, late, abort.signal, patience);
  return { model, abort, late, root, load: () => parts.load(code, root) };
}

const settled = () => new Promise((done) => setTimeout(done));

describe("a part", () => {
  it("is requested once, gets what it imports from the core, and brings its style", async () => {
    const { model, root, load } = widget();
    const both = Promise.all([load(), load()]);
    await settled();
    expect(model.sent).toEqual([{ part: "greeting" }]);
    model.receiveMessage(ANSWER);
    const [first, second] = await both;
    expect(first.greet("you")).toBe("hello you");
    expect(second).toBe(first);
    expect(await load()).toBe(first);
    expect(model.sent).toHaveLength(1);
    expect([...root.querySelectorAll("style")].map((style) => style.textContent)).toEqual([
      ANSWER.style,
    ]);
  });

  it("comes from the state of the widget where this stores it", async () => {
    const { model, root, load } = widget();
    model.state._stored_parts = { greeting: { script: ANSWER.script, style: ANSWER.style } };
    expect((await load()).greet("you")).toBe("hello you");
    expect(root.querySelector("style")?.textContent).toBe(ANSWER.style);
    expect(model.sent).toEqual([]);
  });

  it("is requested where what the state stores is none", async () => {
    const { model, load } = widget();
    model.state._stored_parts = { greeting: { script: 1 } };
    const greeting = load();
    await settled();
    model.receiveMessage(ANSWER);
    expect((await greeting).greet("you")).toBe("hello you");
  });

  it("is shared by all widgets of a page", async () => {
    const [a, b] = [widget(), widget()];
    const both = Promise.all([a.load(), b.load()]);
    await settled();
    a.model.receiveMessage(ANSWER);
    const [one, other] = await both;
    expect(other.greet("you")).toBe("hello you");
    expect(other).not.toBe(one);
    expect(b.model.sent).toEqual([]);
    expect(b.root.querySelector("style")).not.toBeNull();
  });

  it("is requested by another widget if the first one closes", async () => {
    const [a, b] = [widget(), widget()];
    const first = a.load();
    const second = b.load();
    await settled();
    a.abort.abort();
    await expect(first).rejects.toThrow(/kernel does not answer/);
    await settled();
    expect(b.model.sent).toEqual([{ part: "greeting" }]);
    b.model.receiveMessage(ANSWER);
    expect((await second).greet("you")).toBe("hello you");
  });

  it("that arrives late at one widget is there for all that miss it", async () => {
    const [a, b, c] = [widget(1), widget(1), widget(1)];
    const sentence = /^The kernel does not answer, [^(]*$/;
    await Promise.all([a, b, c].map((one) => expect(one.load()).rejects.toThrow(sentence)));
    b.model.receiveMessage(ANSWER);
    a.model.receiveMessage(ANSWER);
    for (const one of [a, b, c]) await vi.waitFor(() => expect(one.late).toHaveBeenCalledOnce());
    expect((await c.load()).greet("you")).toBe("hello you");
  });

  it("that arrives late is kept, and the widget hears of it", async () => {
    const { model, late, load } = widget(1);
    await expect(load()).rejects.toThrow(
      "The kernel does not answer, so this part of the widget is missing; a busy kernel sends it later",
    );
    model.receiveMessage(ANSWER);
    await vi.waitFor(() => expect(late).toHaveBeenCalledOnce());
    expect((await load()).greet("you")).toBe("hello you");
    expect(model.sent).toHaveLength(1);
  });

  it.each([
    ["a broken script", "export default {", /could not be read \(SyntaxError/],
    ["an error of its own", script("() => { throw new Error('oh') }"), /\(Error: oh\)/],
    ["another version", script(MAKE, "older"), /another version of uqwidgets/],
  ])("with %s is an error in one sentence, and is requested again", async (_, text, words) => {
    const { model, load } = widget();
    const failing = load();
    await settled();
    model.receiveMessage({ ...ANSWER, script: text });
    await expect(failing).rejects.toThrow(words);
  });

  it("of a host that cannot send is an error in one sentence", async () => {
    const { model, load } = widget();
    model.send = () => {
      throw new Error("no comm");
    };
    await expect(load()).rejects.toThrow(/kernel does not answer/);
  });

  it.each([
    null,
    "greeting",
    { part: "other", script: ANSWER.script, style: "" },
    { part: "__proto__", script: ANSWER.script, style: "" },
    { part: "greeting", script: 3, style: "" },
    { part: "greeting", script: ANSWER.script },
  ])("is not taken from the message %j", async (message) => {
    const { model, load } = widget(20);
    const failing = expect(load()).rejects.toThrow(/kernel does not answer/);
    await settled();
    model.receiveMessage(message);
    await failing;
    expect(Object.keys(globalThis.uqwidgetsParts ?? {})).toEqual([]);
  });
});

describe("a view on demand", () => {
  const element = document.createElement("p");
  const panel = (): Panel => ({ element, update: () => undefined });
  const frames = [{}, {}].map((frame) => ({ frame, inputs: {} })) as never[];

  it("is loaded after the first frame, and shows why it is not", async () => {
    const load = vi
      .fn()
      .mockRejectedValueOnce(new Error("No kernel."))
      .mockResolvedValue({
        example: { name: "example", read: () => 3, panel },
      });
    const view = onDemand<number>("example", () => Promise.reject());
    const refresh = vi.fn();
    const session = { parts: { load }, refresh };
    const { signal } = new AbortController();
    const shown = view.panel({ session, signal } as unknown as Context);
    document.body.append(shown.element);

    shown.update({ frame: null, inputs: {} } as never);
    expect(load).not.toHaveBeenCalled();
    expect(shown.element.hidden).toBe(true);
    expect(view.read({} as never, {} as never, {} as never)).toBeNull();

    shown.update(frames[0] as never);
    await settled();
    shown.update(frames[0] as never);
    expect(load).toHaveBeenCalledOnce();
    expect(shown.element.hidden).toBe(false);
    expect(shown.element.textContent).toBe("No kernel.");

    shown.update(frames[1] as never);
    await settled();
    expect(document.body.contains(element)).toBe(true);
    expect(document.body.contains(shown.element)).toBe(false);
    expect(refresh).toHaveBeenCalledOnce();
    expect(view.read({} as never, {} as never, {} as never)).toBe(3);
  });

  it("is tried again after a frame that comes while a request fails", async () => {
    let fail: (error: Error) => void = () => undefined;
    const module = { example: { name: "example", read: () => 3, panel } };
    const load = vi
      .fn()
      .mockImplementationOnce(() => new Promise((_, reject) => (fail = reject)))
      .mockResolvedValue(module);
    const session = { parts: { load }, refresh: vi.fn() };
    const { signal } = new AbortController();
    const shown = onDemand<number>("example", () => Promise.reject()).panel({
      session,
      signal,
    } as unknown as Context);
    document.body.replaceChildren(shown.element);
    for (const frame of frames) shown.update(frame);
    expect(load).toHaveBeenCalledOnce();
    fail(new Error("No kernel."));
    await settled();
    expect(load).toHaveBeenCalledTimes(2);
    expect(document.body.contains(element)).toBe(true);
  });
});

describe("controls under more", () => {
  it("are loaded when they are opened, and their place is held until then", async () => {
    const inner = document.createElement("p");
    let arrive: (module: object) => void = () => undefined;
    const load = vi.fn(() => new Promise((done) => (arrive = done)));
    const redraw = vi.fn();
    const { signal } = new AbortController();
    const context = { session: { parts: { load } }, redraw, signal } as unknown as Context;
    const update = vi.fn();
    const make = () => ({ element: inner, update });
    const more = moreOnDemand(context, "uq-example", () => Promise.reject(), make);
    const element = document.body.appendChild(more.element) as HTMLDetailsElement;
    const place = element.querySelector(".uq-on-demand") as HTMLElement;

    more.update({} as never, {} as never);
    expect(load).not.toHaveBeenCalled();
    element.open = true;
    element.dispatchEvent(new Event("toggle"));
    expect(redraw).toHaveBeenCalled();
    more.update({} as never, {} as never);
    expect(load).toHaveBeenCalledOnce();
    expect(place.hidden).toBe(false);

    redraw.mockClear();
    arrive({});
    await settled();
    expect(redraw).toHaveBeenCalledOnce();
    more.update({ tau: 1 } as never, null);
    expect(place.firstChild).toBe(inner);
    expect(update).toHaveBeenLastCalledWith({ tau: 1 }, null);
  });
});

import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { frameAt, reaches, readOverTau } from "../../src/session/overTau.ts";
import { Session } from "../../src/session/session.ts";
import { viewsNamed } from "../../src/views/index.ts";
import { FakeModel } from "../fakeModel.ts";
import { aboutBinary, wireFrame } from "../fixtures.ts";
import { clearPage, mount, painted, slide } from "../mount.ts";

const about = aboutBinary();
const COLUMNS = ["importance.value", "importance.low", "importance.high", "dependence.average"];
/** The levels of the slider. */
const TAUS = Array.from({ length: 41 }, (_, i) => (i - 20) / 20);
/** A level above 0 for each of many events. */
const level = (i: number) => ((i % 19) + 1) / 20;

const numbers = (frame: ReturnType<typeof wireFrame>, name: string) =>
  new Float64Array(frame.cols[name].buffer);

/** What the kernel would send: the columns of frames at all levels. */
function overTau(changes: Record<string, unknown> = {}, above = true) {
  const cols: Record<string, DataView> = {};
  const described: Record<string, unknown> = {};
  const add = (name: string, taus: number[], of: (tau: number) => number[]) => {
    const lines = taus.map(of);
    const data = Float32Array.from(lines.flat());
    described[name] = { dtype: "f4", shape: [taus.length, data.length / taus.length] };
    cols[name] = new DataView(data.buffer);
  };
  const taus = above ? TAUS : TAUS.filter((tau) => tau <= 0);
  const frames = new Map(taus.map((tau) => [tau, wireFrame(about, 1, { tau })]));
  for (const name of COLUMNS) add(name, taus, (tau) => [...numbers(frames.get(tau), name)]);
  for (const name of ["tau", "value", "reached", "ess"])
    add(`stress.now.${name}`, taus, (tau) => [frames.get(tau).meta.stress.now[name]]);
  return {
    schema: 1,
    seq: 1,
    inputs: wireFrame(about, 1).inputs,
    meta: {
      levels: taus,
      columns: Object.keys(cols),
      texts: { "stress.now.status": taus.map((tau) => (tau === -1 ? "edge" : "ok")) },
      cols: described,
      ...changes,
    },
    cols,
  };
}

describe("what is sent for all levels", () => {
  it("gives the frame at each level", () => {
    const over = readOverTau(overTau());
    if (!over) throw new Error("nothing was read");
    for (const tau of [-1, -0.65, 0, 0.2, 1]) {
      const exact = wireFrame(about, 1, { tau });
      // biome-ignore lint/suspicious/noExplicitAny: a raw frame
      const at = frameAt(wireFrame(about, 1), over, tau) as any;
      for (const name of COLUMNS)
        numbers(exact, name).forEach((value, i) => {
          expect(at.cols[name][i]).toBeCloseTo(value, 5);
        });
      expect(at.meta.stress.now.value).toBeCloseTo(exact.meta.stress.now.value, 5);
      expect(at.meta.stress.now.status).toBe(tau === -1 ? "edge" : "ok");
      expect(at.inputs.tau).toBe(tau);
    }
  });

  it("is nothing before it is sent, and has no level on a side that cannot be reached", () => {
    expect(readOverTau({})).toBeNull();
    const over = readOverTau(overTau({}, false));
    expect([-1, 0, 0.1].map((tau) => over && reaches(over, tau))).toEqual([true, true, false]);
  });

  it.each([
    ["no schema", { ...overTau(), schema: 7 }],
    ["levels that are no numbers", overTau({ levels: ["0"] })],
    ["levels that are no list", overTau({ levels: { length: 3 } })],
    ["another number of levels", overTau({ levels: [0, 1] })],
    ["a column that is missing", overTau({ columns: ["x"] })],
    ["columns that are no list", overTau({ columns: { x: null } })],
    ["texts that are missing", overTau({ texts: { a: ["b"] } })],
  ])("is refused with %s", (_, raw) => {
    expect(() => readOverTau(raw)).toThrow(/run the cell again/);
  });

  it("does not fit a frame of other lines", () => {
    const over = readOverTau(overTau());
    const other = wireFrame(about, 1);
    other.meta.cols["dependence.average"] = { dtype: "f8", shape: [7] };
    expect(over && frameAt(other, over, 0.5)).toBeNull();
  });
});

describe("a moving slider", () => {
  beforeEach(() => vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] }));
  afterEach(clearPage);

  const moving = (model: FakeModel) =>
    model.saved.filter((changes) => "tau" in changes).map(({ tau }) => tau);

  it("paints from the levels and tells the kernel a few times a second", () => {
    const model = new FakeModel(about, wireFrame(about, 1), { _over_tau: overTau() });
    const session = new Session(model, viewsNamed, new AbortController().signal);
    model.kernel = ({ tau, _seq }, to) =>
      to.receive("_frame", wireFrame(about, _seq as number, { tau: tau as number }));
    let seen = 0;
    for (let i = 1; i <= 100; i++) {
      const tau = level(i);
      session.request({ tau });
      expect(session.inputs.tau).toBe(tau);
      const shown = session.frame?.importance?.value[3] ?? Number.NaN;
      expect(shown).toBeCloseTo(
        numbers(wireFrame(about, 1, { tau }), "importance.value")[3] as number,
        5,
      );
      expect(session.frame?.final).toBe(session.answer?.inputs.tau === tau);
      seen++;
      vi.advanceTimersByTime(10);
    }
    vi.advanceTimersByTime(500);
    expect(seen).toBe(100);
    expect(moving(model).length).toBeLessThanOrEqual(5);
    expect(moving(model).at(-1)).toBe(level(100));
    expect(session.frame).toBe(session.answer);
    expect(session.frame?.inputs.tau).toBe(level(100));
  });

  it("tells a slow kernel only when the hand rests, and does not ask twice at a time", () => {
    const model = new FakeModel(about, wireFrame(about, 1), { _over_tau: overTau() });
    const session = new Session(model, viewsNamed, new AbortController().signal);
    const answer = (seconds: number) => {
      const { tau, _seq } = model.saved.at(-1) as { tau: number; _seq: number };
      const frame = wireFrame(about, _seq, { tau });
      frame.meta.cost = { calls: 0, rows: 0, seconds };
      model.receive("_frame", frame);
    };
    const drag = (start: number) => {
      for (let i = start; i < start + 100; i++) {
        session.request({ tau: level(i) });
        expect(session.frame?.inputs.tau).toBe(level(i));
        vi.advanceTimersByTime(10);
      }
    };
    drag(1);
    expect(model.sent).toEqual([]); // it is not known to be slow
    expect(moving(model)).toHaveLength(1); // it has not answered
    answer(0.4);
    drag(2);
    expect(moving(model)).toHaveLength(2); // after twice the time of the answer
    answer(0.6);
    model.sent.length = 0;
    drag(3);
    drag(4);
    expect(model.sent).toEqual([{ moving: true }]); // what it works out waits until the hand rests
    expect(moving(model)).toHaveLength(2);
    vi.advanceTimersByTime(250);
    expect(moving(model)).toHaveLength(3);
    expect(moving(model).at(-1)).toBe(level(103));
    answer(0.05);
    drag(5);
    expect(moving(model).length).toBeGreaterThan(3);
  });

  it("takes the kernel of a long table for slow until it is timed", () => {
    const long = { ...about, n_rows: 1_000_000 };
    const model = new FakeModel(long, wireFrame(long, 1), { _over_tau: overTau() });
    const session = new Session(model, viewsNamed, new AbortController().signal);
    for (let i = 0; i < 100; i++) {
      session.request({ tau: level(i) });
      vi.advanceTimersByTime(10);
    }
    expect(moving(model)).toEqual([]);
    expect(model.sent).toEqual([{ moving: true }]);
    vi.advanceTimersByTime(240);
    expect(moving(model)).toEqual([level(99)]);
  });

  it("follows the hand also where the host takes no message", () => {
    const long = { ...about, n_rows: 1_000_000 };
    const model = new FakeModel(long, wireFrame(long, 1), { _over_tau: overTau() });
    model.send = () => {
      throw new Error("no kernel");
    };
    const session = new Session(model, viewsNamed, new AbortController().signal);
    session.request({ tau: 0.5 });
    expect(session.frame?.inputs.tau).toBe(0.5);
    vi.advanceTimersByTime(300);
    expect(moving(model)).toEqual([0.5]);
  });

  it("asks at once on a side that cannot be reached, and for other inputs", () => {
    const model = new FakeModel(about, wireFrame(about, 1), { _over_tau: overTau({}, false) });
    const session = new Session(model, viewsNamed, new AbortController().signal);
    session.request({ tau: 0.5 });
    expect(moving(model)).toEqual([0.5]);
    session.request({ tau: -0.5 });
    expect(session.frame?.inputs.tau).toBe(-0.5);
  });

  it("tells the kernel of the τ under the hand with whatever else changes", () => {
    const model = new FakeModel(about, wireFrame(about, 1), { _over_tau: overTau() });
    const session = new Session(model, viewsNamed, new AbortController().signal);
    session.request({ tau: 0.5 });
    expect(model.saved).toEqual([]);
    session.request({ measure: "entropy" });
    expect(model.saved.at(-1)).toMatchObject({ tau: 0.5, measure: "entropy" });
    vi.advanceTimersByTime(1000);
    expect(moving(model)).toEqual([0.5]);
  });

  it("keeps the last answer under levels that cannot be read, and says so", () => {
    const model = new FakeModel(about, wireFrame(about, 1), { _over_tau: { schema: 3 } });
    const session = new Session(model, viewsNamed, new AbortController().signal);
    expect(session.problem).toMatch(/all levels of τ cannot be read/);
    session.request({ tau: 0.5 });
    expect(moving(model)).toEqual([0.5]);
  });
});

describe("the widget", () => {
  afterEach(clearPage);

  it("neither lays out the page nor computes its styles while a level is drawn", async () => {
    const { one, root } = await mount(about, undefined, { _over_tau: overTau() });
    const scroller = root.querySelector(".uq-importance-scroll") as HTMLElement;
    const canvas = root.querySelector("canvas") as HTMLCanvasElement;
    const context = new Proxy({}, { get: () => () => undefined, set: () => true });
    vi.spyOn(canvas, "getContext").mockReturnValue(context as never);
    slide(one<HTMLInputElement>("uq-tau"), 0.3);
    await painted();
    const reads: string[] = [];
    for (const name of ["scrollTop", "clientHeight"])
      Object.defineProperty(scroller, name, { get: () => reads.push(name) });
    const styles = vi.spyOn(globalThis, "getComputedStyle");
    slide(one<HTMLInputElement>("uq-tau"), 0.4);
    await painted();
    expect(reads.length).toBeLessThanOrEqual(1); // jsdom has no heights, so that one is looked for
    expect(styles).not.toHaveBeenCalled();
    styles.mockRestore();
  });

  it("draws a level that is only passed where it is seen, and elsewhere with the answer", async () => {
    let look: IntersectionObserverCallback = () => undefined;
    class Observer {
      observe = vi.fn();
      disconnect = vi.fn();
      constructor(callback: IntersectionObserverCallback) {
        look = callback;
      }
    }
    vi.stubGlobal("IntersectionObserver", Observer);
    const { one, root, receive } = await mount(about, undefined, { _over_tau: overTau() });
    const average = () => root.querySelector(".uq-average")?.getAttribute("d");
    // A slot has no box of its own (`display: contents`): the panel in it is watched.
    const panel = root.querySelector(".uq-dependence") as HTMLElement;
    const turn = async (isIntersecting: boolean) => {
      look([{ target: panel, isIntersecting } as never], null as never);
      await painted();
    };
    const move = async (tau: number) => {
      slide(one<HTMLInputElement>("uq-tau"), tau);
      await painted();
      return average();
    };
    const first = average();
    const second = await move(0.4);
    expect(second).not.toBe(first);
    await turn(false);
    expect(await move(0.6)).toBe(second);
    expect(one("uq-stress-readout").textContent).toContain("τ 0.60");
    await turn(true);
    const third = average();
    expect(third).not.toBe(second);
    await turn(false);
    expect(await move(0.8)).toBe(third);
    // All charts are printed, and all are drawn with the kernel's answer.
    globalThis.dispatchEvent(new Event("beforeprint"));
    const fourth = average();
    expect(fourth).not.toBe(third);
    await move(0.2);
    await receive(wireFrame(about, 9, { tau: 0.2 }));
    expect(average()).not.toBe(fourth);
    vi.unstubAllGlobals();
  });

  it("shows a level before the kernel answers", async () => {
    const { one, root } = await mount(about, undefined, { _over_tau: overTau() });
    const paints: number[] = [];
    root.addEventListener("uq:painted", (e) => paints.push((e as CustomEvent).detail.tau));
    slide(one<HTMLInputElement>("uq-tau"), 0.4);
    await painted();
    expect(paints.at(-1)).toBe(0.4);
    expect(one("uq-stress-readout").textContent).toContain("τ 0.40");
    expect(root.dataset.final).toBe("false");
  });
});

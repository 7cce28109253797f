import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { RequestQueue } from "../../src/session/requestQueue.ts";

interface Changes {
  tau?: number;
  feature?: string;
}

function queue(start = 0) {
  const sent: [number, Changes][] = [];
  const silence: boolean[] = [];
  let last = start;
  const made = new RequestQueue<Changes>({
    lastSeq: () => last,
    send: (seq, changes) => {
      last = seq;
      sent.push([seq, changes]);
    },
    silence: (silent) => silence.push(silent),
  });
  return { made, sent, silence };
}

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

describe("one in flight, newest wins", () => {
  it("sends the first request at once and holds the next until it is answered", () => {
    const { made, sent } = queue();
    made.request({ tau: 0.1 });
    made.request({ tau: 0.2 });
    expect(sent).toEqual([[1, { tau: 0.1 }]]);
    made.frame(1, true);
    expect(sent).toEqual([
      [1, { tau: 0.1 }],
      [2, { tau: 0.2 }],
    ]);
  });

  it("turns a drag of 200 values into two requests and never loses the last value", () => {
    const { made, sent } = queue();
    for (let i = 1; i <= 200; i++) made.request({ tau: i / 200 });
    made.frame(1, true);
    made.frame(2, true);
    expect(sent.map(([, { tau }]) => tau)).toEqual([0.005, 1]);
    expect(made.pending).toEqual({});
  });

  it("merges changes of different inputs", () => {
    const { made, sent } = queue();
    made.request({ tau: 0.1 });
    made.request({ feature: "a" });
    made.request({ tau: 0.3 });
    expect(made.pending).toEqual({ tau: 0.3, feature: "a" });
    made.frame(1, true);
    expect(sent[1]).toEqual([2, { feature: "a", tau: 0.3 }]);
  });

  it("counts the first frame as the answer, though it is not final", () => {
    const { made, sent } = queue();
    made.request({ tau: 0.1 });
    made.request({ tau: 0.2 });
    made.frame(1, false);
    expect(sent).toHaveLength(2);
  });

  it("does not take a frame of an older request for the answer", () => {
    const { made, sent } = queue(7);
    made.request({ tau: 0.1 });
    made.request({ tau: 0.2 });
    made.frame(7, true);
    expect(sent).toHaveLength(1);
    made.frame(8, true);
    expect(sent).toHaveLength(2);
  });

  it("continues the counter of a reloaded page", () => {
    const { made, sent } = queue(41);
    made.request({ tau: 0.1 });
    expect(sent[0]?.[0]).toBe(42);
  });
});

describe("the watchdog", () => {
  it("reports 1.5 s of silence, and any frame ends it", () => {
    const { made, silence } = queue(3);
    made.request({ tau: 0.1 });
    vi.advanceTimersByTime(1499);
    expect(silence).toEqual([]);
    vi.advanceTimersByTime(1);
    expect(silence).toEqual([true]);
    made.frame(2, true);
    expect(silence).toEqual([true, false]);
  });

  it("reports nothing without a request", () => {
    const { made, silence } = queue();
    made.frame(0, true);
    vi.advanceTimersByTime(60_000);
    expect(silence).toEqual([]);
  });

  it("is reset by progress and watches until the final frame", () => {
    const { made, silence } = queue();
    made.request({ tau: 0.1 });
    for (let i = 0; i < 10; i++) {
      vi.advanceTimersByTime(1000);
      made.frame(1, false);
    }
    expect(silence).toEqual([]);
    vi.advanceTimersByTime(1500);
    expect(silence).toEqual([true]);
    made.frame(1, true);
    vi.advanceTimersByTime(10_000);
    expect(silence).toEqual([true, false]);
  });

  it("sends pending changes again together with those that may have been lost", () => {
    const { made, sent } = queue();
    made.request({ feature: "a" });
    made.request({ tau: 0.2 });
    vi.advanceTimersByTime(1500);
    expect(sent).toEqual([
      [1, { feature: "a" }],
      [2, { feature: "a", tau: 0.2 }],
    ]);
  });

  it("lets one request through per period while the kernel is silent", () => {
    const { made, sent } = queue();
    made.request({ tau: 0 });
    for (let i = 1; i <= 60; i++) {
      vi.advanceTimersByTime(100);
      made.request({ tau: i });
    }
    expect(sent.length).toBeLessThanOrEqual(5);
    vi.advanceTimersByTime(1500);
    expect(sent.at(-1)?.[1]).toEqual({ tau: 60 });
  });

  it("recovers with the answer to the newest request", () => {
    const { made, sent, silence } = queue();
    made.request({ tau: 0.1 });
    vi.advanceTimersByTime(5000);
    made.request({ tau: 0.2 });
    made.frame(2, true);
    made.request({ tau: 0.3 });
    expect(sent.at(-1)).toEqual([3, { tau: 0.3 }]);
    expect(silence).toEqual([true, false]);
  });

  it("does nothing after it was closed", () => {
    const { made, sent, silence } = queue();
    made.request({ tau: 0.1 });
    made.close();
    made.request({ tau: 0.2 });
    vi.advanceTimersByTime(5000);
    expect(sent).toHaveLength(1);
    expect(silence).toEqual([]);
  });
});

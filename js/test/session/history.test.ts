import { describe, expect, it } from "vitest";
import { begin, differences, type History, record, walk } from "../../src/session/history.ts";

interface State {
  tau: number;
  feature: string;
  rows: { low: number }[];
}
const state = (tau = 0, feature = "a", low?: number): State => ({
  tau,
  feature,
  rows: low === undefined ? [] : [{ low }],
});
const taking = (...steps: [State, number][]): History<State> =>
  steps.reduce((history, [next, at]) => record(history, next, at), begin(state()));

describe("the history of the inputs", () => {
  it("goes back and forth, and not beyond its beginning", () => {
    const history = taking([state(0, "b"), 0], [state(0, "b", 5), 9000]);
    expect(history.past).toHaveLength(2);
    const back = walk(walk(history, true), true);
    expect(back.present).toEqual(state());
    expect(walk(back, true)).toBe(back);
    expect(walk(back, false).present).toEqual(state(0, "b"));
    const forth = walk(walk(back, false), false);
    expect(forth.present).toEqual(state(0, "b", 5));
    expect(walk(forth, false)).toBe(forth);
  });

  it("does not record an equal state as a step", () => {
    const history = taking([state(0, "a", 5), 0]);
    expect(record(history, state(0, "a", 5), 9000)).toBe(history);
  });

  it("merges the steps of one drag, and separates them by a pause or another input", () => {
    const drag = taking([state(0.1), 0], [state(0.2), 400], [state(0.3), 1300]);
    expect(drag.past).toEqual([state()]);
    expect(drag.present).toEqual(state(0.3));
    expect(record(drag, state(0.4), 2400).past).toHaveLength(2);
    expect(record(drag, state(0.3, "b"), 1400).past).toHaveLength(2);
  });

  it("has nothing to redo after a new change, also within the same drag", () => {
    const back = walk(taking([state(0.1), 0]), true);
    const other = record(back, state(0.5), 100);
    expect(other.future).toEqual([]);
    expect(walk(other, true).present).toEqual(state());
  });

  it("does not record inputs that the kernel selected as a step", () => {
    const history = record(begin(state(0, "")), state(0, "b"), 0);
    expect(history.past).toEqual([]);
    expect(history.present.feature).toBe("b");
    const again = record(record(history, state(0, ""), 5000), state(0, "c"), 9000);
    expect(again.past).toEqual([]);
    // A change by the user at the same time is a step.
    expect(record(begin(state(0, "")), state(0.5, "b"), 0).past).toHaveLength(1);
  });

  it("has a limited length", () => {
    const steps = Array.from({ length: 300 }, (_, i): [State, number] => [state(i), i * 5000]);
    expect(taking(...steps).past).toHaveLength(200);
  });

  it("names the inputs that differ", () => {
    expect(differences(state(), state(0.5, "a", 1))).toEqual(["tau", "rows"]);
  });
});

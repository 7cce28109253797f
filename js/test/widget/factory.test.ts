import { expect, it } from "vitest";
import type { HostModel } from "../../src/session/session.ts";
import { widget } from "../../src/widget/factory.ts";

it("opens and draws where the host passes no signal", () => {
  const model = {} as HostModel;
  const signals: AbortSignal[] = [];
  const made = widget(
    ({ signal }) => signals.push(signal),
    (_, { signal }) => signals.push(signal),
  )();
  made.render({ model, el: document.createElement("div") });
  expect(signals.map((signal) => signal.aborted)).toEqual([false, false]);
});

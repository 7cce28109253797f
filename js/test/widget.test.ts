import v8 from "node:v8";
import vm from "node:vm";
import { expect, it, vi } from "vitest";
import type { HostModel } from "../src/session.ts";
import { widget } from "../src/widget.ts";
import { aboutBinary, wireFrame } from "./fixtures.ts";
import { clearPage, mount } from "./mount.ts";

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

async function ended(): Promise<WeakRef<Element>> {
  const about = aboutBinary();
  const { root } = await mount(about, wireFrame(about, 1));
  clearPage();
  return new WeakRef(root);
}

it("is kept by nothing once the host has ended it", async () => {
  v8.setFlagsFromString("--expose-gc");
  const collect = vm.runInNewContext("gc");
  const root = await ended();
  const isFreed = () => {
    collect();
    // The error of a comparison with the element would keep it.
    expect(root.deref() === undefined).toBe(true);
  };
  await vi.waitFor(isFreed, { timeout: 20_000, interval: 200 });
});

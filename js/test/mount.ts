import { vi } from "vitest";
import factory from "../src/index.ts";
import type { ModelInfo } from "../src/modelInfo.ts";
import { FakeModel } from "./fakeModel.ts";

/** Waits for two animation frames: the first paints, the second paints what the first requested, with the parts it loads. */
export async function painted(): Promise<void> {
  for (let i = 0; i < 2; i++) {
    await new Promise((done) => requestAnimationFrame(() => done(null)));
    await vi.dynamicImportSettled();
  }
}

/** Mounts the widget as a host does, on a model in memory. */
export async function mount(about: ModelInfo, frame?: unknown, changes?: Record<string, unknown>) {
  const model = new FakeModel(about, frame, changes);
  const widget = factory();
  const abort = new AbortController();
  const el = document.body.appendChild(document.createElement("div"));
  widget.initialize({ model, signal: abort.signal });
  widget.render({ model, el, signal: abort.signal });
  await painted();
  const all = <E extends HTMLElement = HTMLElement>(id: string, within: ParentNode = el) => [
    ...within.querySelectorAll<E>(`[data-testid="${id}"]`),
  ];
  const one = <E extends HTMLElement = HTMLElement>(id: string): E => {
    const elements = all<E>(id);
    if (elements.length !== 1) throw new Error(`${elements.length} elements "${id}"`);
    return elements[0] as E;
  };
  return {
    model,
    widget,
    abort,
    el,
    all,
    one,
    root: one("uq-root"),
    /** The changes of the last save without the counter. */
    lastRequest: () => {
      const { _seq, ...changes } = model.saved.at(-1) ?? {};
      return changes;
    },
    async receive(next: unknown): Promise<void> {
      model.receive("_frame", next);
      await painted();
    },
  };
}

export function choose(select: HTMLSelectElement, value: string): void {
  select.value = value;
  select.dispatchEvent(new Event("change", { bubbles: true }));
}

/** Opens the details of a summary, and waits for the controls in it. */
export async function openMore(summary: HTMLElement): Promise<void> {
  const details = summary.parentElement as HTMLDetailsElement;
  details.open = true;
  details.dispatchEvent(new Event("toggle"));
  await painted();
}

export function slide(input: HTMLInputElement, value: number): void {
  input.value = String(value);
  input.dispatchEvent(new Event("input", { bubbles: true }));
}

export function press(element: Element, key: string): KeyboardEvent {
  const event = new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true });
  element.dispatchEvent(event);
  return event;
}

export function clearPage(): void {
  vi.useRealTimers();
  document.body.replaceChildren();
}

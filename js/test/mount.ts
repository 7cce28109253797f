import { vi } from "vitest";
import factory from "../src/index.ts";
import type { ModelInfo } from "../src/session/modelInfo.ts";
import { FakeModel } from "./fakeModel.ts";

/** Waits for two animation frames: the first paints, the second paints what the first requested, with the parts it loads. */
export async function painted(): Promise<void> {
  for (let i = 0; i < 2; i++) {
    await new Promise((done) => requestAnimationFrame(() => done(null)));
    await vi.dynamicImportSettled();
  }
}

// The happy-dom window does not read the signal of a listener of media queries, and would keep every widget.
const lists: MediaQueryList = Object.getPrototypeOf(matchMedia("all"));
const listen = lists.addEventListener;
lists.addEventListener = function (
  this: MediaQueryList,
  type: string,
  listener: (event: MediaQueryListEvent) => void,
  options?: AddEventListenerOptions,
) {
  const own = (event: Event) => listener(event as MediaQueryListEvent);
  listen.call(this, type, own);
  options?.signal?.addEventListener("abort", () => this.removeEventListener(type, own));
} as typeof listen;

/** What ends the widgets that are mounted. */
const mounted: AbortController[] = [];

/** Mounts the widget as a host does, on a model in memory. */
export async function mount(about: ModelInfo, frame?: unknown, changes?: Record<string, unknown>) {
  const model = new FakeModel(about, frame, changes);
  const widget = factory();
  const abort = new AbortController();
  mounted.push(abort);
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

/** Ends all widgets, as a host does before it removes them, and empties the page. */
export function clearPage(): void {
  vi.useRealTimers();
  for (const abort of mounted.splice(0)) abort.abort();
  document.body.replaceChildren();
}

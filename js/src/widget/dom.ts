import type { PickerChoice } from "../controls/picker.ts";

export type Attributes = Record<string, string | number | boolean | null | undefined>;

const SVG = "http://www.w3.org/2000/svg";
const FOCUSABLE = new Set(["button", "input", "select", "summary", "textarea"]);

/** Writes only the attributes that differ: an unchanged write would still cost a style recalculation. */
export function set(element: Element, attributes: Attributes): void {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) element.removeAttribute(name);
    else {
      const text = value === true ? "" : String(value);
      if (element.getAttribute(name) !== text) element.setAttribute(name, text);
    }
  }
  // JupyterLab handles arrow and letter keys of a focused element unless this attribute suppresses its shortcuts.
  if (FOCUSABLE.has(element.localName) || element.hasAttribute("tabindex"))
    element.setAttribute("data-lm-suppress-shortcuts", "true");
}

export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: (Node | string)[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  set(element, attributes);
  element.append(...children);
  return element;
}

export function svg<K extends keyof SVGElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: (Node | string)[]
): SVGElementTagNameMap[K] {
  const element = document.createElementNS(SVG, tag) as SVGElementTagNameMap[K];
  set(element, attributes);
  element.append(...children);
  return element;
}

/** A clip path of a chart, in the chart's pixels. */
export function clipBox(...children: Element[]) {
  const element = svg("svg", { class: "uq-clip" }, ...children);
  return {
    element,
    update(x: number, y: number, width: number, height: number): void {
      set(element, { x, y, width, height, viewBox: `${x} ${y} ${width} ${height}` });
    },
  };
}

/** Commits the value of a field on blur and on Enter; notebooks do not pass Enter to the browser. */
export function onCommit(field: HTMLInputElement, commit: () => void, signal: AbortSignal): void {
  // Enter is followed by a change of the same value, which would be a second request.
  let entered: string | null = null;
  const on = (type: string, run: (event: Event) => void) =>
    field.addEventListener(type, run, { signal });
  on("input", () => {
    entered = null;
  });
  on("change", () => field.value !== entered && commit());
  on("keydown", (event) => {
    if ((event as KeyboardEvent).key !== "Enter") return;
    commit();
    entered = field.value;
  });
}

/** Writes a text only if it differs, so that screen readers do not announce it again. */
export function setText(element: Element, text: string): void {
  if (element.textContent !== text) element.textContent = text;
}

/** An element, or a group of marks with its named elements. */
type Pooled = Element | { element: Element };
const elementOf = (item: Pooled): Element => (item instanceof Element ? item : item.element);

/** Exactly `count` children of one kind, reused from frame to frame. */
export function pool<T extends Pooled>(parent: Element, create: () => T): (count: number) => T[] {
  const items: T[] = [];
  return (count) => {
    while (items.length < count) {
      const item = create();
      items.push(item);
      parent.append(elementOf(item));
    }
    for (const item of items.splice(count)) elementOf(item).remove();
    return items;
  };
}

/** The choices of a select, rebuilt only when they differ, so that an open list stays open. */
export function setOptions(select: HTMLSelectElement, choices: PickerChoice[]): void {
  const same =
    select.options.length === choices.length &&
    choices.every((choice, i) => {
      const option = select.options[i];
      return option?.value === choice.value && option.textContent === choice.label;
    });
  if (same) return;
  const groups = new Map<string, HTMLOptGroupElement>();
  select.replaceChildren();
  for (const { value, label, disabled, title, group } of choices) {
    const option = h("option", { value, disabled, title }, label);
    if (group === undefined) select.append(option);
    else {
      const parent = groups.get(group) ?? h("optgroup", { label: group });
      groups.set(group, parent);
      parent.append(option);
      select.append(parent);
    }
  }
}

/** Calls a function before and after printing. */
export function onPrint(callback: (event: Event) => void, signal: AbortSignal) {
  for (const name of ["beforeprint", "afterprint"]) addEventListener(name, callback, { signal });
}

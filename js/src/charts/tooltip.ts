import { h } from "../widget/dom.ts";

export interface Reading {
  title: string;
  rows: [name: string, value: string][];
}

/** A reading as one sentence for screen readers. */
export const spoken = ({ title, rows }: Reading): string =>
  [title, ...rows.map(([name, value]) => `${name} ${value}`)].join(", ");

/** A small card beside the crosshair that stays inside the plot. */
export function tooltip() {
  const element = h("div", { class: "uq-tooltip", "aria-hidden": "true", hidden: true });
  return {
    element,
    show({ title, rows }: Reading, x: number, y: number, width: number): void {
      element.replaceChildren(
        h("strong", {}, title),
        ...rows.map(([name, value]) => h("div", {}, h("span", {}, name), h("span", {}, value))),
      );
      const left = x > width / 2;
      // Through the style object: a strict Content-Security-Policy refuses style attributes.
      Object.assign(element.style, {
        top: `${Math.max(0, y).toFixed(0)}px`,
        left: left ? "auto" : `${(x + 10).toFixed(0)}px`,
        right: left ? `${(width - x + 10).toFixed(0)}px` : "auto",
      });
      element.hidden = false;
    },
    hide(): void {
      element.hidden = true;
    },
  };
}

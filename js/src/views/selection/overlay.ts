import { h, set, setText, svg } from "../../dom.ts";

/** A layer over a chart, for marks and for the name of the row under the pointer. */
export function overlay() {
  const element = svg("svg", { class: "uq-selection-layer", "aria-hidden": "true" });
  const name = h("div", { class: "uq-tooltip uq-row-name", "aria-hidden": "true", hidden: true });
  return {
    element,
    /** Attaches the layer to a chart, which may be another element than before. */
    attach(to: HTMLElement): void {
      if (element.parentElement !== to) to.append(element, name);
    },
    say(text: string, x: number, y: number): void {
      name.hidden = !text;
      if (!text) return;
      setText(name, text);
      const width = element.getBoundingClientRect().width;
      const isRight = x > width / 2;
      Object.assign(name.style, {
        top: `${Math.max(0, y - 30).toFixed(0)}px`,
        left: isRight ? "auto" : `${(x + 12).toFixed(0)}px`,
        right: isRight ? `${(width - x + 12).toFixed(0)}px` : "auto",
      });
    },
    path(className: string): { update(d: string): void } {
      const path = svg("path", { class: className });
      element.append(path);
      return { update: (d) => set(path, { d: d || null }) };
    },
  };
}

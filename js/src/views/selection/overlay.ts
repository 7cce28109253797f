import { h, set, setText, svg } from "../../widget/dom.ts";

/** How opaque each of many lines is. */
export const opacityOf = (lines: number) => Math.min(1, Math.max(0.12, 20 / Math.max(lines, 1)));

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
    /** Adds a path; the more lines it has, the fainter it is, so that what lies below is seen. */
    path(className: string): { update(d: string, lines?: number): void } {
      const path = svg("path", { class: className });
      element.append(path);
      return {
        update: (d, lines = 1) =>
          set(path, { d: d || null, "stroke-opacity": opacityOf(lines).toFixed(2) }),
      };
    },
  };
}

import { h, onPrint, set, setText } from "../widget/dom.ts";
import { type Table, tableTwin } from "./table.ts";

/** The figure around every chart: its name, a summary in words, the plot, and its numbers as a table. */
export function figure(
  signal: AbortSignal,
  onResize: () => void,
  title: string,
  content = h("div", { class: "uq-plot-content" }),
) {
  const plot = h("div", { class: "uq-plot" }, content);
  const summary = h("p", { class: "uq-sr" });
  const twin = tableTwin(`Table: numbers behind ${title}`, signal);
  const element = h("figure", { class: "uq-figure", role: "group" }, plot, summary, twin.element);
  // Only widths from the observer are used, because hosts report temporary widths during a layout.
  let width = 0;
  const measure = (length: number) => {
    const now = Math.floor(length);
    if (now === width || now === 0) return;
    width = now;
    onResize();
  };
  const observer = new ResizeObserver(([entry]) => measure(entry?.contentRect.width ?? 0));
  // No size is observed between the layout of the screen and that of the paper.
  onPrint(() => measure(content.clientWidth), signal);
  observer.observe(content);
  signal.addEventListener("abort", () => observer.disconnect());
  return {
    element,
    plot,
    content,
    /** A chart that is not attached yet is drawn at a default width and redrawn later. */
    get width(): number {
      return width || Math.floor(content.clientWidth) || 480;
    },
    describe(name: string, text: string, table: () => Table): void {
      set(element, { "aria-label": name });
      setText(summary, text);
      twin.update(table);
    },
  };
}

export type Figure = ReturnType<typeof figure>;

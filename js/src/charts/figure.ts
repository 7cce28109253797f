import { h, set, setText } from "../dom.ts";
import { type Table, tableTwin } from "./table.ts";

/** The frame of every chart: a name, a summary in words, the plot, and the same numbers as a table. */
export function figure(signal: AbortSignal, onResize: () => void) {
  const plot = h("div", { class: "uq-plot" });
  const summary = h("p", { class: "uq-sr" });
  const twin = tableTwin("Numbers behind the chart", signal);
  const element = h("figure", { class: "uq-figure", role: "group" }, plot, summary, twin.element);
  let width = 0;
  const observer = new ResizeObserver(() => {
    const now = Math.floor(plot.clientWidth);
    if (now === width) return;
    width = now;
    onResize();
  });
  observer.observe(plot);
  signal.addEventListener("abort", () => observer.disconnect());
  return {
    element,
    plot,
    /** Where nothing is laid out (not attached yet) a chart is drawn at a common width and redrawn later. */
    get width(): number {
      return Math.floor(plot.clientWidth) || 480;
    },
    describe(name: string, text: string, table: () => Table): void {
      set(element, { "aria-label": name });
      setText(summary, text);
      twin.update(table);
    },
  };
}

export type Figure = ReturnType<typeof figure>;

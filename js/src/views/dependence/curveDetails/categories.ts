import { categoryRows, shareAt } from "../../../charts/categoryRows.ts";
import type { CurveOptions } from "../../../charts/curves.ts";
import { h, setText } from "../../../widget/dom.ts";
import { counted, percent } from "../../../widget/format.ts";
import type { Dependence } from "../reader.ts";

/** Number of categories that are shown before the others are folded. */
const MOST = 12;

/** The points of the grid from top to bottom, at most so many: the rarest ones are left out. */
export function shownRows(data: Dependence, most: number, order = ""): number[] {
  const all = Array.from(data.grid, (_, i) => i);
  // At τ = 0, so that rows keep their places while τ moves.
  const shares = all.map((i) => shareAt(data, data.countsBase, i));
  const downBy = (values: ArrayLike<number>) => (a: number, b: number) =>
    (values[b] ?? 0) - (values[a] ?? 0);
  const byShare = [...all].sort(downBy(shares));
  const frequent = byShare.slice(0, most);
  if (order === "count") return frequent;
  if (order === "value") return frequent.sort(downBy(data.base));
  return frequent.sort((a, b) => a - b);
}

/** The chart of categories, and below it how many are folded. */
export function categoryChart(signal: AbortSignal, redraw: () => void) {
  const chart = categoryRows();
  const rest = h("span");
  const button = h("button", {
    type: "button",
    class: "uq-button uq-small",
    "data-testid": "uq-all-categories",
  });
  const foot = h("p", { class: "uq-caption uq-folded" }, rest, " ", button);
  let isOpen = false;
  button.addEventListener(
    "click",
    () => {
      isOpen = !isOpen;
      redraw();
    },
    { signal },
  );
  return {
    canvas: chart.canvas,
    element: chart.element,
    foot,
    update(data: Dependence, width: number, options: CurveOptions) {
      const count = data.grid.length;
      const rows = shownRows(data, isOpen ? count : MOST, options.order);
      const shown = rows.reduce((sum, i) => sum + shareAt(data, data.counts, i), 0);
      const folded = data.nValues - rows.length;
      const others = [
        folded > 0 && counted(folded, "more value"),
        data.hasMissing && "rows without a value",
      ].filter(Boolean);
      foot.hidden = others.length === 0 && count <= MOST;
      button.hidden = count <= MOST;
      setText(
        rest,
        others.length
          ? `+ ${others.join(" and ")}, ${percent(1 - shown)} of the rows`
          : "all values are shown",
      );
      setText(button, isOpen ? "show fewer" : "show more");
      return chart.update(data, width, options, rows);
    },
  };
}

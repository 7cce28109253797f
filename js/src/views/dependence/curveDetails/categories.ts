import { categoryRows, shareAt } from "../../../charts/categoryRows.ts";
import type { CurveOptions } from "../../../charts/curves.ts";
import { h, setText } from "../../../dom.ts";
import { counted, percent } from "../../../format.ts";
import type { Dependence } from "../reader.ts";

/** Number of categories that are shown before the others are folded. */
const MOST = 12;

/** The points of the grid from top to bottom, at most so many: the rarest ones are left out. */
export function shownRows(data: Dependence, most: number): number[] {
  const all = Array.from(data.grid, (_, i) => i);
  // At τ = 0, so that rows keep their places while τ moves.
  const shares = all.map((i) => shareAt(data, data.countsBase, i));
  const byShare = [...all].sort((a, b) => (shares[b] as number) - (shares[a] as number));
  const chosen = new Set(byShare.slice(0, most));
  return all.filter((i) => chosen.has(i));
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
      const rows = shownRows(data, isOpen ? count : MOST);
      const shown = rows.reduce((sum, i) => sum + shareAt(data, data.counts, i), 0);
      const folded = count - rows.length;
      foot.hidden = count <= MOST;
      setText(
        rest,
        folded
          ? `+ ${counted(folded, "more value")}, ${percent(1 - shown)} of the rows`
          : "all values are shown",
      );
      setText(button, folded ? "show all" : "show fewer");
      return chart.update(data, width, options, rows);
    },
  };
}

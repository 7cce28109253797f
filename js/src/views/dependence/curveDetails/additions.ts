import type { Additions } from "../../../charts/curves.ts";
import { MANY } from "../../../charts/lines.ts";
import { timeTicks } from "../../../charts/timeTicks.ts";
import type { Inputs } from "../../../session/inputs.ts";
import type { Dependence } from "../reader.ts";
import { categoryChart } from "./categories.ts";
import { groupLegend, groupsAt } from "./legend.ts";
import { manyLines } from "./manyLines.ts";
import { overlay } from "./overlay.ts";
import { withRamp } from "./ramp.ts";

/** The chart of categories, and what is added to the chart of numbers: own values, groups, dates, many lines. */
export function additions(legend: Element, signal: AbortSignal, redraw: () => void) {
  const groups = groupLegend();
  legend.append(groups.element);
  return {
    categories: categoryChart(signal, redraw),
    /** Returns the data with the styles of their groups, and what is added to the chart. */
    update(plain: Dependence, inputs: Inputs): Additions & { data: Dependence } {
      const data = withRamp(plain);
      groups.update(data, inputs.rug);
      const ticks = data.time ? { ticks: timeTicks } : {};
      return {
        data,
        lines: data.n_lines > MANY ? manyLines : null,
        overlay: overlay(inputs.rug),
        groupsAt,
        order: inputs.category_order,
        ...ticks,
      };
    },
  };
}

import { h, pool, set, setText } from "../../../widget/dom.ts";
import { interval, isolated, number } from "../../../widget/format.ts";
import { key, swatch } from "../../legend.ts";
import type { Dependence } from "../reader.ts";
import { RAMP } from "./ramp.ts";

/** The legend of the lines where a column colours them: its ramp with both ends, or its groups. */
export function groupLegend() {
  const element = h("span", { class: "uq-group-legend", "data-testid": "uq-group-legend" });
  let shown = "";
  return {
    element,
    update(data: Dependence, hasRug: boolean): void {
      const { colorBy, groups, ramp, looks, groupAverage, own, ownValue } = data;
      const marks = [
        ownValue ? "dots: each row at its own value" : "",
        own && hasRug && !data.isApart ? "ticks: own values" : "",
      ].filter(Boolean);
      element.hidden = !colorBy && !marks.length;
      const now = JSON.stringify([colorBy, groups, ramp, groupAverage !== null, marks]);
      if (now === shown) return;
      shown = now;
      const bar = h("span", { class: "uq-color-ramp" });
      pool(bar, () => h("span"))(RAMP.length - 1).forEach((step, k) => {
        set(step, { class: RAMP[k]?.className });
      });
      const ends = ramp?.map((text) => h("span", {}, text)) ?? [];
      const named = groups.map((name, k) => {
        const look = looks[Math.min(k, looks.length - 1)];
        const text = h("span", { class: "uq-key-name", title: name });
        setText(text, name);
        return key(text, swatch(look?.className ?? "", look?.dash));
      });
      // The thirds of a number have lines of their own only where they are averaged.
      const keys = ramp && !groupAverage ? named.filter((_, k) => groups[k] === "missing") : named;
      const coloured = [
        h("span", {}, `rows by ${isolated(colorBy)}:`),
        ...(ramp && ends[0] && ends[1]
          ? [h("span", { class: "uq-key" }, ends[0], bar, ends[1])]
          : []),
        ...keys,
      ];
      element.replaceChildren(
        ...(colorBy ? coloured : []),
        ...marks.map((text) => h("span", {}, text)),
      );
    },
  };
}

/** The average of each group at a grid point, with its interval. */
export function groupsAt(data: Dependence, i: number): [name: string, value: string][] {
  const { groupAverage, groupLow, groupHigh, groups, grid } = data;
  if (!groupAverage) return [];
  return groups.map((name, k) => {
    const at = k * grid.length + i;
    const ends = interval(groupLow?.[at], groupHigh?.[at]);
    return [isolated(name), `${number(groupAverage[at])} (${ends})`];
  });
}

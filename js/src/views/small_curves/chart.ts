import { areaPath, linePath } from "../../charts/paths.ts";
import { h, set, setText, svg } from "../../widget/dom.ts";
import { isolated, number } from "../../widget/format.ts";
import type { SmallCurve } from "./reader.ts";

const HEIGHT = 72;
const EDGE = 4;
/** Bottom and top of what is drawn. */
export const RANGE: [number, number] = [HEIGHT - EDGE, EDGE];

/** The ends of the horizontal axis in words. */
export function ends({ places, categories, time }: SmallCurve): [string, string] {
  const text = (i: number): string => {
    const place = places[i];
    if (categories) return categories[i] ?? "";
    if (time)
      return Number.isFinite(place) ? new Date(place as number).toISOString().slice(0, 10) : "";
    return number(place);
  };
  return [text(0), places.length > 1 ? text(places.length - 1) : ""];
}

/** One small chart, which is a button that picks its feature. */
export function smallChart(onPick: (feature: string) => void, signal: AbortSignal) {
  const band = svg("path", { class: "uq-small-band" });
  const line = svg("path", { class: "uq-small-line" });
  const dots = svg("g", { class: "uq-small-dots" });
  const level = svg("line", { class: "uq-ghost" });
  const plot = svg("svg", { height: HEIGHT, "aria-hidden": "true" }, level, band, line, dots);
  const name = h("span", { class: "uq-small-name" });
  const [left, right] = [h("span"), h("span")];
  const element = h(
    "button",
    { type: "button", class: "uq-small-chart uq-small-curve", "data-testid": "uq-small-curve" },
    name,
    plot,
    h("span", { class: "uq-small-ends" }, left, right),
  );
  let feature = "";
  element.addEventListener("click", () => onPick(feature), { signal });
  return {
    element,
    update(
      curve: SmallCurve,
      y: (value: number) => number,
      middle: number,
      width: number,
      isPicked: boolean,
      description: string,
    ): void {
      feature = curve.feature;
      const { places, categories } = curve;
      const first = places[0] ?? 0;
      const span = (places[places.length - 1] ?? 0) - first || 1;
      const inner = width - 2 * EDGE;
      const count = Math.max(1, places.length);
      const x = Array.from(places, (place, i) =>
        categories ? EDGE + ((i + 0.5) / count) * inner : EDGE + ((place - first) / span) * inner,
      );
      const heights = (values: Float64Array) => Array.from(values, (value) => y(value));
      const [low, high, average] = [curve.low, curve.high, curve.average].map(heights) as [
        number[],
        number[],
        number[],
      ];
      set(plot, { width, viewBox: `0 0 ${width} ${HEIGHT}` });
      set(level, { x1: 0, x2: width, y1: y(middle), y2: y(middle) });
      set(band, { d: categories ? null : areaPath(x, low, high) });
      set(line, { d: categories ? null : linePath(x, average) });
      dots.replaceChildren(
        ...(categories
          ? x.flatMap((at, i) => [
              svg("line", { x1: at, x2: at, y1: low[i], y2: high[i] }),
              svg("circle", { cx: at, cy: average[i], r: 2.5 }),
            ])
          : []),
      );
      setText(name, curve.feature);
      const [start, end] = ends(curve);
      setText(left, start);
      setText(right, end);
      set(element, {
        "aria-pressed": isPicked ? "true" : "false",
        "aria-label": `${isolated(curve.feature)}: ${description}`,
        title: curve.feature,
      });
    },
  };
}

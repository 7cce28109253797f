import { lookOf } from "../../charts/classes.ts";
import { extent, SteadyScale } from "../../charts/domain.ts";
import { placeLevel, placeUpright } from "../../charts/marks.ts";
import { linePath } from "../../charts/paths.ts";
import { clipBox, h, pool, set, setText, svg } from "../../widget/dom.ts";
import { decimals, isolated, number, withUnit } from "../../widget/format.ts";

const HEIGHT = 84;
const EDGE = 5;

export interface Drawn {
  name: string;
  label: string;
  unit: string;
  taus: ArrayLike<number>;
  /** Values of each line at each τ. */
  lines: Float32Array[];
  /** The line of the stressed feature, or -1. */
  stressed: number;
  tau: number;
  isPicked: boolean;
  width: number;
}

/** An indicator over τ as a small chart, which is a button that picks the indicator. */
export function indicatorChart(onPick: (indicator: string) => void, signal: AbortSignal) {
  const paths = svg("g", { class: "uq-feature-lines" });
  const marks = pool(paths, () => svg("path"));
  const start = svg("line", { class: "uq-ghost" });
  const rule = svg("line", { class: "uq-rule", y1: 0, y2: HEIGHT });
  const box = clipBox(start, paths);
  const plot = svg("svg", { height: HEIGHT, "aria-hidden": "true" }, box.element, rule);
  const name = h("span", { class: "uq-small-name" });
  const [low, high] = [h("span"), h("span")];
  const element = h(
    "button",
    {
      type: "button",
      class: "uq-small-chart uq-indicators-chart",
      "data-testid": "uq-indicators-chart",
    },
    name,
    plot,
    h("span", { class: "uq-small-ends" }, low, high),
  );
  const steady = new SteadyScale();
  let indicator = "";
  element.addEventListener("click", () => onPick(indicator), { signal });
  return {
    element,
    update(drawn: Drawn): void {
      const { taus, lines, width } = drawn;
      indicator = drawn.name;
      const known = extent(...lines);
      const y = steady.fit(drawn.name, known, [HEIGHT - EDGE, EDGE]);
      const x = (tau: number) => EDGE + ((tau + 1) / 2) * (width - 2 * EDGE);
      const at = Array.from(taus, x);
      set(plot, { width, viewBox: `0 0 ${width} ${HEIGHT}` });
      box.update(0, 0, width, HEIGHT);
      marks(lines.length).forEach((mark, i) => {
        const { className, dash } = lookOf(i);
        const heights = Array.from(lines[i] as Float32Array, (value) => y(value));
        set(mark, {
          d: linePath(at, heights),
          class: className + (i === drawn.stressed ? " uq-feature-picked" : ""),
          "stroke-dasharray": dash.join(" ") || null,
        });
      });
      // Without stress all lines have the same value.
      const middle = Array.from(taus).indexOf(0);
      const same = lines.map((line) => line[middle] ?? Number.NaN).find(Number.isFinite);
      placeLevel(start, same === undefined ? null : y(same), 0, width);
      placeUpright(rule, x(drawn.tau));
      const title = withUnit(drawn.label, drawn.unit);
      const [least, most] = known ?? [Number.NaN, Number.NaN];
      setText(name, title);
      // One format for both ends: beside an end of 0.1, one of 1e-6 is 0.
      const print = most > least ? decimals(most - least) : number;
      setText(low, known ? `from ${print(least)}` : "not available");
      setText(high, known ? `to ${print(most)}` : "");
      const range = known ? `from ${print(least)} to ${print(most)}` : "not available";
      set(element, {
        "aria-pressed": drawn.isPicked ? "true" : "false",
        "aria-label": `${isolated(title)}: ${range}`,
        title,
      });
    },
  };
}

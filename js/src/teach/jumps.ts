import { scaleLinear } from "d3-scale";
import { axis, setFitted, ticksOf } from "../charts/axis.ts";
import { extent } from "../charts/domain.ts";
import { pool, set, svg } from "../widget/dom.ts";

const LINE = 9;
const TOP = 20;

/** How a number of single rows jumps: a hollow dot before, a full one after, and a line between. */
export function jumpChart() {
  const bottom = axis("bottom");
  const title = svg("text", { class: "uq-title", x: 0, y: 11 });
  const marks = svg("g");
  const element = svg(
    "svg",
    { class: "uq-jumps", "aria-hidden": "true" },
    marks,
    bottom.element,
    title,
  );
  const rows = pool(marks, () => {
    const [lane, line, before, after] = [svg("line"), svg("line"), svg("circle"), svg("circle")];
    set(lane, { class: "uq-lane" });
    set(before, { class: "uq-before", r: 2.5 });
    set(after, { class: "uq-after", r: 3.5 });
    return { element: svg("g", {}, lane, line, before, after), lane, line, before, after };
  });
  return {
    element,
    /** The rows that have no value in `after` yet are as they were; `last` is the one that moved last. */
    update(
      name: string,
      width: number,
      before: Float64Array,
      after: Float64Array,
      last: number,
    ): void {
      const [low, high] = extent(before, after) ?? [0, 1];
      const x = scaleLinear([Math.min(0, low), high > low ? high : low + 1], [8, width - 10]);
      const floor = TOP + before.length * LINE + 4;
      set(element, { width, height: floor + 20 });
      set(bottom.element, { transform: `translate(0,${floor})` });
      bottom.update(ticksOf(x, width - 18, 60), 4);
      setFitted(title, name, width);
      rows(before.length).forEach(({ element, lane, line, before: dot, after: moved }, i) => {
        const [from, to] = [x(before[i] as number), x((after[i] ?? before[i]) as number)];
        const lit = i < after.length;
        set(element, {
          class: lit ? (i === last ? "uq-jump uq-last" : "uq-jump") : "uq-rest",
          transform: `translate(0,${TOP + (i + 0.5) * LINE})`,
        });
        set(lane, { x1: 8, x2: width - 10 });
        set(dot, { cx: from.toFixed(1) });
        set(line, {
          x1: from.toFixed(1),
          x2: to.toFixed(1),
          visibility: lit ? null : "hidden",
        });
        set(moved, { cx: to.toFixed(1), visibility: lit ? null : "hidden" });
      });
    },
  };
}

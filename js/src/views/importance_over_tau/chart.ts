import { alongTau, axes, setFitted, tauTicks } from "../../charts/axis.ts";
import { lookOf } from "../../charts/classes.ts";
import type { Readable } from "../../charts/crosshair.ts";
import { extent, roomFor, SteadyScale } from "../../charts/domain.ts";
import { placeLevel, placeUpright } from "../../charts/marks.ts";
import { areaPath, linePath } from "../../charts/paths.ts";
import { clipBox, pool, set, svg } from "../../widget/dom.ts";
import { interval, level, number } from "../../widget/format.ts";
import { LEVELS, type Line } from "./reader.ts";

const TOP = 22;
const PLOT = 170;

export interface Drawn {
  lines: Line[];
  name(row: number): string;
  title: string;
  key: string;
  tau: number;
  picked: number;
}

/** Importance over τ: a line and a band for each feature, in its own colour and dash. */
export function linesOverTau() {
  const { left, bottom, update: drawAxes } = axes();
  const bands = svg("g", { class: "uq-feature-bands" });
  const areas = pool(bands, () => svg("path"));
  const paths = svg("g", { class: "uq-feature-lines" });
  const marks = pool(paths, () => svg("path"));
  const zero = svg("line", { class: "uq-ghost" });
  const box = clipBox(zero, bands, paths);
  const vertical = { y1: TOP, y2: TOP + PLOT };
  const rule = svg("line", { class: "uq-rule", ...vertical });
  const cross = svg("line", { class: "uq-crosshair", ...vertical, visibility: "hidden" });
  const title = svg("text", { class: "uq-title", y: 11 });
  const element = svg(
    "svg",
    { height: TOP + PLOT + 26, "aria-hidden": "true" },
    left,
    bottom,
    box.element,
    rule,
    cross,
    title,
  );
  const steady = new SteadyScale();

  return {
    element,
    update(
      { lines, name, title: text, key, tau, picked }: Drawn,
      width: number,
    ): Readable & { near(px: number, py: number): number | null } {
      const low = lines.flatMap((one) => one.low);
      const high = lines.flatMap((one) => one.high);
      const widths = Float64Array.from(high, (end, i) => end - (low[i] as number))
        .filter(Number.isFinite)
        .sort();
      const values = extent([0], ...lines.map(({ value }) => value));
      const shown = roomFor(values, { low, high }, widths[widths.length >> 1]);
      const y = steady.fit(key, shown, [TOP + PLOT, TOP]);
      const place = { top: TOP, height: PLOT, width };
      const { x, margin, inner } = drawAxes(y, place, alongTau, tauTicks, 36);
      const at = LEVELS.map((one) => x(one));
      const heights = (values: ArrayLike<number>) => Array.from(values, (one) => y(one));

      set(element, { width });
      setFitted(title, text, width);
      box.update(margin - 2, TOP - 2, inner + 4, PLOT + 4);
      placeLevel(zero, y(0), margin, margin + inner);
      placeUpright(rule, x(tau));
      const drawn = lines.map((one, i) => ({ ...one, look: lookOf(i) }));
      areas(drawn.length).forEach((mark, i) => {
        const { low, high, look } = drawn[i] as (typeof drawn)[number];
        set(mark, { d: areaPath(at, heights(low), heights(high)), class: look.className });
      });
      marks(drawn.length).forEach((mark, i) => {
        const { row, value, look } = drawn[i] as (typeof drawn)[number];
        const dash = look.dash.join(" ") || null;
        const strong = row === picked ? " uq-feature-picked" : "";
        set(mark, {
          d: linePath(at, heights(value)),
          class: look.className + strong,
          "stroke-dasharray": dash,
        });
      });

      return {
        name: `Read ${text} along τ`,
        positions: at,
        width,
        top: TOP,
        mark: (i) => placeUpright(cross, i === null ? null : at[i]),
        reading(i) {
          const order = [...lines].sort((a, b) => (b.value[i] ?? 0) - (a.value[i] ?? 0));
          return {
            title: `τ ${level(LEVELS[i] ?? 0)}`,
            rows: order.map(({ row, value, low, high }): [string, string] => [
              name(row),
              `${number(value[i])} (${interval(low[i], high[i])})`,
            ]),
          };
        },
        near(px, py) {
          const i = Math.round((x.invert(px) + 1) * 20);
          let best: number | null = null;
          let distance = 14;
          for (const { row, value } of lines) {
            const away = Math.abs(y(value[i] ?? Number.NaN) - py);
            if (away < distance) [best, distance] = [row, away];
          }
          return best;
        },
      };
    },
  };
}

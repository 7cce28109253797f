import { diagonal } from "../../charts/diagonal.ts";
import { extent, SteadyScale } from "../../charts/domain.ts";
import { figure } from "../../charts/figure.ts";
import { opacity } from "../../charts/lines.ts";
import { h, pool, set, setText, svg } from "../../widget/dom.ts";
import { counted, isolated, number } from "../../widget/format.ts";
import type { Context } from "../view.ts";
import type { Points } from "./reader.ts";

/** True values of some rows over their predictions; darker where stress gives the row more weight. */
export function residualFigure(target: string, { signal, redraw, plots }: Context) {
  const fig = figure(signal, redraw, "Predictions");
  const dots = svg("g", { class: "uq-dots" });
  const dot = pool(dots, () => svg("circle", { r: 3 }));
  const chart = diagonal(dots);
  const caption = h("p", { class: "uq-caption" });
  const steady = new SteadyScale();
  fig.content.append(chart.element);
  fig.element.prepend(h("h4", {}, "Predictions"), caption);
  const name = isolated(target);

  return {
    element: fig.element,
    update(points: Points | null): void {
      fig.element.hidden = points === null;
      if (!points) return;
      const { predicted, truth, weight, rows } = points;
      const both = extent(predicted, truth);
      const scale = (range: [number, number]) => steady.fit("", both, range);
      const { x, y } = chart.update(scale, ["predicted mean", `true ${target}`], fig.width);
      const at = (scale: (value: number) => number, values: Float32Array) =>
        Array.from(values, (value) => scale(value));
      plots.points = { element: fig.content, rows, x: at(x, predicted), y: at(y, truth) };
      dot(predicted.length).forEach((circle, i) => {
        set(circle, {
          cx: x(predicted[i] ?? 0).toFixed(1),
          cy: y(truth[i] ?? 0).toFixed(1),
          opacity: Math.min(0.9, 2 * opacity(weight[i] ?? 1, predicted.length)).toFixed(3),
        });
      });
      setText(caption, `${counted(predicted.length, "row")}; on the dashed line, both agree.`);
      const errors = Array.from(predicted, (value, i) => Math.abs((truth[i] ?? 0) - value));
      fig.describe(
        `True ${name} against predicted mean, of ${counted(predicted.length, "row")}`,
        `The largest error is ${number(Math.max(...errors))}.`,
        () => ({
          columns: ["predicted mean", `true ${target}`, "weight"],
          rows: Array.from(predicted, (value, i) =>
            [value, truth[i], weight[i]].map((one) => number(one)),
          ),
        }),
      );
    },
  };
}

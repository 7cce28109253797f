import { gridLabel } from "../../../charts/curves.ts";
import { checkBox, picker, wholeNumber } from "../../../controls/picker.ts";
import type { Frame } from "../../../session/frame.ts";
import type { Inputs } from "../../../session/inputs.ts";
import type { ModelInfo } from "../../../session/modelInfo.ts";
import type { Session } from "../../../session/session.ts";
import { h } from "../../../widget/dom.ts";
import type { Dependence } from "../reader.ts";

const SPACINGS = [
  { value: "quantile", label: "where rows are" },
  { value: "even", label: "evenly" },
];
const ORDERS = [
  { value: "", label: "their own" },
  { value: "value", label: "by average" },
  { value: "count", label: "by number of rows" },
];

/** The values at which lines can be 0: the first, any other of the grid, and the one that is set. */
function centers(data: Dependence | null | undefined, center: string) {
  const values = Array.from(data?.grid ?? [], (place, i) => ({
    value: data?.labels?.[i] ?? String(place),
    label: data ? gridLabel(data, i) : "",
  }));
  const isKnown = center === "" || values.some(({ value }) => value === center);
  const other = isKnown ? [] : [{ value: center, label: center }];
  return [{ value: "", label: "the first value" }, ...other, ...values];
}

/** The controls of the curves that are used rarely. */
export function curveControls(session: Session, about: ModelInfo, signal: AbortSignal) {
  const to = (name: keyof Inputs) => (value: unknown) => session.request({ [name]: value });
  const check = (label: string, id: string, name: keyof Inputs, title?: string) =>
    checkBox(label, { "data-testid": id, title }, to(name), signal);
  const pick = (label: string, id: string, name: keyof Inputs) =>
    picker(label, { "data-testid": id }, to(name), signal);
  const lines = wholeNumber(
    "rows drawn",
    { min: 0, max: 5000, "data-testid": "uq-lines" },
    to("ice_lines"),
    signal,
  );
  const colour = pick("colour by", "uq-color-by", "color_by");
  const groups = check("average of each colour", "uq-group-averages", "group_averages");
  const own = check("own values as dots", "uq-own-values", "own_values");
  const rug = check("rug", "uq-rug", "rug");
  const center = check("start all lines at 0", "uq-center", "center");
  const centerAt = pick("at", "uq-center-at", "center_at");
  const relative = check("change from the row as it is", "uq-relative", "relative");
  const derivative = check("show slope", "uq-derivative", "derivative");
  const spacing = pick("values", "uq-spacing", "spacing");
  const order = pick("order", "uq-category-order", "category_order");
  const clip = check(
    "zoom to the average",
    "uq-clip",
    "clip_lines",
    "The axis follows the average, and single lines are cut.",
  );
  const byClass = about.classes.length ? (about.target ?? "class") : "nothing";
  const columns = [
    { value: "", label: byClass },
    ...[...about.features, ...about.extra].map(({ name }) => ({ value: name, label: name })),
  ];
  const all = [lines, colour, groups, own, rug, center, centerAt, relative, derivative];
  return {
    element: h(
      "div",
      { class: "uq-curve-controls" },
      ...[...all, spacing, order, clip].map(({ element }) => element),
    ),
    update(inputs: Inputs, frame: Frame | null): void {
      const data = frame?.dependence;
      const isSlope = data?.derivative === true;
      lines.update(inputs.ice_lines);
      colour.update(columns, inputs.color_by);
      const isGrouped = inputs.color_by !== "" || about.classes.length > 0;
      groups.update(inputs.group_averages, isGrouped ? null : "all lines have one colour");
      own.update(inputs.own_values, isSlope ? "a slope has no value of the row itself" : null);
      rug.update(inputs.rug, data?.isApart ? "the shares of the rows stand beside" : null);
      const same = "the slope is the same wherever lines start";
      const zero = "each line is 0 at the own value of its row";
      center.update(inputs.center, isSlope ? same : inputs.relative ? zero : null);
      centerAt.element.hidden = !inputs.center || isSlope || inputs.relative;
      centerAt.update(centers(data, inputs.center_at), inputs.center_at);
      relative.update(inputs.relative, isSlope ? same : null);
      const kind = data?.time ? "a date" : "categorical";
      derivative.update(
        inputs.derivative,
        data?.labels ? `${data.feature} is ${kind}, so its curve has no slope` : null,
      );
      spacing.element.hidden = data?.categorical === true;
      spacing.update(SPACINGS, inputs.spacing);
      order.element.hidden = data?.categorical !== true;
      order.update(ORDERS, inputs.category_order);
      clip.update(inputs.clip_lines, null);
    },
  };
}

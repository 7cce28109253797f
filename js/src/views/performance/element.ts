import { tableOf } from "../../charts/table.ts";
import { checkBox, picker } from "../../controls/picker.ts";
import { h, set, setText } from "../../widget/dom.ts";
import { fixed, interval, number, percent, power, withUnit } from "../../widget/format.ts";
import { isStressed, rowsBehind } from "../legend.ts";
import { type Context, type Panel, section } from "../view.ts";
import { alongFigure } from "./along.ts";
import { calibrationFigure } from "./calibration.ts";
import { confusionTable } from "./confusion.ts";
import type { Performance, Score } from "./reader.ts";
import { residualFigure } from "./residuals.ts";

/** A score and both ends of its interval, with the decimals that the interval gives a meaning to. */
function withDecimals({ value, low, high }: Score): [string, string] {
  const wide = (high ?? Number.NaN) - (low ?? Number.NaN);
  if (value === null || low === null || high === null || !(wide > 0))
    return [number(value), interval(low, high)];
  const places = Math.max(0, 1 - power(wide));
  const print = (one: number) => (places > 6 ? number(one) : fixed(one, places));
  return [print(value), `${print(low)} to ${print(high)}`];
}

/** The performance of the model on the selected rows: scores, calibration and confusion. */
export function performancePanel(context: Context): Panel {
  const { about, session, signal, redraw } = context;
  const scores = h("div", { class: "uq-scores" });
  const target = about.target ?? "";
  const calibration = calibrationFigure(signal, redraw);
  /** Whether the model has probabilities, so that classes have log-odds. */
  let hasOdds = false;
  const pick = (truth: string, predicted: string) => {
    const isError = truth !== predicted && about.classes.includes(predicted);
    const margin = `margin:${predicted}:${truth}`;
    const watched = session.inputs.image_rows
      ? { measure: margin, importance_of: [margin] }
      : { measure: margin };
    session.request({
      selection: [{ feature: null, values: [truth] }, { predicted: [predicted] }],
      row: -1,
      what_if: [],
      ...(isError && hasOdds ? watched : {}),
    });
  };
  const onPick = session.model.isStill ? null : pick;
  const confusion = about.classes.length ? confusionTable(target, onPick, signal) : null;
  const residuals = confusion ? null : residualFigure(target, context);
  const along = alongFigure(signal, redraw);
  const by = picker(
    "calibration along",
    { "data-testid": "uq-calibration-by" },
    (calibration_by) => session.request({ calibration_by }),
    signal,
  );
  const logit = checkBox(
    "stretch both ends",
    { "data-testid": "uq-logit" },
    (logit) => session.request({ logit }),
    signal,
  );
  const empty = h("p", { class: "uq-empty" }, "no scores yet");
  const grid = h(
    "div",
    { class: "uq-plot uq-performance-grid" },
    scores,
    calibration.element,
    along.element,
    ...[confusion, residuals].flatMap((part) => (part ? [part.element] : [])),
  );
  const controls = [by.element, logit.element];
  const panel = section("The model itself", "uq-performance", controls, empty, grid);
  const columns = [...about.features, ...about.extra].map(({ name }) => ({
    value: name,
    label: name,
  }));

  const fill = (data: Performance, stressed: boolean) => {
    const before = stressed ? ["at τ = 0"] : [];
    const table = tableOf(
      ["score", "value", `${percent(data.level)} interval`, ...before],
      data.scores.map((score) => [
        ...[withUnit(score.label, score.unit), ...withDecimals(score)],
        ...before.map(() => number(score.base)),
      ]),
    );
    scores.replaceChildren(h("h4", {}, "Scores"), table);
  };

  return {
    element: panel.element,
    update({ frame, inputs }) {
      const data = frame?.performance ?? null;
      // Without the true target, predictions cannot be evaluated.
      panel.element.hidden = about.target === null;
      set(panel.element, { "data-stale": data?.stale ? "true" : null });
      grid.hidden = !data;
      empty.hidden = data !== null;
      setText(empty, frame?.final ? "no scores" : "no scores yet");
      const of = data?.stale
        ? "shown for other inputs"
        : frame && data && rowsBehind(frame, data.n_rows);
      setText(panel.note, of ? `${of}, the fitted model as it is` : "");
      for (const control of controls) control.hidden = !data?.calibration;
      if (!data || !frame) return;
      const [value, label] = data.spread;
      const spread = value && label ? [{ value, label: `predicted spread: ${label}` }] : [];
      const whole = { value: "", label: "nothing" };
      by.update([whole, ...spread, ...columns], inputs.calibration_by);
      logit.update(inputs.logit, null);
      fill(data, isStressed(frame));
      calibration.update(data, inputs.logit);
      along.update(data);
      hasOdds = data.calibration !== null;
      confusion?.update(data);
      residuals?.update(data.points);
    },
  };
}

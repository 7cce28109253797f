import type { Numbers } from "../../session/wire.ts";
import { h, pool, set, setText, svg } from "../../widget/dom.ts";
import { number, percent } from "../../widget/format.ts";
import type { Selection } from "./reader.ts";

/** Classes that have a bar of their own, the most probable ones. */
const MOST_BARS = 12;
const WIDTH = 240;
const HEIGHT = 34;

/** The probabilities of the classes as bars; the true class is marked, and those of the what-if lie below. */
function bars() {
  const element = h("div", { class: "uq-probabilities" });
  const rest = h("p", { class: "uq-muted" });
  return {
    element: h("div", {}, element, rest),
    update(classes: string[], now: Numbers, truth: number, changed: Numbers | null): void {
      const order = classes.map((_, i) => i).sort((a, b) => (now[b] ?? 0) - (now[a] ?? 0));
      const few = order.slice(0, MOST_BARS);
      if (Number.isFinite(truth) && !few.includes(truth)) few.push(truth);
      const bar = (share: number, className: string) => {
        const one = h("span", { class: `uq-share ${className}` });
        one.style.width = `${(100 * share).toFixed(1)}%`;
        return one;
      };
      element.replaceChildren(
        ...few.flatMap((k) => [
          h(
            "span",
            { class: "uq-bar-name", title: classes[k] ?? "" },
            classes[k] ?? "",
            ...(k === truth ? [h("em", {}, " true")] : []),
          ),
          h(
            "span",
            { class: "uq-bar-track" },
            bar(now[k] ?? 0, "uq-share-now"),
            ...(changed ? [bar(changed[k] ?? 0, "uq-share-if")] : []),
          ),
          h(
            "span",
            { class: "uq-bar-value" },
            changed
              ? `${percent(now[k] ?? 0)} → ${percent(changed[k] ?? 0)}`
              : percent(now[k] ?? 0),
          ),
        ]),
      );
      const others = order.length - few.length;
      setText(rest, others > 0 ? `${others} other classes are less likely` : "");
    },
  };
}

/** Quantiles of a predicted number on an axis, with the true one; those of the what-if lie below. */
function strip() {
  const lines = svg("g");
  const line = pool(lines, () => svg("path"));
  const truthMark = svg("path", { class: "uq-true-mark" });
  const element = svg(
    "svg",
    { class: "uq-strip", viewBox: `0 0 ${WIDTH} ${HEIGHT}`, "aria-hidden": "true" },
    lines,
    truthMark,
  );
  const text = h("p", { class: "uq-muted" });
  return {
    element: h("div", {}, element, text),
    update(span: [number, number], now: Numbers, truth: number, changed: Numbers | null): void {
      const every = [...span, ...now, ...(changed ?? [])].filter(Number.isFinite);
      const [low, high] = [Math.min(...every), Math.max(...every)];
      const x = (value: number) => 6 + ((value - low) / (high - low || 1)) * (WIDTH - 12);
      const both = changed ? [now, changed] : [now];
      const drawn = line(both.length * 3);
      both.forEach((q, k) => {
        const y = changed ? 10 + 14 * k : 16;
        const [a = 0, b = 0, middle = 0, c = 0, d = 0] = Array.from(q, x);
        const className = k ? "uq-strip-if" : "uq-strip-now";
        set(drawn[3 * k] as Element, { class: `${className} uq-strip-thin`, d: `M${a},${y}H${d}` });
        set(drawn[3 * k + 1] as Element, {
          class: `${className} uq-strip-thick`,
          d: `M${b},${y}H${c}`,
        });
        set(drawn[3 * k + 2] as Element, {
          class: `${className} uq-strip-middle`,
          d: `M${middle},${y - 5}V${y + 5}`,
        });
      });
      set(truthMark, { d: Number.isFinite(truth) ? `M${x(truth)},2V${HEIGHT - 4}` : null });
      const range = (q: Numbers) => `${number(q[0])} to ${number(q[4])}`;
      setText(
        text,
        `90 % of the predicted distribution: ${range(now)}${changed ? `; changed: ${range(changed)}` : ""}` +
          `${Number.isFinite(truth) ? "; the dashed line is the true value" : ""}`,
      );
    },
  };
}

/** The predicted distribution of a row: bars of classes, or a strip of quantiles; nothing of a single value. */
export function predictionPicture() {
  const ofClasses = bars();
  const ofNumbers = strip();
  return {
    element: h("div", { class: "uq-prediction" }, ofClasses.element, ofNumbers.element),
    update(
      { classes, span }: Selection,
      now: Numbers,
      truth: number,
      changed: Numbers | null,
    ): void {
      // A predicted label that is none of the model's classes comes after them, without a probability.
      const hasBars = classes !== null && now.length > 0 && now.length <= classes.length;
      const hasStrip = classes === null && now.length > 0 && span !== null;
      ofClasses.element.hidden = !hasBars;
      ofNumbers.element.hidden = !hasStrip;
      if (hasBars) ofClasses.update(classes.slice(0, now.length), now, truth, changed);
      if (hasStrip) ofNumbers.update(span, now, truth, changed);
    },
  };
}

import "./style.css";
import { button } from "../../controls/button.ts";
import type { Controls } from "../../controls/onDemand.ts";
import type { Frame } from "../../session/frame.ts";
import { INPUT_TYPES, type Inputs } from "../../session/inputs.ts";
import { isRecord } from "../../session/wire.ts";
import { h, set } from "../../widget/dom.ts";
import { isolated, number, rowsOf, withUnit } from "../../widget/format.ts";
import { isUnclear } from "../comparison/clarity.ts";
import { intervalOf } from "../comparison/numbers.ts";
import { isStressed, rowsBehind } from "../legend.ts";
import type { Context, Shown } from "../view.ts";

/** Scores that the strip shows, in this order; the first that two models have compares them. */
const HEADLINES = ["error_rate", "rmse", "r2", "roc_auc", "balanced_accuracy", "nll"];
const COMPARED_BY = ["nll", "error_rate", "rmse"];
/** Scores of which the greater is the better. */
const GREATER = ["r2", "roc_auc", "balanced_accuracy"];
const NAMES: Readonly<Record<string, string>> = { roc_auc: "AUC", nll: "log loss" };

interface Scored {
  name: string;
  label: string;
  unit: string;
}

const chosen = <S extends Scored>(scores: S[]): S[] =>
  HEADLINES.flatMap((name) => scores.find((score) => score.name === name) ?? []);

const labelOf = ({ name, label }: Scored): string => NAMES[name] ?? label;

/** A number with the digits that its interval needs. */
function rounded(value: number | null, low: number | null, high: number | null): string {
  if (value === null || !Number.isFinite(value)) return "not available";
  if (low === null || high === null || !(high > low)) return String(Number(value.toPrecision(3)));
  return intervalOf(value, value + (high - low)).split(" to ")[0] as string;
}

/** The rows behind the scores, where they are not those of the header. */
function behind(frame: Frame, rows: number, all: number): string {
  if (rows === all && !isStressed(frame)) return "";
  return isStressed(frame) ? rowsBehind(frame, rows) : `in ${rowsOf(rows, frame.inGroups)}`;
}

/** The scores of the model with their intervals, and what its calibration shows. */
function scoreLine({ session, about }: Context) {
  const element = h("p", { "data-testid": "uq-strip-scores" });
  return {
    element,
    update({ frame, inputs }: Shown): void {
      const data = frame?.performance ?? null;
      element.hidden = !data;
      if (!frame || !data) return;
      // A score that these rows do not determine is left to the panel.
      const known = chosen(data.scores).filter(({ value }) => value !== null);
      const scores = known.map(({ value, low, high, ...one }) =>
        h(
          "span",
          {},
          `${withUnit(labelOf(one), one.unit)} `,
          h("strong", {}, rounded(value, low, high)),
          low === null || high === null ? "" : ` (${intervalOf(low, high)})`,
        ),
      );
      // Bins of probabilities change with τ, so that their verdict waits for the kernel.
      const isBetween =
        about.classes.length > 0 &&
        (session.model.isStill ? inputs.tau !== 0 : frame !== session.answer);
      const verdict = isBetween ? "" : (data.calibration?.verdict ?? "");
      const rows = behind(frame, data.n_rows, about.n_rows);
      const texts = [verdict, rows].filter(Boolean).map((text) => h("span", {}, text));
      element.replaceChildren(...scores, ...texts);
      set(element, { "data-stale": data.stale ? "true" : null });
    },
  };
}

/** The scores of the other model, and the paired difference in one sentence. */
function pairLine() {
  const element = h("p", { "data-testid": "uq-strip-pair" });
  return {
    element,
    update({ frame, inputs }: Shown): void {
      const data = inputs.compare_with.startsWith("model:") ? (frame?.comparison ?? null) : null;
      const by = COMPARED_BY.flatMap((name) => data?.scores.find((s) => s.name === name) ?? [])[0];
      element.hidden = !data || !by;
      if (!data || !by) return;
      const [first, second] = [isolated(data.first), isolated(data.second)];
      const theirs = chosen(data.scores).map((one) =>
        h("span", {}, `${withUnit(labelOf(one), one.unit)} `, h("strong", {}, number(one.second))),
      );
      const { value, low, high, unit } = by;
      let sentence = `no interval of the difference in ${labelOf(by)}`;
      if (value !== null && low !== null && high !== null && Number.isFinite(high - low)) {
        const of = `${unit && ` ${unit}`} (${labelOf(by)})`;
        const isGreater = GREATER.includes(by.name) === value > 0;
        sentence = isUnclear(low, high)
          ? `${first} minus ${second} is ${intervalOf(low, high)}${of}, which is not clear from these rows`
          : `${isGreater ? first : second} is better by ${
              value > 0 ? intervalOf(low, high) : intervalOf(-high, -low)
            }${of}, clearly`;
      }
      element.replaceChildren(h("span", {}, `${second}:`), ...theirs, h("span", {}, sentence));
      set(element, { "data-stale": data.stale ? "true" : null });
    },
  };
}

/** The inputs of a note that the page may set: known names, each with a value of its type. */
function inputsOf(raw: unknown): Partial<Inputs> | null {
  if (!isRecord(raw) || Object.keys(raw).length === 0) return null;
  const fits = ([name, value]: [string, unknown]) =>
    Object.hasOwn(INPUT_TYPES, name) && typeof value === INPUT_TYPES[name as keyof Inputs];
  return Object.entries(raw).every(fits) ? raw : null;
}

const DEEDS: Readonly<Record<string, (value: unknown) => string>> = {
  groups: (value) => `Group rows by ${isolated(String(value))}`,
  time: (value) => `Order rows by ${isolated(String(value))}`,
  simultaneous: () => "All at once",
  n_repeats: (value) => `Shuffle ${value} times`,
};

const deed = (inputs: Partial<Inputs>): string =>
  Object.entries(inputs)
    .map(([name, value]) => DEEDS[name]?.(value) ?? `Set ${name} to ${value}`)
    .join(", ");

/** The notes that matter most, each with one click that mends what it says. */
function remarkList({ session, about, signal }: Context, strip: HTMLElement) {
  const element = h("ul", { "data-testid": "uq-strip-remarks", hidden: true });
  let listed = "";
  return {
    element,
    update({ frame }: Shown): void {
      if (!frame) return;
      const notes = frame.notes
        .map((text, i) => ({ text, code: frame.noteCodes[i] ?? "", raw: frame.noteInputs[i] }))
        .filter(({ code }) => about.urgent.includes(code))
        .sort((a, b) => about.urgent.indexOf(a.code) - about.urgent.indexOf(b.code));
      const now = JSON.stringify(notes);
      if (listed === now) return;
      listed = now;
      const root = element.getRootNode() as Document | ShadowRoot;
      const hadFocus = element.contains(root.activeElement);
      element.replaceChildren(
        ...notes.map(({ text, code, raw }) => {
          const inputs = session.model.isStill ? null : inputsOf(raw);
          const mend = () => inputs && session.request(inputs);
          const click = inputs ? [button("uq-mend", deed(inputs), mend, signal)] : [];
          return h(
            "li",
            { class: "uq-caution", title: code },
            h("span", {}, text.charAt(0).toUpperCase() + text.slice(1)),
            ...click,
          );
        }),
      );
      element.hidden = notes.length === 0;
      // A button that has gone would lose the focus.
      if (hadFocus) strip.focus();
    },
  };
}

/** The first line of the page: how good the model is, beside another one, and what its reader must know. */
export function stripOf(context: Context): Controls {
  const element = h("div", { class: "uq-glance", "data-testid": "uq-strip" });
  const lines = [scoreLine(context), pairLine(), remarkList(context, element)];
  element.append(...lines.map((line) => line.element));
  set(element, { tabindex: -1, role: "group", "aria-label": "At a glance" });
  return {
    element,
    update(inputs, frame): void {
      for (const line of lines) line.update({ frame, inputs });
      element.hidden = lines.every((line) => line.element.hidden);
    },
  };
}

import { lookOf, OWN_LOOKS } from "../charts/classes.ts";
import { DIAMOND } from "../charts/marks.ts";
import { h, set, setText, svg } from "../dom.ts";
import { counted, isolated, whole } from "../format.ts";
import type { Averages, Frame, Ghost } from "../frame.ts";
import { pinName } from "../pins/describe.ts";

/** The learner's columns of a table of numbers. */
export const LEARNER_COLUMNS = ["learner", "learner low", "learner high"];
export const ofLearner = (averages: Averages | null): Float64Array[] =>
  averages ? [averages.value, averages.low, averages.high] : [];

/** A short line as it looks in the chart, for a legend. */
export const swatch = (className: string, dash: readonly number[] = [], ...marks: Node[]) =>
  svg(
    "svg",
    { class: `uq-swatch ${className}`, width: 24, height: 10, "aria-hidden": "true" },
    svg("line", { x1: 1, x2: 23, y1: 5, y2: 5, "stroke-dasharray": dash.join(" ") || null }),
    ...marks,
  );

export const key = (name: string | Node, mark: Node) => h("span", { class: "uq-key" }, mark, name);

/** Names of classes end in an ellipsis where they are long; the title has them whole. */
const classKey = (name: string, index: number, title = name) => {
  const { className, dash } = lookOf(index);
  return key(h("span", { class: "uq-key-name", title }, name), swatch(className, dash));
};

/** A key for each class that has a look of its own, and one for all the others, after what they are keys of. */
export function classKeys(classes: string[], target: string): Node[] {
  const others = classes.slice(OWN_LOOKS);
  const isNumber = classes.every((name) => name !== "" && Number.isFinite(Number(name)));
  const lead = isNumber ? `rows with ${isolated(target)} =` : "rows that are";
  const keys: Node[] = [h("span", {}, lead)];
  keys.push(...classes.slice(0, OWN_LOOKS).map((name, i) => classKey(name, i)));
  if (others.length) keys.push(classKey(otherClasses(others), OWN_LOOKS, listed(others)));
  return keys;
}

const otherClasses = (others: string[]): string =>
  `${whole(others.length)} other ${others.length === 1 ? "class" : "classes"}`;

/** The first of many names, and how many there are besides. */
export const listed = (names: string[], most = OWN_LOOKS): string =>
  [
    ...names.slice(0, most).map(isolated),
    ...(names.length > most ? [`${whole(names.length - most)} more`] : []),
  ].join(", ");

/** Whether what is shown is under stress: a τ moves nothing while no feature is chosen for it. */
export const isStressed = ({ inputs }: Frame): boolean =>
  inputs.tau !== 0 && inputs.stress_feature !== "";

/** Which pin lies under the view, and how its numbers look in this chart. */
export function pinKey(mark: SVGElement = swatch("uq-key-pin", [9, 3, 2, 3])) {
  const words = h("span", { class: "uq-key-name" });
  const element = key(words, mark);
  set(element, { "data-testid": "uq-pin-key" });
  return {
    element,
    /** `what` is missing where the pin shows something else than this chart. */
    update(ghost: Ghost | null, what: string | null): void {
      element.hidden = !ghost;
      if (!ghost) return;
      const name = pinName(ghost.note, ghost.state);
      set(mark, { hidden: what === null ? null : "" });
      setText(words, what === null ? `pin: ${name}` : `no ${what} of the pin: ${name}`);
      set(words, { title: name });
    },
  };
}

/** What the learner's marks stand for, or why there are none. */
export function learnerKey(marked: boolean) {
  const words = h("span");
  const mark = marked ? [svg("path", { d: DIAMOND, transform: "translate(12,5)" })] : [];
  const line = swatch("uq-key-learner", [7, 3], ...mark);
  const element = key(words, line);
  return {
    element,
    update(frame: Frame, view: string): void {
      const { learner, inputs } = frame;
      element.hidden = !learner;
      if (!learner) return;
      const known = (learner.averages[view] ?? null) !== null;
      set(line, { hidden: known ? null : "" });
      // It is of its own rows: said where the model's are not all of them, or weighted.
      const apart = [
        inputs.ice_filter.length > 0 && "all rows",
        isStressed(frame) && "unstressed",
      ].filter(Boolean);
      const missing = {
        pending: "being computed",
        stopped: "stopped",
        failed: "not available",
        done: "not available",
      }[learner.state];
      setText(
        words,
        known
          ? `learner, refitted ${counted(learner.n_refits, "time")}${apart.length ? ` (${apart.join(", ")})` : ""}`
          : `learner: ${missing}`,
      );
    },
  };
}

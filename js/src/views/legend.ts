import { lookOf, OWN_LOOKS } from "../charts/classes.ts";
import { DIAMOND } from "../charts/marks.ts";
import { pinName } from "../pins/describe.ts";
import type { Averages, Frame, Ghost } from "../session/frame.ts";
import { h, set, setText, svg } from "../widget/dom.ts";
import { counted, isolated, rowsOf, soFar, whole, worth } from "../widget/format.ts";

/** The learner's columns in the table of a chart. */
export const LEARNER_COLUMNS = ["learner", "learner low", "learner high"];
export const ofLearner = (averages: Averages | null): Float64Array[] =>
  averages ? [averages.value, averages.low, averages.high] : [];

/** A sample of a chart's line for a legend. */
export const swatch = (className: string, dash: readonly number[] = [], ...marks: Node[]) =>
  svg(
    "svg",
    { class: `uq-swatch ${className}`, width: 24, height: 10, "aria-hidden": "true" },
    svg("line", { x1: 1, x2: 23, y1: 5, y2: 5, "stroke-dasharray": dash.join(" ") || null }),
    ...marks,
  );

export const key = (name: string | Node, mark: Node) => h("span", { class: "uq-key" }, mark, name);

/** A class name, shortened if it is long; its title is the full name. */
const classKey = (name: string, index: number, title = name) => {
  const { className, dash } = lookOf(index);
  return key(h("span", { class: "uq-key-name", title }, name), swatch(className, dash));
};

/** Legend keys of the classes: one for each class with its own style, and one for all others. */
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

/** The first of many names, and the number of the others. */
export const listed = (names: string[], most = OWN_LOOKS): string =>
  [
    ...names.slice(0, most).map(isolated),
    ...(names.length > most ? [`${whole(names.length - most)} more`] : []),
  ].join(", ");

/** Whether the views are under stress; τ has no effect without a stressed feature. */
export const isStressed = ({ inputs }: Frame): boolean =>
  inputs.tau !== 0 && inputs.stress_feature !== "";

/** The rows of a panel, "90 rows of 30 patients"; a stale panel may show others than the frame's. */
export const rowsIn = ({ rows: now, inGroups }: Frame, rows: number): string =>
  rowsOf(rows, rows === now ? inGroups : null);

/** The rows behind a panel: "90 rows", and under stress "worth about 51 of the 90 rows". */
export function rowsBehind(frame: Frame, rows: number, least = rows, most = least): string {
  const now = frame.stress?.now;
  if (least < rows) return soFar(rows, least, most);
  const isWeighted = isStressed(frame) && now?.ess && now.n_rows === rows;
  return isWeighted
    ? worth(now.ess ?? 0, rows, [now.groups_ess, frame.inGroups])
    : rowsIn(frame, rows);
}

/** The legend of the ghost: its pin, and a sample of its line. */
export function pinKey(mark: SVGElement = swatch("uq-key-pin", [9, 3, 2, 3])) {
  const words = h("span", { class: "uq-key-name" });
  const element = key(words, mark);
  set(element, { "data-testid": "uq-pin-key" });
  return {
    element,
    /** `what` is missing if the pin has no results for this chart. */
    update(ghost: Ghost | null, what: string | null): void {
      element.hidden = !ghost;
      if (!ghost) return;
      const name = pinName(ghost.note, ghost.state);
      set(mark, { hidden: what === null ? null : "" });
      setText(
        words,
        what === null ? `${ghost.of}: ${name}` : `no ${what} of the ${ghost.of}: ${name}`,
      );
      set(words, { title: name });
    },
  };
}

/** The legend of the learner's marks, or the reason why there are none. */
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
      // The learner uses its own rows, which is stated if the model's rows are filtered or weighted.
      const apart = [
        inputs.ice_filter.length > 0 && "all rows",
        isStressed(frame) && "unstressed",
      ].filter(Boolean);
      const missing = {
        pending: "being computed",
        stopped: "stopped",
        failed: "not available",
        done: "not available",
        absent: "not in this page",
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

import type { Averages, Frame } from "../../session/frame.ts";
import { counted, interval, isolated, number, whole, withUnit } from "../../widget/format.ts";
import { LEARNER_COLUMNS, ofLearner } from "../legend.ts";
import type { Importance } from "./reader.ts";

/** The verdict of each row. */
export const verdictsOf = ({ verdict, verdicts }: Importance): string[] =>
  Array.from(verdict ?? [], (code) => verdicts[code]?.verdict ?? "");

/** How many rows, or groups such as "30 patients", would make an importance clear. */
function clearWith(needed: number, groups: string | null, origin: number): string {
  if (!(needed > 0)) return "";
  if (needed === Number.POSITIVE_INFINITY) return ", not clear with any number of rows";
  const about = Number(needed.toPrecision(2));
  const many = groups?.replace(/^[\d,]+/, whole(about)) ?? counted(about, "row");
  return `, clear of ${origin} with about ${many}`;
}

/** A row in one sentence: each measure with its interval, the redundancy and the verdict. */
export function inWords(
  data: Importance,
  learner: Averages | null,
  row: number,
  groups?: string | null,
): string {
  const size = data.value.length / data.measures.length;
  const of = (values: Float64Array, measure: number) => values[measure * size + row] ?? Number.NaN;
  const described = ({ value, low, high }: Averages, unit: string, m: number) =>
    `${number(of(value, m))}${unit && ` ${unit}`} ` + `(${interval(of(low, m), of(high, m))})`;
  // Without groups given, it is not said.
  const needs = (m: number) =>
    groups === undefined || !data.needed
      ? ""
      : clearWith(of(data.needed, m), groups, Number(data.compare === "ratio"));
  const measures = data.measures.map(
    ({ label, unit }, m) =>
      `${label} ${described(data, unit, m)}${needs(m)}${learner ? `, learner ${described(learner, unit, m)}` : ""}`,
  );
  const { verdict, sentence } = data.verdicts[data.verdict?.[row] ?? -1] ?? {};
  return [
    ...measures,
    ...(data.redundancy ? [`redundancy ${number(data.redundancy[row])}`] : []),
    ...(verdict ? [`${verdict}: ${sentence}`] : []),
  ].join("; ");
}

/** The three most important features in sentences. */
export function bestInWords(data: Importance, learner: Averages | null, names: string[]): string {
  const best = Array.from(
    data.order.slice(0, 3),
    (row) => `${isolated(names[row] ?? "")}: ${inWords(data, learner, row)}`,
  );
  return `Most important first. ${best.join(". ")}.`;
}

/** The table of the rows that are listed. */
export function tableOf(data: Importance, frame: Frame, names: string[], rows: ArrayLike<number>) {
  const learner = frame.learner?.averages.importance ?? null;
  const size = names.length;
  const columns = [data.value, data.low, data.high, data.base];
  const all = [...columns, ...(data.ghost ? [data.ghost] : []), ...ofLearner(learner)];
  const { redundancy } = data;
  const verdicts = verdictsOf(data);
  return {
    columns: [
      "feature",
      ...data.measures.flatMap(({ label, unit }) => [
        ...[withUnit(label, unit), "low", "high", "at τ = 0"],
        ...(data.ghost ? [frame.ghost?.of ?? ""] : []),
        ...(learner ? LEARNER_COLUMNS : []),
      ]),
      ...(redundancy ? ["redundancy", "low", "high"] : []),
      ...(data.verdict ? ["verdict"] : []),
    ],
    rows: Array.from(rows, (i) => [
      names[i] ?? "",
      ...data.measures.flatMap((_, m) => all.map((values) => number(values[m * size + i]))),
      ...(redundancy ? [0, 1, 2].map((k) => number(redundancy[k * size + i])) : []),
      ...(data.verdict ? [verdicts[i] ?? ""] : []),
    ]),
  };
}

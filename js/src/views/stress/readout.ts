import { h, setText } from "../../widget/dom.ts";
import {
  counted,
  interval,
  isolated,
  level,
  number,
  percent,
  rowsOf,
  whole,
  worth,
} from "../../widget/format.ts";
import { endsAt, intervalAt } from "./profile.ts";
import { moved, type Stress, type StressNow } from "./reader.ts";

/** With fewer effective rows, intervals have less than their nominal coverage; a remark in Python says so too. */
const FEW = 50;
/** With fewer effective rows, a value smaller than the width of its interval has a warning. */
const SOME = 200;

/** Why the target mean was not reached, as part of a sentence; empty if it was. */
function outcome({ tau, status, target }: StressNow): string {
  if (tau === 0) return ", no stress";
  if (status === "ok") return "";
  if (status === "edge") return ", target at the edge of the data";
  return target === null ? ", no target" : `, target ${number(target)} not reached`;
}

/** Whether the effective rows, or groups of them, are too few, by their number and by the width of the interval. */
export function hasFewEffectiveRows(stress: Stress, now: StressNow): boolean {
  const { value } = now;
  const ess = now.groups_ess ?? now.ess;
  if (ess === null || ess >= SOME) return false;
  const [low, high] = endsAt(stress, now.tau);
  // A rate of 0 is always smaller than the width of its interval, so it is no reason for a warning.
  return ess < FEW || (value !== null && value !== 0 && high - low > Math.abs(value));
}

/** The effect of the weights in words. */
export function effectOfWeights(now: StressNow): string {
  const { feature, category, tau, start } = now;
  const isShare = category !== null;
  const rows = (size: string) =>
    isShare
      ? `with ${isolated(feature)} = ${isolated(category)}`
      : `with ${size} values of ${isolated(feature)}`;
  // The text has about the same length at every τ, so that it does not wrap during a drag.
  const words =
    tau === 0
      ? `${start ? "" : "All rows count the same. "}Above 0, rows ${rows("larger")} count more; below, less.`
      : `Rows ${rows(tau < 0 ? "smaller" : "larger")} count ${isShare && tau < 0 ? "less" : "more"}. No row is invented; all panels use these weights.`;
  return words + unmoved(now);
}

/** A remark where the interval holds the value without stress; empty where a change is clear. */
export function unclear(stress: Stress, { tau, base }: StressNow): string {
  const [low, high] = endsAt(stress, tau);
  const holds = tau !== 0 && base !== null && low <= base && base <= high;
  return holds ? "a change is not clear from these rows" : "";
}

/** What becomes of rows without a value, as a sentence that follows others. */
const unmoved = ({ n_unmoved: n }: StressNow) =>
  n === 0
    ? ""
    : ` ${counted(n, "row")} without a value ${n === 1 ? "keeps its" : "keep their"} weight.`;

/** A warning about the numbers, or null. */
export function warning(
  stress: Stress,
  now: StressNow,
  all: number,
  inGroups: string | null,
): string | null {
  const { status, ess, tau, n_rows: rows, category } = now;
  const filtered = rows < all ? " that meet the filter" : "";
  if (rows === 1)
    return "Only one row meets the filter: all numbers are of this row alone, and none of them has an interval.";
  if (category !== null && ["constant", "no value"].includes(status))
    return `${status === "constant" ? "All" : "None of the"} rows${filtered} have ${isolated(now.feature)} = ${isolated(category)}, so its share cannot be moved; choose another category.`;
  const feature = isolated(now.feature);
  if (status === "edge")
    return `The target mean of ${feature} lies at the edge of the data: only the rows with its most extreme value count.`;
  if (status === "infeasible")
    return `The target mean of ${feature} lies outside the data, so no weights reach it; choose a τ nearer to 0.`;
  if (status === "constant")
    return `${feature} is constant${filtered && ` in the rows${filtered}`}, so it cannot be stressed; choose another feature.`;
  if (status === "beyond quantile")
    return `The mean of ${feature} already lies beyond the quantile that this side of τ moves it to, so there is nothing to stress; use the other side, or the mean of the tail.`;
  if (status === "no value")
    return `${feature} has no value in the rows that meet the filter, so it cannot be stressed; choose another feature.`;
  if (status !== "ok") return `${feature} cannot be stressed here (${status}).`;
  if (ess === null || !hasFewEffectiveRows(stress, now)) return null;
  const ends = endsAt(stress, tau);
  const may = `, ${stress.label} ${interval(...ends)} (${percent(stress.level)} interval)`;
  return (
    `Too few ${inGroups === null ? "rows" : "groups"} for firm numbers: ` +
    (tau === 0 ? rowsOf(rows, inGroups) : worth(ess, rows, [now.groups_ess, inGroups])) +
    `${ends.every(Number.isFinite) ? may : ""}.${unmoved(now)}`
  );
}

/** The readout of the stress: the moved mean, the effective sample size, and the indicator. */
export function readout() {
  const mean = h("span", { class: "uq-fact" });
  const sample = h("span", { class: "uq-fact" });
  const indicator = h("span", { class: "uq-fact" });
  const ends = h("span", { class: "uq-fact uq-ends" });
  const meter = h("span", { class: "uq-meter", "aria-hidden": "true" }, h("span"));
  const element = h(
    "p",
    { class: "uq-readout", "data-testid": "uq-stress-readout" },
    mean,
    sample,
    meter,
    indicator,
    ends,
  );
  const strong = (text: string) => h("strong", {}, text);
  return {
    element,
    update(stress: Stress, now: StressNow, inGroups: string | null): void {
      // The numbers are bold within one sentence.
      mean.replaceChildren(
        h("bdi", {}, now.category === null ? now.feature : moved(now)),
        ": ",
        strong(`${number(now.mean)} → ${number(now.reached)}`),
        ` (τ ${level(now.tau)}${outcome(now)}${now.start && `; ${now.start}`})`,
      );
      if (now.ess === null || whole(now.ess) === whole(now.n_rows))
        sample.replaceChildren(", ", strong(rowsOf(now.n_rows, inGroups)));
      else {
        const rows = ` of the ${counted(now.n_rows, "row")}`;
        sample.replaceChildren(", worth about ", strong(whole(now.ess)), rows);
        if (now.groups_ess !== null && inGroups !== null)
          sample.append(" and ", strong(whole(now.groups_ess)), ` of the ${isolated(inGroups)}`);
      }
      // Where the stress view is not shown there is no interval, and a change would look certain.
      indicator.hidden = stress.features.length === 0;
      indicator.replaceChildren(
        ", ",
        h("bdi", {}, stress.label),
        " ",
        strong(`${number(now.base)} → ${number(now.value)}`),
        stress.unit ? ` ${stress.unit}` : "",
      );
      const facts = [intervalAt(stress, now.tau), unclear(stress, now)].filter(Boolean).join("; ");
      setText(ends, facts && ` (${facts})`);
      meter.hidden = false;
      meter.classList.toggle("uq-low", hasFewEffectiveRows(stress, now));
      meter.style.setProperty(
        "--uq-share",
        `${Math.min(1, Math.max(0, now.ess_share ?? 0)) * 100}%`,
      );
    },
    clear(text: string): void {
      for (const part of [sample, indicator, ends]) part.replaceChildren();
      meter.hidden = true;
      setText(mean, text);
    },
  };
}

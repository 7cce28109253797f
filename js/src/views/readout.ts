import { intervalAt } from "../charts/profile.ts";
import { h, setText } from "../dom.ts";
import { isolated, level, number, percent, whole } from "../format.ts";
import type { Stress, StressNow } from "../frame.ts";

/** Below this share of the rows the weights describe a handful of rows rather than a population. */
export const LOW_ESS = 0.2;

/** What became of the target mean, as part of a sentence. */
export function outcome({ status, target }: StressNow): string {
  if (status === "ok") return "target reached";
  if (status === "edge") return "target at the edge of the data";
  return target === null ? "no target" : `target ${number(target)} not reached`;
}

/** What a person should know before trusting the numbers, or null. */
export function warning(now: StressNow, rows: number): string | null {
  const { status, ess, ess_share: share, half_share: half } = now;
  const feature = isolated(now.feature);
  if (status === "edge")
    return `The target mean of ${feature} lies at the edge of the data: only the rows with its most extreme value count.`;
  if (status === "infeasible")
    return `The target mean of ${feature} lies outside the data, so no weights reach it; choose a τ nearer to 0.`;
  if (status === "constant")
    return `${feature} is constant, so it cannot be stressed; choose another feature.`;
  if (status === "beyond quantile")
    return `The mean of ${feature} already lies beyond the quantile that this side of τ moves it to, so there is nothing to stress; use the other side.`;
  if (status !== "ok") return `${feature} cannot be stressed here (${status}).`;
  if (share !== null && ess !== null && share < LOW_ESS)
    return (
      `These weights rest on about ${whole(ess)} of ${whole(rows)} rows (${percent(share)}` +
      `${half === null ? "" : `; ${percent(half)} of the rows hold half the weight`}): read the numbers as a sketch.`
    );
  return null;
}

/** What the stress does at this moment: the mean that moved, what is left of the sample, and the indicator. */
export function readout() {
  const mean = h("span", { class: "uq-fact" });
  const sample = h("span", { class: "uq-fact" });
  const half = h("span", { class: "uq-fact uq-half" });
  const indicator = h("span", { class: "uq-fact" });
  const ends = h("span", { class: "uq-fact uq-ends" });
  const meter = h("span", { class: "uq-meter", "aria-hidden": "true" }, h("span"));
  const element = h(
    "p",
    { class: "uq-readout", "data-testid": "uq-stress-readout" },
    mean,
    sample,
    meter,
    half,
    indicator,
    ends,
  );
  const strong = (text: string) => h("strong", {}, text);
  return {
    element,
    update(stress: Stress, now: StressNow, rows: number): void {
      // Numbers in bold, words around them: the paragraph still reads as one sentence.
      mean.replaceChildren(
        h("bdi", {}, now.feature),
        ": ",
        strong(`${number(now.mean)} → ${number(now.reached)}`),
        ` (τ ${level(now.tau)}, ${now.tau === 0 ? "no stress" : outcome(now)})`,
      );
      sample.replaceChildren(
        ", effective sample size ",
        strong(now.ess === null ? "not available" : whole(now.ess)),
        ` of ${whole(rows)}${now.ess_share === null ? "" : ` (${percent(now.ess_share)})`}`,
      );
      setText(
        half,
        now.half_share === null || now.tau === 0
          ? ""
          : `, half the weight on ${percent(now.half_share)} of the rows`,
      );
      const interval = intervalAt(stress, now.tau);
      indicator.replaceChildren(
        ", ",
        h("bdi", {}, stress.label),
        " ",
        strong(`${number(now.base)} → ${number(now.value)}`),
        stress.unit ? ` ${stress.unit}` : "",
      );
      setText(ends, interval === null ? "" : ` (${interval})`);
      meter.classList.toggle("uq-low", (now.ess_share ?? 0) < LOW_ESS);
      meter.style.setProperty(
        "--uq-share",
        `${Math.min(1, Math.max(0, now.ess_share ?? 0)) * 100}%`,
      );
    },
    clear(text: string): void {
      for (const part of [sample, half, indicator, ends]) part.replaceChildren();
      meter.style.setProperty("--uq-share", "0%");
      setText(mean, text);
    },
  };
}

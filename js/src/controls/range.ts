import type { Condition } from "../condition.ts";
import { h, onCommit } from "../dom.ts";
import { counted, number } from "../format.ts";
import type { Feature } from "../modelInfo.ts";

type End = number | null;

/** Steps of about a hundredth of the feature's span, on round numbers. */
export function stepOf(feature: Feature | null): number {
  if (!feature || feature.min === null || feature.max === null || feature.integer) return 1;
  const span = feature.max - feature.min;
  return span > 0 ? 10 ** Math.floor(Math.log10(span / 100)) : 1;
}

/** The label of rows with missing values, set in italics unlike a category of this name. */
export const missingWord = (rows: number) => h("em", {}, `missing (${counted(rows, "row")})`);

/**
 * A range of numbers: two number fields that take any value, and two sliders over the span of the data, whose ends
 * are no limit. A checkbox selects rows with missing values.
 */
export function rangeOf(
  feature: Feature | null,
  name: string,
  missing: number,
  onChange: (next: Condition) => void,
  signal: AbortSignal,
) {
  const [min, max, step] = [feature?.min ?? 0, feature?.max ?? 1, stepOf(feature)];
  const field = (end: "lowest" | "highest", testid: string, limit: End | undefined) =>
    h("input", {
      type: "number",
      step: "any",
      "aria-label": `${end} ${name}`,
      placeholder: typeof limit === "number" ? number(limit) : end,
      "data-testid": testid,
    });
  // The sliders are steps from `min` to `max` in whole numbers: a step that does not divide the span would keep the
  // last slider short of the maximum, and with it the rows at the very end.
  const steps = Math.max(1, Math.ceil((max - min) / step));
  const slider = (end: "lowest" | "highest") =>
    h("input", { type: "range", min: 0, max: steps, step: 1, "aria-label": `${end} ${name}` });
  const fields = [
    field("lowest", "uq-filter-low", feature?.min),
    field("highest", "uq-filter-high", feature?.max),
  ] as const;
  const sliders = [slider("lowest"), slider("highest")] as const;
  const box = h("input", { type: "checkbox", "data-testid": "uq-filter-missing" });
  let ends: [End, End] = [null, null];

  const valueAt = (at: number) =>
    at <= 0 || at >= steps ? null : Number((min + at * step).toPrecision(12));
  const placeOf = (value: number) => Math.min(steps, Math.max(0, Math.round((value - min) / step)));

  const show = () => {
    const root = fields[0].getRootNode() as Document | ShadowRoot;
    ([0, 1] as const).forEach((i) => {
      const value = ends[i];
      const shown = value === null ? "" : String(value);
      if (root.activeElement !== fields[i] && fields[i].value !== shown) fields[i].value = shown;
      const place = placeOf(value ?? (i ? max : min));
      if (sliders[i].valueAsNumber !== place) sliders[i].value = String(place);
      sliders[i].setAttribute("aria-valuetext", shown || "no limit");
    });
    const share = (i: 0 | 1) => `${(sliders[i].valueAsNumber / steps) * 100}%`;
    pair.style.setProperty("--uq-from", share(0));
    pair.style.setProperty("--uq-to", share(1));
    // At the right end both thumbs may overlap; the lower one must stay reachable.
    pair.dataset.front = sliders[0].valueAsNumber > steps / 2 ? "low" : "high";
  };
  /** Limits the moved end to the other one. */
  const move = (i: 0 | 1, value: End) => {
    const other = ends[1 - i] ?? null;
    const crossed = value !== null && other !== null && (i === 0 ? value > other : value < other);
    ends[i] = crossed ? other : value;
    show();
    tell();
  };
  const tell = () => {
    const next = { feature: name, low: ends[0], high: ends[1] };
    onChange(missing ? { ...next, missing: box.checked } : next);
  };
  box.addEventListener("change", tell, { signal });

  const pair = h("span", { class: "uq-range" }, sliders[0], sliders[1]);
  ([0, 1] as const).forEach((i) => {
    const commit = () => {
      const value = fields[i].valueAsNumber;
      move(i, Number.isFinite(value) ? value : null);
      const shown = ends[i];
      fields[i].value = shown === null ? "" : String(shown);
    };
    onCommit(fields[i], commit, signal);
    sliders[i].addEventListener("input", () => move(i, valueAt(sliders[i].valueAsNumber)), {
      signal,
    });
  });

  return {
    element: h(
      "span",
      { class: "uq-range-fields" },
      fields[0],
      pair,
      fields[1],
      ...(missing
        ? [h("span", { class: "uq-checks" }, h("label", {}, box, missingWord(missing)))]
        : []),
    ),
    update(condition: Condition): void {
      if (!("low" in condition)) return;
      ends = [condition.low, condition.high];
      box.checked = condition.missing ?? true;
      show();
    },
  };
}

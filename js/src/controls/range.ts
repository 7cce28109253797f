import type { Condition, End } from "../session/condition.ts";
import type { Column } from "../session/modelInfo.ts";
import { h, onCommit, set } from "../widget/dom.ts";
import { number } from "../widget/format.ts";
import { missingWord, small } from "./values.ts";

const DAY = 86_400_000;

/** How the ends of a range are read and written: as numbers, or as days since 1970. */
interface Scale {
  min: number;
  max: number;
  step: number;
  /** The place of an end, NaN where it cannot be read. */
  place(end: End): number;
  end(place: number): End;
  /** The value of a field as an end. */
  read(field: HTMLInputElement): End;
}

const numbers = (column: Column | null): Scale => ({
  min: column?.min ?? 0,
  max: column?.max ?? 1,
  step: stepOf(column),
  place: Number,
  end: (place) => Number(place.toPrecision(12)),
  read: ({ valueAsNumber: value }) => (Number.isFinite(value) ? value : null),
});

const dayOf = (text: End) => Math.floor(Date.parse(String(text).slice(0, 10)) / DAY);

const days = ([first, last]: [string, string]): Scale => ({
  min: dayOf(first),
  max: dayOf(last),
  step: 1,
  place: dayOf,
  end: (place) => new Date(place * DAY).toISOString().slice(0, 10),
  read: ({ value }) => value || null,
});

/** Steps of about a hundredth of the column's span, on round numbers. */
export function stepOf(column: Column | null): number {
  if (!column || column.min === null || column.max === null || column.integer) return 1;
  // The whole span may be more than a float holds, and a hundredth of it less.
  const hundredth = column.max / 100 - column.min / 100;
  return hundredth > 0 ? 10 ** Math.floor(Math.log10(hundredth)) || 1 : 1;
}

/**
 * A range of numbers or dates: two fields that take any value, and two sliders over the span of the data, whose ends
 * are no limit. A checkbox selects rows with missing values, and a button these alone.
 */
export function rangeOf(
  column: Column | null,
  name: string,
  missing: number,
  onChange: (next: Condition) => void,
  signal: AbortSignal,
) {
  const dates = column?.dates;
  const scale = dates ? days(dates) : numbers(column);
  const { min, max, step } = scale;
  const words = dates ? (["earliest", "latest"] as const) : (["lowest", "highest"] as const);
  const field = (i: 0 | 1, testid: string) => {
    const limit = i ? column?.max : column?.min;
    return h("input", {
      ...(dates ? { type: "date" } : { type: "number", step: "any" }),
      "aria-label": `${words[i]} ${name}`,
      placeholder: typeof limit === "number" ? number(limit) : words[i],
      title: `${words[i]} value of ${name} that is shown; empty for no limit`,
      "data-testid": testid,
    });
  };
  // The sliders are steps from `min` to `max` in whole numbers: a step that does not divide the span would keep the
  // last slider short of the maximum, and with it the rows at the very end.
  const steps = Math.max(1, Math.ceil(max / step - min / step));
  const slider = (i: 0 | 1) =>
    h("input", {
      type: "range",
      min: 0,
      max: steps,
      step: 1,
      "aria-label": `${words[i]} ${name}`,
      title: `${words[i]} value of ${name} that is shown`,
    });
  const fields = [field(0, "uq-filter-low"), field(1, "uq-filter-high")] as const;
  const sliders = [slider(0), slider(1)] as const;
  const box = h("input", { type: "checkbox", "data-testid": "uq-filter-missing" });
  const only = small("only", "uq-filter-only");
  set(only, { "aria-label": `only rows without a value of ${name}` });
  let ends: [End, End] = [null, null];
  let alone = false;

  const endAt = (at: number) =>
    at <= 0 || at >= steps ? null : scale.end((min / step + at) * step);
  const placeOf = (end: End) =>
    Math.min(steps, Math.max(0, Math.round(scale.place(end) / step - min / step)));
  const beyond = (a: End, b: End) =>
    a !== null && b !== null && (dates ? String(a) > String(b) : Number(a) > Number(b));

  const write = (i: 0 | 1) => {
    const shown = ends[i] === null ? "" : dates ? String(ends[i]).slice(0, 10) : String(ends[i]);
    if (fields[i].value !== shown) fields[i].value = shown;
  };
  const show = () => {
    const root = fields[0].getRootNode() as Document | ShadowRoot;
    ([0, 1] as const).forEach((i) => {
      const value = ends[i];
      if (root.activeElement !== fields[i]) write(i);
      const place = value === null ? i * steps : placeOf(value);
      if (sliders[i].valueAsNumber !== place) sliders[i].value = String(place);
      sliders[i].setAttribute("aria-valuetext", value === null ? "no limit" : String(value));
      fields[i].disabled = sliders[i].disabled = alone;
    });
    set(only, { "aria-pressed": alone ? "true" : "false" });
    const share = (i: 0 | 1) => `${(sliders[i].valueAsNumber / steps) * 100}%`;
    pair.style.setProperty("--uq-from", share(0));
    pair.style.setProperty("--uq-to", share(1));
    // At the right end both thumbs may overlap; the lower one must stay reachable.
    pair.dataset.front = sliders[0].valueAsNumber > steps / 2 ? "low" : "high";
  };
  /** Limits the moved end to the other one. */
  const move = (i: 0 | 1, value: End) => {
    const other = ends[1 - i] ?? null;
    ends[i] = (i === 0 ? beyond(value, other) : beyond(other, value)) ? other : value;
    show();
    publish();
  };
  const publish = () => {
    const next = { feature: name, low: ends[0], high: ends[1] };
    onChange(missing ? { ...next, missing: box.checked } : next);
  };
  box.addEventListener("change", publish, { signal });
  only.addEventListener(
    "click",
    () =>
      onChange({ feature: name, low: null, high: null, missing: alone ? true : ("only" as const) }),
    { signal },
  );

  const pair = h("span", { class: "uq-range" }, sliders[0], sliders[1]);
  ([0, 1] as const).forEach((i) => {
    const commit = () => {
      move(i, scale.read(fields[i]));
      write(i);
    };
    onCommit(fields[i], commit, signal);
    sliders[i].addEventListener("input", () => move(i, endAt(sliders[i].valueAsNumber)), {
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
        ? [h("span", { class: "uq-checks" }, h("label", {}, box, missingWord(missing)), only)]
        : []),
    ),
    update(condition: Condition): void {
      if (!("low" in condition)) return;
      ends = [condition.low, condition.high];
      alone = condition.missing === "only";
      box.checked = condition.missing !== false;
      box.disabled = alone;
      show();
    },
  };
}

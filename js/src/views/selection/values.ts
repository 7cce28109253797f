import type { Change } from "../../session/condition.ts";
import type { Feature } from "../../session/modelInfo.ts";
import { h, set, setOptions, setText } from "../../widget/dom.ts";
import { isolated, number, whole } from "../../widget/format.ts";
import { millisecondsOf } from "./moments.ts";

export type Value = number | string | null;

/** More features than this have a search field. */
const MOST = 12;
/** The choice of a missing value; other choices have a letter before their text. */
const MISSING = "missing";

const dayOf = (value: Value) => (value === null ? "" : String(value).slice(0, 10));
export const valueText = (value: Value): string =>
  value === null ? "missing" : typeof value === "number" ? number(value) : isolated(value);

/** A field for another value of a feature. */
function field(feature: Feature, onChange: (value: Value) => void, signal: AbortSignal) {
  const attributes = { "aria-label": `what if ${feature.name} were`, "data-testid": "uq-what-if" };
  if (feature.kind === "numeric" || feature.dates) {
    const isDate = feature.dates !== undefined;
    const input = h("input", {
      ...attributes,
      ...(isDate
        ? { type: "date" }
        : { type: "number", step: "any", placeholder: feature.missing ? "missing" : "" }),
    });
    const commit = () => {
      const value = isDate
        ? input.value || null
        : Number.isFinite(input.valueAsNumber)
          ? input.valueAsNumber
          : null;
      // An empty field is a missing value, where some row has none.
      if (value !== null || feature.missing) onChange(value);
    };
    input.addEventListener("change", commit, { signal });
    input.addEventListener("input", () => !isDate && input.value !== "" && commit(), { signal });
    return {
      element: input,
      update(value: Value): void {
        const root = input.getRootNode() as Document | ShadowRoot;
        const shown =
          value === null
            ? ""
            : isDate
              ? dayOf(value)
              : String(Number(Number(value).toPrecision(6)));
        if (root.activeElement !== input && input.value !== shown) input.value = shown;
      },
    };
  }
  const select = h("select", attributes);
  select.disabled = feature.values === null;
  select.addEventListener(
    "change",
    () => onChange(select.value === MISSING ? null : select.value.slice(1)),
    { signal },
  );
  return {
    element: select,
    update(value: Value): void {
      const texts = feature.values ?? (value === null ? [] : [String(value)]);
      setOptions(select, [
        ...texts.map((text) => ({ value: `=${text}`, label: text })),
        ...(feature.missing || value === null ? [{ value: MISSING, label: "missing" }] : []),
      ]);
      select.value = value === null ? MISSING : `=${value}`;
    },
  };
}

/** The index of the value in the grid that is nearest to another one, or the same category. */
export function nearest(
  grid: readonly number[] | readonly string[],
  value: Value,
  isDate: boolean,
): number {
  const place = (one: Value) => (isDate && typeof one === "string" ? millisecondsOf(one) : one);
  const now = place(value);
  let at = 0;
  let least = Number.POSITIVE_INFINITY;
  grid.forEach((one, i) => {
    const there = place(one);
    const isNumber = typeof there === "number" && typeof now === "number";
    const distance = isNumber ? Math.abs(there - now) : there === now ? 0 : Number.NaN;
    if (distance < least) [at, least] = [i, distance];
  });
  return at;
}

/** The values of a row, each with a field for another one; the picked feature also has a slider along its curve. */
export function valueTable(
  features: Feature[],
  onChange: (changes: Change[]) => void,
  signal: AbortSignal,
) {
  const list = h("div", { class: "uq-values-list" });
  const rest = h("p", { class: "uq-muted" });
  const search = h("input", {
    type: "search",
    "aria-label": "search the features of this row",
    placeholder: `search ${whole(features.length)} features`,
    "data-testid": "uq-what-if-search",
  });
  let own = new Map<string, Value>();
  let changes: Change[] = [];
  let picked = "";
  let grid: readonly number[] | readonly string[] = [];
  let term = "";

  const change = (feature: string, value: Value) => {
    const others = changes.filter((one) => one.feature !== feature);
    const isOwn = own.get(feature) === value;
    changes = isOwn ? others : [...others, { feature, value }];
    onChange(changes);
    paint();
  };
  const item = (feature: Feature) => {
    const name = h("span", { class: "uq-value-name", title: feature.name }, feature.name);
    const before = h("span", { class: "uq-muted uq-value-own" });
    const input = field(feature, (value) => change(feature.name, value), signal);
    const slider = h("input", {
      type: "range",
      min: 0,
      step: 1,
      "aria-label": `what if ${feature.name} were, along its curve`,
      "data-testid": "uq-what-if-slider",
    });
    slider.addEventListener(
      "input",
      () => {
        const value = grid[slider.valueAsNumber];
        if (value !== undefined) change(feature.name, value);
      },
      { signal },
    );
    const element = h("div", { class: "uq-value" }, name, input.element, before);
    return {
      element,
      update(): void {
        const value = own.get(feature.name) ?? null;
        const changed = changes.find((one) => one.feature === feature.name);
        const now = changed ? changed.value : value;
        input.update(now);
        set(element, { "data-changed": changed ? "true" : null });
        setText(before, changed ? `was ${valueText(value)}` : "");
        if (feature.name !== picked || grid.length < 2) {
          slider.remove();
          return;
        }
        if (!slider.parentElement) before.before(slider);
        set(slider, { max: grid.length - 1 });
        const at = nearest(grid, now, feature.dates !== undefined);
        if (slider.valueAsNumber !== at) slider.value = String(at);
        set(slider, { "aria-valuetext": valueText(now) });
      },
    };
  };
  const items = new Map<string, ReturnType<typeof item>>();
  const paint = () => {
    const matching = features.filter(({ name }) => name.toLowerCase().includes(term));
    // The picked one first; the others do not move while one types.
    const order = [
      ...matching.filter(({ name }) => name === picked),
      ...matching.filter(({ name }) => name !== picked),
    ];
    const isChanged = ({ name }: Feature) => changes.some(({ feature }) => feature === name);
    const few = [...order.slice(0, MOST), ...order.slice(MOST).filter(isChanged)];
    const shown = few.map((feature) => {
      const one = items.get(feature.name) ?? item(feature);
      items.set(feature.name, one);
      one.update();
      return one.element;
    });
    if (shown.length !== list.childElementCount || shown.some((one, i) => list.children[i] !== one))
      list.replaceChildren(...shown);
    const more = matching.length - shown.length;
    setText(
      rest,
      more > 0 ? `${whole(more)} more; search for them` : matching.length ? "" : "no such feature",
    );
  };
  search.addEventListener(
    "input",
    () => {
      term = search.value.trim().toLowerCase();
      paint();
    },
    { signal },
  );
  return {
    element: h("div", {}, ...(features.length > MOST ? [search] : []), list, rest),
    update(
      values: Map<string, Value>,
      next: Change[],
      feature: string,
      along: readonly number[] | readonly string[],
    ): void {
      [own, changes, picked, grid] = [values, next, feature, along];
      paint();
    },
  };
}

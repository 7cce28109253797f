import type { Condition } from "../session/condition.ts";
import { h, set, setText } from "../widget/dom.ts";
import { counted, whole } from "../widget/format.ts";

/** More values than this have a search field, and are listed up to the second number. */
const MANY = 8;
const MOST = 100;

/** The label of rows with missing values, set in italics unlike a category of this name. */
export const missingWord = (rows: number) => h("em", {}, `missing (${counted(rows, "row")})`);

export const small = (text: string, testid: string) =>
  h("button", { type: "button", class: "uq-small", "data-testid": testid }, text);

/** A choice among values, one of which may be "missing": checkboxes, all, none, only one, and a search. */
export function valuesOf(
  texts: string[],
  missing: number,
  isClass: boolean,
  name: string,
  onChange: (values: (string | null)[]) => void,
  signal: AbortSignal,
) {
  const values = missing ? [...texts, null] : texts;
  let chosen = new Set<string | null>();
  let term = "";
  const choose = (next: Iterable<string | null>) => {
    const set = new Set(next);
    onChange(values.filter((value) => set.has(value)));
  };
  const matching = () =>
    values.filter((value) => (value ?? "missing").toLowerCase().includes(term));

  const item = (value: string | null) => {
    const kind = value === null ? "missing" : isClass ? "class" : "value";
    const box = h("input", {
      type: "checkbox",
      value: value ?? "",
      "data-testid": `uq-filter-${kind}`,
    });
    box.addEventListener(
      "change",
      () => choose(values.filter((one) => (one === value ? box.checked : chosen.has(one)))),
      { signal },
    );
    const only = small("only", "uq-filter-only");
    set(only, { "aria-label": `only ${value ?? "missing"}` });
    only.addEventListener("click", () => choose([value]), { signal });
    const word = value === null ? missingWord(missing) : h("span", {}, value);
    const label = h("label", {}, box, word);
    return { box, element: h("span", {}, label, ...(values.length > 2 ? [only] : [])) };
  };
  const items = new Map<string | null, ReturnType<typeof item>>();
  const list = h("span", { class: "uq-checks" });
  const rest = h("span", { class: "uq-muted" });
  const search = h("input", {
    type: "search",
    "aria-label": `search the values of ${name}`,
    placeholder: `search ${whole(values.length)} values`,
    "data-testid": "uq-filter-search",
  });
  const all = small("all", "uq-filter-all");
  const none = small("none", "uq-filter-none");
  all.addEventListener("click", () => choose([...chosen, ...matching()]), { signal });
  none.addEventListener(
    "click",
    () => {
      const out = new Set(matching());
      choose(values.filter((value) => chosen.has(value) && !out.has(value)));
    },
    { signal },
  );

  const paint = () => {
    const matches = matching();
    const shown = matches.slice(0, MOST);
    const elements = shown.map((value) => {
      const known = items.get(value) ?? item(value);
      items.set(value, known);
      known.box.checked = chosen.has(value);
      return known.element;
    });
    if (
      elements.some((element, i) => list.children[i] !== element) ||
      list.childElementCount !== elements.length
    )
      list.replaceChildren(...elements);
    setText(
      rest,
      matches.length > MOST
        ? `${whole(matches.length - MOST)} more; search for them`
        : matches.length
          ? ""
          : "no such value",
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
    element: h(
      "span",
      { class: "uq-values" },
      ...(values.length > MANY ? [search] : []),
      ...(values.length > 2 ? [all, none] : []),
      list,
      rest,
    ),
    update(condition: Condition): void {
      if ("values" in condition) chosen = new Set(condition.values);
      else if ("predicted" in condition) chosen = new Set(condition.predicted);
      else return;
      paint();
    },
  };
}

import type { Condition } from "../session/condition.ts";
import type { Column, ModelInfo } from "../session/modelInfo.ts";
import type { Context } from "../views/view.ts";
import { h, set } from "../widget/dom.ts";
import { isolated } from "../widget/format.ts";

type ConditionModule = typeof import("./condition.ts");

const CLASS = "class of y";
const PREDICTED = "predicted class";

/** The subject of a condition: a feature, or the class of y. */
interface Subject {
  value: string;
  label: string;
  /** Null where there are too many values to choose from. */
  fresh: (() => Condition) | null;
}

/** A new condition, which every row meets. */
function subjectOf({ name, kind, values, missing, dates }: Column): Subject {
  const open = { feature: name, low: null, high: null };
  if (kind === "numeric" || dates)
    return { value: name, label: name, fresh: () => (missing ? { ...open, missing: true } : open) };
  const every = values && (missing ? [...values, null] : values);
  if (every)
    return { value: name, label: name, fresh: () => ({ feature: name, values: [...every] }) };
  return { value: name, label: `${isolated(name)} (too many values)`, fresh: null };
}

/** What rows can be filtered by: class and features, and the columns that the model does not see. */
function subjects(about: ModelInfo): [Subject[], Subject[]] {
  const ofClass: Subject = {
    // A feature may have any name, so the class of y is identified by its position in the list.
    value: CLASS,
    label: `${isolated(about.target ?? "y")} (class)`,
    fresh: () => ({ feature: null, values: [...about.classes] }),
  };
  const ofPrediction: Subject = {
    value: PREDICTED,
    label: `${isolated(about.target ?? "y")} (predicted)`,
    fresh: () => ({ predicted: [...about.classes] }),
  };
  return [
    about.classes.length
      ? [ofClass, ...about.features.map(subjectOf), ofPrediction]
      : about.features.map(subjectOf),
    about.extra.map(subjectOf),
  ];
}

const shapeOf = (conditions: Condition[]) =>
  JSON.stringify(
    conditions.map((one) => [one.feature, ...["values", "rows", "predicted"].map((k) => k in one)]),
  );

/** Conditions that select the rows of all views. Their code is a part, which is loaded with the first condition. */
export function filterList(
  { about, session, root, signal }: Context,
  onChange: (conditions: Condition[]) => void,
) {
  const [own, extra] = subjects(about);
  const choices = [...own, ...extra];
  const option = ({ value, label, fresh }: Subject) =>
    h("option", { value, disabled: !fresh }, label);
  const add = h(
    "select",
    {
      class: "uq-filter-add",
      "aria-label": "add a filter on rows",
      "data-testid": "uq-filter-add",
    },
    h("option", { value: "" }, "+ add a filter"),
    ...own.map(option),
    ...(extra.length ? [h("optgroup", { label: "not features" }, ...extra.map(option))] : []),
  );
  const list = h("div", {
    class: "uq-filter-list",
    role: "group",
    "aria-label": "filters on rows",
  });
  let conditions: Condition[] = [];
  let module: ConditionModule | null = null;
  let items: ReturnType<ConditionModule["conditionItem"]>[] = [];
  let shape = shapeOf([]);
  let listeners = new AbortController();
  signal.addEventListener("abort", () => listeners.abort());

  const change = (next: Condition[]) => {
    conditions = next;
    onChange(next);
  };

  add.addEventListener(
    "change",
    () => {
      const subject = choices[add.selectedIndex - 1];
      add.selectedIndex = 0;
      if (subject?.fresh) change([...conditions, subject.fresh()]);
    },
    { signal },
  );
  // An arrow key on a closed select would choose at once; it opens the list instead.
  add.addEventListener(
    "keydown",
    (event) => {
      if (event.altKey || !["ArrowDown", "ArrowUp"].includes(event.key) || !add.showPicker) return;
      event.preventDefault();
      add.showPicker();
    },
    { signal },
  );

  const load = async () => {
    try {
      module = await session.parts.load(() => import("./condition.ts"), root);
      rebuild();
    } catch (error) {
      list.replaceChildren(h("p", {}, error instanceof Error ? error.message : String(error)));
    }
  };
  const show = () => {
    items.forEach((item, i) => {
      item.update(conditions[i] as Condition);
    });
  };
  const rebuild = () => {
    set(list, { hidden: conditions.length === 0 });
    if (!module) {
      if (conditions.length) load();
      return;
    }
    const { conditionItem } = module;
    listeners.abort();
    listeners = new AbortController();
    items = conditions.map((condition, at) =>
      conditionItem(
        about,
        condition,
        {
          change: (next) => change(conditions.map((old, i) => (i === at ? next : old))),
          remove: () => {
            change(conditions.filter((_, i) => i !== at));
            add.focus();
          },
        },
        listeners.signal,
      ),
    );
    list.replaceChildren(...items.map(({ element }) => element));
    show();
  };
  rebuild();

  return {
    element: h("div", { class: "uq-filters" }, list, add),
    update(next: Condition[]): void {
      conditions = next;
      const now = shapeOf(next);
      if (now !== shape) {
        shape = now;
        rebuild();
      }
      show();
    },
  };
}

import "./condition.css";
import type { Condition } from "../session/condition.ts";
import type { ModelInfo } from "../session/modelInfo.ts";
import { h } from "../widget/dom.ts";
import { rangeOf } from "./range.ts";
import { rowsOf } from "./rows.ts";
import { valuesOf } from "./values.ts";

export interface ConditionActions {
  change(next: Condition): void;
  remove(): void;
}

/** One removable condition: a range of a numeric feature, or a choice of values. */
export function conditionItem(
  about: ModelInfo,
  condition: Condition,
  actions: ConditionActions,
  signal: AbortSignal,
) {
  const isClass = condition.feature === null;
  const feature = [...about.features, ...about.extra].find(
    ({ name }) => name === condition.feature,
  );
  const target = about.target ?? "y";
  const name =
    "rows" in condition
      ? "selected rows"
      : "predicted" in condition
        ? `predicted ${target}`
        : (condition.feature ?? target);
  const missing = feature?.missing ?? 0;
  const remove = h(
    "button",
    {
      type: "button",
      class: "uq-remove",
      "aria-label": `remove the filter on ${name}`,
      title: "remove this filter",
      "data-testid": "uq-filter-remove",
    },
    "×",
  );
  remove.addEventListener("click", actions.remove, { signal });

  const body =
    "rows" in condition
      ? rowsOf(about.n_rows)
      : "predicted" in condition
        ? valuesOf(
            [...new Set([...about.classes, ...condition.predicted])],
            0,
            true,
            name,
            (values) => actions.change({ predicted: values.filter((v) => v !== null) }),
            signal,
          )
        : "values" in condition
          ? valuesOf(
              isClass
                ? about.classes
                : (feature?.values ?? condition.values.filter((v) => v !== null)),
              missing,
              isClass,
              name,
              (values) => actions.change({ feature: condition.feature, values }),
              signal,
            )
          : rangeOf(feature ?? null, name, missing, actions.change, signal);

  return {
    element: h(
      "div",
      {
        class: "uq-filter-item",
        role: "group",
        "aria-label": `filter on ${name}`,
        "data-testid": "uq-filter-item",
        "data-feature": condition.feature ?? "",
      },
      h("span", { class: "uq-filter-name", title: name }, name),
      body.element,
      remove,
    ),
    update: (next: Condition) => body.update(next),
  };
}

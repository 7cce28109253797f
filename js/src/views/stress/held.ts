import { picker } from "../../controls/picker.ts";
import type { Held } from "../../session/condition.ts";
import type { Frame } from "../../session/frame.ts";
import type { Inputs } from "../../session/inputs.ts";
import type { ModelInfo } from "../../session/modelInfo.ts";
import type { Session } from "../../session/session.ts";
import { h, onCommit, set } from "../../widget/dom.ts";
import { row, valueAt } from "./profile.ts";

/** Means that can be held besides that of the stressed feature. */
const MOST = 2;

const keyOf = ({ feature, category }: Pick<Held, "feature" | "category">) =>
  JSON.stringify([feature, category ?? null]);

/** The means, or shares of categories, that the rows have at every τ: a choice and a number for each. */
export function heldControls(session: Session, about: ModelInfo, signal: AbortSignal) {
  const choices = about.features
    .filter(({ unstressable }) => unstressable === null)
    .flatMap(({ name, kind, values, missing }) =>
      kind === "numeric"
        ? [{ label: `mean of ${name}`, value: keyOf({ feature: name }), disabled: missing > 0 }]
        : (values ?? []).map((category) => ({
            label: `share of ${name} = ${category}`,
            value: keyOf({ feature: name, category }),
          })),
    );
  const all = [{ label: "nothing", value: "" }, ...choices];
  let held: Held[] = [];
  let shown: Frame | null = null;

  /** What the mean or the share is now, rounded; from there it is moved. */
  const presentOf = (feature: string, category: string | null): number => {
    const stress = shown?.stress;
    const at = stress?.features.findIndex(
      (f, i) => about.features[f]?.name === feature && stress.categories[i] === category,
    );
    if (!stress || at === undefined || at < 0) return 0;
    const mean = valueAt(stress.taus, row(stress.reached, at, stress.taus.length), 0);
    return Number.isFinite(mean) ? Number(mean.toPrecision(4)) : 0;
  };
  const save = (at: number, next: Held | null) => {
    const list = held.filter((_, i) => i !== at);
    if (next) list.splice(at, 0, next);
    session.request({ held: list });
  };

  const slots = Array.from({ length: MOST }, (_, at) => {
    const number = h("input", {
      type: "number",
      step: "any",
      "aria-label": "value that is held",
      "data-testid": "uq-held-value",
    });
    const choice = picker(
      at === 0 ? "also hold" : "and",
      { "data-testid": "uq-held" },
      (value) => {
        if (value === "") return save(at, null);
        const [feature, category] = JSON.parse(value) as [string, string | null];
        const present = presentOf(feature, category);
        save(at, { feature, value: present, ...(category === null ? {} : { category }) });
      },
      signal,
    );
    onCommit(
      number,
      () => {
        const one = held[at];
        if (one && Number.isFinite(number.valueAsNumber))
          save(at, { ...one, value: number.valueAsNumber });
      },
      signal,
    );
    const field = h("label", { class: "uq-field" }, h("span", {}, "at"), number);
    return { choice, number, field };
  });

  return {
    elements: slots.flatMap(({ choice, field }) => [choice.element, field]),
    update(inputs: Inputs, frame: Frame | null): void {
      [held, shown] = [inputs.held, frame];
      slots.forEach(({ choice, number, field }, at) => {
        const one = held[at];
        choice.element.hidden = at > held.length;
        field.hidden = !one;
        choice.update(all, one ? keyOf(one) : "");
        if (!one) return;
        const { activeElement } = number.getRootNode() as Document | ShadowRoot;
        if (activeElement !== number) number.value = String(one.value);
        set(number, one.category === undefined ? { min: null, max: null } : { min: 0, max: 1 });
      });
    },
  };
}

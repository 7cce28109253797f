import "./columnChoices.css";
import type { Controls } from "../../controls/onDemand.ts";
import { checkBox, picker } from "../../controls/picker.ts";
import type { Inputs } from "../../session/inputs.ts";
import type { ModelInfo } from "../../session/modelInfo.ts";
import type { Session } from "../../session/session.ts";
import { h } from "../../widget/dom.ts";

const REPLACEMENTS = [
  { value: "permutation", label: "shuffled values" },
  { value: "conditional", label: "values of similar rows" },
  { value: "ablation", label: "values drawn at random" },
];
const COMPARISONS = [
  { value: "difference", label: "difference" },
  { value: "ratio", label: "ratio" },
];
const MOST_COLUMNS = 4;

/** What the importance view shows and how it is computed: the controls under "more". */
export function columnChoices(session: Session, about: ModelInfo, signal: AbortSignal): Controls {
  const to = (name: keyof Inputs) => (value: unknown) => session.request({ [name]: value });
  const attributes = (id: string) => ({ "data-testid": `uq-${id}` });
  const replacement = picker("replace by", attributes("replacement"), to("replacement"), signal);
  const compare = picker("compare by", attributes("compare"), to("compare"), signal);
  const check = (label: string, id: keyof Inputs) =>
    checkBox(label, attributes(id), to(id), signal);
  const grouped = check("groups as one", "grouped");
  grouped.element.hidden = !about.features.some(({ group }) => group);
  const verdict = check("verdict", "verdict");
  const redundancy = check("redundancy", "redundancy");
  const choices = [...about.measures, ...about.scorers];
  let shown: string[] = [];
  const boxes = choices.map(({ name, label }) =>
    checkBox(
      label,
      { "data-testid": `uq-column-${name}` },
      (on) => to("importance_of")(on ? [...shown, name] : shown.filter((one) => one !== name)),
      signal,
    ),
  );
  const columns = h(
    "fieldset",
    { class: "uq-checks", title: "Measures and scores that are shown, one to four." },
    h("legend", {}, "columns"),
    ...boxes.map(({ element }) => element),
  );
  const hasBoth = ["nll", "entropy"].every((name) => about.measures.some((m) => m.name === name));

  return {
    element: h(
      "div",
      { class: "uq-column-choices" },
      columns,
      ...[replacement, compare, grouped, verdict, redundancy].map(({ element }) => element),
    ),
    update(inputs, frame): void {
      replacement.update(REPLACEMENTS, inputs.replacement);
      compare.update(COMPARISONS, inputs.compare);
      grouped.update(inputs.grouped, null);
      const why = hasBoth
        ? inputs.replacement === "conditional" && "values of similar rows keep what features share"
        : "the model has no likelihood or no entropy";
      verdict.update(inputs.verdict, why || null);
      redundancy.update(inputs.redundancy, null);
      shown = inputs.importance_of.length
        ? inputs.importance_of
        : // By default Python chooses them.
          (frame?.importance?.measures.map(({ name }) => name) ?? []);
      boxes.forEach((box, i) => {
        const on = shown.includes(choices[i]?.name ?? "");
        const full = !on && shown.length >= MOST_COLUMNS && "four columns at most";
        box.update(on, full || (on && shown.length === 1 && "one column at least") || null);
      });
    },
  };
}

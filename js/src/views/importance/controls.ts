import { checkBox, picker, wholeNumber } from "../../controls/picker.ts";
import { h } from "../../dom.ts";
import type { Inputs } from "../../inputs.ts";
import type { ModelInfo } from "../../modelInfo.ts";
import type { Session } from "../../session.ts";

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

/** The controls of the importance view: two in sight, the others under "more". */
export function importanceControls(session: Session, about: ModelInfo, signal: AbortSignal) {
  // The first is the default.
  const kinds = about.intervals.map((value, i) => {
    const text = about.help.intervals.find(({ name }) => name === value);
    const { label = value, accountsFor } = text ?? {};
    return { value, label, title: accountsFor, group: i > 0 ? "more" : undefined };
  });
  const to = (name: keyof Inputs) => (value: unknown) => session.request({ [name]: value });
  const attributes = (id: string) => ({ "data-testid": `uq-${id}` });
  const kind = picker("uncertainty from", attributes("interval"), to("interval"), signal);
  const repeats = wholeNumber(
    "shuffles per feature",
    { min: 2, max: 1000, ...attributes("repeats") },
    to("n_repeats"),
    signal,
  );
  const replacement = picker("replace by", attributes("replacement"), to("replacement"), signal);
  const compare = picker("compare by", attributes("compare"), to("compare"), signal);
  const check = (label: string, id: keyof Inputs) =>
    checkBox(label, attributes(id), to(id), signal);
  const groups = check("groups as one", "groups");
  groups.element.hidden = !about.features.some(({ group }) => group);
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
  const more = h(
    "details",
    { class: "uq-more", "data-testid": "uq-importance-more" },
    h("summary", { "data-testid": "uq-importance-options" }, "more"),
    columns,
    ...[replacement, compare, groups, verdict, redundancy].map(({ element }) => element),
  );
  const hasBoth = ["nll", "entropy"].every((name) => about.measures.some((m) => m.name === name));

  return {
    elements: [kind.element, repeats.element, more],
    /** `names` are the measures and scorers that are shown, which by default Python chooses. */
    update(inputs: Inputs, names: string[]): void {
      kind.update(kinds, inputs.interval);
      repeats.update(inputs.n_repeats);
      replacement.update(REPLACEMENTS, inputs.replacement);
      compare.update(COMPARISONS, inputs.compare);
      groups.update(inputs.groups, null);
      const why = hasBoth
        ? inputs.replacement === "conditional" && "values of similar rows keep what features share"
        : "the model has no likelihood or no entropy";
      verdict.update(inputs.verdict, why || null);
      redundancy.update(inputs.redundancy, null);
      shown = inputs.importance_of.length ? inputs.importance_of : names;
      boxes.forEach((box, i) => {
        const on = shown.includes(choices[i]?.name ?? "");
        const full = !on && shown.length >= MOST_COLUMNS && "four columns at most";
        box.update(on, full || (on && shown.length === 1 && "one column at least") || null);
      });
    },
  };
}

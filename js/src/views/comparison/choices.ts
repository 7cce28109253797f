import type { PickerChoice } from "../../controls/picker.ts";
import type { ModelInfo } from "../../session/modelInfo.ts";
import { isolated } from "../../widget/format.ts";
import type { Shown } from "../view.ts";

const CLASS = "probability:";

/** What can be compared with what is shown; empty where there is nothing. */
export function choicesOf(about: ModelInfo, { frame, inputs }: Shown): PickerChoice[] {
  const rows = inputs.cohorts.map(({ name }) => ({ value: `cohort:${name}`, label: name }));
  if (inputs.ice_filter.length > 0) rows.unshift({ value: "rest", label: "the other rows" });
  const classes = about.measures.filter(({ name }) => name.startsWith(CLASS));
  const choices: PickerChoice[] = [
    ...about.others.map((name) => ({ value: `model:${name}`, label: name, group: "model" })),
    ...rows.map((one) => ({ ...one, group: "rows" })),
    ...classes.map(({ name }) => {
      const label = name.slice(CLASS.length);
      return { value: `class:${label}`, label, group: "class" };
    }),
  ];
  if (frame?.learner) choices.push({ value: "learner", label: "the learner", group: "procedure" });
  const isListed = choices.some(({ value }) => value === inputs.compare_with);
  // A cohort that was deleted, or a filter that was taken away.
  if (inputs.compare_with && !isListed)
    choices.push({ value: inputs.compare_with, label: inputs.compare_with, group: "rows" });
  return choices.map((choice) => ({ ...choice, label: isolated(choice.label) }));
}

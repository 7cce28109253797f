import { moreOnDemand } from "../../controls/onDemand.ts";
import { checkBox, picker, wholeNumber } from "../../controls/picker.ts";
import type { Frame } from "../../session/frame.ts";
import type { Inputs } from "../../session/inputs.ts";
import { isolated } from "../../widget/format.ts";
import type { Context } from "../view.ts";

/** The controls of the importance view: two in sight, the others under "more". */
export function importanceControls(context: Context) {
  const { session, about, signal } = context;
  // The first is the default.
  const kinds = about.intervals.map((value, i) => {
    const text = about.help.intervals.find(({ name }) => name === value);
    const { label = value, accountsFor } = text ?? {};
    return { value, label, title: accountsFor, group: i > 0 ? "more" : undefined };
  });
  const kind = picker(
    "uncertainty from",
    { "data-testid": "uq-interval" },
    (interval) => session.request({ interval }),
    signal,
  );
  const atOnce = checkBox(
    "all at once",
    { "data-testid": "uq-simultaneous" },
    (simultaneous) => session.request({ simultaneous }),
    signal,
  );
  atOnce.element.hidden = about.simultaneous.length < 2;
  // Without a name, they are those that were passed.
  const keyOf = (name: string, time = false) => (time ? `time:${name}` : name);
  const ofRows = about.groups.map(({ name, text, time }) => ({
    value: keyOf(name, time),
    label: isolated(text ?? "each row by itself"),
    group: time ? "follow each other" : name ? "belong together by" : undefined,
  }));
  const groups = picker(
    "rows grouped as",
    { "data-testid": "uq-row-groups" },
    (key) => {
      const one = about.groups.find(({ name, time }) => keyOf(name, time) === key);
      session.request({ groups: one?.time ? "" : key, time: one?.time ? one.name : "" });
    },
    signal,
  );
  groups.element.hidden = session.model.isStill === true || ofRows.length < 2;
  const repeats = wholeNumber(
    "shuffles per feature",
    { min: 2, max: 1000, "data-testid": "uq-repeats" },
    (n_repeats) => session.request({ n_repeats }),
    signal,
  );
  const more = moreOnDemand(
    context,
    "uq-importance-options",
    () => import("./columnChoices.ts"),
    ({ columnChoices }) => columnChoices(session, about, signal),
  );
  return {
    elements: [kind.element, atOnce.element, groups.element, repeats.element, more.element],
    update(inputs: Inputs, frame: Frame | null): void {
      // "30 patients" are groups; blocks of rows in time are no subjects of their own.
      const of = frame?.inGroups?.replace(/^\S+ /, "");
      const noun = of && of !== "blocks" ? `new ${isolated(of)}` : "new rows";
      const named = kinds.map((one) => ({ ...one, label: one.label.replace("new rows", noun) }));
      kind.update(named, inputs.interval);
      atOnce.update(inputs.simultaneous, null);
      const name = inputs.groups || inputs.time;
      const key = keyOf(name, name !== inputs.groups);
      const isOffered = ofRows.some(({ value }) => value === key);
      // A column that is not offered can be set in Python.
      const own = { value: key, label: isolated(name), group: undefined };
      groups.update(isOffered ? ofRows : [...ofRows, own], key);
      repeats.update(inputs.n_repeats);
      more.update(inputs, frame);
    },
  };
}

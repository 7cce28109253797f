import "./style.css";
import { button } from "../controls/button.ts";
import { checkBox, picker } from "../controls/picker.ts";
import type { Inputs } from "../session/inputs.ts";
import type { Session } from "../session/session.ts";
import { h, set, setText } from "../widget/dom.ts";

const rowsOf = ({ ice_filter, complement }: Pick<Inputs, "ice_filter" | "complement">) =>
  JSON.stringify([ice_filter, ice_filter.length > 0 && complement]);

/** The value of a filter that no cohort has; names of cohorts have a letter before them. */
const UNNAMED = "unnamed";

/** The field for the name of a cohort, which is shown while it is needed. */
function nameField(status: HTMLElement, commit: (name: string) => void, signal: AbortSignal) {
  const element = h("input", {
    type: "text",
    maxlength: 200,
    "aria-label": "name of the cohort",
    title: "Enter saves, Escape leaves everything as it is",
    "data-testid": "uq-cohort-name",
    hidden: true,
  });
  let opener: HTMLElement | null = null;
  const close = (text: string): void => {
    element.hidden = true;
    setText(status, text);
    opener?.focus();
    opener = null;
  };
  const accept = () => {
    const name = element.value.trim();
    if (name) commit(name);
    else setText(status, "a cohort needs a name");
  };
  element.addEventListener(
    "keydown",
    (event) => {
      if (event.key === "Enter") accept();
      else if (event.key === "Escape") close("");
      else return;
      event.preventDefault();
    },
    { signal },
  );
  return {
    element,
    /** Hides the field, says a text, and returns the focus to the button that opened it. */
    close,
    open(name: string, button: HTMLElement): void {
      opener = button;
      element.value = name;
      element.hidden = false;
      element.focus();
      element.select();
    },
  };
}

/** Named filters: switch between them, save the present one, copy, rename and delete. */
export function cohortControls(session: Session, signal: AbortSignal) {
  let inputs: Inputs = session.inputs;
  const named = (name: string) => inputs.cohorts.find((cohort) => cohort.name === name);
  const current = () => inputs.cohorts.find((cohort) => rowsOf(cohort) === rowsOf(inputs));

  const choice = picker(
    "cohort",
    { title: "show the rows of a saved cohort, in every panel", "data-testid": "uq-cohort" },
    (value) => {
      const cohort = value ? named(value.slice(1)) : { ice_filter: [], complement: false };
      if (cohort) session.request({ ice_filter: cohort.ice_filter, complement: cohort.complement });
    },
    signal,
  );
  const others = checkBox(
    "the other rows",
    { "data-testid": "uq-complement", title: "show the rows that do not meet the filter instead" },
    (complement) => session.request({ complement }),
    signal,
  );
  const status = h("span", {
    class: "uq-muted",
    role: "status",
    "data-testid": "uq-cohort-status",
  });
  const fresh = (stem: string) => {
    let name = stem;
    for (let i = 2; named(name); i++) name = `${stem} ${i}`;
    return name;
  };
  /** What the field names: the present filter, or a cohort that is renamed. */
  let renamed: string | null = null;
  const commit = (name: string) => {
    const { ice_filter, complement, cohorts } = inputs;
    if (renamed === null) {
      const cohort = { name, ice_filter, complement: ice_filter.length > 0 && complement };
      session.request({ cohorts: [...cohorts.filter((one) => one.name !== name), cohort] });
      field.close(`saved ${name}`);
    } else if (name !== renamed && named(name)) {
      setText(status, `there is a cohort ${name}`);
    } else {
      const rename = (one: (typeof cohorts)[number]) =>
        one.name === renamed ? { ...one, name } : one;
      session.request({ cohorts: cohorts.map(rename) });
      field.close(`renamed to ${name}`);
    }
  };
  const field = nameField(status, commit, signal);
  const open = (name: string, from: string | null, opener: HTMLElement) => {
    renamed = from;
    field.open(name, opener);
  };

  const titled = (id: string, text: string, title: string, run: (own: HTMLElement) => void) =>
    button(id, text, run, signal, { title });
  const save = titled(
    "uq-cohort-save",
    "save as…",
    "keep this filter under a name; a cohort of this name is replaced",
    (own) => open(current()?.name ?? fresh("cohort"), null, own),
  );
  const copy = titled("uq-cohort-copy", "duplicate", "keep a copy of this cohort", () => {
    const cohort = current();
    if (!cohort) return;
    const name = fresh(`${cohort.name} copy`);
    session.request({ cohorts: [...inputs.cohorts, { ...cohort, name }] });
    setText(status, `saved ${name}`);
  });
  const rename = titled("uq-cohort-rename", "rename…", "give this cohort another name", (own) => {
    const cohort = current();
    if (cohort) open(cohort.name, cohort.name, own);
  });
  const remove = titled(
    "uq-cohort-delete",
    "delete",
    "forget the name of this cohort; its filter stays",
    () => {
      const cohort = current();
      if (!cohort) return;
      // Without a cohort this button is hidden, and would lose the focus.
      if (inputs.cohorts.length === 1) save.focus();
      session.request({ cohorts: inputs.cohorts.filter((one) => one !== cohort) });
      setText(status, `deleted ${cohort.name}`);
    },
  );

  return {
    element: h(
      "div",
      { class: "uq-cohorts", role: "group", "aria-label": "cohorts" },
      choice.element,
      others.element,
      save,
      field.element,
      copy,
      rename,
      remove,
      status,
    ),
    update(next: Inputs): void {
      inputs = next;
      const cohort = current();
      const isAll = inputs.ice_filter.length === 0;
      // Before anything is filtered or saved there is nothing to choose.
      const isIdle = isAll && inputs.cohorts.length === 0;
      for (const element of [choice.element, copy, rename, remove])
        element.hidden = inputs.cohorts.length === 0;
      others.element.hidden = save.hidden = isIdle;
      others.update(
        inputs.complement && !isAll,
        isAll ? "add a filter first; then its other rows can be shown" : null,
      );
      for (const element of [copy, rename, remove])
        set(element, { "aria-disabled": cohort ? null : "true" });
      choice.update(
        [
          { value: "", label: "all rows" },
          ...inputs.cohorts.map(({ name }) => ({ value: `=${name}`, label: name })),
          ...(cohort || isAll ? [] : [{ value: UNNAMED, label: "not saved", disabled: true }]),
        ],
        cohort ? `=${cohort.name}` : isAll ? "" : UNNAMED,
      );
    },
  };
}

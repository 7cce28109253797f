import { button } from "../../controls/button.ts";
import { controlsOnDemand } from "../../controls/onDemand.ts";
import type { Change, Condition } from "../../session/condition.ts";
import type { Frame } from "../../session/frame.ts";
import type { Inputs } from "../../session/inputs.ts";
import { readRows, writeRows } from "../../session/rows.ts";
import { h, onCommit, set, setText } from "../../widget/dom.ts";
import { counted, number, whole, withUnit } from "../../widget/format.ts";
import { type Context, type Panel, section } from "../view.ts";
import { lineSelection } from "./lineSelection.ts";
import { nameOf } from "./names.ts";
import { pointSelection } from "./pointSelection.ts";
import type { Selection } from "./reader.ts";

/** A field that selects a row by its position or label. */
function rowFinder(
  n_rows: number,
  frame: () => Frame | null,
  select: (row: number) => void,
  signal: AbortSignal,
) {
  const field = h("input", {
    type: "text",
    "aria-label": "select a row by its position or label",
    placeholder: "position or label",
    "data-testid": "uq-selection-find",
  });
  const problem = h("span", { class: "uq-muted", role: "status" });
  const look = () => {
    const text = field.value.trim();
    if (!text) return;
    const lines = frame()?.dependence;
    const place = lines?.iceLabels?.indexOf(text) ?? -1;
    const position = /^\d+$/.test(text) ? Number(text) : undefined;
    const row = place >= 0 ? lines?.iceRow[place] : position;
    if (row === undefined || row >= n_rows) {
      setText(
        problem,
        `no row ${text}: give a position from 0 to ${whole(n_rows - 1)}, or the label of a row that is drawn`,
      );
      return;
    }
    field.value = "";
    setText(problem, "");
    select(row);
  };
  onCommit(field, look, signal);
  return { field, problem };
}

/** What the list says of a row: prediction, true value, and the measure that is shown. */
function rowText(data: Selection, i: number, measure: string): string {
  const watched = data.measures.findIndex(({ name }) => name === measure);
  const at = Math.max(0, watched);
  const { label = "", unit = "", isPrediction = false } = data.measures[at] ?? {};
  const word = (value: number) => (data.classes ? (data.classes[value] ?? "") : number(value));
  const truth = data.truth[i] ?? Number.NaN;
  const parts = [
    // The prediction of a number is one of the measures, and may be the one that is shown.
    isPrediction && !data.classes ? "" : `predicted ${word(data.predicted[i] ?? Number.NaN)}`,
    Number.isFinite(truth) ? `truly ${word(truth)}` : "",
    `${withUnit(label, unit)}: ${number(data.values[i * data.measures.length + at])}`,
  ];
  return parts.filter(Boolean).join(", ");
}

/** The list of the selected rows; arrow keys walk through it. */
function selectedList(show: (row: number) => void, signal: AbortSignal) {
  const list = h("div", {
    class: "uq-selected-list",
    role: "group",
    "aria-label": "selected rows",
  });
  const caption = h("p", { class: "uq-muted" });
  list.addEventListener(
    "keydown",
    (event) => {
      const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
      const all = [...list.querySelectorAll("button")];
      const at = all.indexOf(event.target as HTMLButtonElement);
      const target = by && at >= 0 ? all[at + by] : null;
      if (!target) return;
      event.preventDefault();
      target.focus();
      target.click();
    },
    { signal },
  );
  const items = new Map<number, { element: HTMLElement; name: Element; text: Element }>();
  const itemOf = (row: number) => {
    const known = items.get(row);
    if (known) return known;
    const [name, text] = [h("span"), h("span", { class: "uq-muted" })];
    const attributes = { class: "uq-selected-row", "data-testid": "uq-selected-row" };
    const element = h("button", { type: "button", ...attributes }, name, text);
    element.addEventListener("click", () => show(row), { signal });
    const made = { element, name, text };
    items.set(row, made);
    return made;
  };
  return {
    elements: [list, caption],
    update(data: Selection, frame: Frame, rows: number[], shown: number, measure: string): void {
      const selected = new Set(rows);
      const elements: HTMLElement[] = [];
      data.listed.forEach((row, i) => {
        if (!selected.has(row)) return;
        const { element, name, text } = itemOf(row);
        setText(name, nameOf(frame, row));
        setText(text, rowText(data, i, measure));
        set(element, { "aria-pressed": row === shown ? "true" : "false" });
        elements.push(element);
      });
      if (
        elements.length !== list.childElementCount ||
        elements.some((one, i) => list.children[i] !== one)
      )
        list.replaceChildren(...elements);
      for (const row of items.keys()) if (!selected.has(row)) items.delete(row);
      const of = `${whole(elements.length)} of ${counted(rows.length, "row")}`;
      const isCut = rows.length > elements.length;
      setText(caption, isCut ? `${of} are listed; the card shows any of them.` : "");
    },
  };
}

/** The selected rows: which they are, and one of them on a card. */
export function selectionPanel(context: Context): Panel {
  const { about, session, signal, root, plots } = context;
  const isStill = session.model.isStill === true;
  let frame: Frame | null = null;
  let rows: number[] = [];
  let inputs: Inputs = session.inputs;

  /** Selects rows; with `adds`, a single one that is selected already is left out. */
  const select = (next: number[], adds = false) => {
    const isOut = adds && next.length === 1 && rows.includes(next[0] as number);
    const chosen = isOut ? rows.filter((row) => row !== next[0]) : adds ? [...rows, ...next] : next;
    const row = (isOut ? chosen : next)[0] ?? -1;
    session.request({ selection: writeRows(chosen), row, what_if: [] });
  };
  const keep = (condition: Condition) => {
    // Within the complement of a filter there is no further filter.
    const others = inputs.complement ? [] : inputs.ice_filter;
    const same = (one: Condition) =>
      "low" in one && "low" in condition && one.feature === condition.feature;
    session.request({
      ice_filter: [...others.filter((one) => !same(one)), condition],
      complement: false,
    });
  };

  const lines = lineSelection(context, select, {
    select: (condition) => session.request({ selection: [condition], row: -1, what_if: [] }),
    keep,
  });
  const points = pointSelection(select, (row) => (frame ? nameOf(frame, row) : ""), signal);

  const finder = rowFinder(
    about.n_rows,
    () => frame,
    (row) => select([row], rows.length > 0 && !rows.includes(row)),
    signal,
  );
  const forget = () => {
    select([]);
    finder.field.focus();
  };
  const clear = button("uq-selection-clear", "clear selection", forget, signal);
  const keepRows = () => keep({ rows: writeRows(rows) });
  const filter = button("uq-selection-keep", "keep only these rows", keepRows, signal);

  const list = selectedList((row) => session.request({ row, what_if: [] }), signal);
  const shownRow = () => (rows.includes(inputs.row) ? inputs.row : (rows[0] ?? -1));
  const card = controlsOnDemand(
    context,
    () => import("./card.ts"),
    ({ rowCard }) => {
      const step = (by: number) => {
        const at = Math.max(0, rows.indexOf(shownRow()));
        const row = rows[(at + by + rows.length) % rows.length];
        if (row !== undefined) session.request({ row, what_if: [] });
      };
      const change = (what_if: Change[]) => session.request({ row: shownRow(), what_if });
      const { element, update } = rowCard(about, { step, change }, signal);
      return {
        element,
        update({ what_if: changes }, shown): void {
          const data = shown?.selection;
          if (!shown || !data || !rows.length) return;
          const row = shownRow();
          const [at, count] = [rows.indexOf(row), rows.length];
          update({ frame: shown, data, row, at, count, changes, isStill });
        },
      };
    },
    () => rows.length > 0,
  );
  const hint = h(
    "p",
    { class: "uq-empty uq-selection-hint" },
    "No row is selected: click a line of the curves or a point, draw a box over some, drag over the bars, or write a position.",
  );
  const body = h(
    "div",
    { class: "uq-selection-body" },
    h("div", {}, ...list.elements),
    card.element,
  );
  const find = h("label", { class: "uq-field" }, h("span", {}, "select a row"), finder.field);
  const controls = [find, lines.walk, clear, filter];
  const panel = section("Selected rows", "uq-selection", controls, finder.problem, hint, body);

  root.addEventListener(
    "keydown",
    (event) => {
      if (event.key === "Escape" && !event.defaultPrevented && rows.length) select([]);
    },
    { signal },
  );

  let readText: string | null = null;
  return {
    element: panel.element,
    update({ frame: next, inputs: newest }) {
      frame = next;
      inputs = newest;
      const data = next?.selection ?? null;
      // A condition that was just requested becomes positions in the kernel's answer.
      const text =
        typeof newest.selection === "string" ? newest.selection : (next?.inputs.selection ?? "");
      if (typeof text === "string" && text !== readText) {
        readText = text;
        rows = readRows(text, about.n_rows);
      }
      set(panel.element, { "data-stale": data?.stale ? "true" : null });
      const isAny = rows.length > 0;
      hint.hidden = isAny;
      body.hidden = clear.hidden = !isAny;
      // Without a kernel, only the rows of cohorts can be shown.
      filter.hidden = !isAny || isStill;
      setText(panel.note, isAny ? `${counted(rows.length, "row")} selected` : "");
      lines.update(plots.lines ?? null, rows, newest, next);
      points.update(plots.points ?? null, rows);
      if (!data || !next || !isAny) return;
      list.update(data, next, rows, shownRow(), newest.measure);
      card.update(newest, next);
    },
  };
}

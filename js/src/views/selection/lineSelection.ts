import { button } from "../../controls/button.ts";
import type { Condition } from "../../session/condition.ts";
import type { Frame } from "../../session/frame.ts";
import type { Inputs } from "../../session/inputs.ts";
import { h, set, setText } from "../../widget/dom.ts";
import type { Context, LinePlot } from "../view.ts";
import { brush, type Marks } from "./brush.ts";
import { lineMarks, pathOf, placeOf, sharesPath } from "./lines.ts";
import { nameOf } from "./names.ts";
import { overlay } from "./overlay.ts";
import { barRange } from "./range.ts";

/** Selection among the lines of the curves, and by a range on the bars below them. */
export function lineSelection(
  { about, session, signal }: Context,
  select: (rows: number[], adds?: boolean) => void,
  actions: { select(condition: Condition): void; keep(condition: Condition): void },
) {
  const layer = overlay();
  const halo = layer.path("uq-selected-halo");
  const marked = layer.path("uq-selected-lines");
  const shares = layer.path("uq-selected-shares");
  const hovered = layer.path("uq-hovered-line");
  const card = layer.path("uq-card-line");
  const range = barRange(actions, signal);
  layer.element.append(range.band);
  let plot: LinePlot | null = null;
  let marks: Marks | null = null;
  let frame: Frame | null = null;
  let attached: HTMLElement | null = null;
  /** The rows that the kernel selected for the range on the bars; null until it has answered. */
  let ranged: string | null = null;

  const hover = (line: number | null, x: number, y: number) => {
    const row = line === null ? undefined : plot?.data.iceRow[line];
    hovered.update(plot && line !== null && row !== undefined ? pathOf(plot, line) : "");
    layer.say(row === undefined || !frame ? "" : nameOf(frame, row), x, y);
    attached?.classList.toggle("uq-on-row", row !== undefined);
  };
  const attach = ({ element }: LinePlot) => {
    // Another chart, of values that stand apart, may have been in its place.
    layer.attach(element);
    if (range.handles[0].parentElement !== element) element.append(...range.handles);
    if (element === attached) return;
    attached = element;
    element.classList.add("uq-selectable");
    element.after(range.bar);
    const place = (event: PointerEvent) => {
      const { left, top } = element.getBoundingClientRect();
      return [event.clientX - left, event.clientY - top] as const;
    };
    element.addEventListener(
      "pointerdown",
      (event) => {
        const [x, y] = place(event);
        if (event.button !== 0 || !range.isInside(x, y)) return;
        range.begin(x);
        element.setPointerCapture?.(event.pointerId);
      },
      { signal },
    );
    element.addEventListener(
      "pointermove",
      (event) => range.isDragging && range.drag(place(event)[0], false),
      { signal },
    );
    element.addEventListener(
      "pointerup",
      (event) => range.isDragging && range.drag(place(event)[0], true),
      { signal },
    );
    brush(
      element,
      layer.element,
      () => marks,
      hover,
      (picked, adds) => {
        const rows = picked.map((line) => plot?.data.iceRow[line] ?? -1).filter((row) => row >= 0);
        if (rows.length) range.reset();
        if (rows.length) select(rows, adds);
      },
      signal,
    );
  };

  // The lines one by one, for the keyboard.
  const slider = h("input", {
    type: "range",
    min: 0,
    step: 1,
    value: 0,
    "aria-label": "go through the lines",
    "data-testid": "uq-selection-lines",
  });
  const name = button("uq-selection-line", "", () => pick(true), signal);
  const walk = h(
    "span",
    { class: "uq-field uq-walk" },
    h("span", {}, "go through the lines"),
    slider,
    name,
  );
  const show = () => {
    const line = slider.valueAsNumber;
    const row = plot?.data.iceRow[line];
    if (!plot || row === undefined || !frame) return;
    const text = nameOf(frame, row);
    set(slider, { "aria-valuetext": text });
    setText(name, `select ${text}`);
  };
  slider.addEventListener(
    "input",
    () => {
      show();
      const line = slider.valueAsNumber;
      hovered.update(plot ? pathOf(plot, line) : "");
    },
    { signal },
  );
  slider.addEventListener("blur", () => hovered.update(""), { signal });
  const pick = (adds: boolean) => {
    const row = plot?.data.iceRow[slider.valueAsNumber];
    if (row !== undefined) select([row], adds);
  };
  slider.addEventListener("keydown", (event) => event.key === "Enter" && pick(true), { signal });

  return {
    walk,
    update(next: LinePlot | null, rows: number[], inputs: Inputs, now: Frame | null): void {
      frame = now;
      plot = next;
      walk.hidden = !next?.data.iceRow.length;
      if (!next) marks = null;
      if (!next) return;
      attach(next);
      marks = lineMarks(next);
      const { data } = next;
      const isSelected = new Set(rows);
      const drawn = Array.from(data.iceRow, (row, line) => ({ row, line })).filter(({ row }) =>
        isSelected.has(row),
      );
      const d = drawn.map(({ line }) => pathOf(next, line)).join("");
      // A page without a kernel holds the shares of the saved selection alone.
      shares.update(session.model.isStill || !rows.length ? "" : sharesPath(next));
      // A few lines stand out from the others; many would cover the average with their halo.
      halo.update(drawn.length > 20 ? "" : d);
      marked.update(d, drawn.length);
      const shown = isSelected.has(inputs.row) ? inputs.row : rows[0];
      const own = drawn.find(({ row }) => row === shown);
      card.update(own ? pathOf(next, own.line) + changedPlace(next, own.line, inputs) : "");
      // Other rows that are selected, here or in Python, are not those of the range.
      const { selection } = inputs;
      if (typeof selection !== "string" || !range.isShown) ranged = null;
      else if (selection === "" || (ranged ?? selection) !== selection) range.reset();
      else ranged = selection;
      // Which rows have such values, only a kernel knows.
      const columns = session.model.isStill ? [] : about.features;
      range.update(next, columns.find((one) => one.name === data.feature) ?? null);
      set(slider, { max: Math.max(0, data.iceRow.length - 1) });
      show();
    },
  };
}

/** A ring on a line at the changed value of its feature. */
function changedPlace(plot: LinePlot, line: number, { what_if }: Inputs): string {
  const { data, space } = plot;
  const changed = what_if.find(({ feature }) => feature === data.feature);
  const x = changed ? placeOf(plot, changed.value) : null;
  if (x === null || what_if.length !== 1) return "";
  const at = space.x.findIndex((place) => Math.abs(place - x) < 0.5);
  const y = at < 0 ? Number.NaN : space.y(data.ice[line * data.grid.length + at] ?? Number.NaN);
  return Number.isFinite(y) ? `M${x - 5},${y}a5,5 0 1,0 10,0a5,5 0 1,0 -10,0` : "";
}

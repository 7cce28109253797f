import "./shelf.css";
import { button, enable } from "../controls/button.ts";
import { checkBox } from "../controls/picker.ts";
import type { Pin } from "../session/pins.ts";
import type { Session } from "../session/session.ts";
import { h, onCommit, set } from "../widget/dom.ts";
import { pinName } from "./describe.ts";
import { movePin, removePin, renamePin, setGhost } from "./list.ts";

const STEPS: Record<string, number> = { ArrowLeft: -1, ArrowUp: -1, ArrowRight: 1, ArrowDown: 1 };

/** A pin in the list: its position and its name. */
function pinOption(pin: Pin, at: number): HTMLElement {
  const name = pinName(pin.note, pin.state);
  return h(
    "div",
    {
      role: "option",
      class: "uq-filter-item uq-pin",
      "data-testid": "uq-pin-view",
      title: name,
      tabindex: -1,
    },
    h("span", { class: "uq-muted" }, `${at + 1}`),
    h("span", { class: "uq-name" }, name),
  );
}

/** The editor of the selected pin: its note, whether it is drawn as a ghost, its place in the list. */
function pinEditor(setGhost: (value: boolean) => void, signal: AbortSignal) {
  const note = h("input", { type: "text", maxlength: 10_000, "data-testid": "uq-pin-note" });
  const earlier = button("uq-pin-earlier", "Move earlier");
  const later = button("uq-pin-later", "Move later");
  const remove = button("uq-pin-delete", "Delete");
  const attributes = { "data-testid": "uq-pin-ghost" };
  const ghost = checkBox("draw under the view", attributes, setGhost, signal);
  const element = h(
    "div",
    { class: "uq-pin-edit", role: "group", "aria-label": "chosen pin" },
    h("label", { class: "uq-field" }, h("span", {}, "note"), note),
    h("div", { class: "uq-controls" }, ghost.element, earlier, later, remove),
  );
  return {
    ...{ element, note, earlier, later, remove },
    update(pins: Pin[], at: number): void {
      const pin = pins[at];
      element.hidden = !pin;
      if (!pin) return;
      const { activeElement } = note.getRootNode() as Document | ShadowRoot;
      if (activeElement !== note && note.value !== pin.note) note.value = pin.note;
      ghost.update(pin.ghost, null);
      enable(earlier, at > 0);
      enable(later, at < pins.length - 1);
    },
  };
}

/** The list of pins and the editor of the selected one; `say` announces, `add` gets the focus when no pin is left. */
export function pinShelf(
  session: Session,
  say: (text: string) => void,
  add: HTMLElement,
  signal: AbortSignal,
) {
  const list = h("div", {
    role: "listbox",
    class: "uq-filters",
    "aria-label": "pinned views",
    "aria-orientation": "horizontal",
    title: session.about?.help.tips["uq-pins"],
  });
  const editor = pinEditor((value) => keep(setGhost(pins, chosen, value), chosen), signal);
  const { note, earlier, later, remove } = editor;
  const shelf = h("section", { class: "uq-pins", "aria-label": "Pins" }, list, editor.element);

  let pins: Pin[] = [];
  let drawn = "";
  /** Position of the selected pin, -1 for none. */
  let chosen = -1;
  let options: HTMLElement[] = [];

  const choose = (at: number) => {
    chosen = at;
    options.forEach((option, i) => {
      set(option, {
        tabindex: i === Math.max(0, at) ? 0 : -1,
        "aria-selected": i === at ? "true" : "false",
      });
    });
  };
  const show = (at: number) => {
    const pin = pins[at];
    if (!pin) return;
    choose(at);
    session.visit(pin.state);
    draw();
    options[at]?.focus();
    say(`view ${at + 1} of ${pins.length}`);
  };
  /** Replaces the list; `at` is the position of the selected pin. */
  const keep = (next: Pin[], at: number) => {
    chosen = at;
    session.setPins(next);
    pins = next;
    draw();
  };
  const move = (by: number) => {
    const next = movePin(pins, chosen, by);
    if (next === pins) return;
    keep(next, chosen + by);
    say(`moved to place ${chosen + 1} of ${pins.length}`);
  };
  const drop = () => {
    if (chosen < 0) return;
    keep(removePin(pins, chosen), Math.min(chosen, pins.length - 2));
    say("pin deleted");
    (options[chosen] ?? add).focus();
  };

  const draw = () => {
    set(shelf, { hidden: pins.length === 0 ? "" : null });
    const now = JSON.stringify(pins.map((pin) => pinName(pin.note, pin.state)));
    if (now !== drawn) {
      drawn = now;
      const focused = (list.getRootNode() as Document).activeElement;
      const hadFocus = focused !== null && list.contains(focused);
      options = pins.map(pinOption);
      list.replaceChildren(...options);
      choose(Math.min(chosen, pins.length - 1));
      if (hadFocus) options[Math.max(0, chosen)]?.focus();
    }
    options.forEach((option, i) => {
      set(option, { "data-ghost": pins[i]?.ghost ? "true" : null });
    });
    editor.update(pins, chosen);
  };

  const on = (element: HTMLElement, run: () => void) =>
    element.addEventListener("click", run, { signal });
  on(earlier, () => move(-1));
  on(later, () => move(1));
  on(remove, drop);
  list.addEventListener(
    "click",
    (event) => show(options.findIndex((option) => option.contains(event.target as Node))),
    { signal },
  );
  list.addEventListener(
    "keydown",
    (event) => {
      const by = STEPS[event.key];
      const at = options.indexOf(event.target as HTMLElement);
      if (by !== undefined && event.altKey) {
        choose(at);
        move(by);
      } else if (by !== undefined) show(chosen < 0 ? at : at + by);
      else if (event.key === "Home") show(0);
      else if (event.key === "End") show(pins.length - 1);
      else if (event.key === "Enter" || event.key === " ") show(at);
      else if (event.key === "Delete" || event.key === "F2") {
        choose(at);
        draw();
        if (event.key === "F2") note.focus();
        else drop();
      } else return;
      event.preventDefault();
    },
    { signal },
  );
  onCommit(note, () => keep(renamePin(pins, chosen, note.value), chosen), signal);
  note.addEventListener(
    "keydown",
    (event) => {
      if (event.key === "Escape") note.value = pins[chosen]?.note ?? "";
      if (event.key === "Escape" || event.key === "Enter") options[chosen]?.focus();
    },
    { signal },
  );

  return {
    element: shelf,
    /** Shows the pins, and opens the editor of a new one, at `added`. */
    update(next: Pin[], added: number | null, focus: boolean): void {
      pins = next;
      chosen = added ?? chosen;
      draw();
      if (added !== null && focus) note.focus();
    },
  };
}

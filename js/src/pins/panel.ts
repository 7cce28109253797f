import "./style.css";
import { button, enable } from "../controls/button.ts";
import { controlsOnDemand } from "../controls/onDemand.ts";
import type { Context } from "../views/view.ts";
import { copyText } from "../widget/copy.ts";
import { h, setText } from "../widget/dom.ts";

/** Input types in which the browser itself undoes typing. */
const TYPED = 'textarea, input[type="text"], input[type="number"]';

/** The buttons for the current view, and the shelf of pins, a part that comes with the first pin and is stored with it. */
export function pinsPanel(context: Context) {
  const { session, root, signal } = context;
  const status = h("span", { class: "uq-muted", role: "status", "data-testid": "uq-pin-status" });
  const say = (text: string) => setText(status, text);
  const focused = () => (root.getRootNode() as Document | ShadowRoot).activeElement;

  /** A new pin whose note gets the focus, unless the focus has moved since. */
  let added: { at: number; focus: Element | null } | null = null;
  const shelf = controlsOnDemand(
    context,
    () => import("./shelf.ts"),
    ({ pinShelf }) => {
      const { element, update } = pinShelf(session, say, add, signal);
      return {
        element,
        update(): void {
          update(session.pins, added?.at ?? null, added?.focus === focused());
          added = null;
        },
      };
    },
    () => session.pins.length > 0,
  );

  const step = (back: boolean) => say(session.step(back) ? (back ? "undone" : "redone") : "");
  const pin = () => {
    const { pins } = session;
    added = { at: pins.length, focus: focused() };
    session.setPins([...pins, { note: "", state: session.inputs, ghost: false }]);
    say(`view ${pins.length + 1} pinned`);
  };
  const copyCode = async () => {
    const done = await copyText(session.frame?.code ?? "", root);
    say(done ? "copied" : "the browser does not let this page copy");
  };
  const add = button("uq-pin", "Pin view", pin, signal);
  const undo = button("uq-undo", "Undo", () => step(true), signal);
  const redo = button("uq-redo", "Redo", () => step(false), signal);
  const copy = button("uq-copy", "Copy code", copyCode, signal);
  root.addEventListener(
    "keydown",
    (event) => {
      const key = event.key.toLowerCase();
      const asks =
        (event.ctrlKey || event.metaKey) && !event.altKey && (key === "z" || key === "y");
      if (!asks || (event.target as Element).matches(TYPED)) return;
      event.preventDefault();
      event.stopPropagation();
      step(key === "z" && !event.shiftKey);
    },
    { signal },
  );

  return {
    bar: h("div", { class: "uq-pin-bar", role: "group" }, status, add, undo, redo, copy),
    element: shelf.element,
    update(): void {
      const { steps, frame, inputs } = session;
      enable(undo, steps.past > 0);
      enable(redo, steps.future > 0);
      copy.disabled = !frame?.code;
      shelf.update(inputs, frame);
    },
  };
}

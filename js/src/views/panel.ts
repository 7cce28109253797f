import type { About } from "../about.ts";
import { h } from "../dom.ts";
import type { Frame, Inputs } from "../frame.ts";
import type { Session } from "../model.ts";

/** What a panel lives in. */
export interface Context {
  session: Session;
  about: About;
  /** Tells apart the ids of two views on one page. */
  uid: string;
  signal: AbortSignal;
  /** Asks for another paint of the frame that is shown. */
  redraw(): void;
}

/** What a panel paints: the last good frame, and what the controls show. */
export interface Shown {
  frame: Frame | null;
  inputs: Inputs;
}

export interface Panel {
  element: HTMLElement;
  update(shown: Shown): void;
}

/** A titled part of the widget with its controls beside the title. */
export function section(title: string, className: string, controls: Node[], ...body: Node[]) {
  const heading = h("h3", {}, title);
  const note = h("span", { class: "uq-note" });
  return {
    note,
    element: h(
      "section",
      { class: `uq-panel ${className}`, "aria-label": title },
      h(
        "div",
        { class: "uq-panel-head" },
        heading,
        note,
        h("div", { class: "uq-controls" }, ...controls),
      ),
      ...body,
    ),
  };
}

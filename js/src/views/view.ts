import { h } from "../dom.ts";
import type { Frame } from "../frame.ts";
import type { Inputs } from "../inputs.ts";
import type { ModelInfo } from "../modelInfo.ts";
import type { Session } from "../session.ts";
import type { Columns, Fields } from "../wire.ts";

/** The environment of a panel. */
export interface Context {
  session: Session;
  about: ModelInfo;
  /** The root element of the widget. */
  root: HTMLElement;
  /** Prefix that makes the ids of a page's views unique. */
  uid: string;
  signal: AbortSignal;
  /** Requests a repaint of the current frame. */
  redraw(): void;
}

/** The data of a panel: the last valid frame, and the inputs that the controls show. */
export interface Shown {
  frame: Frame | null;
  inputs: Inputs;
}

export interface Panel {
  element: HTMLElement;
  update(shown: Shown): void;
}

/** One view: the reader of its part of a frame, and its panel. Its name is that of its Python class. */
export interface View<Part = unknown> {
  name: string;
  read(fields: Fields, columns: Columns, info: ModelInfo): Part;
  panel(context: Context): Panel;
  /** Shape of the learner's results, for views that show a learner. */
  averagesShape?(part: Part): number[];
  /** A short summary of the result for screen readers. */
  summary?(part: Part, info: ModelInfo): string;
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

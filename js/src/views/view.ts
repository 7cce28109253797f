import { h } from "../dom.ts";
import type { Frame } from "../frame.ts";
import type { Inputs } from "../inputs.ts";
import type { ModelInfo } from "../modelInfo.ts";
import type { Session } from "../session.ts";
import type { Columns, Fields } from "../wire.ts";

/** What a panel lives in. */
export interface Context {
  session: Session;
  about: ModelInfo;
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

/** One view: what it reads of a frame and how it is shown. Its name is that of its Python class. */
export interface View<Part = unknown> {
  name: string;
  read(fields: Fields, columns: Columns, info: ModelInfo): Part;
  panel(context: Context): Panel;
  /** Shape of its averages over refits, where a learner can stand beside it. */
  averagesShape?(part: Part): number[];
  /** What it shows, in a few words for those who hear it. */
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

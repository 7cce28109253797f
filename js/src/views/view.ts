import type { LineSpace } from "../charts/lines.ts";
import type { Frame } from "../session/frame.ts";
import type { Inputs } from "../session/inputs.ts";
import type { ModelInfo } from "../session/modelInfo.ts";
import type { Session } from "../session/session.ts";
import type { Columns, Fields } from "../session/wire.ts";
import { h, setText } from "../widget/dom.ts";
import type { Dependence } from "./dependence/reader.ts";

/** The environment of a panel. */
export interface Context {
  session: Session;
  about: ModelInfo;
  /** The root element of the widget. */
  root: HTMLElement;
  /** Prefix that makes the ids of a page's views unique. */
  uid: string;
  signal: AbortSignal;
  /** Charts in which rows can be selected; the views that draw them put them here. */
  plots: Plots;
  /** Requests a repaint of the current frame. */
  redraw(): void;
}

/** Where the lines and the bars of the curves are, in pixels. */
export interface LineSpots {
  space: LineSpace;
  /** Left and right end of each bar. */
  spans: [number, number][];
  /** Top and bottom of the bars. */
  bars: [number, number];
}

/** The lines and the bars, in an element around them. */
export interface LinePlot extends LineSpots {
  element: HTMLElement;
  data: Dependence;
}

/** Where the points of single rows are, in pixels of an element around them. */
export interface PointPlot {
  element: HTMLElement;
  rows: Int32Array;
  x: number[];
  y: number[];
}

export interface Plots {
  lines?: LinePlot | null;
  points?: PointPlot;
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

/** Why a view lacks something, which opens the traceback. */
export function failureOf(name: string) {
  const [why, trace] = [h("summary"), h("pre")];
  const element = h("details", { class: "uq-failure", hidden: true }, why, trace);
  return {
    element,
    update(frame: Frame | null): void {
      const [reason = "", lines = ""] = frame?.failures?.[name] ?? [];
      element.hidden = !reason;
      setText(why, reason);
      setText(trace, lines);
    },
  };
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

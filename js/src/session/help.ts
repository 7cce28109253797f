import type { Fields } from "./wire.ts";

/** A kind of interval: its name in the list, and what it accounts for. */
export interface IntervalText {
  name: string;
  label: string;
  accountsFor: string;
}

/** All help of the widget, which the kernel sends with the description of the model. */
export interface Help {
  /** One line for each control, by its test id. */
  tips: Record<string, string>;
  /** Paragraphs, by the name of a view; `population` is the box above the panels. */
  panels: Record<string, string[]>;
  tour: { at: string; text: string }[];
  intervals: IntervalText[];
}

export const NO_HELP: Help = { tips: {}, panels: {}, tour: [], intervals: [] };

export function readHelp(fields: Fields): Help {
  const tips = fields.record("tips");
  const panels = fields.record("panels");
  return {
    tips: Object.fromEntries(Object.keys(tips.raw).map((name) => [name, tips.text(name)])),
    panels: Object.fromEntries(Object.keys(panels.raw).map((name) => [name, panels.texts(name)])),
    tour: fields.records("tour").map((step) => ({ at: step.text("at"), text: step.text("text") })),
    intervals: fields.records("intervals").map((kind) => ({
      name: kind.text("name"),
      label: kind.text("label"),
      accountsFor: kind.text("accounts_for"),
    })),
  };
}

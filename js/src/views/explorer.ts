import { filterList } from "../controls/filter.ts";
import { controlsOnDemand } from "../controls/onDemand.ts";
import { picker } from "../controls/picker.ts";
import { helpButtons } from "../help/buttons.ts";
import { pinsPanel } from "../pins/panel.ts";
import { savePage } from "../saving/button.ts";
import type { Condition } from "../session/condition.ts";
import type { Frame } from "../session/frame.ts";
import type { Inputs } from "../session/inputs.ts";
import type { Session } from "../session/session.ts";
import { h, onPrint, set, setText } from "../widget/dom.ts";
import { counted, isolated, rowsOf, whole } from "../widget/format.ts";
import { followTheme } from "../widget/theme.ts";
import { viewsNamed } from "./index.ts";
import { listed } from "./legend.ts";
import { sight } from "./sight.ts";
import { alerts, announcer, footer, summary, workLine } from "./status.ts";
import { stressControls } from "./stress/controls.ts";
import type { Context, Shown } from "./view.ts";

const SHOWN_MODEL = '[data-testid="uq-shown-model"]';

/** A choice among several models; the name of the shown one is the title. */
function modelPicker({ about, session, signal }: Context): HTMLElement[] {
  if (about.models.length < 2) return [];
  const models = picker(
    "model",
    { "data-testid": "uq-shown-model" },
    (shown_model) => session.request({ shown_model }),
    signal,
  );
  models.update(
    about.models.map((value) => ({ value, label: isolated(value) })),
    about.model,
  );
  return [models.element];
}

function header(context: Context, bar: HTMLElement) {
  const { title, task, target, classes, n_rows, features, groups } = context.about;
  const facts = [
    counted(features.length, "feature"),
    target === null
      ? `${task}, no target`
      : task === "classification"
        ? `${isolated(target)}: ${listed(classes)}`
        : `${isolated(target)} (regression)`,
  ];
  const rows = h("span", { class: "uq-muted" });
  const element = h(
    "div",
    { class: "uq-header" },
    h("h2", { title }, title),
    ...modelPicker(context),
    rows,
    ...facts.map((text) => h("span", { class: "uq-muted", title: text }, text)),
    bar,
  );
  return {
    element,
    update(inputs: Inputs): void {
      const chosen = groups.find(({ name }) => name === inputs.groups);
      const text = rowsOf(n_rows, chosen?.text ?? null);
      set(rows, { title: text });
      setText(rows, text);
    },
  };
}

/** Views that take half of the width. */
const HALVES = ["dependence", "stress"];

/** The list of so few features is shorter than the charts beside it. */
const FEW_FEATURES = 8;

/** Makes the control of the rows that all views show. */
export type ChooseRows = (
  context: Context,
  onChange: (conditions: Condition[]) => void,
) => { element: HTMLElement; update(conditions: Condition[]): void };

/** The sections that can be opened, by the name of each. */
function sections(el: HTMLElement): Map<string, HTMLDetailsElement> {
  const named = [...el.querySelectorAll("summary")].map((summary) => {
    const name = `${summary.dataset.testid} ${summary.getAttribute("aria-label")}`;
    return [name, summary.parentElement] as [string, HTMLDetailsElement];
  });
  return new Map(named);
}

/** The whole widget, which is made anew when another model is shown. */
export function explorer(
  session: Session,
  el: HTMLElement,
  signal: AbortSignal,
  chooseRows: ChooseRows = filterList,
): void {
  let shown = new AbortController();
  let model = session.about?.model;
  signal.addEventListener("abort", () => shown.abort());
  session.begin();
  // This comes before the widget listens, so that it paints no frame of another model.
  session.subscribe(() => {
    if (!session.about || session.about.model === model) return;
    model = session.about.model;
    const { activeElement } = el.getRootNode() as Document | ShadowRoot;
    const hadFocus = activeElement?.matches(SHOWN_MODEL) && el.contains(activeElement);
    const before = sections(el);
    shown.abort();
    shown = new AbortController();
    el.querySelector(".uq")?.remove();
    ofOneModel(session, el, shown.signal, chooseRows);
    for (const [name, section] of sections(el)) section.open = !!before.get(name)?.open;
    if (hadFocus) el.querySelector<HTMLElement>(SHOWN_MODEL)?.focus();
  }, signal);
  ofOneModel(session, el, shown.signal, chooseRows);
}

/** Stress, filters and cohorts, the rows that all views show, and the work that is done for them. */
function populationControls(context: Context, chooseRows: ChooseRows) {
  const { session, about, signal } = context;
  const stress = stressControls(context);
  const filters = chooseRows(context, (ice_filter) => session.request({ ice_filter }));
  const cohorts = controlsOnDemand(
    context,
    () => import("../cohorts/index.ts"),
    ({ cohortControls }) => cohortControls(session, signal),
    ({ ice_filter, cohorts: { length } }) => ice_filter.length + length > 0,
  );
  const work = workLine(session, signal);
  const chosenRows = h("strong");
  const ofGroups = h("span");
  const rows = h(
    "span",
    { class: "uq-rows", "data-testid": "uq-rows" },
    chosenRows,
    ` of ${counted(about.n_rows, "row")}`,
    ofGroups,
  );
  const rowFilter = { class: "uq-row-filter", "aria-label": "Rows" };
  return {
    element: h(
      "div",
      { class: "uq-population" },
      stress.element,
      h(
        "div",
        { class: "uq-row-line" },
        h("section", rowFilter, rows, filters.element, cohorts.element),
        work.element,
      ),
    ),
    update(shown: Shown): void {
      const { frame, inputs } = shown;
      stress.update(shown);
      filters.update(inputs.ice_filter);
      cohorts.update(inputs, frame);
      work.update(frame);
      setText(chosenRows, whole(frame?.rows ?? about.n_rows));
      setText(ofGroups, frame?.inGroups ? `, ${isolated(frame.inGroups)}` : "");
    },
  };
}

/** The panels of the views that the layout shows, all where it names none. */
function viewGrid(context: Context) {
  const panels = viewsNamed(context.about.views).map((view) => {
    const panel = view.panel(context);
    return { ...panel, name: view.name, slot: h("div", { class: "uq-slot" }, panel.element) };
  });
  const element = h("div", { class: "uq-panels" }, ...panels.map(({ slot }) => slot));
  const isShort = context.about.features.length <= FEW_FEATURES;
  const isNear = sight(context.redraw, context.signal);
  return {
    element,
    /** Levels that are only passed are drawn where they are seen. */
    update(shown: Shown, isPassing: boolean): void {
      const { views } = shown.inputs;
      const isIn = ({ name }: { name: string }) => !views.length || views.includes(name);
      for (const panel of panels) set(panel.slot, { hidden: !isIn(panel) });
      const visible = panels.filter(isIn);
      const halves = visible.filter(({ name }) => HALVES.includes(name)).length;
      const hasList = visible[0]?.name === "importance" && halves > 0;
      const list = isShort && halves > 1 ? "few" : "list";
      set(element, { "data-layout": hasList ? list : halves > 1 ? "grid" : "single" });
      for (const panel of visible) {
        const now = isNear(panel.slot.firstElementChild ?? panel.slot);
        if (!isPassing || now) panel.update(shown);
      }
    },
  };
}

/** The widget of one model: population above, results below, cost in the footer. */
function ofOneModel(
  session: Session,
  el: HTMLElement,
  signal: AbortSignal,
  chooseRows: ChooseRows,
): void {
  const root = h("div", { class: "uq", "data-testid": "uq-root", role: "region" });
  const notices = alerts(session, signal);
  el.classList.add("uq-host");
  el.append(root);
  const { about } = session;
  if (!about) {
    root.append(notices.error);
    notices.update(session.problem, false, false);
    return;
  }

  let scheduled = 0;
  const schedule = () => {
    scheduled ||= requestAnimationFrame(paint);
  };
  let isPrinted = false;
  // What the panels show; while only τ moves under the hand they wait for the frame that answers it.
  let drawn: { frame: Frame | null; inputs: string } | null = null;
  const redraw = () => {
    drawn = null;
    // No animation frame comes before the print.
    (isPrinted ? paint : schedule)();
  };
  const context: Context = {
    session,
    about,
    root,
    uid: Math.random().toString(36).slice(2),
    signal,
    plots: {},
    redraw,
  };
  const population = populationControls(context, chooseRows);
  const grid = viewGrid(context);
  const pins = pinsPanel(context);
  const saving = session.model.isStill ? null : savePage(context);
  const foot = footer(about.urgent);
  const strip = controlsOnDemand(
    context,
    () => import("./strip/index.ts"),
    ({ stripOf }) => stripOf(context),
    () => true,
  );
  const live = announcer(signal);
  const head = header(context, pins.bar);
  set(root, { "aria-label": `What drives ${about.title}` });
  root.append(
    head.element,
    strip.element,
    notices.error,
    notices.retry,
    notices.watchdog,
    pins.element,
    ...(saving ? [saving.element] : []),
    population.element,
    grid.element,
    foot.element,
    live.element,
  );

  const help = helpButtons(context);
  pins.bar.append(...(saving ? [saving.start] : []), help.start);

  const paint = () => {
    scheduled = 0;
    if (signal.aborted) return;
    const { frame, inputs } = session;
    const shown = { frame, inputs };
    const wrong = [session.problem, frame?.error].filter(Boolean).join(" ");
    notices.update(wrong || null, session.queue.silent, frame?.failed === true && frame.final);
    set(root, {
      "data-silent": session.queue.silent ? "true" : null,
      "data-follows-tau": session.followsTau ? "true" : null,
    });
    head.update(inputs);
    population.update(shown);
    pins.update();
    const now = { frame, inputs: JSON.stringify({ ...inputs, tau: null }) };
    if (drawn?.frame !== now.frame || drawn.inputs !== now.inputs)
      grid.update(shown, !isPrinted && frame !== session.answer);
    if (drawn?.frame !== now.frame) help.update();
    drawn = now;
    strip.update(inputs, frame);
    foot.update(frame, strip.element.childElementCount > 0);
    if (!frame) return;
    if (frame.final) live.say(summary(frame, about));
    set(root, { "data-seq": frame.seq, "data-final": frame.final ? "true" : "false" });
    root.dispatchEvent(
      new CustomEvent("uq:painted", { detail: { seq: frame.seq, tau: frame.inputs.tau } }),
    );
  };

  session.subscribe(schedule, signal);
  followTheme(root, redraw, signal);
  // Figures that were made since measure themselves later than this, and are then drawn once more.
  const print = ({ type }: Event) => {
    isPrinted = true;
    redraw();
    isPrinted = type === "beforeprint";
  };
  onPrint(print, signal);
  signal.addEventListener("abort", () => cancelAnimationFrame(scheduled));
  schedule();
}

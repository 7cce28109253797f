import { BELOW, ROW_HEIGHT } from "../../charts/bars.ts";
import { figure } from "../../charts/figure.ts";
import { button } from "../../controls/button.ts";
import { featureList } from "../../controls/listbox.ts";
import type { Frame } from "../../session/frame.ts";
import type { Inputs } from "../../session/inputs.ts";
import { h, set, setText, svg } from "../../widget/dom.ts";
import { counted, isolated, number, percent, withUnit } from "../../widget/format.ts";
import { isStressed, key, learnerKey, pinKey, rowsBehind, swatch } from "../legend.ts";
import { type Context, failureOf, type Panel, type Shown, section } from "../view.ts";
import { barColumn, type Rows, sortTitle, wordColumn } from "./columns.ts";
import { importanceControls } from "./controls.ts";
import { inOrder, named, sortOf } from "./order.ts";
import type { Importance } from "./reader.ts";
import { bestInWords, inWords, tableOf, verdictsOf } from "./words.ts";

/** Rows that are drawn beyond those in sight, so that scrolling shows no gap. */
const AHEAD = 10;
/** So few features need no search. */
const FEW = 12;
/** Rows that are listed first, where the others are folded away. */
const FOLD = 50;
/** What was done to the values. */
const VERBS: Readonly<Record<string, string>> = {
  permutation: "shuffled",
  conditional: "shuffled among similar rows",
  ablation: "drawn at random",
};
/** Inputs that a pin and the view have in common where their numbers can be compared. */
const ALIKE = ["importance_of", "replacement", "compare", "grouped"] as const;

const areAlike = (one: Inputs, other: Inputs): boolean =>
  ALIKE.every((name) => JSON.stringify(one[name]) === JSON.stringify(other[name]));

/** Columns beside the names. */
const columnsOf = ({ measures, verdict, redundancy }: Importance): number =>
  measures.length + Number(verdict !== null) + Number(redundancy !== null);

/** What is shown at present. */
interface Last {
  data: Importance;
  shown: Shown;
  frame: Frame;
}

/** The keys of the marks beside the model's: those of the learner and of a pin. */
function besideLegend(plot: HTMLElement) {
  const model = key("model", swatch("uq-key-model", [], svg("circle", { cx: 12, cy: 5, r: 3.2 })));
  const learner = learnerKey(true);
  const outline = { class: "uq-swatch uq-key-pin", width: 24, height: 10, "aria-hidden": "true" };
  const pin = pinKey(svg("svg", outline, svg("rect", { x: 1, y: 1, width: 22, height: 8 })));
  const element = h("div", { class: "uq-legend" }, model, learner.element, pin.element);
  return (data: Importance, frame: Frame): void => {
    const { ghost } = frame;
    if (!frame.learner && !ghost) element.remove();
    else if (!element.isConnected) plot.prepend(element);
    model.hidden = !frame.learner;
    learner.update(frame, "importance");
    const comparable = ghost && data.ghost && areAlike(ghost.state, frame.inputs);
    pin.update(ghost, comparable ? null : "such importance");
  };
}

/** Says how the values were replaced, and for how many rows. */
function howReplaced(data: Importance, frame: Frame, areGrouped: boolean): string {
  const { n_repeats, n_repeats_target, replacement } = data;
  const done = n_repeats < n_repeats_target ? `${n_repeats} of ${n_repeats_target}` : n_repeats;
  const behind = rowsBehind(frame, data.n_rows, data.n_rows_least, data.n_rows_most);
  const preposition = /^w/.test(behind) ? "," : " over";
  const alone = areGrouped ? ", groups one by one" : "";
  return `values ${VERBS[replacement] ?? ""} ${done} times${preposition} ${behind}${alone}`;
}

/** The title of the column of names, with the search and the key of the marks at τ = 0. */
function namesHead(title: HTMLElement, hasSearch: boolean) {
  const search = h("input", {
    type: "search",
    placeholder: "find",
    "aria-label": "find a feature",
    "data-testid": "uq-search",
    hidden: !hasSearch,
  });
  const tick = svg("line", { x1: 2, x2: 2, y1: 0, y2: 12 });
  const ghostKey = h(
    "span",
    { class: "uq-muted uq-key-tick" },
    svg("svg", { width: 4, height: 12, "aria-hidden": "true" }, tick),
    " at τ = 0",
  );
  const element = h("div", { class: "uq-column-title uq-column-name" }, title, search, ghostKey);
  return { element, search, ghostKey };
}

/** The columns of the chart, with their titles: names, measures, redundancy and verdict. */
function columnSet(onSort: (column: string) => void, hasSearch: boolean, signal: AbortSignal) {
  const head = h("div", { class: "uq-importance-head" });
  const plots = h("div", { class: "uq-importance-plots" });
  const sortBy = (sort: string) => () => onSort(sort);
  const byName = sortTitle(sortBy("feature"), signal);
  const nameHead = namesHead(byName.element, hasSearch);
  const verdicts = wordColumn(sortBy("verdict"), signal);
  const redundancy = barColumn(sortBy("redundancy"), signal);
  let columns: ReturnType<typeof barColumn>[] = [];
  let layout = "";

  /** Makes the columns anew where others are chosen. */
  const arrange = (data: Importance) => {
    const chosen = JSON.stringify([
      data.measures.map(({ name }) => name),
      !data.verdict,
      !data.redundancy,
    ]);
    if (layout === chosen) return;
    layout = chosen;
    columns = data.measures.map(({ name }) => barColumn(sortBy(name), signal));
    const all = [
      ...columns,
      ...(data.redundancy ? [redundancy] : []),
      ...(data.verdict ? [verdicts] : []),
    ];
    head.replaceChildren(nameHead.element, ...all.map(({ title }) => title));
    plots.replaceChildren(...all.map((column) => column.body));
  };

  const drawRedundancy = (values: Float64Array, level: string, sorted: string, rows: Rows) => {
    const [value, low, high] = [0, 1, 2].map((k) =>
      values.subarray(k * rows.count, (k + 1) * rows.count),
    ) as [Float64Array, Float64Array, Float64Array];
    redundancy.update(
      {
        ...{ at: 0, name: "redundancy", label: "redundancy", value, low, high, base: value },
        ...{ ghost: null, learner: null, stressed: false, origin: 0 },
        words: "how well others predict it",
        unit: `R² · ${level}`,
        sorts: sorted === "redundancy",
      },
      rows,
    );
  };

  return {
    ...{ head, plots, search: nameHead.search },
    /** Draws the columns; `rowsAre` is the title of the names. */
    update({ data, shown, frame }: Last, rows: Rows, rowsAre: string): void {
      arrange(data);
      const stressed = isStressed(frame);
      const learner = frame.learner?.averages.importance ?? null;
      const ghost = frame.ghost && areAlike(frame.ghost.state, frame.inputs) ? data.ghost : null;
      const ratio = data.compare === "ratio";
      const sorted = sortOf(data, shown.inputs.sort);
      const level = `${percent(data.level)} interval`;
      nameHead.ghostKey.hidden = !stressed;
      byName.update(rowsAre, sorted === "feature");
      data.measures.forEach(({ name, label, unit, kind, words, baseline }, at) => {
        const column = columns[at] as ReturnType<typeof barColumn>;
        const { value, low, high, base } = data;
        const origin = Number(ratio && kind !== "score");
        const isBelow = (row: number) => (high[at * rows.count + row] ?? origin) < origin;
        const left = rows.order.some(isBelow) ? `; left of ${origin}: ${words[1]}` : "";
        column.update(
          {
            ...{ at, name, label, value, low, high, base, ghost, learner, stressed },
            words: words[0] + left,
            unit: [unit, level].filter(Boolean).join(" · "),
            sorts: name === sorted,
            origin,
          },
          rows,
        );
        const loss = withUnit(label, unit);
        set(column.title, { title: `${loss}; of the data as they are: ${number(baseline)}` });
      });
      if (data.redundancy) drawRedundancy(data.redundancy, level, sorted, rows);
      if (data.verdict) verdicts.update(verdictsOf(data), sorted === "verdict", rows);
    },
  };
}

export function importancePanel(context: Context): Panel {
  const { session, about, signal, redraw } = context;
  const features = about.features.map(({ name }) => name);
  let names = features;
  const pick = (name: string) => {
    if (features.includes(name)) session.request({ feature: name });
  };
  let list = featureList(names, pick, signal);
  const columns = columnSet((sort) => session.request({ sort }), features.length > FEW, signal);
  const body = h("div", { class: "uq-importance-body" }, columns.plots, list.element);
  const scroller = h("div", { class: "uq-importance-scroll" }, columns.head, body);
  const unfold = () => session.request({ top: session.inputs.top === 0 ? FOLD : 0 });
  const fold = button("uq-fold", "", unfold, signal);
  const resized = () => {
    inSight = 0;
    redraw();
  };
  const fig = figure(signal, resized, "Importance", scroller);
  const empty = h("p", { class: "uq-empty" }, "no importance yet");
  fig.plot.append(empty, fold);
  const legend = besideLegend(fig.plot);

  let last: Last | null = null;
  /** The rows that are listed. */
  let order: number[] = [];

  const controls = importanceControls(context);
  const failure = failureOf("importance");
  const parts = [failure.element, fig.element];
  const panel = section("Importance", "uq-importance", controls.elements, ...parts);

  const groupOf = (row: number): string => {
    const group = names === features && about.features[row]?.group;
    return group ? `in group ${isolated(group)}; ` : "";
  };

  /** The rows that are listed, and the number of those that are folded away. */
  const listed = (data: Importance, { sort, top }: Inputs): [number[], number] => {
    const rows = inOrder(data, names, sort);
    if (columns.search.value.trim()) return [named(rows, names, columns.search.value), 0];
    const count = top > 0 ? Math.min(top, rows.length) : rows.length;
    return [rows.slice(0, count), rows.length - count];
  };

  // Pixels above the part in sight, and its height: reading them in every frame would lay out the page in each.
  let [scrolled, inSight] = [0, 0];
  /** The rows that are drawn: those in sight and some beyond them, and the size of each. */
  const place = ({ data, shown, frame }: Last): Rows => {
    // The room of the learner's marks is reserved before they arrive, so that the layout is stable.
    const awaited = frame.learner && frame.learner.state !== "failed";
    const height = ROW_HEIGHT + (frame.learner?.averages.importance || awaited ? BELOW : 0);
    const nameWidth = Math.round(Math.min(200, Math.max(92, fig.width * 0.32)));
    const width = Math.floor((fig.width - nameWidth) / Math.max(1, columnsOf(data)));
    scroller.style.setProperty("--uq-row", `${height}px`);
    scroller.style.setProperty("--uq-name", `${nameWidth}px`);
    scroller.style.setProperty("--uq-column", `${width}px`);
    body.style.height = `${order.length * height}px`;
    inSight ||= scroller.clientHeight;
    const first = Math.floor(scrolled / height) - AHEAD;
    const most = Math.ceil((inSight || Number.POSITIVE_INFINITY) / height);
    return {
      ...{ order, height, width },
      count: names.length,
      sight: [
        Math.min(order.length, Math.max(0, first)),
        Math.min(order.length, first + most + 2 * AHEAD),
      ],
      picked: order.findIndex((row) => names[row] === shown.inputs.feature),
    };
  };

  const drawColumns = () => {
    if (!last) return;
    set(panel.element, { "data-wide": columnsOf(last.data) > 2 });
    columns.update(last, place(last), names === features ? "Feature" : "Group");
  };

  const drawNames = ({ data, shown, frame }: Last) => {
    const learner = frame.learner?.averages.importance ?? null;
    // The numbers of rows that are needed do not follow τ by themselves.
    const isOf = session.model.isStill ? frame.inputs.tau === 0 : frame === session.answer;
    const groups = isOf ? frame.inGroups : undefined;
    list.update(
      order.map((row) => ({
        feature: row,
        text: groupOf(row) + inWords(data, learner, row, groups),
      })),
      shown.inputs.feature,
      isStressed(frame) ? shown.inputs.stress_feature : null,
      columns.search.value.trim().toLocaleLowerCase(),
    );
  };

  const drawFold = (folded: number) => {
    const isFocused = fold.matches(":focus");
    fold.hidden = last?.shown.inputs.top === 0 ? order.length <= FOLD : folded === 0;
    // A hidden button would lose the focus.
    if (isFocused && fold.hidden)
      list.element.querySelector<HTMLElement>("[tabindex='0']")?.focus();
    setText(
      fold,
      folded ? `show ${counted(folded, "more feature")}` : `show the first ${FOLD} only`,
    );
  };

  const draw = () => {
    if (!last) return;
    const [rows, folded] = listed(last.data, last.shown.inputs);
    order = rows;
    drawColumns();
    drawNames(last);
    drawFold(folded);
  };

  const describe = (data: Importance, frame: Frame) => {
    const title = `Importance of ${counted(data.order.length, "feature")}`;
    fig.describe(
      `${title} with ${percent(data.level)} intervals (${data.interval})`,
      bestInWords(data, frame.learner?.averages.importance ?? null, names),
      () => tableOf(data, frame, names, order),
    );
  };

  // Only this panel is drawn again, once per animation frame; after scrolling only its columns.
  let scheduled = 0;
  let isWhole = false;
  const drawSoon = (whole: boolean) => {
    isWhole ||= whole;
    if (scheduled) return;
    scheduled = requestAnimationFrame(() => {
      const drawNow = isWhole ? draw : drawColumns;
      [scheduled, isWhole] = [0, false];
      if (!signal.aborted) drawNow();
    });
  };
  const drawPart = () => {
    [scrolled, inSight] = [scroller.scrollTop, scroller.clientHeight];
    drawSoon(false);
  };
  // Half of the rows that are drawn beyond those in sight are left before the others are drawn.
  const scroll = () => {
    if (Math.abs(scroller.scrollTop - scrolled) > (AHEAD / 2) * ROW_HEIGHT) drawPart();
  };
  scroller.addEventListener("scroll", scroll, { passive: true, signal });
  const observer = new ResizeObserver(drawPart);
  observer.observe(scroller);
  signal.addEventListener("abort", () => observer.disconnect());
  columns.search.addEventListener("input", () => drawSoon(true), { signal });

  return {
    element: panel.element,
    update(shown) {
      const data = shown.frame?.importance ?? null;
      controls.update(shown.inputs, shown.frame);
      failure.update(shown.frame);
      set(panel.element, { "data-stale": data?.stale ? "true" : null });
      scroller.hidden = fold.hidden = !data;
      empty.hidden = data !== null;
      setText(empty, shown.frame?.final ? "no importance" : "no importance yet");
      if (!data || !shown.frame) return;
      const now = data.units ?? features;
      if (now.join("\n") !== names.join("\n")) {
        names = now;
        const next = featureList(names, pick, signal);
        list.element.replaceWith(next.element);
        list = next;
      }
      legend(data, shown.frame);
      last = { data, shown, frame: shown.frame };
      draw();
      describe(data, shown.frame);
      const areGrouped = names === features && about.features.some(({ group }) => group);
      setText(panel.note, howReplaced(data, shown.frame, areGrouped));
    },
  };
}

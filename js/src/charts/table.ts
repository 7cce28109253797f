import { h } from "../widget/dom.ts";

export interface Table {
  columns: string[];
  rows: string[][];
}

/** A table whose rows are named by their first cells. */
export function tableOf(columns: string[], rows: (string | (string | Node)[])[][]) {
  const titles = columns.map((text) => h("th", { scope: "col", title: text }, text));
  const body = rows.map(([name = "", ...cells]) => {
    const title = h("th", { scope: "row", title: String(name) }, ...[name].flat());
    return h("tr", {}, title, ...cells.map((cell) => h("td", {}, ...[cell].flat())));
  });
  return h("table", {}, h("thead", {}, h("tr", {}, ...titles)), h("tbody", {}, ...body));
}

/** The table of a chart's numbers, filled only while it is open. */
export function tableTwin(name: string, signal: AbortSignal) {
  const scroller = h("div", {
    class: "uq-table-scroll",
    tabindex: 0,
    role: "region",
    "aria-label": name,
  });
  const element = h(
    "details",
    { class: "uq-twin" },
    h("summary", { "data-testid": "uq-table-toggle", "aria-label": name }, "Table"),
    scroller,
  );
  let contents: () => Table = () => ({ columns: [], rows: [] });
  const fill = () => {
    if (!element.open) return;
    const { columns, rows } = contents();
    scroller.replaceChildren(tableOf(columns, rows));
  };
  element.addEventListener("toggle", fill, { signal });
  return {
    element,
    update(next: () => Table): void {
      contents = next;
      fill();
    },
  };
}

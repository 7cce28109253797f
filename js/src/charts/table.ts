import { h } from "../widget/dom.ts";

export interface Table {
  columns: string[];
  rows: string[][];
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
    scroller.replaceChildren(
      h(
        "table",
        {},
        h(
          "thead",
          {},
          h("tr", {}, ...columns.map((text) => h("th", { scope: "col", title: text }, text))),
        ),
        h(
          "tbody",
          {},
          ...rows.map(([first = "", ...rest]) =>
            h(
              "tr",
              {},
              h("th", { scope: "row", title: first }, first),
              ...rest.map((text) => h("td", {}, text)),
            ),
          ),
        ),
      ),
    );
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

import type { Condition } from "../session/condition.ts";
import { readRows } from "../session/rows.ts";
import { h, setText } from "../widget/dom.ts";
import { counted } from "../widget/format.ts";

/** A condition on positions, which says how many rows meet it. */
export function rowsOf(most: number) {
  const element = h("span", { class: "uq-muted" });
  return {
    element,
    update(condition: Condition): void {
      if ("rows" in condition)
        setText(element, counted(readRows(condition.rows, most).length, "row"));
    },
  };
}

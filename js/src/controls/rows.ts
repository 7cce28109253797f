import type { Condition } from "../condition.ts";
import { h, setText } from "../dom.ts";
import { counted } from "../format.ts";
import { readRows } from "../rows.ts";

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

import type { Frame } from "../../session/frame.ts";
import { isolated, whole } from "../../widget/format.ts";

/** The label of a row, or null where it has none or it is not known here. */
export function labelOf(frame: Frame, row: number): string | null {
  const { dependence: lines, selection } = frame;
  const inList = selection?.labels?.[selection.listed.indexOf(row)];
  return inList ?? lines?.iceLabels?.[lines.iceRow.indexOf(row)] ?? null;
}

/** "row 17", or "row 17, A-12" with its label. */
export function nameOf(frame: Frame, row: number): string {
  const label = labelOf(frame, row);
  return label === null ? `row ${whole(row)}` : `row ${whole(row)}, ${isolated(label)}`;
}

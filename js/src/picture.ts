import type { HostModel } from "./session.ts";

/**
 * A notebook keeps a picture of the widget below it, for readers without a kernel. Where the widget itself is shown,
 * its picture is hidden, and JupyterLab's empty line around it.
 */
export function hidePicture(model: HostModel, signal: AbortSignal): void {
  const id = model.get("_picture");
  if (typeof id !== "string" || !/^[0-9a-f]{32}$/.test(id)) return;
  const picture = `.uq-picture-${id}`;
  const line = `.jp-OutputArea-child:has(> .jp-OutputArea-output > ${picture})`;
  const style = document.createElement("style");
  // Two rules: a browser that cannot read one of several selectors drops their rule.
  style.textContent = `${picture} { display: none } ${line} { display: none }`;
  document.head.append(style);
  signal.addEventListener("abort", () => style.remove());
}

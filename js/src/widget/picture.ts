import type { HostModel } from "../session/session.ts";

/**
 * A notebook holds a static picture below the widget for readers without a kernel. While the widget is shown,
 * the picture and JupyterLab's empty output around it are hidden.
 */
export function hidePicture(model: HostModel, signal: AbortSignal): void {
  const id = model.get("_picture");
  if (typeof id !== "string" || !/^[0-9a-f]{32}$/.test(id)) return;
  const picture = `.uq-picture-${id}`;
  const line = `.jp-OutputArea-child:has(> .jp-OutputArea-output > ${picture})`;
  const style = document.createElement("style");
  // Two rules, because a browser drops a rule with one selector that it does not support.
  style.textContent = `${picture} { display: none } ${line} { display: none }`;
  document.head.append(style);
  signal.addEventListener("abort", () => style.remove());
}

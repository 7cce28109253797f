import { h } from "./dom.ts";

/** Copies a text to the clipboard; insecure pages need the older `execCommand`. */
export async function copyText(text: string, within: Element): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const field = h("textarea", { class: "uq-sr", readonly: true, "aria-hidden": "true" });
    const root = within.getRootNode() as Document | ShadowRoot;
    const focused = root.activeElement;
    field.value = text;
    within.append(field);
    field.select();
    const done = document.execCommand?.("copy") ?? false;
    field.remove();
    if (focused instanceof HTMLElement) focused.focus();
    return done;
  }
}

import { button } from "../controls/button.ts";
import { isRecord } from "../session/wire.ts";
import type { Context } from "../views/view.ts";
import { h, set, setText } from "../widget/dom.ts";

/** The button that saves a page, and its panel, a part that comes when it is opened or when Python saves a page. */
export function savePage({ session, root, uid, signal }: Context) {
  const element = h("div", { class: "uq-saving-place", hidden: true });
  const { model } = session;
  const close = () => {
    element.hidden = true;
    set(start, { "aria-expanded": "false" });
    start.focus();
  };
  let panel: ReturnType<typeof import("./index.ts").savePanel> | null = null;
  const show = async () => {
    element.hidden = false;
    set(start, { "aria-expanded": "true" });
    try {
      const { savePanel } = await session.parts.load(() => import("./index.ts"), root);
      if (!panel) {
        panel = savePanel(model, uid, close, signal);
        element.replaceChildren(panel.element);
      }
    } catch (error) {
      setText(element, error instanceof Error ? error.message : String(error));
    }
    return panel;
  };
  const start = button("uq-save", "Save page", () => open(), signal, { "aria-expanded": "false" });
  const open = async () => {
    if (element.hidden) (await show())?.begin();
    else close();
  };
  const receive = async (content: unknown) => {
    if (!isRecord(content) || !isRecord(content.page)) return;
    const { page } = content;
    // Only who opened the panel wants to know the price.
    const opened = page.price === undefined ? await show() : panel;
    if (!signal.aborted) opened?.receive(page);
  };
  model.on("msg:custom", receive);
  signal.addEventListener("abort", () => model.off("msg:custom", receive));
  return { start, element };
}

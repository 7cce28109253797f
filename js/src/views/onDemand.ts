import type { Frame } from "../session/frame.ts";
import type { ModelInfo } from "../session/modelInfo.ts";
import type { Code } from "../session/parts.ts";
import { h, setText } from "../widget/dom.ts";
import { type Context, failureOf, type Panel, type Shown, type View } from "./view.ts";

/** A view whose code is a part: it is loaded after the first frame, and until then its panel is empty. */
export function onDemand<Part>(
  name: string,
  code: Code<Readonly<Record<string, View<Part>>>>,
  isNeeded: (about: ModelInfo, shown: Shown) => boolean = () => true,
): View<Part | null> {
  let view: View<Part> | undefined;
  return {
    name,
    read: (...source) => view?.read(...source) ?? null,
    get averagesShape() {
      return view?.averagesShape as View<Part | null>["averagesShape"];
    },
    get summary() {
      return view?.summary as View<Part | null>["summary"];
    },
    panel(context: Context): Panel {
      const { session, about, root, signal } = context;
      const element = h("section", { class: "uq-panel", "aria-label": name, hidden: true });
      const failure = failureOf(name);
      let panel: Panel | null = null;
      /** The frame at the last attempt; the next frame shows that there is a kernel, so it is tried again. */
      let tried: Frame | null = null;
      let latest: Shown | null = null;
      let loading = false;
      const load = async () => {
        loading = true;
        try {
          const module = await session.parts.load(code, root);
          view = module[name];
          if (signal.aborted || !view) return;
          panel = view.panel(context);
          panel.element.append(failure.element);
          element.replaceWith(panel.element);
          session.refresh();
        } catch (error) {
          element.hidden = false;
          setText(element, error instanceof Error ? error.message : String(error));
        }
        loading = false;
        attempt(); // A frame may have come in the meantime.
      };
      const attempt = () => {
        if (panel || loading || !latest?.frame || latest.frame === tried) return;
        if (!isNeeded(about, latest)) return;
        tried = latest.frame;
        load();
      };
      return {
        element,
        update(shown): void {
          latest = shown;
          failure.update(shown.frame);
          if (panel) panel.update(shown);
          else attempt();
        },
      };
    },
  };
}

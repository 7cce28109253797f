import { h, setText } from "../dom.ts";
import type { Frame } from "../frame.ts";
import type { Inputs } from "../inputs.ts";
import type { Code } from "../parts.ts";
import type { Context } from "../views/view.ts";

export interface Controls {
  element: HTMLElement;
  update(inputs: Inputs, frame: Frame | null): void;
}

/** Controls whose code is a part: it is loaded when they are needed first, and until then their place is empty. */
export function controlsOnDemand<M>(
  { session, root, signal }: Context,
  code: Code<M>,
  make: (module: M) => Controls,
  isNeeded: (inputs: Inputs) => boolean,
): Controls {
  const element = h("div", { class: "uq-on-demand", hidden: true });
  let controls: Controls | null = null;
  /** The frame at the last attempt; the next frame shows that there is a kernel, so it is tried again. */
  let tried: Frame | null = null;
  const load = async () => {
    try {
      const module = await session.parts.load(code, root);
      if (signal.aborted || controls) return;
      controls = make(module);
      element.replaceChildren(controls.element);
      session.refresh();
    } catch (error) {
      setText(element, error instanceof Error ? error.message : String(error));
    }
  };
  return {
    element,
    update(inputs, frame): void {
      if (controls) controls.update(inputs, frame);
      else if (frame && frame !== tried && isNeeded(inputs)) {
        tried = frame;
        element.hidden = false;
        load();
      }
    },
  };
}

/** Controls under "more", which are a part that is loaded when they are opened first. */
export function moreOnDemand<M>(
  context: Context,
  testid: string,
  code: Code<M>,
  make: (module: M) => Controls,
): Controls {
  const { redraw, signal } = context;
  const element = h("details", { class: "uq-more" });
  const controls = controlsOnDemand(context, code, make, () => element.open);
  element.append(h("summary", { "data-testid": testid }, "more"), controls.element);
  element.addEventListener("toggle", redraw, { signal });
  return { element, update: controls.update };
}

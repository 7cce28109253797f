import type { Frame } from "../session/frame.ts";
import type { Inputs } from "../session/inputs.ts";
import type { Code } from "../session/parts.ts";
import type { Context } from "../views/view.ts";
import { h, setText } from "../widget/dom.ts";

export interface Controls {
  element: HTMLElement;
  update(inputs: Inputs, frame: Frame | null): void;
}

/** Code that is a part: it is loaded when it is needed first. */
export function partOnDemand<M>({ session, root, signal, redraw }: Context, code: Code<M>) {
  /** The frame at the last attempt; the next frame shows that there is a kernel, so it is tried again. */
  let tried: Frame | null = null;
  const part = {
    module: null as M | null,
    /** Why it could not be loaded, or null. */
    problem: null as string | null,
    /** Loads the module unless it is there. */
    require(frame: Frame | null): M | null {
      if (!part.module && frame && frame !== tried) {
        tried = frame;
        load();
      }
      return part.module;
    },
  };
  const load = async () => {
    try {
      part.module ??= await session.parts.load(code, root);
      part.problem = null;
    } catch (error) {
      part.problem = error instanceof Error ? error.message : String(error);
    }
    if (!signal.aborted) redraw();
  };
  return part;
}

/** Controls whose code is a part: it is loaded when they are needed first, and until then their place is empty. */
export function controlsOnDemand<M>(
  context: Context,
  code: Code<M>,
  make: (module: M) => Controls,
  isNeeded: (inputs: Inputs) => boolean,
): Controls {
  const element = h("div", { class: "uq-on-demand", hidden: true });
  const part = partOnDemand(context, code);
  let controls: Controls | null = null;
  return {
    element,
    update(inputs, frame): void {
      if (!controls && isNeeded(inputs)) {
        element.hidden = false;
        const module = part.require(frame);
        if (module) {
          controls = make(module);
          element.replaceChildren(controls.element);
        } else setText(element, part.problem ?? "");
      }
      controls?.update(inputs, frame);
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

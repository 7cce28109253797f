import { button } from "../controls/button.ts";
import type { Help } from "../session/help.ts";
import type { Context } from "../views/view.ts";
import { set } from "../widget/dom.ts";

/**
 * Gives each control its line of help when the pointer or the focus comes to it, so that controls that come and go,
 * such as those of filters, need nothing.
 */
function showTips(root: HTMLElement, tips: Help["tips"], signal: AbortSignal): void {
  const named = "[data-testid]:is(button, input, select, summary)";
  const showHelp = ({ target }: Event) => {
    const at = target as Element;
    const control = at.closest(named) ?? at.closest("label")?.querySelector(named);
    const tip = control && tips[control.getAttribute("data-testid") ?? ""];
    if (!control || !tip) return;
    // A title of its own says more, such as why a control is disabled.
    for (const element of [control, control.closest("label")])
      if (element && !element.hasAttribute("title")) set(element, { title: tip });
  };
  for (const event of ["pointerover", "focusin"])
    root.addEventListener(event, showHelp, { signal });
}

/** The part of the page that a text is about: the panel of a view, or another box. */
export const placeOf = (root: Element, name: string): HTMLElement | null =>
  root.querySelector(`.uq-panel.uq-${name}`) ?? root.querySelector(`.uq-${name}`);

/** The line of help of every control, a "?" in every panel, and the button of the tour; what they open is a part. */
export function helpButtons({ session, about, root, uid, signal }: Context) {
  const { panels, tips, tour } = about.help;
  const part = (opener: Element) =>
    session.parts
      .load(() => import("./index.ts"), root)
      .catch((error) => set(opener, { title: String(error) }));
  showTips(root, tips, signal);

  const addQuestion = (name: string, paragraphs: string[], head: Element) => {
    const title = head.closest("[aria-label]")?.getAttribute("aria-label") ?? name;
    const opener = button("uq-help", "?");
    set(opener, { "aria-expanded": "false", "aria-label": `about ${title}` });
    const toggle = async () =>
      (await part(opener))?.toggle(opener, head, paragraphs, `uq-help-${name}-${uid}`);
    opener.addEventListener("click", toggle, { signal });
    head.firstElementChild?.after(opener);
  };

  const start = button(
    "uq-tour",
    "Tour",
    async () => (await part(start))?.tour(tour, root, start),
    signal,
  );
  start.hidden = tour.length === 0;
  return {
    start,
    /** Adds the question marks of the panels that have come. */
    update(): void {
      for (const [name, paragraphs] of Object.entries(panels)) {
        const head = placeOf(root, name)?.querySelector(".uq-panel-head, .uq-stress-inputs");
        if (head && !head.querySelector('[data-testid="uq-help"]'))
          addQuestion(name, paragraphs, head);
      }
    },
  };
}

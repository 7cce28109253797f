import "./style.css";
import { button } from "../controls/button.ts";
import type { Help } from "../session/help.ts";
import { h, set, setText } from "../widget/dom.ts";
import { placeOf } from "./buttons.ts";

/** Shows the paragraphs about a panel below the line that their "?" stands in, or hides them. */
export function toggle(opener: Element, head: Element, paragraphs: string[], id: string): void {
  const text = head.nextElementSibling?.id === id ? head.nextElementSibling : null;
  set(opener, { "aria-expanded": text ? "false" : "true", "aria-controls": text ? null : id });
  if (text) text.remove();
  else head.after(h("div", { class: "uq-help", id }, ...paragraphs.map((p) => h("p", {}, p))));
}

/** The tour: a card that stands in one part of the page after the other; `start` gets the focus back at its end. */
export function tour(steps: Help["tour"], root: HTMLElement, start: HTMLElement): void {
  root.querySelector<HTMLElement>('[data-testid="uq-help-close"]')?.click();
  const words = h("p");
  const [back, next, close] = [
    button("uq-tour-back", "Back", () => at > 0 && go(at - 1)),
    button("uq-tour-next", "Next", () => go(at + 1)),
    button("uq-help-close", "Close", () => go(-1)),
  ] as const;
  const card = h(
    "div",
    { class: "uq-help uq-tour-card", role: "group", "data-testid": "uq-tour-card" },
    words,
    h("div", { class: "uq-controls" }, back, next, close),
  );
  // A view may be missing or hidden in a layout.
  const inSight = (name: string) => {
    const place = placeOf(root, name);
    return place?.closest("[hidden]") ? null : place;
  };
  const shown = steps.filter(({ at }) => inSight(at));
  let at = 0;

  const go = (to: number) => {
    card.parentElement?.classList.remove("uq-tour-at");
    card.remove();
    const step = shown[to];
    const place = step && inSight(step.at);
    if (!place) {
      start.focus();
      return;
    }
    at = to;
    setText(words, `${to + 1} of ${shown.length}. ${step.text}`);
    set(card, { "aria-label": `tour, step ${to + 1} of ${shown.length}` });
    set(back, { "aria-disabled": to === 0 ? "true" : null });
    setText(next, to === shown.length - 1 ? "Done" : "Next");
    place.prepend(card);
    place.classList.add("uq-tour-at");
    card.scrollIntoView?.({ block: "nearest" });
    next.focus({ preventScroll: true });
  };
  card.addEventListener("keydown", ({ key }) => key === "Escape" && go(-1));
  go(0);
}

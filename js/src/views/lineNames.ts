import "../charts/colouredLines.css";
import { lookOf } from "../charts/classes.ts";
import { h, set } from "../widget/dom.ts";
import { distinct } from "../widget/format.ts";
import { swatch } from "./legend.ts";

/** The legend of lines in colours of their own: buttons that pick the line at a place. */
export function lineNames(testid: string, pick: (at: number) => void, signal: AbortSignal) {
  const element = h("div", { class: "uq-legend" });
  let drawn = "";
  const item = (name: string, short: string, at: number) => {
    const { className, dash } = lookOf(at);
    const attributes = { type: "button", class: "uq-key uq-line-name", "data-testid": testid };
    const words = h("span", { class: "uq-key-name", title: name }, short);
    const one = h("button", attributes, swatch(className, dash), words);
    one.addEventListener("click", () => pick(at), { signal });
    return one;
  };
  return {
    element,
    update(names: string[], picked: number): void {
      const now = JSON.stringify(names);
      if (now !== drawn) {
        const short = distinct(names);
        element.replaceChildren(...names.map((name, at) => item(name, short[at] ?? name, at)));
      }
      drawn = now;
      [...element.children].forEach((one, at) => {
        set(one, { "aria-pressed": at === picked ? "true" : "false" });
      });
    },
  };
}

import "./style.css";
import { button, enable } from "../controls/button.ts";
import { type Channel, sendTo } from "../session/parts.ts";
import { isRecord } from "../session/wire.ts";
import { h, set, setText } from "../widget/dom.ts";
import { download } from "../widget/download.ts";

/** What a page may hold. */
const SCOPES = {
  shown: "What is on the screen and pinned",
  all: "Every view, and every feature can be stressed",
  pictures: "Pictures and tables of these views, for mail that lets no script through",
};
const NO_KERNEL = "The kernel does not answer, so no page can be saved; run the cell again.";

const text = (value: unknown): string => (typeof value === "string" ? value : "");

/** The panel that saves a page: what it holds, with the time and the size of each choice, then the progress. */
export function savePanel(model: Channel, uid: string, close: () => void, signal: AbortSignal) {
  // Of the request whose page this browser downloads; Python has none.
  let own = "";
  const prices = new Map<string, HTMLElement>();
  const inputs = new Map<string, HTMLInputElement>();
  const choices = Object.entries(SCOPES).map(([scope, label]) => {
    const name = `uq-scope-${uid}`;
    const input = h("input", {
      type: "radio",
      name,
      value: scope,
      "data-testid": `uq-scope-${scope}`,
    });
    const price = h("span", { class: "uq-muted", "data-testid": `uq-price-${scope}` });
    input.checked = scope === "shown";
    prices.set(scope, price);
    inputs.set(scope, input);
    return h("label", { class: "uq-scope" }, input, h("span", {}, `${label} `, price));
  });
  const status = h("p", { class: "uq-muted", role: "status", "data-testid": "uq-save-status" });
  const bar = h("progress", { max: 1, "aria-label": "progress of the page" });
  const what = h("span", { class: "uq-work-text" });

  const send = (content: object) => sendTo(model, content, () => setText(status, NO_KERNEL));
  const choose = (isWorking: boolean) => {
    work.hidden = !isWorking;
    fields.disabled = isWorking;
    enable(save, !isWorking);
  };
  const start = () => {
    const chosen = [...inputs].find(([, input]) => input.checked)?.[0] ?? "shown";
    own = Math.random().toString(36).slice(2);
    choose(true);
    set(bar, { value: null });
    setText(what, "");
    setText(status, "");
    stop.focus();
    send({ page: chosen, id: own });
  };
  const save = button("uq-save-start", "Save", start, signal);
  const cancel = button("uq-save-close", "Close", close, signal);
  const stop = button("uq-save-stop", "Stop", () => send({ page: "stop" }), signal);
  const work = h("div", { class: "uq-work", hidden: true }, bar, what, stop);
  const fields = h(
    "fieldset",
    {},
    h("legend", {}, "Save a page that works without a kernel"),
    ...choices,
  );
  const controls = h("div", { class: "uq-controls" }, save, cancel, work);
  const element = h(
    "section",
    { class: "uq-saving", "aria-label": "Save a page", "data-testid": "uq-saving" },
    fields,
    controls,
    status,
  );
  element.addEventListener("keydown", ({ key }) => key === "Escape" && close(), { signal });
  enable(save, false);

  return {
    element,
    /** Asks what each choice takes; until that is known, nothing is saved. */
    begin(): void {
      inputs.get("shown")?.focus();
      if (!work.hidden) return;
      enable(save, false);
      setText(status, "The kernel estimates how long each takes…");
      send({ page: "price" });
    },
    /** Shows what the kernel says about a page, and downloads the page that this panel asked for. */
    receive(content: Record<string, unknown>): void {
      const { price, share } = content;
      if (isRecord(price)) {
        for (const [scope, place] of prices) setText(place, text(price[scope]));
        setText(status, "");
        enable(save, work.hidden);
      }
      if (typeof share === "number") {
        choose(true);
        set(bar, { value: share });
        setText(what, `${Math.floor(100 * share)} %: ${text(content.what)}`);
      }
      if (typeof content.text === "string" && (content.id === own || content.id === ""))
        download(text(content.name) || "page.html", "text/html", content.text);
      const end = text(content.error) || text(content.saved);
      if (!end) return;
      const hadFocus = (element.getRootNode() as Document | ShadowRoot).activeElement === stop;
      choose(false);
      setText(status, content.error ? end : `Saved ${end}`);
      if (hadFocus) save.focus();
    },
  };
}

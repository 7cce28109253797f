import "./review.css";
import type { Inputs } from "../session/inputs.ts";
import type { Session } from "../session/session.ts";
import { h, set, setText } from "../widget/dom.ts";
import { download } from "../widget/download.ts";
import { type Answers, fileName, pageWith, readAnswers, VERDICTS } from "./answers.ts";
import { equipTables } from "./tables.ts";

const NOT_DOWNLOADED = "Your answers are not kept yet: download the page with them.";

/** A field of several lines that is as high as its text, on paper too; `fold` is what it may be folded in. */
function field(
  label: string,
  value: string,
  onInput: (text: string) => void,
  fold: HTMLElement,
  signal: AbortSignal,
) {
  const area = h("textarea", { rows: 2 });
  area.value = value;
  const resize = () => {
    area.style.height = "auto";
    area.style.height = `${area.scrollHeight + 2}px`;
  };
  area.addEventListener(
    "input",
    () => {
      onInput(area.value);
      resize();
    },
    { signal },
  );
  // Folded, it has no height.
  fold.addEventListener("toggle", resize, { signal });
  requestAnimationFrame(resize);
  return h("label", { class: "uq-answer-field" }, h("span", {}, label), area);
}

/** The list of pins: each shows its view in the explorer, and takes a comment. */
function equipPath(
  session: Session,
  states: Partial<Inputs>[],
  answers: Answers,
  onChange: () => void,
  signal: AbortSignal,
): void {
  const items = [...document.querySelectorAll<HTMLElement>("[data-pin]")];
  const show = (at: number) => {
    const state = states[at];
    if (!state) return;
    session.visit(state);
    items.forEach((item, i) => {
      set(item, { "aria-current": i === at ? "step" : null });
    });
    const main = document.getElementById("uq-page");
    main?.scrollIntoView({ block: "start" });
    main?.setAttribute("tabindex", "-1");
    main?.focus({ preventScroll: true });
  };
  items.forEach((item, i) => {
    const label = `Show view ${i + 1} in the explorer`;
    const button = h("button", { type: "button", class: "uq-button", "aria-label": label }, "Show");
    button.addEventListener("click", () => show(i), { signal });
    const onInput = (text: string) => {
      answers.pins[i] = text;
      onChange();
    };
    const [name, written] = [`Comment on view ${i + 1}`, answers.pins[i] ?? ""];
    const summary = h("summary", { "aria-label": name }, "Comment");
    const fold = h("details", { open: written !== "" }, summary);
    fold.append(field(name, written, onInput, fold, signal));
    item.append(h("div", { class: "uq-tools" }, button, fold));
  });
}

/** The form of verdict, name and comment, and the download. */
function answerForm(
  answers: Answers,
  onChange: () => void,
  fold: HTMLElement,
  signal: AbortSignal,
) {
  const choices = ["", ...VERDICTS].map((value) => {
    const input = h("input", { type: "radio", name: "verdict", value });
    input.checked = answers.verdict === value;
    input.addEventListener(
      "change",
      () => {
        answers.verdict = value;
        onChange();
      },
      { signal },
    );
    return h("label", {}, input, ` ${value || "no verdict yet"}`);
  });
  const name = h("input", { type: "text", autocomplete: "name" });
  name.value = answers.reviewer;
  name.addEventListener(
    "input",
    () => {
      answers.reviewer = name.value;
      onChange();
    },
    { signal },
  );
  const onComment = (text: string) => {
    answers.comment = text;
    onChange();
  };
  return [
    h("fieldset", {}, h("legend", {}, "Verdict"), ...choices),
    h("label", { class: "uq-answer-field" }, h("span", {}, "Reviewer"), name),
    field("Comment", answers.comment, onComment, fold, signal),
  ];
}

/**
 * Makes the review of a page live: pins lead to their views, tables can be copied, and answers are kept by downloading the
 * page with them. `opened` is the page as it was before any script changed it.
 */
export function review(
  session: Session,
  opened: HTMLElement,
  states: Partial<Inputs>[],
  signal: AbortSignal,
): void {
  equipTables(document, signal);
  const form = document.querySelector<HTMLDetailsElement>(".uq-answer");
  const stored = document.getElementById("uq-answers")?.textContent;
  if (!form || !stored) return;
  const answers = readAnswers(JSON.parse(stored), states.length);
  const status = h("span", { role: "status", class: "uq-note" });
  let isDownloaded = true;
  if (answers.date) setText(status, `Answered on ${answers.date}.`);
  const onChange = () => {
    isDownloaded = false;
    setText(status, NOT_DOWNLOADED);
    show();
  };
  const button = h("button", { type: "button", class: "uq-button" }, "Download with answers");
  button.addEventListener(
    "click",
    () => {
      answers.date = new Date().toISOString().slice(0, 10);
      download(fileName(location.pathname), "text/html", pageWith(opened, answers));
      isDownloaded = true;
      setText(status, "Downloaded with your answers.");
    },
    { signal },
  );
  window.addEventListener("beforeunload", (event) => isDownloaded || event.preventDefault(), {
    signal,
  });
  equipPath(session, states, answers, onChange, signal);
  form.append(...answerForm(answers, onChange, form, signal));
  // A comment on a pin is downloaded too, while the form is folded.
  const tools = h("div", { class: "uq-tools" }, button, status);
  const show = () => {
    tools.hidden = !form.open && isDownloaded && !answers.date;
  };
  form.addEventListener("toggle", show, { signal });
  form.after(tools);
  form.open = [answers.verdict, answers.reviewer, answers.comment].some(Boolean);
  form.hidden = false;
  show();
}

import { button } from "../controls/button.ts";
import { WireError } from "../session/wire.ts";
import { h, pool, setText } from "../widget/dom.ts";
import { followTheme } from "../widget/theme.ts";

import type { Answer, LessonSession } from "./session.ts";

/** The session, the places and the functions from which a lesson is built. */
export interface Stage {
  session: LessonSession;
  signal: AbortSignal;
  /** Controls of the prediction, and of what is done; `picture` holds the charts. */
  predict: HTMLElement;
  act: HTMLElement;
  picture: HTMLElement;
  /** Says a sentence to screen readers. */
  say(text: string): void;
  /** Draws again, for example after a change of width. */
  redraw(): void;
}

/** Builds the controls of a lesson, and returns what draws an answer at a width. */
export type Lesson = (stage: Stage) => (answer: Answer, width: number) => void;

const NO_ANSWER = "The kernel does not answer; wait for it, or run the cell again.";

const section = (lesson: string, title: string, text: string, ...children: Node[]) =>
  h(
    "section",
    { class: "uq-step", "aria-label": `${title}: ${lesson}` },
    h("h3", {}, title),
    ...(text ? [h("p", {}, text)] : []),
    ...children,
  );

/** Says that the model is at work, with its progress and a button that stops it. */
function workNotice(session: LessonSession, signal: AbortSignal) {
  const stop = button("uq-stop", "Stop", () => session.stop(), signal);
  const bar = h("progress", { max: 1, "aria-label": "Progress of the work" });
  const attributes = { class: "uq-watchdog", role: "status", "data-testid": "uq-work" };
  const texts = ["The model is at work. ", bar, " ", stop];
  const element = h("p", { ...attributes, hidden: true }, ...texts);
  return {
    element,
    update(answer: Answer | null): void {
      element.hidden = !answer?.busy;
      // Without a value, a bar says that the share is not known.
      if (answer?.progress) bar.value = answer.progress;
      else bar.removeAttribute("value");
    },
  };
}

/** The page of every lesson: predict, do, explain, in this order and on one screen. */
export function lessonPage(
  session: LessonSession,
  lessons: Readonly<Record<string, Lesson>>,
  el: HTMLElement,
  signal: AbortSignal,
): void {
  const alert = h("p", { class: "uq-error", role: "alert", hidden: true });
  const watchdog = h("p", { class: "uq-watchdog", role: "status", hidden: true }, NO_ANSWER);
  const work = workNotice(session, signal);
  const spoken = h("p", { class: "uq-sr", role: "status", "data-testid": "uq-spoken" });
  const [predict, act, picture] = [h("div"), h("div"), h("div", { class: "uq-picture" })];
  const explained = h("div", { "data-testid": "uq-explanation", "aria-live": "polite" });
  const paragraphs = pool(explained, () => h("p"));
  const { about } = session;
  const title = about?.title ?? "Lesson";
  const explain = section(title, "Explain", "", explained);
  const make = about && Object.hasOwn(lessons, about.name) ? lessons[about.name] : undefined;
  const steps = about
    ? [
        section(title, "Predict", about.question, predict),
        section(title, "Do", about.task, act),
        picture,
        explain,
      ]
    : [];
  const note = about?.fields.optional("note", (f) => f.text("note")) ?? "";
  const root = h(
    "section",
    { class: "uq uq-lesson", "data-testid": "uq-root", role: "region", "aria-label": title },
    h("div", { class: "uq-header" }, h("h2", {}, title)),
    alert,
    watchdog,
    work.element,
    ...(note ? [h("p", { class: "uq-muted", "data-testid": "uq-note" }, note)] : []),
    ...steps,
    spoken,
  );
  el.classList.add("uq-host");
  el.append(root);

  let width = 0;
  let draw: ReturnType<Lesson> | null = null;
  const update = () => {
    const { answer } = session;
    let fault = session.problem;
    if (answer && draw && !answer.empty)
      try {
        draw(answer, width || Math.floor(picture.clientWidth) || 560);
      } catch (error) {
        if (!(error instanceof WireError)) throw error;
        fault = error.message;
      }
    const texts = answer?.explanation ?? [];
    paragraphs(texts.length).forEach((one, i) => {
      setText(one, texts[i] ?? "");
    });
    explain.hidden = texts.length === 0;
    const known = make ? null : "This page does not know the lesson; reload it after an upgrade.";
    // Beside an error of the model stands the last picture, or none if there was none before.
    const problem = answer?.error ?? fault ?? known;
    setText(alert, problem ?? "");
    alert.hidden = !problem;
    work.update(answer);
    watchdog.hidden = !session.queue.silent;
    root.dataset.seq = String(answer?.seq ?? "");
    picture.hidden = !answer || answer.empty;
  };
  if (make)
    draw = make({
      session,
      signal,
      predict,
      act,
      picture,
      say: (text) => setText(spoken, text),
      redraw: update,
    });
  const observer = new ResizeObserver(([entry]) => {
    const now = Math.floor(entry?.contentRect.width ?? 0);
    if (now === width || now === 0) return;
    width = now;
    update();
  });
  observer.observe(picture);
  signal.addEventListener("abort", () => observer.disconnect());
  session.listen(update, signal);
  followTheme(root, update, signal);
  update();
}

import { button } from "../controls/button.ts";
import type { Frame, Progress } from "../session/frame.ts";
import type { ModelInfo } from "../session/modelInfo.ts";
import type { Session } from "../session/session.ts";
import { h, set, setText } from "../widget/dom.ts";
import { counted, number, seconds } from "../widget/format.ts";
import { viewsNamed } from "./index.ts";
import { moved } from "./stress/reader.ts";

/** Errors, and a warning while the kernel does not answer, above the charts. */
export function alerts(session: Session, signal: AbortSignal) {
  const error = h("p", {
    class: "uq-error",
    role: "alert",
    "data-testid": "uq-error",
    hidden: true,
  });
  const watchdog = h(
    "p",
    { class: "uq-watchdog", role: "status", "data-testid": "uq-watchdog", hidden: true },
    "The kernel does not answer, so this is the last result. A busy kernel answers later; after a restart, run the cell again.",
  );
  const retry = button("uq-retry", "Try again", () => session.goOn(), signal, {
    class: "uq-retry",
    hidden: true,
  });
  return {
    error,
    watchdog,
    retry,
    /** What failed in a view can be tried again. */
    update(text: string | null, silent: boolean, failed: boolean): void {
      retry.hidden = !failed;
      error.hidden = !text;
      setText(error, text ?? "");
      watchdog.hidden = !silent;
    },
  };
}

/** The current work with its progress and remaining time, as far as they are known. */
function working({ what, done, total, seconds_left: left }: Progress, spent: number): string {
  const hundredths = total > 0 ? Math.min(99, Math.floor((100 * done) / total)) : 0;
  const share = hundredths > 0 ? `${hundredths} %, ` : "";
  const about =
    left !== null && left < 1 ? "less than 1 s" : `about ${seconds(Math.round(left ?? 0))}`;
  // What is cut first in a narrow notebook comes last.
  return `${share}${left === null ? `${seconds(spent)} so far` : `${about} left`}: ${what}`;
}

/** The running work with its remaining time and a button that stops it, or where it was stopped. */
export function workLine(session: Session, signal: AbortSignal) {
  const bar = h("progress", { "data-testid": "uq-progress", "aria-label": "progress" });
  const what = h("span", { class: "uq-work-text" });
  const stop = button("uq-stop", "Stop", () => session.stop(), signal);
  const goOn = button("uq-go-on", "Go on", () => session.goOn(), signal, { hidden: true });
  const element = h("div", { class: "uq-work", hidden: true }, bar, what, stop, goOn);
  /** Shows one of the buttons and moves the focus to it, because a hidden button would lose it. */
  const offer = (button: HTMLElement, other: HTMLElement) => {
    const root = other.getRootNode() as Document | ShadowRoot;
    const isFocused = root.activeElement === other;
    button.hidden = false;
    other.hidden = true;
    if (isFocused) button.focus();
  };
  const say = (text: string) => {
    setText(what, text);
    set(what, { title: text });
  };
  return {
    element,
    update(frame: Frame | null): void {
      element.hidden = !frame?.progress && !frame?.stopped;
      if (!frame) return;
      const { progress, stopped } = frame;
      set(bar, { hidden: progress === null });
      if (progress) offer(stop, goOn);
      else if (stopped) {
        say(`Stopped ${stopped}.`);
        offer(goOn, stop);
      }
      if (!progress) return;
      const text = working(progress, frame.cost.seconds);
      // A progress bar without value is indeterminate.
      set(bar, {
        max: Math.max(1, progress.total),
        value: progress.done > 0 && progress.total > 0 ? progress.done : null,
        "aria-valuetext": text,
      });
      say(text);
    },
  };
}

/** The cost of the last change, and the notes on the results. */
export function footer(urgent: string[]) {
  const cost = h("span", { class: "uq-cost" });
  const costs = h(
    "details",
    { class: "uq-costs" },
    h("summary", { "data-testid": "uq-cost" }, "cost"),
    cost,
  );
  const notes = h("ul", { class: "uq-notes", "data-testid": "uq-notes", hidden: true });
  let listed = "";
  return {
    element: h("div", { class: "uq-footer", "data-testid": "uq-footer" }, costs, notes),
    /** Notes that stand at the top are left out here. */
    update(frame: Frame | null, hasStrip: boolean): void {
      if (!frame) return;
      const { calls, rows, seconds: time } = frame.cost;
      setText(
        cost,
        `last change: ${counted(calls, "model call")}, ${counted(rows, "row")}, ${seconds(time)} · ` +
          `in all ${counted(frame.total.calls, "call")}, ${counted(frame.total.rows, "row")}`,
      );
      const items = frame.notes
        .map((note, i) => [note, frame.noteCodes[i]] as const)
        .filter(([, code = ""]) => !hasStrip || !urgent.includes(code));
      if (listed !== items.join("\n")) {
        listed = items.join("\n");
        notes.replaceChildren(...items.map(([note, title]) => h("li", { title }, note)));
      }
      notes.hidden = items.length === 0;
    },
  };
}

/** A polite live region with one sentence about each final result, at most every 1.5 seconds. */
export function announcer(signal: AbortSignal, pause = 1500) {
  const element = h("p", {
    class: "uq-sr",
    role: "status",
    "aria-live": "polite",
    "data-testid": "uq-live",
  });
  let timer: ReturnType<typeof setTimeout> | undefined;
  let latest = "";
  signal.addEventListener("abort", () => clearTimeout(timer));
  return {
    element,
    say(text: string): void {
      latest = text;
      timer ??= setTimeout(() => {
        timer = undefined;
        setText(element, latest);
      }, pause);
    },
  };
}

/** The newest result in one sentence: the population, then what the views show of it. */
export function summary(frame: Frame, info: ModelInfo): string {
  const { stress } = frame;
  const now = stress?.now;
  const population =
    now && frame.inputs.tau !== 0
      ? `${moved(now)} stressed from ${number(now.mean)} to ${number(now.reached)}, ${stress.label} ${number(now.value)}`
      : "No stress";
  const views = viewsNamed(info.views).map(({ name, summary }) => {
    const part = frame[name as keyof Frame];
    return part && summary ? summary(part, info) : "";
  });
  const stopped = frame.stopped ? `Stopped ${frame.stopped}` : "";
  return [stopped, population, ...views].filter(Boolean).join("; ");
}

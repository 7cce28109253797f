import "../styles.css";
import type { HostModel } from "../session.ts";
import { coverage } from "./coverage.ts";
import { guess } from "./guess.ts";
import { type Lesson, lessonPage } from "./lesson.ts";
import { place } from "./place.ts";
import { refits } from "./refits.ts";
import { LessonSession } from "./session.ts";
import { shuffle } from "./shuffle.ts";
import { target } from "./target.ts";
import "./style.css";
import "../styles/hosts.css";

const LESSONS: Readonly<Record<string, Lesson>> = {
  coverage,
  guess,
  place,
  refits,
  shuffle,
  target,
};

interface Initialize {
  model: HostModel;
  signal: AbortSignal;
}

interface Render extends Initialize {
  el: HTMLElement;
}

/** The factory is called once per model; the views of a model share its session. */
export default () => {
  let session: LessonSession | null = null;
  return {
    initialize({ model, signal }: Initialize): void {
      session = new LessonSession(model, signal);
    },
    render({ model, el, signal }: Render): void {
      session ??= new LessonSession(model, signal);
      lessonPage(session, LESSONS, el, signal);
    },
  };
};

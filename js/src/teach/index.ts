import "../styles.css";
import { widget } from "../widget.ts";
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

export default widget(
  ({ model, signal }) => new LessonSession(model, signal),
  (session, { el, signal }) => lessonPage(session, LESSONS, el, signal),
);

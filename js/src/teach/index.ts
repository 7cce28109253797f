import "../styles/index.css";
import { widget } from "../widget/factory.ts";
import { LESSONS, lessonPage } from "./lessons.ts";
import { LessonSession } from "./session.ts";
import "./style.css";
import "../styles/hosts.css";

export default widget(
  ({ model, signal }) => new LessonSession(model, signal),
  (session, { el, signal }) => lessonPage(session, LESSONS, el, signal),
);

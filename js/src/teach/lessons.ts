import { coverage } from "./coverage.ts";
import { guess } from "./guess.ts";
import type { Lesson } from "./lesson.ts";
import { place } from "./place.ts";
import { refits } from "./refits.ts";
import { shuffle } from "./shuffle.ts";
import { target } from "./target.ts";

export { lessonPage } from "./lesson.ts";

/** The lessons by their names. */
export const LESSONS: Readonly<Record<string, Lesson>> = {
  coverage,
  guess,
  place,
  refits,
  shuffle,
  target,
};

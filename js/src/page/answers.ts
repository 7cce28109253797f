import { isRecord } from "../session/wire.ts";
import { sealedText } from "./seal.ts";

export const VERDICTS = ["approved", "approved with conditions", "rejected"] as const;

/** What a reader answers; `pins` are the comments on the pins of the reading path. */
export interface Answers {
  verdict: string;
  reviewer: string;
  /** The day of the download, as 2025-01-31. */
  date: string;
  comment: string;
  pins: string[];
}

const text = (value: unknown): string => (typeof value === "string" ? value : "");

/** Reads the answers that a page was downloaded with; missing and invalid ones are empty. */
export function readAnswers(raw: unknown, n_pins: number): Answers {
  const fields = isRecord(raw) ? raw : {};
  const pins: unknown[] = Array.isArray(fields.pins) ? fields.pins : [];
  const verdict = text(fields.verdict);
  return {
    verdict: VERDICTS.find((one) => one === verdict) ?? "",
    reviewer: text(fields.reviewer),
    date: text(fields.date),
    comment: text(fields.comment),
    pins: Array.from({ length: n_pins }, (_, i) => text(pins[i])),
  };
}

/** The page as it was opened, with other answers. All that its sender says stays. */
export const pageWith = (opened: HTMLElement, answers: Answers): string =>
  sealedText(opened.cloneNode(true) as HTMLElement, { ...answers });

/** The name of a download: the name of the page's own file, where it has one. */
export function fileName(pathname: string): string {
  const last = pathname.split("/").at(-1) ?? "";
  try {
    return /\.html?$/i.test(last) ? decodeURIComponent(last) : "review.html";
  } catch {
    return "review.html";
  }
}

import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { fileName, pageWith, readAnswers } from "../../src/page/answers.ts";
import { review } from "../../src/page/review.ts";
import { cellsOf, csvOf, tabsOf } from "../../src/page/tables.ts";
import type { Session } from "../../src/session/session.ts";
import { h } from "../../src/widget/dom.ts";
import { clearPage } from "../mount.ts";

const HOSTILE = "</script><script>alert(1)</script>";
const SEAL = JSON.stringify({ bytes: 1, page: "a hash", attributes: ["id"], sum: "" });
const EMPTY = { verdict: "", reviewer: "", date: "", comment: "", pins: ["", ""] };

afterEach(clearPage);

describe("answers", () => {
  it.each([
    null,
    [],
    "approved",
    { verdict: 1, reviewer: [], comment: null, pins: { 0: "a" } },
    { verdict: "approved by me", pins: [1, null] },
  ])("that are invalid are empty: %j", (raw) => {
    expect(readAnswers(raw, 2)).toEqual(EMPTY);
  });

  it("have one comment for each pin", () => {
    const raw = { verdict: "rejected", reviewer: "R", date: "2025-01-31", comment: "c" };
    const read = readAnswers({ ...raw, pins: ["a", "b", "of a pin that is not here"] }, 2);
    expect(read).toEqual({ ...raw, pins: ["a", "b"] });
  });

  it("are kept in the page, and nothing else of it changes", () => {
    const opened = h("html", {}, h("head"), h("body", {}, h("p", {}, "a < b")));
    const data = h("script", { type: "application/json", id: "uq-answers" }, "{}");
    const seal = h("script", { type: "application/json", id: "uq-seal" }, SEAL);
    opened.querySelector("body")?.append(seal, data, h("script", { type: "module" }, "1 < 2;"));
    const before = `<!DOCTYPE html>\n${opened.outerHTML}\n`;
    const answers = { ...EMPTY, verdict: "approved", comment: HOSTILE };
    const page = pageWith(opened, answers);
    const [, json = ""] = page.match(/id="uq-answers">(.*?)<\/script>/s) ?? [];
    expect(json).not.toContain("<");
    expect(readAnswers(JSON.parse(json), 2)).toEqual(answers);
    expect(JSON.parse(json).page).toBe("a hash");
    const [, again = ""] = page.match(/id="uq-seal">(.*?)<\/script>/s) ?? [];
    expect(JSON.parse(again)).toMatchObject({ bytes: new Blob([page]).size, page: "a hash" });
    expect(page.replace(json, "{}").replace(again, SEAL)).toBe(before);
    // A second download starts from the opened page too.
    expect(pageWith(opened, EMPTY)).not.toContain("alert");
  });

  it.each([
    ["/a/b/my%20review.html", "my review.html"],
    ["/a/b/", "review.html"],
    ["srcdoc", "review.html"],
    ["/%E0%A4%A.html", "review.html"],
  ])("of the page %s are downloaded as %s", (path, name) => {
    expect(fileName(path)).toBe(name);
  });
});

describe("a table", () => {
  it("is copied and downloaded with its numbers in full, and names as they are", () => {
    const cells = [h("td", {}, 'a "b", c'), h("td", { "data-value": "0.123456" }, "0.1235")];
    const table = h("table", {}, h("tr", {}, h("th", {}, "feature"), h("th", {}, "x\ty")));
    table.append(h("tr", {}, ...cells));
    const rows = cellsOf(table);
    expect(rows).toEqual([
      ["feature", "x\ty"],
      ['a "b", c', "0.123456"],
    ]);
    expect(csvOf(rows)).toBe('feature,x\ty\r\n"a ""b"", c",0.123456\r\n');
    expect(tabsOf(rows)).toBe('feature\tx y\na "b", c\t0.123456');
  });

  it.each([
    ["=1+2", "'=1+2"],
    ['@SUM(1)|cmd|" /C calc"!A0', '\'@SUM(1)|cmd|" /C calc"!A0'],
    ["+1-2", "'+1-2"],
    ["-a", "'-a"],
    [" =A1", "' =A1"],
    ["\tA1", "'\tA1"],
    ["\r=A1", "'\r=A1"],
    ["＝A1", "'＝A1"],
    ["-1.5e-3", "-1.5e-3"],
    ["+5", "+5"],
    ["a=b", "a=b"],
    ["", ""],
  ])("has no formula for a spreadsheet: %j is %j", (text, cell) => {
    const row = h("tr", {}, h("td", {}, text), h("td", { "data-value": "-0.25" }, "−0.25"));
    const rows = cellsOf(h("table", {}, row));
    expect(rows).toEqual([[cell, "-0.25"]]);
  });
});

describe("the review", () => {
  const files: { name: string; text: Promise<string> }[] = [];
  let opened: HTMLElement;
  const visit = vi.fn();
  let abort: AbortController;

  beforeEach(() => {
    files.length = 0;
    visit.mockClear();
    abort = new AbortController();
    const blobs = new Map<string, Blob>();
    vi.spyOn(URL, "createObjectURL").mockImplementation((blob) => {
      blobs.set(`blob:${blobs.size}`, blob as Blob);
      return `blob:${blobs.size - 1}`;
    });
    vi.spyOn(HTMLAnchorElement.prototype, "click").mockImplementation(function (
      this: HTMLAnchorElement,
    ) {
      const blob = blobs.get(this.getAttribute("href") ?? "") as Blob;
      files.push({ name: this.download, text: blob.text() });
    });
    const answers = h("script", { type: "application/json", id: "uq-answers" });
    answers.textContent = JSON.stringify({ comment: "an earlier comment", date: "2025-01-31" });
    const path = h("ol", {}, h("li", { "data-pin": 0 }, "one"), h("li", { "data-pin": 1 }, "two"));
    const row = h("tr", {}, h("td", { "data-value": "1.25" }, "1.2"));
    const table = h("details", { "data-table": "Importance: nll" }, h("summary"));
    table.append(h("table", {}, row));
    document.body.append(
      path,
      h("details", { class: "uq-answer" }, h("summary")),
      h("main", { id: "uq-page", tabindex: -1 }),
      h("article", {}, h("h3", {}, "Pin 1: a <b>"), h("pre", { class: "uq-code" }, "uq"), table),
      answers,
      h("script", { type: "application/json", id: "uq-seal" }, SEAL),
    );
    opened = document.documentElement.cloneNode(true) as HTMLElement;
    review({ visit } as unknown as Session, opened, [{ tau: 0.5 }, { tau: -1 }], abort.signal);
  });
  afterEach(() => abort.abort());

  const buttons = (text: string) =>
    [...document.querySelectorAll("button")].filter((button) => button.textContent === text);

  it("leads from a pin to its view", () => {
    const [, second] = buttons("Show");
    second?.click();
    expect(visit).toHaveBeenCalledExactlyOnceWith({ tau: -1 });
    expect(document.activeElement?.id).toBe("uq-page");
    const items = [...document.querySelectorAll("[data-pin]")];
    expect(items.map((item) => item.getAttribute("aria-current"))).toEqual([null, "step"]);
  });

  it("is downloaded with the answers, which a reader may change again", async () => {
    const [comment] = [...document.querySelectorAll("textarea")].filter(
      (area) => area.value === "an earlier comment",
    );
    expect(comment).toBeDefined();
    const [first] = document.querySelectorAll("li textarea");
    (first as HTMLTextAreaElement).value = HOSTILE;
    first?.dispatchEvent(new Event("input"));
    const [, approved] = document.querySelectorAll<HTMLInputElement>("[name=verdict]");
    approved?.click();
    const status = buttons("Download with answers")[0]?.nextElementSibling;
    expect(status?.textContent).toBe("Your answers are not kept yet: download the page with them.");
    const leaving = () => !window.dispatchEvent(new Event("beforeunload", { cancelable: true }));
    expect(leaving()).toBe(true);

    buttons("Download with answers")[0]?.click();
    expect(leaving()).toBe(false);
    const text = (await files[0]?.text) ?? "";
    const [, json = ""] = text.match(/id="uq-answers"[^>]*>(.*?)<\/script>/s) ?? [];
    const read = readAnswers(JSON.parse(json), 2);
    expect(read).toMatchObject({ verdict: "approved", comment: "an earlier comment" });
    expect(read.pins).toEqual([HOSTILE, ""]);
    expect(read.date).toMatch(/^\d{4}-\d\d-\d\d$/);
    expect(text).not.toContain("<button");
    expect(text).not.toContain(HOSTILE);
  });

  it("downloads a table", async () => {
    buttons("Download CSV")[0]?.click();
    expect(files[0]?.name).toBe("pin-1-a-b-importance-nll.csv");
    expect(await files[0]?.text).toBe("1.25\r\n");
    expect(buttons("Copy table")).toHaveLength(1);
    expect(buttons("Copy code")).toHaveLength(1);
  });
});

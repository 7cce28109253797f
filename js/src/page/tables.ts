import { copyText } from "../widget/copy.ts";
import { h, onPrint, setText } from "../widget/dom.ts";
import { download } from "../widget/download.ts";

/** A text that a spreadsheet would take for a formula has an apostrophe before it, as OWASP advises; numbers stay. */
const harmless = (text: string): string =>
  /^\s*[=+\-@＝＋－＠\t\r]/.test(text) && !Number.isFinite(Number(text)) ? `'${text}` : text;

/** The cells of a table, with numbers in full where they are shown rounded. */
export const cellsOf = (table: HTMLTableElement): string[][] =>
  [...table.rows].map((row) =>
    [...row.cells].map((cell) => cell.dataset.value ?? harmless(cell.textContent ?? "")),
  );

/** Comma-separated values (RFC 4180). */
export const csvOf = (rows: string[][]): string =>
  rows
    .map((row) => {
      const cells = row.map((text) =>
        /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text,
      );
      return `${cells.join(",")}\r\n`;
    })
    .join("");

/** Tab-separated values, which a spreadsheet pastes into its cells. */
export const tabsOf = (rows: string[][]): string =>
  rows.map((row) => row.map((text) => text.replace(/[\t\r\n]+/g, " ")).join("\t")).join("\n");

/** A button that copies a text and says whether it did. */
export function copyButton(label: string, content: () => string, signal: AbortSignal) {
  const button = h("button", { type: "button", class: "uq-button" }, label);
  const status = h("span", { role: "status", class: "uq-note" });
  const copy = async () => {
    const done = await copyText(content(), button);
    setText(status, done ? "copied" : "the browser does not let this page copy");
  };
  button.addEventListener("click", copy, { signal });
  return [button, status];
}

/** A short name of a file, from the name of a table. */
const shortName = (text: string): string =>
  text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, "-")
    .replace(/^-|-$/g, "")
    .slice(0, 60) || "table";

/** A choice to print all tables, which opens the folded ones for the paper alone. */
function printChoice(tables: HTMLDetailsElement[], signal: AbortSignal): HTMLElement {
  const box = h("input", { type: "checkbox" });
  let opened: HTMLDetailsElement[] = [];
  onPrint(({ type }) => {
    const isPaper = type === "beforeprint" && box.checked;
    if (isPaper) opened = tables.filter(({ open }) => !open);
    for (const table of opened) table.open = isPaper;
    if (!isPaper) opened = [];
  }, signal);
  return h("label", { class: "uq-print-all" }, box, " Print all tables; without it, the open ones");
}

/** Gives every table of the page buttons that copy and download it, and every line of code one that copies it. */
export function equipTables(root: ParentNode, signal: AbortSignal): void {
  const tables = [...root.querySelectorAll<HTMLDetailsElement>("details[data-table]")];
  root.querySelector(".uq-tables > h2")?.after(printChoice(tables, signal));
  for (const details of tables) {
    const table = details.querySelector("table");
    if (!table) continue;
    const article = details.closest("article")?.querySelector("h3")?.textContent ?? "";
    const name = `${shortName(`${article} ${details.dataset.table ?? ""}`)}.csv`;
    const csv = h("button", { type: "button", class: "uq-button" }, "Download CSV");
    csv.addEventListener("click", () => download(name, "text/csv", csvOf(cellsOf(table))), {
      signal,
    });
    const copy = copyButton("Copy table", () => tabsOf(cellsOf(table)), signal);
    details.querySelector("summary")?.after(h("div", { class: "uq-tools" }, csv, ...copy));
  }
  for (const code of root.querySelectorAll<HTMLElement>("pre.uq-code"))
    code.after(
      h("div", { class: "uq-tools" }, ...copyButton("Copy code", () => code.textContent, signal)),
    );
}

import { isRecord } from "../session/wire.ts";
import { h } from "../widget/dom.ts";
import { whole } from "../widget/format.ts";
import { sha256 } from "./sha256.ts";

/** What a page knows of itself; see `uqwidgets/widgets/page/seal.py`, which hashes in the same way. */
export interface Seal {
  /** The size of its file. */
  bytes: number;
  /** The hash of all that its sender says. */
  page: string;
  /** Names of the attributes that are hashed: extensions of browsers add others. */
  attributes: string[];
  /** The hash of all of these, of the sentences on the size, and of the answers. */
  sum: string;
}

const SENTENCES = ["uq-top", "uq-middle", "uq-end"];
const OWN = new Set([...SENTENCES, "uq-seal", "uq-answers"]);
const SPACE = /^[ \t\n\f\r]*$/;
/** Between the parts of what is hashed; no page can hold it. */
const BETWEEN = "\0";

/** A page that is not as it was written, in one sentence. */
export class Damage extends Error {
  constructor(bytes: number | null) {
    const size = bytes === null ? "" : ` (it should have ${whole(bytes)} bytes)`;
    super(`This file is damaged${size}. Ask for it again.`);
  }
}

const isText = (node: Node): node is Text => node.nodeType === Node.TEXT_NODE;
const isElement = (node: Node): node is Element => node.nodeType === Node.ELEMENT_NODE;
const isOwn = (node: Node) => isElement(node) && OWN.has(node.id);

/** What stands in the body, but not space, and not the elements that follow the end. */
function* bodyOf(page: HTMLElement): Iterable<Node> {
  let isAfter = false;
  for (const node of page.querySelector("body")?.childNodes ?? [])
    if (isText(node)) {
      if (!SPACE.test(node.data)) yield node;
    } else if (isElement(node) && !isAfter) {
      yield node;
      isAfter = node.id === "uq-end";
    }
}

/** Tags with their depth, attributes of these names, and texts. */
function* canonical(nodes: Iterable<Node>, names: Set<string>, depth = 0): Iterable<string> {
  // A browser divides long texts.
  let text = "";
  for (const node of nodes) {
    if (isText(node)) text += node.data;
    if (!isElement(node)) continue;
    if (text) yield text;
    text = "";
    yield `<${depth}${node.localName.toLowerCase()}`;
    for (const { name, value } of node.attributes)
      if (names.has(name.toLowerCase())) yield `${name.toLowerCase()}=${value}`;
    yield* canonical(node.childNodes, names, depth + 1);
  }
  if (text) yield text;
}

function digestOfSender(page: HTMLElement, attributes: string[]): string {
  const policy = page.querySelector('meta[http-equiv="Content-Security-Policy"]');
  const body = [...bodyOf(page)].filter((node) => !isOwn(node));
  return sha256(
    [policy?.getAttribute("content") ?? "", ...canonical(body, new Set(attributes))].join(BETWEEN),
  );
}

function digestOfRest(root: HTMLElement, { bytes, page, attributes }: Seal): string {
  const own = [...bodyOf(root)].filter((node) => isOwn(node) && (node as Element).id !== "uq-seal");
  const facts = JSON.stringify([bytes, page, attributes]);
  return sha256([facts, ...canonical(own, new Set(attributes))].join(BETWEEN));
}

function readSeal(page: HTMLElement): Partial<Seal> {
  try {
    const seal: unknown = JSON.parse(page.querySelector("#uq-seal")?.textContent ?? "");
    return isRecord(seal) ? seal : {};
  } catch {
    return {};
  }
}

const isSeal = (seal: Partial<Seal>): seal is Seal =>
  typeof seal.bytes === "number" && typeof seal.page === "string" && Array.isArray(seal.attributes);

/** The size that two places of a damaged page state. */
function statedSize(page: HTMLElement, seal: Partial<Seal>): number | null {
  const places = [...page.querySelectorAll("b.uq-bytes")].map((b) =>
    Number((b.textContent ?? "").replaceAll(",", "")),
  );
  const stated = [...places, seal.bytes];
  return places.find((n) => n > 0 && stated.filter((other) => other === n).length > 1) ?? null;
}

/** Whether the answers, if there are any, were given to this page. */
function areAnswersOf(root: HTMLElement, { page }: Seal): boolean {
  const text = root.querySelector("#uq-answers")?.textContent;
  const answers: unknown = text ? JSON.parse(text) : {};
  return isRecord(answers) && (answers.page ?? page) === page;
}

/** The seal of a page, as it was opened, that is whole; throws `Damage` if it is not. */
export function checkedSeal(page: HTMLElement): Seal {
  const seal = readSeal(page);
  if (
    !isSeal(seal) ||
    seal.sum !== digestOfRest(page, seal) ||
    seal.page !== digestOfSender(page, seal.attributes) ||
    !areAnswersOf(page, seal)
  )
    throw new Damage(statedSize(page, seal));
  return seal;
}

/**
 * The text of a page with these answers, and with its new size. The answers have the hash of the page that they belong
 * to; they are data in a script element that no browser runs, where `<` could end the element.
 */
export function sealedText(page: HTMLElement, answers: Record<string, unknown>): string {
  const text = () => `<!DOCTYPE html>\n${page.outerHTML}\n`;
  const seal = readSeal(page);
  const [ofSeal, ofAnswers] = ["#uq-seal", "#uq-answers"].map((id) => page.querySelector(id));
  if (!isSeal(seal) || !ofSeal || !ofAnswers) throw new Damage(null);
  const stored = JSON.stringify({ ...answers, page: seal.page });
  ofAnswers.textContent = stored.replaceAll("<", "\\u003c");
  for (let bytes = 0; ; ) {
    for (const b of page.querySelectorAll("b.uq-bytes")) b.textContent = whole(bytes);
    const facts = { bytes, page: seal.page, attributes: seal.attributes, sum: "" };
    ofSeal.textContent = JSON.stringify({ ...facts, sum: digestOfRest(page, facts) });
    const { size } = new Blob([text()]);
    // The number itself has digits.
    if (size === bytes) return text();
    bytes = size;
  }
}

/** Opens a page: what stands on it until it is found whole goes away, and what is damaged shows a sentence alone. */
export async function openWhole(open: (opened: HTMLElement, seal: Seal) => Promise<void>) {
  try {
    // The page is copied before anything in it changes, for a download of it with answers.
    const opened = document.documentElement.cloneNode(true) as HTMLElement;
    const seal = checkedSeal(opened);
    await open(opened, seal);
    for (const id of SENTENCES) document.getElementById(id)?.remove();
    document.documentElement.dataset.opened = "true";
  } catch (error) {
    if (error instanceof Damage) {
      document.body.replaceChildren(h("p", { role: "alert" }, error.message));
      return;
    }
    console.error(error);
    const why = `This page could not be opened here (${String(error)}); open it in a current browser, or save it anew.`;
    document.getElementById("uq-page")?.prepend(h("p", { role: "alert" }, why));
  }
}

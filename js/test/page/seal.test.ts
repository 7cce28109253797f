import { createHash } from "node:crypto";
import { expect, it } from "vitest";
import { checkedSeal, Damage, sealedText } from "../../src/page/seal.ts";
import { sha256 } from "../../src/page/sha256.ts";
import { h, svg } from "../../src/widget/dom.ts";

it.each([0, 1, 55, 56, 63, 64, 65, 119, 1000])("hashes %i characters as node does", (n) => {
  const text = Array.from({ length: n }, (_, i) => "aτ😀\n"[i % 4]).join("");
  expect(sha256(text)).toBe(createHash("sha256").update(text, "utf8").digest("hex"));
});

const json = (id: string, text: string) => h("script", { type: "application/json", id }, text);
const ATTRIBUTES = ["class", "d", "id", "data-value"];

/** A page with a seal, as Python writes it but for the two hashes. */
function page(): HTMLElement {
  const size = () => h("b", { class: "uq-bytes" });
  const picture = svg("svg", {}, svg("path", { d: "M1 2" }), "a title");
  return h(
    "html",
    {},
    h("head"),
    h(
      "body",
      {},
      h("p", { id: "uq-top" }, "It should have ", size(), " bytes."),
      json("uq-seal", JSON.stringify({ bytes: 0, page: "", attributes: ATTRIBUTES, sum: "" })),
      h("header", {}, "12"),
      h("main", {}, picture, h("p", { "data-value": "1.25" }, "1.2")),
      json("uq-store", "{}"),
      json("uq-answers", "{}"),
      h("p", { id: "uq-end" }, "It should have ", size(), " bytes."),
    ),
  );
}

const sealOf = (root: HTMLElement) => JSON.parse(root.querySelector("#uq-seal")?.textContent ?? "");

/** A page that is whole. */
function whole(): HTMLElement {
  const root = page();
  // What its sender says, as it is hashed; the policy is missing.
  const said = ["", "<0header", "12", "<0main", "<1svg", "<2path", "d=M1 2", "a title"];
  said.push("<1p", "data-value=1.25", "1.2", "<0script", "id=uq-store", "{}");
  const seal = { ...sealOf(root), page: sha256(said.join("\0")) };
  root.querySelector("#uq-seal")?.replaceChildren(JSON.stringify(seal));
  sealedText(root, { comment: "c" });
  return root;
}

it("finds a page whole, also with what extensions of browsers add", () => {
  const root = whole();
  expect(checkedSeal(root)).toEqual(sealOf(root));
  expect(root.querySelector("#uq-answers")?.textContent).toContain(sealOf(root).page);
  root.querySelector("main")?.setAttribute("data-read-by-an-extension", "1");
  root.querySelector("head")?.append(h("style", {}, "p { color: red }"));
  root.querySelector("body")?.append("\n", h("div", {}, "an extension"));
  expect(checkedSeal(root)).toEqual(sealOf(root));
});

const DAMAGES: Record<string, (root: HTMLElement) => void> = {
  "a number": (root) => root.querySelector("main p")?.replaceChildren("1.3"),
  "an exact number": (root) => root.querySelector("main p")?.setAttribute("data-value", "1.35"),
  "a line": (root) => root.querySelector("path")?.setAttribute("d", "M1 3"),
  "an element less": (root) => root.querySelector("path")?.remove(),
  "an element elsewhere": (root) =>
    root.querySelector("main")?.append(root.querySelector("header") as Element),
  "the store": (root) => root.querySelector("#uq-store")?.replaceChildren("{ }"),
  "the answers": (root) => root.querySelector("#uq-answers")?.replaceChildren("{}"),
  "answers that are cut": (root) => root.querySelector("#uq-answers")?.replaceChildren('{"a'),
  "the size at the top": (root) => root.querySelector("b")?.replaceChildren("7"),
  "no end": (root) => root.querySelector("#uq-end")?.remove(),
  "no seal": (root) => root.querySelector("#uq-seal")?.remove(),
  "a seal that is cut": (root) => root.querySelector("#uq-seal")?.replaceChildren('{"bytes":1'),
  "a text after the end": (root) => root.querySelector("body")?.append("13"),
  "no body": (root) => root.querySelector("body")?.remove(),
};

it.each(Object.entries(DAMAGES))("finds damage: %s", (_, damage) => {
  const root = whole();
  const { bytes } = sealOf(root);
  damage(root);
  expect(() => checkedSeal(root)).toThrow(Damage);
  if (root.querySelector("body"))
    expect(() => checkedSeal(root)).toThrow(
      `This file is damaged (it should have ${bytes} bytes). Ask for it again.`,
    );
});

it("finds answers to another page, and states no size that one place alone has", () => {
  const root = whole();
  const seal = { ...sealOf(root), page: "of another page" };
  root.querySelector("#uq-seal")?.replaceChildren(JSON.stringify(seal));
  expect(() => checkedSeal(root)).toThrow(Damage);
  for (const b of root.querySelectorAll("b")) b.textContent = "";
  expect(() => checkedSeal(root)).toThrow(/^This file is damaged\. Ask for it again\.$/);
});

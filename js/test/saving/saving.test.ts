import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { aboutBinary } from "../fixtures.ts";
import { clearPage, mount, painted, press } from "../mount.ts";

const about = aboutBinary();
const PRICE = {
  shown: "about 20 s, 1.4 MB",
  all: "about 4 min, 6.0 MB",
  pictures: "about 1 s, 0.3 MB",
};

/** What was offered as files: the names, and the texts. */
const files: { name: string; blob: Blob }[] = [];

beforeEach(() => {
  let blob = new Blob();
  vi.spyOn(URL, "createObjectURL").mockImplementation((one) => {
    blob = one as Blob;
    return "blob:x";
  });
  vi.spyOn(HTMLAnchorElement.prototype, "click").mockImplementation(function (
    this: HTMLAnchorElement,
  ) {
    files.push({ name: this.download, blob });
  });
});
afterEach(() => {
  vi.restoreAllMocks();
  files.length = 0;
  clearPage();
});

const panelOf = async () => {
  const widget = await mount(about);
  const { model, one } = widget;
  const tell = async (page: object) => {
    model.receiveMessage({ page });
    await painted();
  };
  return { ...widget, tell, status: () => one("uq-save-status").textContent };
};

it("shows the price of each choice before anything is saved", async () => {
  const { one, all, model, tell, status } = await panelOf();
  expect(all("uq-saving")).toHaveLength(0);
  one("uq-save").click();
  await painted();
  expect(one("uq-save").getAttribute("aria-expanded")).toBe("true");
  expect(model.sent.at(-1)).toEqual({ page: "price" });
  one("uq-save-start").click();
  expect(model.sent.at(-1)).toEqual({ page: "price" });
  expect(status()).toContain("estimates");
  await tell({ price: PRICE });
  for (const [scope, price] of Object.entries(PRICE))
    expect(one(`uq-price-${scope}`).textContent).toBe(price);
  expect(status()).toBe("");
  one<HTMLInputElement>("uq-scope-all").click();
  one("uq-save-start").click();
  expect(model.sent.at(-1)).toMatchObject({ page: "all" });
});

it("shows the progress, stops, and downloads the page that it asked for", async () => {
  const { one, model, tell, status } = await panelOf();
  one("uq-save").click();
  await painted();
  await tell({ price: PRICE });
  one("uq-save-start").click();
  const { id } = model.sent.at(-1) as { id: string };
  await tell({ share: 0.456, what: "importance" });
  const saving = one("uq-saving");
  const bar = saving.querySelector("progress") as HTMLProgressElement;
  expect(bar.getAttribute("value")).toBe("0.456");
  expect(saving.textContent).toContain("45 %: importance");
  expect(saving.querySelector("fieldset")?.disabled).toBe(true);
  one("uq-save-stop").click();
  expect(model.sent.at(-1)).toEqual({ page: "stop" });
  await tell({ id: "of another tab", name: "a.html", text: "other" });
  expect(files).toEqual([]);
  await tell({ id, name: "a.html", text: "<p>page</p>" });
  expect(files.map(({ name }) => name)).toEqual(["a.html"]);
  expect(await files[0]?.blob.text()).toBe("<p>page</p>");
  await tell({ error: null, saved: "a.html: 1.40 MB. It holds no row." });
  expect(status()).toBe("Saved a.html: 1.40 MB. It holds no row.");
  expect(bar.closest<HTMLElement>(".uq-work")?.hidden).toBe(true);
});

it("says an error as text, and lets one try again", async () => {
  const { one, tell, status, model } = await panelOf();
  one("uq-save").click();
  await painted();
  await tell({ price: PRICE });
  one("uq-save-start").click();
  await tell({ share: 0.1, what: "stress" });
  await tell({ error: "<img src=x onerror=alert(1)>", saved: null });
  expect(status()).toBe("<img src=x onerror=alert(1)>");
  expect(one("uq-saving").querySelector("img")).toBeNull();
  const asked = model.sent.length;
  one("uq-save-start").click();
  expect(model.sent).toHaveLength(asked + 1);
});

it("opens by itself for a page that Python saves, and closes with Escape", async () => {
  const { one, all, tell } = await panelOf();
  await tell({ price: PRICE });
  expect(all("uq-saving")).toHaveLength(0);
  await tell({ share: 0.5, what: "curves" });
  expect(one("uq-saving").textContent).toContain("50 %: curves");
  await tell({ id: "", name: "b.html", text: "page" });
  expect(files.map(({ name }) => name)).toEqual(["b.html"]);
  press(one("uq-saving"), "Escape");
  expect(one("uq-saving").closest("[hidden]")).not.toBeNull();
  expect(one("uq-save").getAttribute("aria-expanded")).toBe("false");
});

it("reads no malformed message, and hears none after its end", async () => {
  const { model, all, abort } = await panelOf();
  for (const content of [
    null,
    3,
    { page: null },
    { page: [] },
    { page: { share: "x", text: 3, price: 3 } },
  ])
    model.receiveMessage(content);
  await painted();
  expect(files).toEqual([]);
  abort.abort();
  expect(model.listeners()).toBe(0);
  expect(all("uq-save-start").length).toBeLessThan(2);
});

import { afterEach, describe, expect, it, vi } from "vitest";
import { importance } from "../../src/views/importance/index.ts";
import type { Importance } from "../../src/views/importance/reader.ts";
import { aboutBinary, aboutMulti, aboutRegression, wireFrame } from "../fixtures.ts";
import { choose, clearPage, mount, painted, press, slide } from "../mount.ts";

const about = aboutBinary();
afterEach(clearPage);

describe("the widget", () => {
  it("describes the model and sends an event after painting", async () => {
    const { root, receive, one } = await mount(about);
    expect(root.textContent).toContain("CalibratedClassifierCV");
    expect(root.textContent).toContain("143 rows");
    expect(root.dataset.seq).toBe("1");
    const seen: number[] = [];
    root.addEventListener("uq:painted", (event) => seen.push((event as CustomEvent).detail.seq));
    const frame = wireFrame(about, 2);
    frame.meta.final = false;
    await receive(frame);
    expect(root.dataset).toMatchObject({ seq: "2", final: "false" });
    expect(seen).toEqual([2]);
    expect(one("uq-footer").textContent).toContain(
      "last change: 0 model calls, 0 rows, 12 ms · in all 5 calls, 43,043 rows",
    );
  });

  it("paints once per animation frame", async () => {
    const { root, model } = await mount(about);
    let paints = 0;
    root.addEventListener("uq:painted", () => paints++);
    for (let seq = 2; seq < 30; seq++) model.receive("_frame", wireFrame(about, seq));
    await painted();
    expect(paints).toBe(1);
    expect(root.dataset.seq).toBe("29");
  });

  it.each([
    ["many classes and markup for names", aboutMulti()],
    ["a regression", aboutRegression()],
  ])("shows %s", async (_, other) => {
    const { root, all } = await mount(other, wireFrame(other, 1, { tau: 0.5 }));
    expect(all("uq-importance-row")).toHaveLength(other.features.length);
    expect(root.querySelector("img, b")).toBeNull();
    for (const { name } of other.features) expect(root.textContent).toContain(name);
  });

  it("has its controls before the first frame", async () => {
    const { root, one } = await mount(about, {});
    expect(root.dataset.seq).toBeUndefined();
    expect(root.textContent).toContain("no importance yet");
    expect(one("uq-tau")).toBeTruthy();
  });

  it("hides its static picture in the notebook while it is shown", async () => {
    const id = "0123456789abcdef".repeat(2);
    const picture = document.body.appendChild(document.createElement("div"));
    picture.className = `uq-picture-${id}`;
    const other = document.body.appendChild(document.createElement("div"));
    other.className = `uq-picture-${"f".repeat(32)}`;
    const shown = (element: Element) => getComputedStyle(element).display !== "none";
    const { abort } = await mount(about, undefined, { _picture: id });
    expect([shown(picture), shown(other)]).toEqual([false, true]);
    abort.abort();
    expect(shown(picture)).toBe(true);
    const hostile = await mount(about, undefined, { _picture: "x, body" });
    expect(shown(document.body)).toBe(true);
    expect(document.head.textContent).not.toContain("x, body");
    hostile.abort.abort();
  });

  it("leaves the static picture visible if it cannot show anything", async () => {
    const id = "0123456789abcdef".repeat(2);
    const before = document.head.children.length;
    await mount(about, {}, { _about: {}, _picture: id });
    expect(document.head.children.length).toBe(before);
  });

  it("shows an error if the kernel sent no description", async () => {
    const { one } = await mount(about, {}, { _about: {} });
    expect(one("uq-error").textContent).toMatch(/description of the model is missing/);
  });

  it("says in the panel that lacks something why, with the traceback", async () => {
    const about = aboutBinary();
    const frame = wireFrame(about, 1);
    frame.meta.failures = { dependence: ["the <b>model</b> failed (call 7)", "Traceback ..."] };
    const { root, receive } = await mount(about, frame);
    const failure = root.querySelector(".uq-dependence .uq-failure") as HTMLElement;
    expect(failure.hidden).toBe(false);
    expect(failure.textContent).toBe("the <b>model</b> failed (call 7)Traceback ...");
    const other = root.querySelector(".uq-importance .uq-failure") as HTMLElement;
    expect(other.hidden).toBe(true);
    await receive(wireFrame(about, 2));
    expect(failure.hidden).toBe(true);
  });

  it("shows the kernel's error as an alert and keeps the rest", async () => {
    const { one, all, receive } = await mount(about);
    const frame = wireFrame(about, 2);
    frame.meta.error = "The column 'x' is unknown.";
    await receive(frame);
    expect(one("uq-error").textContent).toBe("The column 'x' is unknown.");
    expect(one("uq-error").getAttribute("role")).toBe("alert");
    expect(one("uq-error").hidden).toBe(false);
    expect(all("uq-importance-row")).toHaveLength(30);
    await receive(wireFrame(about, 3));
    expect(one("uq-error").hidden).toBe(true);
  });

  it("keeps the last result if a frame cannot be read", async () => {
    const { one, root, receive } = await mount(about);
    await receive({ ...wireFrame(about, 2), schema: 7 });
    expect(one("uq-error").textContent).toMatch(/version 7/);
    expect(root.dataset.seq).toBe("1");
    expect(root.querySelectorAll(".uq-bar")).toHaveLength(60);
  });

  it("shows progress with the remaining time and a button to stop", async () => {
    const { one, model, receive } = await mount(about);
    expect(one("uq-stop").closest("[hidden]")).not.toBeNull();
    const frame = wireFrame(about, 2);
    frame.meta.progress = { what: "importance", done: 250, total: 1000, seconds_left: 4.2 };
    await receive(frame);
    expect(one("uq-stop").closest("[hidden]")).toBeNull();
    expect(one("uq-root").querySelector(".uq-work")?.textContent).toContain(
      "25 %, about 4 s left: importance",
    );
    expect(one<HTMLProgressElement>("uq-progress").value).toBe(250);
    one("uq-stop").click();
    expect(model.saved.at(-1)).toEqual({ _stop: 2 });
  });

  it("says where the work was stopped, and continues it", async () => {
    const { one, model, receive } = await mount(about);
    const working = wireFrame(about, 2);
    working.meta.progress = { what: "importance", done: 250, total: 1000, seconds_left: 4.2 };
    await receive(working);
    one("uq-stop").focus();
    const stopped = wireFrame(about, 2);
    stopped.meta.stopped = "at 3 of 10 shuffles";
    await receive(stopped);
    expect(one("uq-root").querySelector(".uq-work")?.textContent).toContain(
      "Stopped at 3 of 10 shuffles.",
    );
    expect(one("uq-progress").hidden).toBe(true);
    expect(one("uq-stop").hidden).toBe(true);
    // A hidden button would lose the focus.
    expect(document.activeElement).toBe(one("uq-go-on"));
    one("uq-go-on").click();
    expect(model.saved.at(-1)).toEqual({ _seq: 3 });
    await receive({ ...working, seq: 3 });
    expect(document.activeElement).toBe(one("uq-stop"));
    await receive(wireFrame(about, 3));
    expect(one("uq-go-on").closest("[hidden]")).not.toBeNull();
  });

  it("tries again what failed", async () => {
    const { one, model, receive } = await mount(about);
    expect(one("uq-retry").hidden).toBe(true);
    const failed = wireFrame(about, 2);
    failed.meta = { ...failed.meta, error: "the model failed", failed: true };
    await receive(failed);
    expect(one("uq-retry").hidden).toBe(false);
    one("uq-retry").click();
    expect(model.saved.at(-1)).toEqual({ _seq: 3 });
    // An input that is refused cannot be tried again.
    const refused = wireFrame(about, 3);
    refused.meta.error = "tau is 3; it lies within [-1, 1].";
    await receive(refused);
    expect(one("uq-retry").hidden).toBe(true);
  });

  it("hides the cost of the last change until it is opened", async () => {
    const { root } = await mount(about);
    const details = root.querySelector<HTMLDetailsElement>(".uq-costs");
    expect(details?.open).toBe(false);
    expect(details?.querySelector("summary")?.textContent).toBe("cost");
  });

  it("names the most important feature only if its interval is above zero", () => {
    const order = [1, 0];
    const summaryOf = (low: number[]) =>
      importance.summary?.({ order, low: new Float64Array(low) } as unknown as Importance, about);
    expect(summaryOf([-0.2, 0.1])).toBe(`most important feature ${about.features[1]?.name}`);
    expect(summaryOf([0.2, -0.1])).toBe("no feature is clearly above zero");
  });

  it.each([
    ["nothing is done yet", { done: 0, total: 15, seconds_left: null }, "61 s so far: fits", false],
    [
      "it is not known how much",
      { done: 0, total: 0, seconds_left: null },
      "61 s so far: fits",
      false,
    ],
    [
      "only the time is known",
      { done: 0, total: 9, seconds_left: 8 },
      "about 8 s left: fits",
      false,
    ],
    [
      "nearly all is done",
      { done: 999, total: 1000, seconds_left: 0.001 },
      "99 %, less than 1 s left: fits",
      true,
    ],
    [
      "every row is evaluated",
      { done: 9, total: 9, seconds_left: null },
      "99 %, 61 s so far: fits",
      true,
    ],
  ])("does not pretend to know more than it does when %s", async (_, progress, text, counted) => {
    const { one, receive } = await mount(about);
    const frame = wireFrame(about, 2);
    frame.meta.cost.seconds = 61;
    frame.meta.progress = { what: "fits", ...progress };
    await receive(frame);
    expect(one("uq-progress").nextElementSibling?.textContent).toBe(text);
    expect(one("uq-progress").hasAttribute("value")).toBe(counted);
    expect(one("uq-progress").getAttribute("aria-valuetext")).toBe(text);
  });

  it("lists every note, and hides an empty list", async () => {
    const { one, receive } = await mount(about);
    expect(one("uq-notes").hidden).toBe(true);
    const frame = wireFrame(about, 2);
    frame.meta.notes = ["<b>first</b>", "second"];
    frame.meta.note_codes = ["few-pairs", "memory-limit"];
    await receive(frame);
    const items = [...one("uq-notes").children];
    expect(items.map(({ textContent }) => textContent)).toEqual(["<b>first</b>", "second"]);
    expect(items.map((item) => item.getAttribute("title"))).toEqual(["few-pairs", "memory-limit"]);
    await receive({ ...frame, seq: 3 });
    expect([...one("uq-notes").children]).toEqual(items);
    await receive(wireFrame(about, 4));
    expect(one("uq-notes").hidden).toBe(true);
  });

  it("shows the panels of a first frame, and says what the others wait for", async () => {
    const frame = wireFrame(about, 1, { feature: "mean area" });
    Object.assign(frame.meta, { final: false, importance: null, dependence: null });
    const { root, receive } = await mount(about, frame);
    expect(root.querySelectorAll(".uq-others path").length).toBeGreaterThan(0);
    expect(root.textContent).toContain("no importance yet");
    expect(root.textContent).toContain("no curve of mean area yet");
    frame.meta.final = true;
    await receive({ ...frame, seq: 2 });
    expect(root.textContent).not.toContain("yet");
  });

  it("says why no feature of a categorical table can be stressed", async () => {
    const sites = aboutMulti();
    sites.features = sites.features.slice(3);
    const { root, one } = await mount(sites, wireFrame(sites, 1, { stress_feature: "" }));
    expect(one("uq-error").hidden).toBe(true);
    expect(root.querySelector(".uq-stress")?.textContent).toContain(
      "no feature can be stressed (categorical features are not stressed yet)",
    );
    expect(root.querySelectorAll(".uq-bar")).not.toHaveLength(0);
  });

  it("warns while the kernel is silent", async () => {
    const { one, receive } = await mount(about);
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    slide(one("uq-tau"), 0.5);
    vi.advanceTimersByTime(1600);
    vi.useRealTimers();
    await painted();
    expect(one("uq-watchdog").hidden).toBe(false);
    expect(one("uq-watchdog").textContent).toMatch(
      /The kernel does not answer, so this is the last result/,
    );
    expect(one<HTMLInputElement>("uq-tau").disabled).toBe(false);
    await receive(wireFrame(about, 2, { tau: 0.5 }));
    expect(one("uq-watchdog").hidden).toBe(true);
  });

  it("announces one polite summary at a limited rate", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const { one, receive } = await mount(about);
    await receive(wireFrame(about, 2, { tau: 0.3 }));
    await receive(wireFrame(about, 3, { tau: 0.5 }));
    expect(one("uq-live").textContent).toBe("");
    vi.advanceTimersByTime(1600);
    expect(one("uq-live").getAttribute("aria-live")).toBe("polite");
    expect(one("uq-live").textContent).toContain("mean radius stressed from 2 to 2.33");
  });

  it("keeps its elements while τ moves: rows, options and focus stay", async () => {
    const { all, one, root, receive } = await mount(about);
    const row = all("uq-importance-row")[3] as HTMLElement;
    const options = [...one<HTMLSelectElement>("uq-feature").options];
    const marks = [...root.querySelectorAll(".uq-bar, .uq-others path, .uq-distribution rect")];
    row.focus();
    await receive(wireFrame(about, 2, { tau: 0.4 }));
    expect(document.activeElement).toBe(row);
    expect(all("uq-importance-row")[3]).toBe(row);
    expect([...one<HTMLSelectElement>("uq-feature").options]).toEqual(options);
    expect([...root.querySelectorAll(".uq-bar, .uq-others path, .uq-distribution rect")]).toEqual(
      marks,
    );
  });

  it("does not redraw the charts until the frame that answers a change of τ", async () => {
    const { one, root, receive } = await mount(about);
    let writes = 0;
    const observer = new MutationObserver((records) => {
      writes += records.length;
    });
    const charts = root.querySelector(".uq-panels") as Element;
    observer.observe(charts, {
      attributes: true,
      childList: true,
      characterData: true,
      subtree: true,
    });
    slide(one("uq-tau"), 0.5);
    await painted();
    expect(writes).toBe(0);
    await receive(wireFrame(about, 2, { tau: 0.5 }));
    expect(writes).toBeGreaterThan(0);
  });

  it("ignores frames and events after its end", async () => {
    const { abort, model, one } = await mount(about);
    abort.abort();
    slide(one("uq-tau"), 0.5);
    one("uq-stop").click();
    expect(model.saved).toEqual([]);
    expect(model.listeners()).toBe(0);
  });
});

describe("every focusable element", () => {
  it("suppresses the shortcuts of the notebook", async () => {
    const multi = aboutMulti();
    const filter = [
      { feature: "petal length", low: 1, high: 4 },
      { feature: "site", values: ["north"] },
      { feature: null, values: ["setosa"] },
    ];
    const { root } = await mount(multi, wireFrame(multi, 1, { ice_filter: filter }));
    const focusable = [
      ...root.querySelectorAll("button, input, select, summary, textarea, a[href], [tabindex]"),
    ];
    expect(focusable.length).toBeGreaterThan(25);
    const without = focusable.filter(
      (element) => element.getAttribute("data-lm-suppress-shortcuts") !== "true",
    );
    expect(without.map(({ outerHTML }) => outerHTML)).toEqual([]);
  });

  it("has a name", async () => {
    const { root } = await mount(
      about,
      wireFrame(about, 1, { ice_filter: [{ feature: null, values: [] }] }),
    );
    const nameless = [
      ...root.querySelectorAll<HTMLElement>("button, input, select, [role=slider], [role=option]"),
    ].filter(
      (element) =>
        !element.getAttribute("aria-label") &&
        !element.textContent?.trim() &&
        !element.closest("label")?.textContent?.trim(),
    );
    expect(nameless.map(({ outerHTML }) => outerHTML)).toEqual([]);
  });
});

describe("picking", () => {
  it("a feature by its row, by key and from the list", async () => {
    const { all, one, lastRequest, receive } = await mount(about);
    const rows = all("uq-importance-row");
    (rows[2] as HTMLElement).click();
    const second = rows[2]?.dataset.feature;
    expect(lastRequest()).toEqual({ feature: second });
    await receive(wireFrame(about, 2, { feature: second as string }));
    expect(rows[2]?.getAttribute("aria-selected")).toBe("true");
    expect(one<HTMLSelectElement>("uq-feature").value).toBe(second);
    expect(press(rows[2] as Element, "End").defaultPrevented).toBe(true);
    expect(document.activeElement).toBe(rows.at(-1));
    press(rows.at(-1) as Element, "ArrowUp");
    expect(document.activeElement).toBe(rows.at(-2));
    expect(rows.filter(({ tabIndex }) => tabIndex === 0)).toEqual([rows.at(-2)]);
    press(rows.at(-2) as Element, "Enter");
    expect(lastRequest()).toEqual({ feature: rows.at(-2)?.dataset.feature });
    await receive(wireFrame(about, 3));
    press(rows.at(-2) as Element, "Home");
    expect(document.activeElement).toBe(rows[0]);
    choose(one("uq-feature"), "worst area");
    expect(lastRequest()).toEqual({ feature: "worst area" });
  });

  it.each([
    ["uq-measure", "entropy", { measure: "entropy" }],
    ["uq-indicator", "nll", { indicator: "nll" }],
    ["uq-stress-feature", "worst area", { stress_feature: "worst area" }],
    ["uq-interval", "model", { interval: "model" }],
    ["uq-repeats", "25", { n_repeats: 25 }],
  ])("%s asks for it", async (id, value, change) => {
    const { one, lastRequest } = await mount(about);
    choose(one<HTMLSelectElement>(id), value);
    expect(lastRequest()).toEqual(change);
  });

  it("a number field is not rewritten while focused, and reverts invalid text", async () => {
    const { one, model, receive } = await mount(about);
    const repeats = one<HTMLInputElement>("uq-repeats");
    repeats.focus();
    repeats.value = "4";
    await receive(wireFrame(about, 2));
    expect(repeats.value).toBe("4");
    repeats.value = "";
    repeats.dispatchEvent(new Event("change"));
    expect(repeats.value).toBe("10");
    expect(model.saved).toEqual([]);
  });

  it("a number field asks once for Enter and the change that follows it", async () => {
    const { one, model } = await mount(about);
    const repeats = one<HTMLInputElement>("uq-repeats");
    const type = (value: string) => {
      repeats.value = value;
      repeats.dispatchEvent(new Event("input"));
    };
    type("4");
    press(repeats, "Enter");
    repeats.dispatchEvent(new Event("change"));
    expect(model.saved).toHaveLength(1);
    type("4");
    repeats.dispatchEvent(new Event("change"));
    await model.receive("_frame", wireFrame(about, 9));
    expect(model.saved).toHaveLength(2);
  });

  it("unstressable features are listed, disabled, with the reason", async () => {
    const { one } = await mount(aboutMulti());
    const options = [...one<HTMLSelectElement>("uq-stress-feature").options];
    const constant = options.find(({ value }) => value === "constant");
    expect(constant?.disabled).toBe(true);
    expect(constant?.textContent).toBe("constant (constant)");
  });
});

import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { backgroundOf, followTheme, lightness } from "../../src/widget/theme.ts";

beforeEach(() => {
  document.body.removeAttribute("style");
  document.body.replaceChildren();
});

let abort = new AbortController();
afterEach(() => {
  abort.abort();
  abort = new AbortController();
});

const tick = () => new Promise((done) => setTimeout(done, 20));

describe("the lightness of a colour", () => {
  it.each([
    ["rgb(255, 255, 255)", 1],
    ["rgb(0 0 0)", 0],
    ["rgba(0, 0, 0, 0)", null],
    ["rgba(255, 255, 255, 0.9)", 1],
    ["transparent", null],
    ["", null],
    ["color(srgb 1 1 1)", 1],
    ["color(display-p3 0 0 0 / 0.2)", null],
    ["oklch(0.2 0.1 30)", 0.2],
    ["oklab(95% 0 0)", 0.95],
    ["lab(90 0 0)", 0.9],
  ])("%s is %s", (colour, value) => {
    const result = lightness(colour);
    if (value === null) expect(result).toBeNull();
    else expect(result).toBeCloseTo(value);
  });
});

describe("the theme", () => {
  it("is that of the effective background, through transparent parents and shadow roots", () => {
    document.body.style.backgroundColor = "rgb(10, 10, 10)";
    const host = document.body.appendChild(document.createElement("div"));
    const shadow = host.attachShadow({ mode: "open" });
    const inner = shadow.appendChild(document.createElement("div"));
    const root = inner.appendChild(document.createElement("div"));
    expect(backgroundOf(root)).toBe("rgb(10, 10, 10)");
    followTheme(root, () => undefined, abort.signal);
    expect(root.dataset.theme).toBe("dark");
    expect(root.style.getPropertyValue("--uq-page")).toBe("rgb(10, 10, 10)");
  });

  it("is light on a page without any background", () => {
    const root = document.body.appendChild(document.createElement("div"));
    followTheme(root, () => undefined, abort.signal);
    expect(root.dataset.theme).toBe("light");
  });

  it("follows the theme of the host and requests a repaint, until the end", async () => {
    const root = document.body.appendChild(document.createElement("div"));
    let redraws = 0;
    followTheme(root, () => redraws++, abort.signal);
    document.body.style.backgroundColor = "rgb(20, 20, 20)";
    document.body.dataset.jpThemeLight = "false";
    await tick();
    expect(root.dataset.theme).toBe("dark");
    expect(redraws).toBe(2);
    abort.abort();
    document.body.style.backgroundColor = "rgb(250, 250, 250)";
    await tick();
    expect(root.dataset.theme).toBe("dark");
  });

  it("requests a repaint when forced colours begin, because a canvas does not follow them", async () => {
    const root = document.body.appendChild(document.createElement("div"));
    const [queries, real] = [
      new Map<string, EventTarget & { matches: boolean }>(),
      window.matchMedia,
    ];
    window.matchMedia = ((query: string) => {
      if (!queries.has(query))
        queries.set(query, Object.assign(new EventTarget(), { matches: false }));
      return queries.get(query);
    }) as typeof window.matchMedia;
    let redraws = 0;
    try {
      followTheme(root, () => redraws++, abort.signal);
      const forced = queries.get("(forced-colors: active)");
      if (!forced) throw new Error("nobody asks for forced colours");
      forced.matches = true;
      forced.dispatchEvent(new Event("change"));
      expect(redraws).toBe(2);
    } finally {
      window.matchMedia = real;
    }
  });
});

// A new view needs one folder or file, and one line in the list of views.

import { afterAll, afterEach, describe, expect, it, vi } from "vitest";
import { readFrame } from "../../src/session/frame.ts";
import { viewsNamed } from "../../src/views/index.ts";
import { aboutBinary, wireFrame } from "../fixtures.ts";
import { clearPage, mount } from "../mount.ts";

// Files share their modules. This one loads its own, and so does the next.
vi.hoisted(() => vi.resetModules());
afterAll(() => {
  vi.doUnmock("../../src/views/registered.ts");
  vi.resetModules();
});

// The mocked list exports the example view too.
vi.mock("../../src/views/registered.ts", async (original) => ({
  ...(await original<object>()),
  ...(await import("./example/distribution.ts")),
}));

const about = aboutBinary();
about.views.push("distribution");
const help = ["How is the measure distributed?", "Each bar is a share."];
about.help = { ...about.help, panels: { distribution: help } };

function frameWith(label: unknown) {
  const raw = wireFrame(about, 1);
  for (const [name, values] of [
    ["edges", [0, 0.5, 1]],
    ["counts", [0.25, 0.75]],
  ] as const) {
    raw.meta.cols[`distribution.${name}`] = { dtype: "f8", shape: [values.length] };
    raw.cols[`distribution.${name}`] = new DataView(Float64Array.from(values).buffer);
  }
  raw.meta.distribution = { label, stale: false };
  return raw;
}

afterEach(clearPage);

describe("a registered view", () => {
  it("is shown beside the others", async () => {
    const { one, root } = await mount(about, frameWith("entropy"));
    expect(one("distribution").textContent).toBe("entropy from 0, 2 bins");
    expect([...root.querySelectorAll("h3")].map(({ textContent }) => textContent)).toEqual([
      "Importance",
      "Dependence",
      "Stress",
      "The model itself",
      "Distribution",
    ]);
  });

  it("is explained behind its question mark", async () => {
    const { root } = await mount(about, frameWith("entropy"));
    const opener = root.querySelector<HTMLElement>('.uq-distribution [data-testid="uq-help"]');
    expect(opener?.getAttribute("aria-label")).toBe("about Distribution");
    opener?.click();
    await vi.waitFor(() =>
      expect(
        [...root.querySelectorAll(".uq-distribution .uq-help p")].map((p) => p.textContent),
      ).toEqual(help),
    );
  });

  it("that cannot be read does not affect the others", () => {
    const frame = readFrame(viewsNamed, frameWith(3), about);
    expect(frame.faults).toEqual([expect.stringMatching(/has at "distribution.label" no text/)]);
    expect(frame.importance).not.toBeNull();
  });

  it("has the position that the kernel sends", async () => {
    const views = ["distribution", "stress", "a view of a newer kernel"];
    const { root } = await mount({ ...about, views }, frameWith("entropy"));
    expect([...root.querySelectorAll("h3")].map(({ textContent }) => textContent)).toEqual([
      "Distribution",
      "Stress",
    ]);
  });

  it("is empty if the kernel does not send it", async () => {
    const { one } = await mount(about, wireFrame(about, 1));
    expect(one("distribution").textContent).toBe("");
  });
});

import { afterEach, describe, expect, it } from "vitest";
import { aboutMulti, wireFrame } from "../fixtures.ts";
import { clearPage, mount, painted } from "../mount.ts";

const base = aboutMulti();
const info = { ...base, views: [...base.views, "pixels"] };
const pixels = info.features.length;
afterEach(clearPage);

function picture(rows: number) {
  const frame = wireFrame(info, 1, { image_rows: rows });
  frame.meta.pixels = { stale: false, rows, columns: pixels / rows };
  return frame;
}

describe("the map of pixels", () => {
  it("has an option for every pixel, which a click picks", async () => {
    const { one, lastRequest } = await mount(info, picture(1));
    const map = one("uq-pixel-map");
    const cells = [...map.querySelectorAll("[role=option]")];
    expect(cells).toHaveLength(pixels);
    cells[1]?.dispatchEvent(new MouseEvent("click", { bubbles: true }));
    expect(lastRequest()).toEqual({ feature: info.features[1]?.name });
    await painted();
    expect(one("uq-pixel-caption").textContent).toContain("row 1, column 2: ");
  });

  it("is operated by the keyboard and stays inside the picture", async () => {
    const { one, lastRequest } = await mount(info, picture(1));
    const map = one("uq-pixel-map");
    const press = async (key: string) => {
      map.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
      await painted();
    };
    const column = () => /column (\d+)/.exec(one("uq-pixel-caption").textContent ?? "")?.[1];
    await press("ArrowLeft");
    await press("ArrowUp");
    expect(column()).toBe("1");
    await press("ArrowRight");
    expect(column()).toBe("2");
    expect(map.getAttribute("aria-activedescendant")).toMatch(/-pixel-1$/);
    await press("End");
    await press("ArrowRight");
    expect(column()).toBe(String(pixels));
    await press("Enter");
    expect(lastRequest()).toEqual({ feature: info.features[pixels - 1]?.name });
  });

  it("is offered where the features seem to be pixels", async () => {
    const offered = { ...info, picture_rows: 2 };
    const { one, root, lastRequest } = await mount(offered, wireFrame(offered, 1, {}));
    expect(one("uq-pixel-offer").textContent).toBe("show 4 features as a picture of 2 × 2");
    expect((root.querySelector(".uq-pixels .uq-figure") as HTMLElement).hidden).toBe(true);
    one("uq-pixel-offer").click();
    expect(lastRequest()).toEqual({ image_rows: 2 });
  });

  it("is not there where features are no pixels", async () => {
    const { root } = await mount(info, wireFrame(info, 1, {}));
    expect(root.querySelector("[data-testid=uq-pixel-map]")).toBeNull();
  });
});

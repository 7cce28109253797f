import { afterEach, describe, expect, it } from "vitest";
import { aboutBinary, wireFrame } from "../fixtures.ts";
import { choose, clearPage, mount, openMore, press } from "../mount.ts";

const about = aboutBinary();
const [, second, third] = about.features.map(({ name }) => name) as [string, string, string];
afterEach(clearPage);

const keyOf = (feature: string) => JSON.stringify([feature, null]);

describe("means that are held", () => {
  it("are two at most, chosen under more and set to the present mean at first", async () => {
    const { one, all, lastRequest, receive } = await mount(about, wireFrame(about, 1));
    await openMore(one("uq-anchor-options"));
    const shown = () => all("uq-held").filter((select) => !select.closest("[hidden]"));
    expect(shown()).toHaveLength(1);
    choose(shown()[0] as HTMLSelectElement, keyOf(second));
    const { held } = lastRequest() as { held: { feature: string; value: number }[] };
    expect(held).toHaveLength(1);
    expect(held[0]?.feature).toBe(second);
    expect(Number.isFinite(held[0]?.value)).toBe(true);

    await receive(wireFrame(about, 2, { held: [{ feature: second, value: 20 }] }));
    expect(shown()).toHaveLength(2);
    const [number] = all<HTMLInputElement>("uq-held-value");
    expect(number?.value).toBe("20");
    (number as HTMLInputElement).value = "21.5";
    press(number as Element, "Enter");
    expect(lastRequest()).toEqual({ held: [{ feature: second, value: 21.5 }] });

    const two = [
      { feature: second, value: 21.5 },
      { feature: third, value: 1 },
    ];
    await receive(wireFrame(about, 3, { held: two }));
    expect(shown()).toHaveLength(2);
    choose(shown()[0] as HTMLSelectElement, "");
    expect(lastRequest()).toEqual({ held: [two[1]] });
  });
});

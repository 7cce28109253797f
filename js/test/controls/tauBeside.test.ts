import { afterEach, expect, it } from "vitest";
import { aboutBinary, wireFrame } from "../fixtures.ts";
import { clearPage, mount, painted, slide } from "../mount.ts";

afterEach(clearPage);

it("moves τ from a second slider beside the chart, and both show the same level", async () => {
  const info = aboutBinary();
  const feature = info.features[0]?.name ?? "";
  const frame = wireFrame(info, 1, { stress_feature: feature, tau: 0.25 });
  const { one, lastRequest } = await mount(info, frame);
  const beside = one<HTMLInputElement>("uq-tau-beside");
  expect(beside.value).toBe("0.25");
  expect(beside.disabled).toBe(false);
  // Its stops are those of the first slider.
  slide(beside, -0.52);
  await painted();
  expect(lastRequest()).toEqual({ tau: -0.5 });
  expect(one<HTMLInputElement>("uq-tau").value).toBe("-0.5");
});

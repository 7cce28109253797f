import { expect, test } from "vitest";
import { opacityOf, overlay } from "../../src/views/selection/overlay.ts";

test("a few lines are opaque, and many leave what lies below visible", () => {
  expect([0, 1, 20].map(opacityOf)).toEqual([1, 1, 1]);
  expect(opacityOf(40)).toBe(0.5);
  expect(opacityOf(100_000)).toBe(0.12);
});

test("a path says its opacity, and is gone without lines", () => {
  const layer = overlay();
  const path = layer.path("uq-selected-lines");
  const element = layer.element.querySelector(".uq-selected-lines");
  path.update("M0,0L1,1", 80);
  expect(element?.getAttribute("d")).toBe("M0,0L1,1");
  expect(element?.getAttribute("stroke-opacity")).toBe("0.25");
  path.update("");
  expect(element?.hasAttribute("d")).toBe(false);
});

test("the name of a row is text, and stays inside the chart", () => {
  const layer = overlay();
  const chart = document.createElement("div");
  layer.attach(chart);
  layer.say("<b>row 3</b>", 10, 5);
  const name = chart.querySelector<HTMLElement>(".uq-row-name");
  expect(name?.textContent).toBe("<b>row 3</b>");
  expect(name?.children).toHaveLength(0);
  expect(name?.style.top).toBe("0px");
  layer.say("", 0, 0);
  expect(name?.hidden).toBe(true);
});

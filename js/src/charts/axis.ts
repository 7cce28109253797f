import { type ScaleLinear, scaleLinear } from "d3-scale";
import { pool, set, setText, svg } from "../widget/dom.ts";
import { EXPONENT_FROM, fixed, number, power, scientific, trimmed } from "../widget/format.ts";

export interface Tick {
  at: number;
  label: string;
}

/** Labels of ticks with the decimals of their step. */
function labels(domain: number[], [first = 0, second = first + 1]: number[], exponent: boolean) {
  // A step is 1, 2 or 5 times a power of ten; the rest is rounding.
  const step = Number((second - first).toPrecision(1));
  const decimals = Math.max(0, -power(step));
  const largest = Math.max(...domain.map(Math.abs)) - step;
  const digits = Math.max(0, power(largest) - power(step));
  return (value: number): string =>
    exponent ? trimmed(scientific(value, digits)) : fixed(value, decimals);
}

/** About one tick per `spacing` pixels, with labels of the precision that the step needs. */
export function ticksOf(
  scale: ScaleLinear<number, number>,
  pixels: number,
  spacing: number,
): Tick[] {
  const count = Math.max(2, Math.floor(pixels / spacing));
  // A single tick shows a position but no scale.
  let fine = count;
  let values = scale.ticks(fine);
  while (values.length < 2 && fine < count + 10) values = scale.ticks(++fine);
  const step = () => (values[1] ?? 0) - (values[0] ?? 0);
  // Small steps take so many decimals that their labels would overlap.
  const exponent =
    scale.domain().some((end) => Math.abs(end) >= EXPONENT_FROM) || Math.abs(step()) < 1e-4;
  const print = labels(scale.domain(), values, exponent);
  const room = () => Math.abs(scale(step()) - scale(0));
  // d3 returns about as many ticks as requested; if these are too many, every second one is dropped, never zero.
  while (values.length > 2 && room() < spacing * 0.6) {
    const parity = Math.max(0, values.indexOf(0)) % 2;
    const fewer = values.filter((_, i) => i % 2 === parity);
    // Of three ticks around zero, only zero would remain; the outer two have the most room.
    values = fewer.length > 1 ? fewer : values.filter((_, i) => i !== 1);
  }
  return values.map((value) => ({
    at: scale(value),
    label: value || !exponent ? print(value) : "0",
  }));
}

// Han, kana, hangul and emoji are twice as wide as a Latin letter, capitals half as wide again.
const WIDE =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\uff00-\uff60]|\p{Emoji_Presentation}/u;
const CAPITAL = /\p{Lu}/u;
const letterWidth = (letter: string): number =>
  WIDE.test(letter) ? 12.8 : CAPITAL.test(letter) ? 8.6 : 6.4;

/** So many letters are wider than any chart; the rest of a name is not measured. */
const MOST_LETTERS = 1000;

/** Estimated width in whole pixels of the longest label, which avoids measuring the page. */
export const labelWidth = (labels: string[]): number =>
  Math.ceil(
    Math.max(
      0,
      ...labels.map((label) =>
        Array.from(label.slice(0, MOST_LETTERS), letterWidth).reduce((a, b) => a + b, 0),
      ),
    ),
  );

/** A label, shortened with an ellipsis if it does not fit. */
export function clipped(label: string, pixels: number): string {
  if (labelWidth([label]) <= pixels) return label;
  const letters = Array.from(label);
  let room = pixels - 8;
  const end = letters.findIndex((letter) => {
    room -= letterWidth(letter);
    return room < 0;
  });
  return `${letters.slice(0, Math.max(1, end)).join("")}…`;
}

/** Width of the widest letter of the charts' fonts. */
const WIDEST = 14;
const written = new WeakMap<Element, string>();

/**
 * Writes a name, shortened with an ellipsis if it does not fit. Only long names are measured, and only when they
 * change, because measuring lays out the page.
 */
export function setFitted(element: SVGTextElement, text: string, room: number): void {
  const key = `${Math.floor(room)} ${text}`;
  if (written.get(element) === key) return;
  written.delete(element);
  const start = text.slice(0, MOST_LETTERS);
  setText(element, start);
  if (text.length * WIDEST <= room) return;
  const letters = Array.from(start);
  const length = element.getComputedTextLength?.() ?? 0;
  // Not laid out: not attached yet, or in a hidden tab.
  if (length === 0) {
    setText(element, clipped(text, room));
    return;
  }
  let end = Math.floor((letters.length * room) / length);
  for (; end < letters.length && end > 0; end--) {
    setText(element, `${letters.slice(0, end).join("")}…`);
    if (element.getComputedTextLength() <= room) break;
  }
  written.set(element, key);
}

/** Pixels between the labels of two ticks, at least. */
const APART = 4;

/** The ticks along the bottom of a chart whose labels have room, from the last one on; the others are lines alone. */
function withRoom(marks: Tick[]): Tick[] {
  let end = Number.POSITIVE_INFINITY;
  const shown = [...marks].reverse().map(({ at, label }) => {
    const half = labelWidth([label]) / 2;
    const fits = at + half + APART <= end;
    if (fits) end = at - half;
    return { at, label: fits ? label : "" };
  });
  return shown.reverse();
}

/** Ticks with labels below a chart (`bottom`) or at its left with grid lines across it (`left`). */
export function axis(side: "bottom" | "left") {
  const element = svg("g", { class: `uq-axis uq-axis-${side}` });
  const ticks = pool(element, () => {
    const [line, text] = [svg("line"), svg("text")];
    return { element: svg("g", {}, line, text), line, text };
  });
  return {
    element,
    /** `reach` is the length of the tick's line; for the left axis the width of the chart. */
    update(marks: Tick[], reach: number): void {
      const bottom = side === "bottom";
      const shown = bottom ? withRoom(marks) : marks;
      ticks(marks.length).forEach(({ element, line, text }, i) => {
        const { at, label } = shown[i] as Tick;
        set(element, {
          transform: bottom ? `translate(${at.toFixed(1)},0)` : `translate(0,${at.toFixed(1)})`,
        });
        set(line, bottom ? { y2: reach } : { x2: reach });
        set(text, bottom ? { y: Math.max(0, reach) + 13 } : { x: -7, dy: "0.32em" });
        setText(text, label);
      });
    },
  };
}

type Scale = ScaleLinear<number, number>;

/** Where a chart is: its top, its height, the bottom of what stands below it, and the width with both margins. */
export interface PlotBox {
  top: number;
  height: number;
  floor?: number;
  width: number;
}

/** Pixels between a chart and the right end of its picture. */
const RIGHT = 12;

/** The axes of a chart: values at the left, whose labels determine the margin, and another quantity along the bottom. */
export function axes() {
  const [left, bottom] = [axis("left"), axis("bottom")];
  return {
    left: left.element,
    bottom: bottom.element,
    /** Draws both axes; `along` makes the scale of the bottom between two pixels. */
    update(
      y: Scale,
      { top, height, floor = top + height, width }: PlotBox,
      along: (range: [number, number]) => Scale,
      ticks = (x: Scale, inner: number) => ticksOf(x, inner, 64),
      spacing = 40,
      yTicks = ticksOf(y, height, spacing),
    ) {
      const margin = labelWidth(yTicks.map(({ label }) => label)) + 14;
      const inner = Math.max(40, width - margin - RIGHT);
      const x = along([margin, margin + inner]);
      set(left.element, { transform: `translate(${margin},0)` });
      left.update(yTicks, inner);
      set(bottom.element, { transform: `translate(0,${floor})` });
      bottom.update(ticks(x, inner), 4);
      return { x, margin, inner };
    },
  };
}

/** The scale and the ticks of an axis of τ. */
export const alongTau = (range: [number, number]) => scaleLinear([-1, 1], range);
export const tauTicks = (x: Scale): Tick[] =>
  [-1, -0.5, 0, 0.5, 1].map((tau) => ({ at: x(tau), label: number(tau) }));

import { dashOffset, type LineSpace, lookAt, opacity } from "../../../charts/lines.ts";
import type { Dependence } from "../reader.ts";

/** Depth of a pixel in which nothing is seen: less than half a step of eight bits. */
const FAINT = 1e-3;

/** For each pixel of the screen along a dash pattern, whether it is on; one entry if all are. */
function dashOf(dash: readonly number[], ratio: number): boolean[] {
  const pixels = dash.flatMap((length, i) =>
    Array<boolean>(Math.max(1, Math.round(length * ratio))).fill(i % 2 === 0),
  );
  return pixels.length ? pixels : [true];
}

/** Red, green and blue of a colour of the style sheet, from 0 to 255. */
function channelsOf(context: CanvasRenderingContext2D, colour: string): number[] {
  context.fillStyle = "gray";
  context.fillStyle = colour; // Reads back as #rrggbb.
  return [1, 3, 5].map((at) => Number.parseInt(String(context.fillStyle).slice(at, at + 2), 16));
}

/** Where the lines are, in pixels of the screen from the corner of the image. */
interface Place {
  width: number;
  height: number;
  /** Pixels of the screen for one of the page. */
  ratio: number;
  x: number[];
  /** Height of the value 0, and of one more; the scale of heights is linear. */
  origin: number;
  unit: number;
}

/**
 * Optical depth of the lines of each style, in each column from top to bottom, with two more entries for ends at the floor.
 *
 * In a column of pixels a line covers an interval of heights. Only its two ends are written, each as a difference to the
 * pixel above, and a sum along the column turns differences into depths.
 */
function depthChanges(data: Dependence, place: Place) {
  const { ice, iceWeight, lineLooks } = data;
  const { width, height, ratio, x, origin, unit } = place;
  const [count, points] = [iceWeight.length, x.length];
  const changes = new Float64Array(lineLooks.length * width * (height + 2));
  const strength = Array.from(iceWeight, (weight) => -Math.log(1 - opacity(weight, count)));
  const looks = Array.from(iceWeight, (_, line) => lookAt(data, line));
  const dashes = lineLooks.map(({ dash }) => dashOf(dash, ratio));
  /** Pixels of each line so far, by which its dashes go on. */
  const along = Float64Array.from(iceWeight, (_, line) => dashOffset(line) * ratio);
  /** The part of a column between two points, and its middle from the first of them. */
  const parts = new Float64Array(width);
  const middles = new Float64Array(width);

  for (let j = 1; j < points; j++) {
    const [x0, x1] = [x[j - 1] as number, x[j] as number];
    const [start, end] = [Math.max(0, Math.floor(x0)), Math.min(width, Math.ceil(x1))];
    for (let column = start; column < end; column++) {
      const [left, right] = [Math.max(column, x0), Math.min(column + 1, x1)];
      parts[column] = right - left;
      middles[column] = (left + right) / 2 - x0;
    }
    for (let line = 0; line < count; line++) {
      const from = origin + unit * (ice[line * points + j - 1] as number);
      const to = origin + unit * (ice[line * points + j] as number);
      const slope = (to - from) / (x1 - x0);
      const step = Math.sqrt(1 + slope * slope);
      const tall = ratio * step; // The stroke is `ratio` pixels wide.
      const top = from - tall / 2;
      if (!Number.isFinite(tall)) continue; // beside a gap
      // A stroke hardly reaches beyond its points, however steep it is.
      const least = Math.max(0, Math.min(height, Math.min(from, to) - ratio / 2));
      const most = Math.max(0, Math.min(height, Math.max(from, to) + ratio / 2));
      const look = looks[line] as number;
      const dash = dashes[look] as boolean[];
      const isDashed = dash.length > 1;
      let distance = along[line] as number;
      let at = (look * width + start) * (height + 2);
      for (let column = start; column < end; column++, at += height + 2) {
        const part = parts[column] as number;
        distance += step * part;
        if (isDashed && !dash[(distance | 0) % dash.length]) continue;
        const depth = (strength[line] as number) * part;
        const upper = top + (middles[column] as number) * slope;
        const begins = Math.max(least, Math.min(most, upper));
        const ends = Math.max(least, Math.min(most, upper + tall));
        const i = begins | 0;
        const k = ends | 0;
        const a = depth * (begins - i);
        const b = depth * (ends - k);
        (changes[at + i] as number) += depth - a;
        (changes[at + i + 1] as number) += a;
        (changes[at + k] as number) -= depth - b;
        (changes[at + k + 1] as number) -= b;
      }
      along[line] = distance;
    }
  }
  return changes;
}

/** Sets the pixels of an image to the depths and the colours of each style. */
function paint({ data, width, height }: ImageData, changes: Float64Array, channels: number[]) {
  const tall = height + 2;
  const depths = new Float64Array(channels.length / 3);
  for (let column = 0; column < width; column++) {
    depths.fill(0);
    for (let row = 0; row < height; row++) {
      let depth = 0;
      for (let look = 0; look < depths.length; look++) {
        (depths[look] as number) += changes[(look * width + column) * tall + row] as number;
        depth += depths[look] as number;
      }
      if (depth < FAINT) continue;
      const at = 4 * (row * width + column);
      let [red, green, blue] = [0, 0, 0];
      for (let look = 0; look < depths.length; look++) {
        const share = (depths[look] as number) / depth;
        red += share * (channels[3 * look] as number);
        green += share * (channels[3 * look + 1] as number);
        blue += share * (channels[3 * look + 2] as number);
      }
      data[at] = red;
      data[at + 1] = green;
      data[at + 2] = blue;
      data[at + 3] = 255 * (1 - Math.exp(-depth));
    }
  }
}

/**
 * Draws all lines as one image: strokes of 5,000 lines take longer, and far longer where a pixel of the page is several
 * of the screen (benchmarks/bench_lines.py).
 *
 * Each line takes a share of the light, so their optical depths add up in any order, and the opacity of a pixel is
 * 1 - exp(-depth). Its colour is the mean of the styles' colours, by their depths.
 */
export function manyLines(
  context: CanvasRenderingContext2D,
  colours: readonly string[],
  data: Dependence,
  space: LineSpace,
): void {
  const ratio = context.getTransform().a;
  const [left, top, width, height] = [
    space.left - 1,
    space.top - 1,
    space.width + 2,
    space.height + 2,
  ].map((side) => Math.round(side * ratio)) as [number, number, number, number];
  const changes = depthChanges(data, {
    ...{ width, height, ratio },
    x: space.x.map((place) => place * ratio - left),
    origin: space.y(0) * ratio - top,
    unit: (space.y(1) - space.y(0)) * ratio,
  });
  const channels = colours.flatMap((colour) => channelsOf(context, colour));
  const image = context.createImageData(width, height);
  paint(image, changes, channels);
  context.putImageData(image, left, top);
}

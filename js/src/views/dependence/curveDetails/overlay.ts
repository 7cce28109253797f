import { type LineSpace, lookAt, opacity } from "../../../charts/lines.ts";
import type { Dependence } from "../reader.ts";

/** Pixels of the ticks of the rug, of the dots, and of the averages of groups. */
const RUG = 7;
const DOT = 2.2;
const AVERAGE = 2.5;

/** Draws what lies over the lines: own values as dots and as a rug, and the averages of groups. */
export function overlay(hasRug: boolean) {
  return (
    context: CanvasRenderingContext2D,
    colours: string[],
    data: Dependence,
    space: LineSpace,
  ): void => {
    const count = data.iceWeight.length;
    data.own?.forEach((value, line) => {
      if (!Number.isFinite(value)) return;
      const x = space.place(value);
      const colour = colours[lookAt(data, line)] || "gray";
      // Twice as strong as a line, because a dot is small.
      context.globalAlpha = Math.min(1, 2 * opacity(data.iceWeight[line] ?? 1, count));
      const height = data.ownValue?.[line] ?? Number.NaN;
      if (Number.isFinite(height)) {
        context.fillStyle = colour;
        context.beginPath();
        context.arc(x, space.y(height), DOT, 0, 2 * Math.PI);
        context.fill();
      }
      if (hasRug) {
        const floor = space.top + space.height;
        context.strokeStyle = colour;
        context.lineWidth = 1;
        context.setLineDash([]);
        context.beginPath();
        context.moveTo(x, floor - RUG);
        context.lineTo(x, floor);
        context.stroke();
      }
    });
    context.globalAlpha = 1;
    context.lineWidth = AVERAGE;
    for (let k = 0; data.groupAverage && k < data.groups.length; k++) {
      const look = data.looks[Math.min(k, data.looks.length - 1)];
      const values = data.groupAverage.subarray(k * space.x.length, (k + 1) * space.x.length);
      context.strokeStyle = (look && colours[data.lineLooks.indexOf(look)]) || "gray";
      context.setLineDash([...(look?.dash ?? [])]);
      context.beginPath();
      values.forEach((value, i) => {
        const at = [space.x[i] as number, space.y(value)] as const;
        if (!Number.isFinite(value)) return;
        if (i > 0 && Number.isFinite(values[i - 1])) context.lineTo(...at);
        else context.moveTo(...at);
      });
      context.stroke();
    }
  };
}

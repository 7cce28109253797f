import { type Look, lookOf, OWN_LOOKS } from "../../../charts/classes.ts";
import type { Dependence } from "../reader.ts";

/** Number of colours of the ramp; one more style is that of a missing number. */
const STEPS = 9;
export const RAMP: readonly Look[] = Array.from({ length: STEPS + 1 }, (_, step) =>
  step < STEPS
    ? { className: `uq-ramp-${step}`, colour: `--uq-ramp-${step}`, dash: [] }
    : lookOf(OWN_LOOKS),
);

/** The data with the styles of a ramp, if a number colours the lines; its groups are thirds of the rows, and after them the rows without a number. */
export function withRamp(data: Dependence): Dependence {
  const { groups, ramp } = data;
  if (!ramp) return data;
  const thirds = groups.at(-1) === "missing" ? groups.length - 1 : groups.length;
  const step = (k: number) => (k < thirds ? Math.floor(((k + 0.5) * STEPS) / thirds) : STEPS);
  return { ...data, lineLooks: RAMP, looks: groups.map((_, k) => RAMP[step(k)] as Look) };
}

const MOST_PLACES = 20;

/** A number with its sign; one that is printed as zero has none. */
const signed = (value: number, print: (size: number) => string): string => {
  const text = print(Math.abs(value));
  return value < 0 && Number(text.replaceAll(",", "")) ? `\u2212${text}` : text;
};

/** A number with so many decimals, and commas between thousands. */
export const fixed = (value: number, places: number): string =>
  signed(value, (size) =>
    size
      .toFixed(Math.min(MOST_PLACES, places))
      .replace(/^\d+/, (whole) => whole.replace(/\B(?=(\d{3})+$)/g, ",")),
  );

/** A number with an exponent, and so many decimals before it. */
export const scientific = (value: number, places: number): string =>
  signed(value, (size) => size.toExponential(Math.min(MOST_PLACES, places)));

/** Without the zeros at the end of the decimals. */
export const trimmed = (text: string): string => text.replace(/\.?0+(?=e)/, "");

/** The power of ten of a number, -∞ of zero. */
export const power = (value: number): number =>
  value ? Number(value.toExponential(9).split("e")[1]) : Number.NEGATIVE_INFINITY;

/** Numbers from here on are written with an exponent. */
export const EXPONENT_FROM = 1e7;

type Known = number | null | undefined;

/** Formats a number with three significant digits; NaN is "not available". */
export function number(value: Known): string {
  if (value === null || value === undefined || !Number.isFinite(value)) return "not available";
  const size = Math.abs(value);
  if (size >= EXPONENT_FROM || (size > 0 && size < 1e-4)) return trimmed(scientific(value, 2));
  return size >= 1000
    ? fixed(value, 0)
    : signed(value, (size) => String(Number(size.toPrecision(3))));
}

/** One number format for a whole column, with the decimals that about a thousandth of its span needs. */
export function decimals(span: number): (value: number) => string {
  const size = Math.floor(Math.log10(span));
  const places = Math.max(0, 2 - size);
  return (value) => {
    if (!Number.isFinite(value)) return "n/a";
    if (span >= EXPONENT_FROM) return number(value);
    if (places <= 6 || Math.abs(value) >= 1e-3) return fixed(value, places);
    // As many digits as tell it from the others.
    return scientific(value, Math.max(1, power(Math.abs(value)) - size + 1));
  };
}

export const whole = (value: number): string => fixed(Math.round(value), 0);

export const percent = (share: number): string =>
  Number.isFinite(share) ? `${number(Math.round(share * 100))} %` : "not available";

export const level = (tau: number): string => fixed(tau, 2);

export function seconds(value: number): string {
  if (value < 1) return `${Math.max(1, Math.round(value * 1000))} ms`;
  return value < 90 ? `${number(value)} s` : `${Math.round(value / 60)} min`;
}

export const counted = (count: number, noun: string): string =>
  `${whole(count)} ${noun}${count === 1 ? "" : "s"}`;

/** "900 rows", or "900 rows of 30 patients". */
export const rowsOf = (rows: number, groups: string | null): string =>
  counted(rows, "row") + (groups === null ? "" : ` of ${isolated(groups)}`);

/** The effective number of groups of rows, and what these are. */
export type WorthGroups = readonly [ess: number | null, groups: string | null];

/** How many rows of equal weight the weighted rows are worth, and how many groups. */
export const worth = (
  ess: number,
  rows: number,
  [of, groups]: WorthGroups = [null, null],
): string =>
  `worth about ${whole(ess)} of the ${counted(rows, "row")}` +
  (of === null || groups === null ? "" : ` and ${whole(of)} of the ${isolated(groups)}`);

/** "10,000 rows", or "500 of 10,000 rows so far", or "50 to 400 of 10,000 rows so far". */
export const soFar = (rows: number, least: number, most = least): string => {
  if (least >= rows) return counted(rows, "row");
  const known = least === most ? whole(least) : `${whole(least)} to ${whole(most)}`;
  return `${known} of ${counted(rows, "row")} so far`;
};

/** "nll (nats)", or just the name where there is no unit. */
export const withUnit = (label: string, unit: string): string =>
  unit ? `${label} (${unit})` : label;

const RIGHT_TO_LEFT =
  /[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}\p{Script=Adlam}\u200f\u202a-\u202e\u2066-\u2069]/u;

/**
 * A name inside a sentence of plain text. A right-to-left name would reorder the numbers after it; Unicode's first
 * strong isolate keeps its direction to itself.
 */
export const isolated = (name: string): string =>
  RIGHT_TO_LEFT.test(name)
    ? `\u2068${name.replace(/[\u202a-\u202e\u2066-\u2069]/g, "")}\u2069`
    : name;

/** A sentence of the kernel with every name isolated, see `isolated`. */
export const isolatedIn = (text: string, name: string): string =>
  name ? text.replaceAll(name, () => isolated(name)) : text;

export const interval = (low: Known, high: Known): string =>
  Number.isFinite(low) && Number.isFinite(high)
    ? `${number(low)} to ${number(high)}`
    : "no interval";

/** Letters of a name that is always shown whole. */
const WHOLE = 24;

const turned = (text: string): string => [...text].reverse().join("");

/** Length of the beginning that names have in common, in whole words; 0 if it is short. */
function common([first = "", ...others]: string[]): number {
  let n = 0;
  while (n < first.length && others.every((name) => name[n] === first[n])) n++;
  const { length } = first.slice(0, n).replace(/[^ _.,:()/-]*$/, "");
  return length > 3 ? length : 0;
}

/** Names without the beginning and the end that all long ones have in common; whole words go. */
export function distinct(names: string[]): string[] {
  const long = names.filter((name) => name.length > WHOLE);
  const [from, to] = [common(long), common(long.map(turned))];
  if (long.length < 2 || long.some((name) => name.length <= from + to)) return names;
  const cut = (name: string) =>
    `${from ? "…" : ""}${name.slice(from, name.length - to)}${to ? "…" : ""}`;
  return names.map((name) => (name.length > WHOLE ? cut(name) : name));
}

import type { Importance } from "./reader.ts";

/** The column that sorts the rows: the first measure, if the chosen column is not shown. */
export function sortOf({ measures, verdict, redundancy }: Importance, sort: string): string {
  const shown = [
    ...measures.map(({ name }) => name),
    "feature",
    ...(verdict ? ["verdict"] : []),
    ...(redundancy ? ["redundancy"] : []),
  ];
  return shown.includes(sort) ? sort : (measures[0]?.name ?? "");
}

/** The rows in the order that the user chose; rows without a number, or of a later verdict, come last. */
export function inOrder(data: Importance, names: string[], sort: string): number[] {
  const at = data.measures.findIndex(({ name }) => name === sort);
  const ranked = (rank: (row: number) => number | undefined) => {
    const key = (row: number) => {
      const value = rank(row) ?? Number.NaN;
      return Number.isNaN(value) ? Number.NEGATIVE_INFINITY : value;
    };
    return [...data.order].sort((a, b) => key(b) - key(a) || 0);
  };
  if (sort === "feature")
    return [...data.order].sort((a, b) =>
      (names[a] ?? "").localeCompare(names[b] ?? "", undefined, { numeric: true }),
    );
  // Rows are in the order without stress, so that they do not change places while τ moves.
  if (at > 0) return ranked((row) => data.base[at * names.length + row]);
  const { redundancy, verdict } = data;
  if (sort === "redundancy" && redundancy) return ranked((row) => redundancy[row]);
  if (sort === "verdict" && verdict) return ranked((row) => -(verdict[row] ?? 0));
  return data.order;
}

/** The rows whose name has the letters that were typed, in any case. */
export function named(rows: number[], names: string[], typed: string): number[] {
  const letters = typed.trim().toLocaleLowerCase();
  return letters ? rows.filter((row) => names[row]?.toLocaleLowerCase().includes(letters)) : rows;
}

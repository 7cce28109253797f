const BITS = "bits:";

/** Reads positions of rows in ascending order: ranges such as "3,7-12", or a bit for each row; see rows/text.py. */
export function readRows(text: string, most: number): number[] {
  const rows: number[] = [];
  const add = (row: number) => Number.isInteger(row) && row >= 0 && row < most && rows.push(row);
  if (text.startsWith(BITS)) {
    const bytes = atob(text.slice(BITS.length));
    for (let i = 0; i < 8 * bytes.length; i++)
      if ((bytes.charCodeAt(i >> 3) << (i & 7)) & 0x80) add(i);
  } else if (text)
    for (const part of text.split(",")) {
      const [first, last = first] = part.split("-").map(Number);
      for (let row = first ?? 0; row <= Math.min(last ?? 0, most - 1); row++) add(row);
    }
  return rows;
}

/** Writes positions of rows as ranges. */
export function writeRows(rows: Iterable<number>): string {
  const sorted = [...new Set(rows)].sort((a, b) => a - b);
  const ranges: string[] = [];
  for (let i = 0; i < sorted.length; ) {
    const from = i;
    while (sorted[i + 1] === (sorted[i] as number) + 1) i++;
    ranges.push(from === i ? `${sorted[i]}` : `${sorted[from]}-${sorted[i]}`);
    i++;
  }
  return ranges.join();
}

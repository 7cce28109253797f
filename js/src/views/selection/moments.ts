/** A moment as ISO 8601 without a zone: dates travel as milliseconds of the clock of their column. */
export const momentOf = (milliseconds: number) =>
  new Date(Math.round(milliseconds)).toISOString().slice(0, 23);

/** The milliseconds of a day, or of a moment, on the clock of its column: its zone does not count. */
export const millisecondsOf = (text: string) =>
  Date.parse(text.length > 10 ? `${text.replace(/(Z|[+-]\d\d:?\d\d)$/, "").slice(0, 23)}Z` : text);

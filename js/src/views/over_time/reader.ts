import type { Columns, Fields } from "../../session/wire.ts";

/** A quantity in each period, with its interval; NaN where it is not known. */
export interface Line {
  label: string;
  /** What all rows have, or what is right. */
  reference: number | null;
  value: Float64Array;
  low: Float64Array;
  high: Float64Array;
}

export interface OverTime {
  stale: boolean;
  axis: string;
  dates: boolean;
  /** Whether rows can be filtered by the time. */
  filters: boolean;
  level: number;
  n_rows: number;
  /** Rows without a time. */
  missing: number;
  sentences: string[];
  /** First, middle and last time of each period, and its number of rows. */
  start: Float64Array;
  middle: Float64Array;
  end: Float64Array;
  count: Float64Array;
  lines: Line[];
}

const NOTHING = new Float64Array();

export function readOverTime(fields: Fields, columns: Columns): OverTime {
  const shape = [columns.rows("start")];
  const get = (name: string) => (shape[0] ? columns.get(name, shape) : NOTHING);
  const optional = (name: string) => fields.optional(name, (f) => f.number(name));
  const calibration = fields.optional("calibration", (f) => f.text("calibration"));
  const unit = fields.text("unit");
  const label = fields.text("label");
  return {
    stale: fields.flag("stale"),
    axis: fields.text("axis"),
    dates: fields.flag("dates"),
    filters: fields.flag("filters"),
    level: fields.number("level"),
    n_rows: fields.number("n_rows"),
    missing: fields.number("missing"),
    sentences: fields.texts("sentences"),
    start: get("start"),
    middle: get("middle"),
    end: get("end"),
    count: get("count"),
    lines: [
      {
        label: unit ? `${label} (${unit})` : label,
        reference: optional("overall"),
        value: get("value"),
        low: get("low"),
        high: get("high"),
      },
      ...(calibration === null || !shape[0]
        ? []
        : [
            {
              label: calibration,
              reference: optional("reference"),
              value: get("calibration"),
              low: get("calibration_low"),
              high: get("calibration_high"),
            },
          ]),
    ],
  };
}

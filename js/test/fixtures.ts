// A fake kernel: frames in the wire format from a simple invented model, so that the front end can be
// tested and viewed without Python. The numbers are invented; their shapes and ranges are those of real frames.

import { NO_HELP } from "../src/session/help.ts";
import type { Inputs } from "../src/session/inputs.ts";
import type { Feature, ModelInfo } from "../src/session/modelInfo.ts";

type Typed = Float64Array | Float32Array | Int32Array | Uint8Array;

const STEMS = [
  "radius", "texture", "perimeter", "area", "smoothness", "compactness", "concavity",
  "concave points", "symmetry", "fractal dimension",
]; // biome-ignore format: a list reads better in rows

const numeric = (name: string, min: number, max: number): Feature => ({
  name, kind: "numeric", min, max, integer: false, values: null, missing: 0, unstressable: null,
}); // biome-ignore format: one line per fact is too long here

/** Thirty features and two classes, like scikit-learn's breast cancer data. */
export function aboutBinary(): ModelInfo {
  return {
    title: "CalibratedClassifierCV",
    task: "classification",
    target: "target",
    classes: ["malignant", "benign"],
    n_rows: 143,
    level: 0.95,
    features: ["mean", "worst", "error of"].flatMap((kind, k) =>
      STEMS.map((stem, i) => numeric(`${kind} ${stem}`, 1 + i, (1 + i) * (3 + k))),
    ),
    measures: [
      { name: "prediction", label: "probability of benign", unit: "" },
      { name: "nll", label: "likelihood loss", unit: "nats" },
      { name: "entropy", label: "entropy", unit: "nats" },
    ],
    scorers: [{ name: "accuracy", label: "accuracy", unit: "" }],
    indicators: [
      { name: "error_rate", label: "error rate", unit: "" },
      { name: "nll", label: "likelihood loss", unit: "nats" },
    ],
    extra: [],
    others: [],
    models: [],
    model: "",
    intervals: ["u-statistic", "model"],
    simultaneous: [false, true],
    groups: [],
    urgent: ["rows-of-groups", "few-groups"],
    picture_rows: 0,
    views: ["importance", "dependence", "stress", "performance"],
    help: NO_HELP,
  };
}

/** Three classes, a categorical feature, a constant one, and names with markup. */
export function aboutMulti(): ModelInfo {
  return {
    ...aboutBinary(),
    title: "HistGradientBoostingClassifier",
    target: "species",
    classes: ["setosa", "versicolor", "<b>virginica</b>"],
    features: [
      numeric("petal length", 1, 6.9),
      { ...numeric("<img src=x onerror=alert(1)>", 0, 1) },
      { ...numeric("constant", 2, 2), unstressable: "constant" },
      {
        name: "site", kind: "categorical", min: null, max: null, integer: false,
        values: ["north", "south", "a very long name of a place far in the east", "west"],
        missing: 0, unstressable: "categorical features are not stressed yet",
      }, // biome-ignore format: as above
    ],
    measures: [{ name: "entropy", label: "entropy", unit: "nats" }],
  };
}

export function aboutRegression(): ModelInfo {
  return {
    ...aboutBinary(),
    title: "GaussianProcessRegressor",
    task: "regression",
    target: "median house value",
    classes: [],
    features: [
      numeric("income", 0.5, 15),
      { ...numeric("rooms", 1, 9), integer: true },
      numeric("age", 1, 52),
    ],
    measures: [{ name: "prediction", label: "prediction", unit: "100 000 $" }],
    indicators: [{ name: "rmse", label: "RMSE", unit: "100 000 $" }],
  };
}

export function inputsOf(about: ModelInfo, changes: Partial<Inputs> = {}): Inputs {
  return {
    shown_model: about.model,
    views: [],
    tau: 0,
    stress_feature: about.features[0]?.name ?? "",
    stress_category: "",
    anchor: "quantile",
    tail: 0.05,
    held: [],
    feature: about.features[0]?.name ?? "",
    small_curves: 0,
    second: "",
    measure: about.measures[0]?.name ?? "",
    indicator: about.indicators[0]?.name ?? "",
    ice_filter: [],
    complement: false,
    cohorts: [],
    ice_lines: 60,
    n_repeats: 10,
    interval: about.intervals[0] ?? "",
    simultaneous: false,
    groups: "",
    time: "",
    importance_of: [],
    replacement: "permutation",
    compare: "difference",
    grouped: false,
    verdict: false,
    redundancy: false,
    sort: "",
    image_rows: 0,
    top: 50,
    slices_of: "",
    compare_with: "",
    center: false,
    derivative: false,
    relative: false,
    center_at: "",
    spacing: "quantile",
    color_by: "",
    group_averages: false,
    own_values: false,
    rug: false,
    category_order: "",
    calibration_by: "",
    logit: false,
    clip_lines: false,
    selection: "",
    row: -1,
    what_if: [],
    ...changes,
  };
}

const fill = (length: number, f: (i: number) => number) =>
  Float64Array.from({ length }, (_, i) => f(i));
/** Deterministic noise, the same in every run. */
const noise = (i: number) => ((Math.sin(i * 12.9898) * 43758.5453) % 1) / 2;

function importance(about: ModelInfo, { tau }: Inputs) {
  const p = about.features.length;
  const size = (f: number, m: number) =>
    (m ? 0.6 : 1) * 0.12 * Math.exp(-((f * 7) % p) / 5) - 0.003 * (f % 3);
  const base = fill(2 * p, (i) => size(i % p, Math.floor(i / p)));
  const value = base.map((v, i) => v * (1 + 0.5 * tau * Math.cos(i)));
  const half = fill(2 * p, (i) => 0.004 + Math.abs(base[i] ?? 0) * 0.18);
  return {
    order: [...Array(p).keys()].sort((a, b) => (base[b] ?? 0) - (base[a] ?? 0)),
    cols: {
      "importance.value": value,
      "importance.low": value.map((v, i) => v - (half[i] ?? 0)),
      "importance.high": value.map((v, i) => v + (half[i] ?? 0)),
      "importance.base": base,
    },
    shape: [2, p],
  };
}

function dependence(about: ModelInfo, { feature, tau, ice_lines }: Inputs) {
  const described = about.features.find(({ name }) => name === feature) as Feature;
  const categorical = described.values !== null;
  const [min, max] = [described.min ?? 0, described.max ?? 1];
  const points = described.values?.length ?? 50;
  const grid = fill(points, (i) => (categorical ? i : min + ((max - min) * i) / (points - 1)));
  const classes = Math.max(1, about.classes.length);
  const s = (i: number, shift: number) => 1 / (1 + Math.exp((i / points - 0.45 - shift) * 9));
  const ice = new Float32Array(ice_lines * points);
  for (let r = 0; r < ice_lines; r++)
    for (let i = 0; i < points; i++)
      ice[r * points + i] = 0.03 + 0.94 * s(i, 0.5 * noise(r) + (r % classes) * 0.2 - 0.1);
  const base = fill(points, (i) => 0.05 + 0.9 * s(i, 0));
  const average = base.map((_, i) => 0.05 + 0.9 * s(i, 0.12 * tau));
  const bins = categorical ? points : 20;
  const shares = (shift: number) =>
    fill(classes * bins, (i) => {
      const at = (i % bins) / bins - 0.35 - shift - 0.25 * Math.floor(i / bins);
      return Math.exp(-at * at * 18) / bins / classes;
    });
  const cols: Record<string, Typed> = {
    "dependence.grid": grid,
    "dependence.average": average,
    "dependence.low": average.map((v) => v - 0.03),
    "dependence.high": average.map((v) => v + 0.03),
    "dependence.base": base,
    "dependence.near": new Uint8Array(points).fill(1),
    "dependence.ice": ice,
    "dependence.ice_weight": Float32Array.from({ length: ice_lines }, (_, r) =>
      Math.exp(tau * 2 * noise(r)),
    ),
    "dependence.ice_class": Int32Array.from({ length: ice_lines }, (_, r) => r % classes),
    "dependence.ice_row": Int32Array.from({ length: ice_lines }, (_, r) => r),
    "dependence.counts": shares(0.15 * tau),
    "dependence.counts_base": shares(0),
  };
  if (!categorical)
    cols["dependence.edges"] = fill(bins + 1, (i) => min + ((max - min) * i) / bins);
  const shapes: Record<string, number[]> = {
    "dependence.ice": [ice_lines, points],
    "dependence.counts": [classes, bins],
    "dependence.counts_base": [classes, bins],
  };
  return { categorical, labels: described.values, cols, shapes };
}

function stress(about: ModelInfo, { tau, stress_feature }: Inputs) {
  const features = about.features.flatMap(({ unstressable }, i) => (unstressable ? [] : [i]));
  const taus = fill(21, (i) => Math.round((i - 10) * 10) / 100);
  const [p, t] = [features.length, taus.length];
  const curve = (k: number, at: number) =>
    0.07 + 0.05 * Math.sin(k) * at + 0.04 * Math.abs(Math.cos(k * 3)) * at * at;
  const each = (f: (k: number, at: number, j: number) => number) =>
    fill(p * t, (i) => f(Math.floor(i / t), taus[i % t] ?? 0, i % t));
  const meanOf = (k: number, at: number) => {
    const { min, max } = about.features[features[k] ?? 0] as Feature;
    return ((min ?? 0) + (max ?? 1)) / 2 + (at * ((max ?? 1) - (min ?? 0))) / 3;
  };
  const k = features.findIndex((i) => about.features[i]?.name === stress_feature);
  const share = 1 - 0.85 * tau * tau;
  return {
    features,
    shape: [p, t],
    cols: {
      "stress.taus": taus,
      "stress.value": each((f, at, j) => (f === 3 && j < 3 ? Number.NaN : curve(f, at))),
      "stress.reached": each(meanOf),
      "stress.ess": each((_, at) => about.n_rows * (1 - 0.85 * at * at)),
      "stress.status": Uint8Array.from({ length: p * t }, (_, i) =>
        Math.floor(i / t) === 3 && i % t < 3 ? 2 : 0,
      ),
      // The interval is missing at the first level and very wide at the last.
      "stress.end_taus": taus,
      "stress.ends": fill(2 * t, (i) => {
        const j = i % t;
        const factor = i < t ? (j === 0 ? Number.NaN : 0.5) : j === 20 ? 9 : 2;
        return k < 0 ? Number.NaN : factor * curve(k, taus[j] ?? 0);
      }),
    },
    now:
      k < 0
        ? null
        : {
            feature: stress_feature, tau, n_rows: about.n_rows, mean: meanOf(k, 0), target: meanOf(k, tau), reached: meanOf(k, tau),
            std: 3.1, ess: about.n_rows * share, ess_share: share, half_share: 0.5 * share, kl: 0.4 * tau * tau,
            status: "ok", value: curve(k, tau), base: curve(k, 0),
          }, // biome-ignore format: as above
  };
}

function performance(about: ModelInfo, { tau }: Inputs) {
  const k = about.classes.length;
  const predicted = fill(k ? 10 : 19, (i) => (i + 1) / (k ? 11 : 20));
  const score = (label: string, value: number | null) => ({
    name: label.toLowerCase().replace(" ", "_"),
    label, unit: "", value, low: value && value / 2, high: value && value * 2, base: value,
  }); // biome-ignore format: one line of numbers
  return {
    meta: {
      scores: [score("error rate", 0.07 + 0.02 * tau), score("ROC AUC", null)],
      level: 0.95,
      n_rows: about.n_rows,
      verdict: "Too sure above 0.5: predicted 0.7 on average, observed 0.5.",
      misses: "8 of 10 intervals miss their probability; about 0.5 would by chance.",
      spread: ["entropy", "entropy"],
      event: k ? `${about.target} is ${about.classes[1]}` : `${about.target} is at most the predicted quantile`,
    }, // biome-ignore format: as above
    cols: {
      "performance.calibration_predicted": predicted,
      "performance.calibration_observed": predicted.map((p) => p * p),
      "performance.calibration_low": predicted.map((p) => p * p - 0.1),
      "performance.calibration_high": predicted.map((p) => p * p + 0.1),
      "performance.calibration_outside": Uint8Array.from(predicted, (p) => Number(p - p * p > 0.1)),
      ...(k
        ? {
            "performance.confusion": fill(k * k, (i) => (i % (k + 1) ? 0.1 / (k * (k - 1)) : 0.9 / k)),
            "performance.confusion_rows": Int32Array.from({ length: k * k }, (_, i) => (i % (k + 1) ? 7 : 60)),
          }
        : {
            "performance.row": Int32Array.from({ length: 30 }, (_, i) => i),
            "performance.predicted": Float32Array.from({ length: 30 }, (_, i) => i),
            "performance.true": Float32Array.from({ length: 30 }, (_, i) => i + Math.sin(i)),
            "performance.weight": new Float32Array(30).fill(1),
          }),
    }, // biome-ignore format: as above
  };
}

const DTYPES = new Map<unknown, string>([
  [Float64Array, "f8"],
  [Float32Array, "f4"],
  [Int32Array, "i4"],
  [Uint8Array, "u1"],
]);

/** A frame in the wire format, its columns as DataViews. */
// biome-ignore lint/suspicious/noExplicitAny: tests change every part of it
export function wireFrame(about: ModelInfo, seq: number, changes: Partial<Inputs> = {}): any {
  const inputs = inputsOf(about, changes);
  const [imp, dep, str, perf] = [
    importance(about, inputs),
    dependence(about, inputs),
    stress(about, inputs),
    performance(about, inputs),
  ];
  const perTau = ["stress.taus", "stress.end_taus"];
  const columns: Record<string, Typed> = { ...imp.cols, ...dep.cols, ...str.cols, ...perf.cols };
  const shapeOf = (name: string, column: Typed) =>
    name.startsWith("importance.")
      ? imp.shape
      : name === "stress.ends"
        ? [2, column.length / 2]
        : name.startsWith("performance.confusion")
          ? [about.classes.length, about.classes.length]
          : (dep.shapes[name] ??
            (name.startsWith("stress.") && !perTau.includes(name) ? str.shape : [column.length]));
  const measure = about.measures.find(({ name }) => name === inputs.measure);
  const indicator = about.indicators.find(({ name }) => name === inputs.indicator);
  return {
    schema: 1,
    seq,
    inputs,
    meta: {
      final: true,
      rows: about.n_rows,
      importance: {
        stale: false,
        measures: [
          {
            name: "nll",
            label: "Likelihood-PFI",
            unit: "nats",
            baseline: 0.09,
            kind: "loss",
            words: ["how much worse", "better"],
          },
          {
            name: "entropy",
            label: "Entropy-PFI",
            unit: "nats",
            baseline: 0.15,
            kind: "uncertainty",
            words: ["how much less sure", "more sure"],
          },
        ],
        order: imp.order,
        n_repeats: 10,
        n_repeats_target: inputs.n_repeats,
        n_rows: about.n_rows,
        n_rows_least: about.n_rows,
        n_rows_most: about.n_rows,
        interval: inputs.interval,
        level: 0.95,
        units: null,
        replacement: inputs.replacement,
        compare: inputs.compare,
        verdicts: [],
      },
      performance: { stale: false, ...perf.meta },
      dependence: {
        stale: false,
        feature: inputs.feature,
        measure: inputs.measure,
        label: measure?.label,
        unit: measure?.unit,
        categorical: dep.categorical,
        time: false,
        relative: inputs.relative,
        n_values: dep.cols["dependence.grid"]?.length ?? 0,
        has_missing: false,
        color_by: "",
        groups: about.classes,
        ramp: null,
        center: inputs.center,
        derivative: inputs.derivative,
        labels: dep.labels,
        n_rows: about.n_rows,
        n_rows_known: about.n_rows,
        n_lines: inputs.ice_lines,
      },
      stress: {
        stale: false,
        indicator: inputs.indicator,
        label: indicator?.label,
        unit: indicator?.unit,
        features: str.features,
        n_rows: about.n_rows,
        now: str.now,
        level: 0.95,
      },
      cost: { calls: 0, rows: 0, seconds: 0.012 },
      total: { calls: 5, rows: 43043 },
      progress: null,
      error: null,
      notes: [],
      note_codes: [],
      note_inputs: [] as unknown[],
      cols: Object.fromEntries(
        Object.entries(columns).map(([name, column]) => [
          name,
          { dtype: DTYPES.get(column.constructor), shape: shapeOf(name, column) },
        ]),
      ),
    },
    cols: Object.fromEntries(
      Object.entries(columns).map(([name, column]) => [name, new DataView(column.buffer)]),
    ),
  };
}

/** The same frame with a learner beside the model: a little lower, its intervals twice as wide. */
export function besideLearner(
  raw: ReturnType<typeof wireFrame>,
  changes: Record<string, unknown> = {},
) {
  const learner = { n_refits: 15, state: "done", importance: true, dependence: true, ...changes };
  const frame = {
    ...raw,
    meta: { ...raw.meta, cols: { ...raw.meta.cols }, learner },
    cols: { ...raw.cols },
  };
  for (const [panel, mean] of [
    ["importance", "value"],
    ["dependence", "average"],
  ] as const) {
    if (!learner[panel]) continue;
    const numbers = (name: string) => new Float64Array(raw.cols[`${panel}.${name}`].buffer);
    const [value, low] = [numbers(mean), numbers("low")];
    const half = value.map((v, i) => 2 * (v - (low[i] ?? 0)));
    const own = value.map((v) => 0.9 * v);
    for (const [name, sign] of [
      ["value", 0],
      ["low", -1],
      ["high", 1],
    ] as const) {
      const column = own.map((v, i) => v + sign * (half[i] ?? 0));
      frame.meta.cols[`learner.${panel}.${name}`] = raw.meta.cols[`${panel}.${mean}`];
      frame.cols[`learner.${panel}.${name}`] = new DataView(column.buffer);
    }
  }
  return frame;
}

import { extent } from "../charts/domain.ts";
import { tableTwin } from "../charts/table.ts";
import { button, enable } from "../controls/button.ts";
import { h, pool, set, setText } from "../widget/dom.ts";
import { decimals, interval, isolated, number } from "../widget/format.ts";
import { choices, pick } from "./controls.ts";
import type { Lesson } from "./lesson.ts";
import { lineChart } from "./lineChart.ts";
import { placeMap } from "./map.ts";

/** A map of two features, a point on it, and what each model says there. */
export const place: Lesson = ({ session, signal, predict, act, picture }) => {
  const { fields } = session.about as NonNullable<typeof session.about>;
  const features = fields.texts("features") as [string, string];
  const models = fields.texts("models");
  const guess = choices(
    "uq-guess",
    "Which model becomes the most unsure?",
    fields
      .records("guesses")
      .map((one) => ({ value: one.text("value"), label: one.text("label") })),
    (value) => session.set({ guess: value }),
    signal,
  );
  predict.append(guess.element);

  const map = placeMap((to) => session.set({ place: [...to] }), signal);
  const where = h("p", { class: "uq-muted", "data-testid": "uq-where" });
  const shade = pick(
    "uq-model",
    "Entropy on the map, of",
    models.map((value) => ({ value, label: value })),
    (value) => session.set({ model: value }),
    signal,
  );
  const show = button(
    "uq-reveal",
    "Show the entropy on the map",
    () => session.set({ revealed: true }),
    signal,
  );
  const shades = h("p", { class: "uq-muted" });
  act.append(
    h(
      "div",
      { class: "uq-map-and-controls" },
      map.element,
      h("div", {}, where, h("div", { class: "uq-actions" }, show, shade.element), shades),
    ),
  );

  const panels = h("div", { class: "uq-panels" });
  const columns = pool(panels, () => {
    const [name, prediction, entropy] = [h("h4"), lineChart(), lineChart()];
    return {
      element: h("div", {}, name, prediction.element, entropy.element),
      name,
      prediction,
      entropy,
    };
  });
  const note = h(
    "p",
    { class: "uq-muted" },
    "Above the prediction with its 95 % interval, below the entropy; above the dashed line, a model is less sure than for 95 % of the rows.",
  );
  const twin = tableTwin("Table: what each model says at the place", signal);
  const figure = h("figure", { class: "uq-figure", role: "group" }, panels, note, twin.element);
  picture.append(figure);

  return ({ columns: cols, inputs }, width) => {
    const input = (name: string) => session.input(name);
    guess.update(input("guess"));
    shade.update(input("model"));
    const guessed = inputs.text("guess") !== "";
    const isRevealed = guessed && inputs.flag("revealed");
    enable(show, guessed && input("revealed") !== true);
    shade.element.hidden = !isRevealed;
    show.hidden = isRevealed;
    const column = (name: string, shape: (number | null)[]) => cols.get<Float64Array>(name, shape);
    const [first, second] = [column("grid.0", [null]), column("grid.1", [null])];
    const xs = column("rows.0", [null]);
    const spot = input("place") as [number, number];
    const named = [first, second]
      .map((grid, k) => {
        const text = decimals((grid[grid.length - 1] as number) - (grid[0] as number));
        return `${isolated(features[k] as string)} = ${text(spot[k] as number)}`;
      })
      .join(", ");
    const values = isRevealed ? column("map", [first.length, second.length]) : null;
    map.update({
      grids: [first, second],
      rows: [xs, column("rows.1", [xs.length])],
      place: spot,
      values,
      titles: features,
      spoken: named,
      width,
    });
    setText(where, `The point is at ${named}.`);
    setText(shades, values ? "The stronger the colour, the larger the entropy." : "");
    figure.hidden = !guessed;
    if (!guessed) return;
    const [m, g] = [models.length, first.length];
    const [predicted, low, high, entropy] = ["prediction", "low", "high", "entropy"].map((name) =>
      column(name, [m, g]),
    ) as [Float64Array, Float64Array, Float64Array, Float64Array];
    const usual = column("usual", [m]);
    const truth = cols.optional("truth", [g]);
    // One axis for all models, so that their intervals can be compared.
    const ranges = {
      prediction: extent(predicted, low, high, truth ?? []) ?? [0, 1],
      entropy: extent(entropy, usual) ?? [0, 1],
    };
    const at = inputs.raw.place as [number, number];
    const i = first.indexOf(at[0]);
    const [label, unit] = [fields.text("label"), fields.text("unit")];
    const across = Math.max(1, Math.min(m, Math.floor(width / 170)));
    const each = Math.floor((width - 12 * (across - 1)) / across);
    const of = (values: Float64Array, k: number) => values.subarray(k * g, (k + 1) * g);
    columns(m).forEach(({ name, prediction, entropy: below }, k) => {
      setText(name, models[k] as string);
      const common = { x: first, width: each, height: 150 };
      prediction.update({
        ...common,
        lines: [
          ...(truth ? [{ look: "truth", y: truth }] : []),
          { look: "plain", y: of(predicted, k) },
        ],
        band: { low: of(low, k), high: of(high, k) },
        dots: [{ look: "now", x: at[0], y: of(predicted, k)[i] as number }],
        range: ranges.prediction,
        titles: { x: "", y: unit ? `${label} (${unit})` : label },
      });
      below.update({
        ...common,
        lines: [{ look: "plain", y: of(entropy, k) }],
        dots: [{ look: "now", x: at[0], y: of(entropy, k)[i] as number }],
        level: usual[k] as number,
        range: ranges.entropy,
        titles: { x: features[0], y: "entropy (nats)" },
      });
    });
    setText(
      note,
      `Along ${isolated(features[0])}, through the point: above the prediction with its 95 % interval${truth ? " and the truth in colour" : ""}, below the entropy; above the dashed line, a model is less sure than for 95 % of the rows.`,
    );
    set(figure, {
      "aria-label": `What ${m} models say at ${named}: ${models
        .map(
          (name, k) =>
            `${isolated(name)} ${number(of(predicted, k)[i])}, entropy ${number(of(entropy, k)[i])} nats`,
        )
        .join("; ")}`,
    });
    twin.update(() => ({
      columns: ["model", label, "95 % interval", "entropy", "entropy of 95 % of the rows, at most"],
      rows: models.map((name, k) => [
        name,
        number(of(predicted, k)[i]),
        interval(of(low, k)[i], of(high, k)[i]),
        number(of(entropy, k)[i]),
        number(usual[k]),
      ]),
    }));
  };
};

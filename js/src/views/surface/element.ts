import { figure } from "../../charts/figure.ts";
import { picker } from "../../controls/picker.ts";
import { h, set, setText } from "../../widget/dom.ts";
import { interval, isolated, number, percent, withUnit } from "../../widget/format.ts";
import { rowsIn } from "../legend.ts";
import { type Context, type Panel, section } from "../view.ts";
import { heatMap } from "./heatMap.ts";
import type { Axis, Surface } from "./reader.ts";

const textOf = ({ grid, labels }: Axis, i: number): string => labels?.[i] ?? number(grid[i]);

/** The surface of two features, and beside it their interaction. */
export function surfacePanel({ session, about, signal, redraw }: Context): Panel {
  const second = picker(
    "with",
    { "data-testid": "uq-second", title: "A second feature, whose values change together." },
    (value) => session.request({ second: value }),
    signal,
  );
  const average = heatMap(false);
  const interaction = heatMap(true);
  const left = figure(signal, redraw, "Surface");
  const right = figure(signal, redraw, "Interaction");
  const caption = h("p", { class: "uq-caption" });
  left.content.append(average.legend, average.element);
  right.content.append(interaction.legend, interaction.element);
  const block = (title: string, text: HTMLElement, body: HTMLElement) =>
    h("div", {}, h("h4", {}, title), text, body);
  const label = h("p", { class: "uq-caption" });
  const grid = h(
    "div",
    { class: "uq-surface-grid" },
    block("Average", label, left.element),
    block("Interaction", caption, right.element),
  );
  const empty = h("p", { class: "uq-empty" });
  const panel = section("Two features", "uq-surface", [second.element], empty, grid);

  const draw = (data: Surface, rows: string) => {
    const [one, two] = data.axes;
    const columns = two.grid.length;
    const place = (i: number, j: number) =>
      `${isolated(one.feature)} ${textOf(one, i)}, ${isolated(two.feature)} ${textOf(two, j)}`;
    const far = (k: number) => (data.near[k] ? "" : "; hardly any data here");
    const titles = (values: Float64Array, name: string) => (i: number, j: number) => {
      const k = i * columns + j;
      return `${place(i, j)}: ${name} ${number(values[k])}${far(k)}`;
    };
    const name = withUnit(data.label, data.unit);
    average.update(data.axes, data.average, data.near, titles(data.average, name), left.width);
    const both = titles(data.interaction, "interaction");
    interaction.update(data.axes, data.interaction, data.near, both, right.width);
    setText(label, `${name}; crossed out where there is hardly any data`);
    setText(
      caption,
      data.hSquared === null
        ? "The surface is flat."
        : `What the two curves do not add up to: ${number(data.hSquared * 100)} % of its variance (H²).`,
    );
    const table = (values: Float64Array, header: string, ends: boolean) => () => ({
      columns: [
        one.feature,
        two.feature,
        header,
        ...(ends ? [`${percent(about.level)} interval`] : []),
        "rows around it",
      ],
      rows: Array.from(values, (value, k) => [
        textOf(one, Math.floor(k / columns)),
        textOf(two, k % columns),
        number(value),
        ...(ends ? [interval(data.low[k], data.high[k])] : []),
        data.near[k] ? "enough" : "few",
      ]),
    });
    const of = `${isolated(one.feature)} and ${isolated(two.feature)}`;
    const peak = data.average.indexOf(Math.max(...data.average));
    const highest = place(Math.floor(peak / columns), peak % columns);
    left.describe(
      `${name} as a function of ${of}, average of ${rows}`,
      `Highest, ${number(data.average[peak])}, at ${highest}.`,
      table(data.average, name, true),
    );
    right.describe(
      `Interaction of ${of}`,
      caption.textContent ?? "",
      table(data.interaction, "interaction", false),
    );
  };

  return {
    element: panel.element,
    update({ frame, inputs }) {
      const data = inputs.second ? (frame?.surface ?? null) : null;
      const others = about.features.filter(({ name }) => name !== inputs.feature);
      second.update(
        [
          { value: "", label: "no second feature" },
          ...others.map(({ name }) => ({ value: name, label: name })),
        ],
        inputs.second === inputs.feature ? "" : inputs.second,
      );
      panel.element.hidden = others.length === 0;
      set(panel.element, { "data-stale": data?.stale ? "true" : null });
      grid.hidden = !data;
      empty.hidden = data !== null || !inputs.second;
      setText(empty, frame?.final ? "no surface of these features" : "no surface yet");
      const note = inputs.feature && `how ${isolated(inputs.feature)} works together with another`;
      const isOfZero = data?.stale && session.model.isStill;
      setText(panel.note, isOfZero ? "at τ = 0; this page holds no surface at this τ" : note);
      if (data && frame) draw(data, rowsIn(frame, data.n_rows));
    },
  };
}

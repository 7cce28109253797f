import { figure } from "../../charts/figure.ts";
import { button } from "../../controls/button.ts";
import { picker } from "../../controls/picker.ts";
import { h, pool, set, setText, svg } from "../../widget/dom.ts";
import { interval, isolated, number, withUnit } from "../../widget/format.ts";
import { type Context, type Panel, type Shown, section } from "../view.ts";

/** The widest picture, and the side of a pixel whose interval contains 0, as a share of a cell. */
const [WIDEST, UNCLEAR] = [420, 0.45];

/** What a key adds to the position of a pixel. */
const steps = (columns: number): Record<string, number> => ({
  ArrowLeft: -1,
  ArrowRight: 1,
  ArrowUp: -columns,
  ArrowDown: columns,
});

/** The importance of every pixel, for features that are the pixels of a picture. */
export function pixelsPanel({ session, about, uid, signal, redraw }: Context): Panel {
  /** The position of the shown measure, and of the pixel that the keyboard is at. */
  let [chosen, active] = [0, 0];
  let columns = 1;
  const measure = picker(
    "importance for",
    { "data-testid": "uq-pixel-measure" },
    (value) => {
      chosen = Number(value);
      redraw();
    },
    signal,
  );
  const marks = svg("g", { role: "presentation" });
  const cells = pool(marks, () => svg("rect", { role: "option" }));
  const [picked, cursor] = [
    svg("rect", { class: "uq-pixel-picked", "aria-hidden": "true" }),
    svg("rect", { class: "uq-pixel-cursor", "aria-hidden": "true" }),
  ];
  const picture = svg("svg", { role: "presentation" }, marks, picked, cursor);
  const list = h(
    "div",
    { class: "uq-pixel-map", role: "listbox", tabindex: 0, "data-testid": "uq-pixel-map" },
    picture,
  );
  const caption = h("p", { class: "uq-caption", "data-testid": "uq-pixel-caption" });
  const fig = figure(signal, redraw, "Importance of pixels");
  fig.content.append(list, caption);
  const empty = h("p", { class: "uq-empty" });
  const offer = button(
    "uq-pixel-offer",
    "",
    () => session.request({ image_rows: about.picture_rows }),
    signal,
  );
  const controls = [measure.element, offer];
  const panel = section("Pixels", "uq-pixels", controls, empty, fig.element);
  const names = about.features.map(({ name }) => name);

  const goTo = (pixel: number) => {
    if (pixel < 0 || pixel >= names.length) return;
    active = pixel;
    redraw();
  };
  const pick = () => session.request({ feature: names[active] ?? "" });
  list.addEventListener(
    "keydown",
    (event) => {
      const step = steps(columns)[event.key];
      const isAtEdge =
        (event.key === "ArrowLeft" && active % columns === 0) ||
        (event.key === "ArrowRight" && active % columns === columns - 1);
      if (step !== undefined && !isAtEdge) goTo(active + step);
      else if (event.key === "Home") goTo(0);
      else if (event.key === "End") goTo(names.length - 1);
      else if (event.key === "Enter" || event.key === " ") pick();
      else if (step === undefined) return;
      event.preventDefault();
    },
    { signal },
  );
  const pixelAt = (event: Event) => cells(names.length).indexOf(event.target as SVGRectElement);
  marks.addEventListener("pointermove", (event) => goTo(pixelAt(event)), { signal });
  marks.addEventListener(
    "click",
    (event) => {
      const pixel = pixelAt(event);
      if (pixel < 0) return;
      active = pixel;
      pick();
      redraw();
    },
    { signal },
  );

  const draw = ({ frame, inputs }: Shown) => {
    const [data, shape] = [frame?.importance, frame?.pixels];
    if (!data || !shape) return;
    columns = shape.columns;
    chosen = Math.min(chosen, data.measures.length - 1);
    const n = names.length;
    const own = (values: Float64Array) => values.subarray(chosen * n, (chosen + 1) * n);
    const [value, low, high] = [own(data.value), own(data.low), own(data.high)];
    // A ratio of 1 is no importance, as a difference of 0 is.
    const nothing = data.compare === "ratio" ? 1 : 0;
    const from = Array.from(value, (one) => one - nothing);
    const largest = Math.max(...from.map((one) => Math.abs(one) || 0)) || 1;
    const side = Math.max(3, Math.floor(Math.min(WIDEST, fig.width - 4) / columns));
    const size = { width: side * columns, height: side * shape.rows };
    set(picture, { ...size, viewBox: `-2 -2 ${size.width + 4} ${size.height + 4}` });
    const { label, unit } = data.measures[chosen] ?? { label: "", unit: "" };
    const title = withUnit(label, data.compare === "ratio" ? "times" : unit);
    const place = (pixel: number) => ({
      x: (pixel % columns) * side,
      y: Math.floor(pixel / columns) * side,
    });
    const textOf = (pixel: number) =>
      `${isolated(names[pixel] ?? "")}, row ${Math.floor(pixel / columns) + 1}, ` +
      `column ${(pixel % columns) + 1}: ${number(value[pixel])} ` +
      `(${interval(low[pixel], high[pixel])})`;
    const isClear = (pixel: number) =>
      (low[pixel] as number) > nothing || (high[pixel] as number) < nothing;
    const at = names.indexOf(inputs.feature);
    cells(n).forEach((cell, pixel) => {
      const { x, y } = place(pixel);
      const inner = isClear(pixel) ? side : side * UNCLEAR;
      const gap = (side - inner) / 2;
      const change = from[pixel] as number;
      const isKnown = Number.isFinite(change);
      set(cell, {
        id: `${uid}-pixel-${pixel}`,
        ...{ x: (x + gap).toFixed(1), y: (y + gap).toFixed(1) },
        ...{ width: inner.toFixed(1), height: inner.toFixed(1) },
        class: isKnown ? (change < 0 ? "uq-below" : "uq-above") : "uq-nothing",
        "fill-opacity": isKnown ? (0.06 + (0.94 * Math.abs(change)) / largest).toFixed(3) : 1,
        "aria-selected": pixel === at ? "true" : "false",
        "aria-label": textOf(pixel),
      });
    });
    const around = (pixel: number) => ({ ...place(pixel), width: side, height: side });
    set(picked, { ...around(Math.max(at, 0)), visibility: at < 0 ? "hidden" : null });
    set(cursor, around(active));
    set(list, {
      "aria-label": `Importance of each pixel for ${title}`,
      "aria-activedescendant": `${uid}-pixel-${active}`,
    });
    setText(caption, textOf(active));
    const clear = names.filter((_, pixel) => isClear(pixel)).length;
    const most = data.order[0] ?? 0;
    fig.describe(
      `Importance of each pixel for ${title}`,
      `${clear} of ${n} pixels have an interval without ${nothing}. First of the list: ${textOf(most)}.`,
      () => ({
        columns: ["pixel", "row", "column", title, "interval"],
        rows: data.order.map((pixel) => [
          names[pixel] ?? "",
          String(Math.floor(pixel / columns) + 1),
          String((pixel % columns) + 1),
          number(value[pixel]),
          interval(low[pixel], high[pixel]),
        ]),
      }),
    );
  };

  return {
    element: panel.element,
    update(shown) {
      const { frame, inputs } = shown;
      const { picture_rows: offered } = about;
      panel.element.hidden = inputs.image_rows + (session.model.isStill ? 0 : offered) === 0;
      offer.hidden = inputs.image_rows > 0;
      if (inputs.image_rows === 0) {
        const size = `${offered} × ${names.length / offered}`;
        setText(offer, `show ${names.length} features as a picture of ${size}`);
        for (const part of [measure.element, fig.element, empty]) part.hidden = true;
        setText(panel.note, "");
        return;
      }
      const data = frame?.importance ?? null;
      const isDrawn = data !== null && data.units === null && Boolean(frame?.pixels);
      measure.update(
        (data?.measures ?? []).map(({ label }, i) => ({ value: String(i), label })),
        String(chosen),
      );
      measure.element.hidden = (data?.measures.length ?? 0) < 2;
      fig.element.hidden = !isDrawn;
      empty.hidden = isDrawn;
      setText(
        empty,
        data?.units
          ? "groups of features are no pixels; show the importance of features"
          : "the importance of the pixels is not known yet",
      );
      set(panel.element, { "data-stale": data?.stale ? "true" : null });
      setText(panel.note, isDrawn ? "small squares: not clear from these rows" : "");
      if (isDrawn) draw(shown);
    },
  };
}

import { tableTwin } from "../charts/table.ts";
import { button, enable } from "../controls/button.ts";
import { h, pool, set, setText } from "../widget/dom.ts";
import { interval, isolated, number } from "../widget/format.ts";

import { type IntervalLine, intervalChart } from "./intervals.ts";
import type { Lesson } from "./lesson.ts";

/** Order the features, then see the bars in the model's order with the places of one's own order beside them. */
export const guess: Lesson = ({ session, signal, predict, act, picture, say }) => {
  const list = h("ol", { class: "uq-order", "data-testid": "uq-order" });
  const orderOf = () => (session.input("order") ?? []) as string[];
  const isRevealed = () => session.input("revealed") === true;
  const move = (from: number, by: number) => {
    const order = [...orderOf()];
    const [name] = order.splice(from, 1);
    const to = from + by;
    if (name === undefined || to < 0 || to > order.length || isRevealed()) return;
    order.splice(to, 0, name);
    session.set({ order });
    say(`${isolated(name)} is now number ${to + 1} of ${order.length}.`);
    // The focus follows the feature, on the button that was pressed.
    list.children[to]?.querySelectorAll("button")[by < 0 ? 0 : 1]?.focus();
  };
  let made = 0;
  const items = pool(list, () => {
    const i = made++;
    const name = h("span", { class: "uq-order-name" });
    const up = button("uq-up", "↑", () => move(i, -1), signal);
    const down = button("uq-down", "↓", () => move(i, 1), signal);
    const element = h("li", {}, name, up, down);
    element.addEventListener(
      "keydown",
      (event) => {
        const by = { ArrowUp: -1, ArrowDown: 1 }[event.key];
        if (by === undefined) return;
        event.preventDefault();
        move(i, by);
      },
      { signal },
    );
    return { element, name, up, down };
  });
  predict.append(list);

  const show = button("uq-reveal", "Show the bars", () => session.set({ revealed: true }), signal);
  const again = button("uq-again", "Guess again", () => session.set({ revealed: false }), signal);
  act.append(h("div", { class: "uq-actions" }, show, again));

  const chart = intervalChart();
  const twin = tableTwin("Table: numbers behind the bars", signal);
  const figure = h("figure", { class: "uq-figure", role: "group" }, chart.element, twin.element);
  picture.append(figure);

  return ({ meta, columns }, width) => {
    const order = orderOf();
    const revealed = isRevealed() && meta.flag("revealed");
    items(order.length).forEach(({ name, up, down }, i) => {
      const feature = isolated(order[i] as string);
      setText(name, order[i] as string);
      set(up, { "aria-label": `↑ Move ${feature} up` });
      set(down, { "aria-label": `↓ Move ${feature} down` });
      enable(up, !revealed && i > 0);
      enable(down, !revealed && i < order.length - 1);
    });
    enable(show, !isRevealed());
    enable(again, isRevealed());
    figure.hidden = !revealed;
    if (!revealed) return;
    const features = meta.texts("features");
    const wrong = meta.indices("wrong");
    const column = (name: string) => columns.get(name, [features.length]);
    const [value, low, high] = [column("importance"), column("low"), column("high")];
    const place = (name: string) => order.indexOf(name) + 1;
    const rows = features.map(
      (name, i): IntervalLine => ({
        label: `${name} (you: ${place(name)}${wrong[i] ? " ✗" : ""})`,
        value: value[i] as number,
        low: low[i] as number,
        high: high[i] as number,
        look: wrong[i] ? "wrong" : "plain",
      }),
    );
    const { fields } = session.about as NonNullable<typeof session.about>;
    const unit = fields.text("unit");
    const title = `importance for ${fields.text("label")}${unit && `, in ${unit}`}`;
    chart.update(rows, { width, line: 26, title, bars: true });
    set(figure, {
      "aria-label": `Importance of ${features.length} features, the most important first: ${features
        .map((name, i) => `${isolated(name)} ${number(value[i])}, your place ${place(name)}`)
        .join("; ")}`,
    });
    twin.update(() => ({
      columns: ["feature", "importance", "95 % interval", "your place", "pairs in wrong order"],
      rows: features.map((name, i) => [
        name,
        number(value[i]),
        interval(low[i], high[i]),
        String(place(name)),
        String(wrong[i]),
      ]),
    }));
  };
};

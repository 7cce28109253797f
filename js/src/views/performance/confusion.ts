import { h, set } from "../../widget/dom.ts";
import { isolated, percent } from "../../widget/format.ts";

/** The share of each true class by predicted class, as a table whose cells are shaded by it. */
export function confusionTable(target: string) {
  const body = h("tbody");
  const names = h("tr");
  const head = (name: string) =>
    h("th", { scope: "col", title: name }, h("span", { class: "uq-key-name" }, name));
  const element = h(
    "div",
    { class: "uq-confusion" },
    h("h4", {}, "Confusion"),
    h(
      "p",
      { class: "uq-caption" },
      `Of the rows of each true class of ${isolated(target)}, the share predicted as …`,
    ),
    h(
      "div",
      {
        class: "uq-confusion-scroll",
        tabindex: 0,
        role: "region",
        "aria-label": "Confusion of classes",
      },
      h("table", {}, h("thead", {}, names), body),
    ),
  );
  return {
    element,
    update(share: Float64Array | null, classes: string[]): void {
      element.hidden = share === null;
      if (!share) return;
      const k = classes.length;
      names.replaceChildren(h("th", { scope: "col" }, "true class"), ...classes.map(head));
      body.replaceChildren(
        ...classes.map((name, i) => {
          const row = Array.from(share.subarray(i * k, (i + 1) * k));
          const total = row.reduce((sum, value) => sum + value, 0);
          const cells = row.map((value, j) => {
            const part = total > 0 ? value / total : Number.NaN;
            const cell = h("td", { class: i === j ? "uq-right" : null }, percent(part));
            if (part > 0) cell.style.setProperty("--uq-share", `${Math.round(part * 100)}%`);
            return cell;
          });
          const label = h(
            "th",
            { scope: "row", title: name },
            h("span", { class: "uq-key-name" }, name),
          );
          return h("tr", {}, label, ...cells);
        }),
      );
      set(element, { "data-classes": k });
    },
  };
}

import { h, set } from "../../widget/dom.ts";
import { counted, isolated, percent, whole } from "../../widget/format.ts";
import type { Performance } from "./reader.ts";

/** How dark the most frequent error is, and a class that is predicted right, in percent of the colour of each. */
const [DARKEST, RIGHT] = [85, 12];

const ARROWS: Record<string, [number, number]> = {
  ArrowUp: [-1, 0],
  ArrowDown: [1, 0],
  ArrowLeft: [0, -1],
  ArrowRight: [0, 1],
};

/**
 * The share of each true class by predicted class, as a table whose errors are shaded; a click on a cell calls
 * `onPick` with both classes.
 */
export function confusionTable(
  target: string,
  onPick: ((truth: string, predicted: string) => void) | null,
  signal: AbortSignal,
) {
  const body = h("tbody");
  const names = h("tr");
  const head = (name: string) =>
    h("th", { scope: "col", title: name }, h("span", { class: "uq-key-name" }, name));
  const hint = onPick
    ? " A click on a cell selects its rows, and watches what speaks for one of both classes."
    : "";
  const element = h(
    "div",
    { class: "uq-confusion" },
    h("h4", {}, "Confusion"),
    h(
      "p",
      { class: "uq-caption" },
      `Of the rows of each true class of ${isolated(target)}, the share predicted as …, and the number of rows. The darkest cells are the most frequent errors.${hint}`,
    ),
    h(
      "div",
      {
        class: "uq-confusion-scroll",
        tabindex: onPick ? null : 0,
        role: "region",
        "aria-label": "Confusion of classes",
      },
      h("table", {}, h("thead", {}, names), body),
    ),
  );
  /** The cell that the tab key reaches; the arrow keys reach the others. */
  let [row, column] = [0, 0];
  const buttonAt = (i: number, j: number) =>
    body.children[i]?.children[j + 1]?.querySelector("button") ?? null;
  body.addEventListener(
    "keydown",
    (event) => {
      const [down, right] = ARROWS[event.key] ?? [0, 0];
      const next = down || right ? buttonAt(row + down, column + right) : null;
      if (!next) return;
      event.preventDefault();
      buttonAt(row, column)?.setAttribute("tabindex", "-1");
      [row, column] = [row + down, column + right];
      set(next, { tabindex: 0 });
      next.focus();
    },
    { signal },
  );
  body.addEventListener(
    "click",
    ({ target: at }) => {
      const cell = at instanceof Element ? at.closest("button") : null;
      const { truth, predicted } = cell?.dataset ?? {};
      if (truth !== undefined && predicted !== undefined) onPick?.(truth, predicted);
    },
    { signal },
  );
  let drawn = "";
  return {
    element,
    update({ confusion: share, confusionRows: rows, labels }: Performance): void {
      element.hidden = share === null;
      if (!share) return;
      // A cell that has the focus keeps it while nothing changes.
      const key = JSON.stringify([labels, [...share], [...(rows ?? [])]]);
      if (key === drawn) return;
      drawn = key;
      const k = labels.length;
      const total = (i: number) => share.subarray(i * k, (i + 1) * k).reduce((a, b) => a + b, 0);
      const part = (i: number, j: number) => (share[i * k + j] ?? 0) / total(i);
      const errors = labels.flatMap((_, i) =>
        labels.map((_, j) => (i === j || !total(i) ? 0 : part(i, j))),
      );
      const most = Math.max(...errors);
      const hadFocus = body.contains((body.getRootNode() as Document | ShadowRoot).activeElement);
      if (row >= k || column >= k) [row, column] = [0, 0];
      names.replaceChildren(h("th", { scope: "col" }, "true class"), ...labels.map(head));
      const cellOf = (i: number, j: number) => {
        const of = rows?.[i * k + j] ?? 0;
        const [truth = "", predicted = ""] = [labels[i], labels[j]];
        const text = [percent(part(i, j)), h("small", {}, whole(of))];
        const words = `true ${isolated(truth)}, predicted ${isolated(predicted)}: ${percent(part(i, j))}, ${counted(of, "row")}`;
        const inner = onPick
          ? h(
              "button",
              {
                type: "button",
                tabindex: i === row && j === column ? 0 : -1,
                "aria-label": words,
                "data-truth": of ? truth : null,
                "data-predicted": predicted,
                "data-testid": "uq-confusion-cell",
              },
              ...text,
            )
          : h("span", {}, ...text);
        const cell = h("td", { class: i === j ? "uq-right" : null, title: words }, inner);
        const shade = i === j ? RIGHT : most > 0 ? ((errors[i * k + j] ?? 0) / most) * DARKEST : 0;
        if (shade > 0) cell.style.setProperty("--uq-share", `${Math.round(shade)}%`);
        return cell;
      };
      body.replaceChildren(
        ...labels.map((name, i) =>
          h(
            "tr",
            {},
            h("th", { scope: "row", title: name }, h("span", { class: "uq-key-name" }, name)),
            ...labels.map((_, j) => cellOf(i, j)),
          ),
        ),
      );
      if (hadFocus) buttonAt(row, column)?.focus();
      set(element, { "data-classes": k });
    },
  };
}

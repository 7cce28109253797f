import { h, set } from "../widget/dom.ts";
import { distinct, isolated } from "../widget/format.ts";

export interface ListRow {
  feature: number;
  /** The row's numbers in words. */
  text: string;
}

/** A long name in two parts. Only the first is shortened, so that names with the same beginning stay different. */
function inTwo(name: string): string[] {
  if (name.length <= LONG || /[\u0590-\u08ff]/.test(name)) return [name];
  const word = name.match(/[ _.,-][^ _.,-]{1,11}$/)?.[0].length ?? TAIL;
  return [name.slice(0, -word), name.slice(-word)];
}
/** Letters that fit beside the mark of the stressed feature, and of the second part where no word ends the name. */
const [LONG, TAIL] = [12, 8];

/** A name with what was searched for in sight: it begins there if a shorter form of it lacks that. */
function withTerm(name: string, short: string, term: string): string[] {
  const at = term ? name.toLocaleLowerCase().indexOf(term) : -1;
  return at < 0 || short.toLocaleLowerCase().startsWith(term)
    ? inTwo(short)
    : [at ? `…${name.slice(at)}` : name];
}

/**
 * The features as a listbox: arrows move, Enter selects. Only one row is a tab stop, and rows are reused, so that
 * focus survives every frame.
 */
export function featureList(names: string[], onPick: (name: string) => void, signal: AbortSignal) {
  const short = distinct(names);
  const parts = (i: number, term: string) =>
    withTerm(names[i] ?? "", short[i] ?? "", term).map((part) => h("span", {}, part));
  let searched = "";
  const rows = names.map((name, i) => {
    const label = h("span", { class: "uq-name", "aria-hidden": "true" }, ...parts(i, ""));
    const badge = h("span", { class: "uq-badge", hidden: true, "aria-hidden": "true" }, "τ");
    const element = h(
      "div",
      {
        role: "option",
        class: "uq-row",
        tabindex: -1,
        "data-testid": "uq-importance-row",
        "data-feature": name,
      },
      label,
      badge,
    );
    return { element, label, badge };
  });
  const element = h("div", {
    role: "listbox",
    class: "uq-list",
    "aria-label": "features, most important first",
  });
  let order: number[] = [];
  let current = 0;

  const stop = (at: number) => {
    current = Math.min(order.length - 1, Math.max(0, at));
    order.forEach((feature, i) => {
      set(rows[feature]?.element as Element, { tabindex: i === current ? 0 : -1 });
    });
  };
  const indexOf = (event: Event) =>
    order.findIndex((feature) => rows[feature]?.element.contains(event.target as Node));

  element.addEventListener(
    "click",
    (event) => {
      const at = indexOf(event);
      if (at < 0) return;
      stop(at);
      onPick(names[order[at] as number] as string);
    },
    { signal },
  );
  element.addEventListener(
    "keydown",
    (event) => {
      const moves: Record<string, number> = {
        ArrowDown: current + 1,
        ArrowUp: current - 1,
        PageDown: current + 10,
        PageUp: current - 10,
        Home: 0,
        End: order.length - 1,
      };
      const target = moves[event.key];
      if (event.key === "Enter" || event.key === " ") {
        event.preventDefault();
        onPick(names[order[current] as number] as string);
      } else if (target !== undefined) {
        event.preventDefault();
        stop(target);
        rows[order[current] as number]?.element.focus();
      }
    },
    { signal },
  );

  return {
    element,
    /** Lists rows; a `term` that was searched for is seen in each name. */
    update(next: ListRow[], picked: string, stressed: string | null, term = ""): void {
      if (term !== searched) {
        searched = term;
        rows.forEach(({ label }, i) => {
          label.replaceChildren(...parts(i, term));
        });
      }
      if (next.some(({ feature }, i) => order[i] !== feature) || order.length !== next.length) {
        const focused = (element.getRootNode() as Document).activeElement;
        const stood = order[current];
        const first = order.length === 0;
        order = next.map(({ feature }) => feature);
        element.replaceChildren(...order.map((feature) => rows[feature]?.element as Element));
        stop(order.indexOf(first ? names.indexOf(picked) : (stood ?? 0)));
        if (focused instanceof HTMLElement && element.contains(focused)) focused.focus();
      }
      for (const { feature, text } of next) {
        const row = rows[feature];
        if (!row) continue;
        const name = names[feature] as string;
        const chosen = name === picked;
        set(row.element, {
          "aria-selected": chosen ? "true" : "false",
          "aria-label": `${isolated(name)}${name === stressed ? " τ" : ""}, ${text}`,
          title: `${isolated(name)}: ${text}`,
        });
        row.badge.hidden = name !== stressed;
      }
    },
  };
}

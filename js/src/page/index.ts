import "../styles/index.css";
import "../styles/hosts.css";
import "./style.css";
import { readPins } from "../session/pins.ts";
import { Session } from "../session/session.ts";
import { explorer } from "../views/explorer.ts";
import { viewsNamed } from "../views/index.ts";
import { h, onPrint } from "../widget/dom.ts";
import { isolated, rowsOf } from "../widget/format.ts";
import { type ModelIndex, sameRows } from "./contents.ts";
import { StaticHost } from "./host.ts";
import { review } from "./review.ts";
import { openWhole, type Seal } from "./seal.ts";
import { Store } from "./store.ts";

const WHY = "This needs the notebook: the page holds what was computed when it was saved.";

/** Room between the margins of A4, which is narrower than letter. */
const PAPER = "180mm";

/** Controls whose answers need a kernel. */
const LOCKED = [
  ...[
    "repeats",
    "lines",
    "center",
    "derivative",
    "anchor",
    "tail",
    "use-tail-mean",
    "small-curves",
    "second",
    "compare-with",
    "calibration-by",
    "held",
    "held-value",
  ].map((id) => `[data-testid="uq-${id}"]`),
  ".uq-column-choices :is(input, select)",
  // Along the line that is drawn, the page knows what the model says.
  '[data-testid="uq-what-if"]',
].join();

/** A choice of the rows among the cohorts that the author named. */
function cohortPicker({ cohorts }: ModelIndex, session: Session, signal: AbortSignal) {
  // The rows of a single pin have no name.
  const named = cohorts.filter(({ name }) => name);
  const select = h(
    "select",
    { "data-testid": "uq-rows-shown" },
    ...named.map(({ name, rows, in_groups }, i) =>
      h("option", { value: i }, `${isolated(name)} (${rowsOf(rows, in_groups)})`),
    ),
  );
  select.addEventListener(
    "change",
    () => {
      const cohort = named[select.selectedIndex];
      if (!cohort) return;
      const { ice_filter, complement, groups } = cohort;
      session.request({ ice_filter, complement, groups });
    },
    { signal },
  );
  return {
    element: h("label", { class: "uq-field" }, h("span", {}, "rows shown"), select),
    update(): void {
      select.selectedIndex = named.findIndex((cohort) => sameRows(cohort, session.inputs));
    },
  };
}

function lock(root: HTMLElement): void {
  for (const control of root.querySelectorAll<HTMLInputElement>(LOCKED)) {
    control.disabled = true;
    control.title = WHY;
    control.closest("label")?.setAttribute("title", WHY);
  }
}

/** Says at the foot of the page what was checked, with the hash that its sender knows. */
const foot = ({ page }: Seal) =>
  h(
    "footer",
    { class: "uq-seal" },
    "This page is whole, and shows what its sender saved; answers of readers are kept apart. SHA-256: ",
    h("code", { title: page }, h("b", {}, page.slice(0, 8)), page.slice(8)),
  );

openWhole(async (opened, seal) => {
  const text = document.getElementById("uq-store")?.textContent;
  const root = document.getElementById("uq-page");
  if (!text || !root) return;
  const { signal } = new AbortController();
  const store = await Store.open(JSON.parse(text));
  const host = await StaticHost.of(store);
  document.getElementById("uq-still")?.remove();
  const session = new Session(host, viewsNamed, signal);
  // The charts are drawn for the paper, on which those of a wide window would be cut.
  const onPaper = ({ type }: Event) => {
    const isPaper = type === "beforeprint";
    root.style.width = isPaper ? PAPER : "";
    root.classList.toggle("uq-on-paper", isPaper);
  };
  onPrint(onPaper, signal);
  explorer(session, root, signal, () => cohortPicker(host.model, session, signal));
  // The panels set what a control can do whenever they draw.
  root.addEventListener("uq:painted", () => lock(root), { signal, capture: true });
  const states = readPins(host.index.pins).map(({ state }) => state);
  review(session, opened, states, signal);
  if (document.getElementById("uq-answers")) document.body.append(foot(seal));
});

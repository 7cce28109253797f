import { button } from "../../controls/button.ts";
import { moreOnDemand } from "../../controls/onDemand.ts";
import { picker } from "../../controls/picker.ts";
import { tauSlider } from "../../controls/slider.ts";
import { h, setText } from "../../widget/dom.ts";
import { isolated, number } from "../../widget/format.ts";
import type { Context, Panel } from "../view.ts";
import { row, valueAt } from "./profile.ts";
import { moved, rowOf, type Stress } from "./reader.ts";
import { effectOfWeights, readout, warning } from "./readout.ts";

/** Shown in place of the warning, so that the charts do not move while a filter changes. */
const NO_ROW = "No row matches; the previous rows are still shown.";

const PICK_FIRST = "Choose a feature; then the slider moves its mean, or the share of a category.";
const NONE_MOVABLE = "No feature of this table can be stressed; the list says why of each.";

/** The controls of stress: what is moved, the slider of τ, and its effective sample size. */
export function stressControls(context: Context): Panel {
  const { session, about, signal } = context;
  const names = about.features.map(({ name }) => name);
  const feature = picker(
    "What if",
    { "data-testid": "uq-stress-feature" },
    (value) => session.request({ stress_feature: value }),
    signal,
  );
  const category = picker(
    "were",
    { "data-testid": "uq-stress-category" },
    (value) => session.request({ stress_category: value }),
    signal,
  );
  const rest = h("span");
  const question = h("div", { class: "uq-question" }, feature.element, category.element, rest);
  const slider = tauSlider((tau) => session.request({ tau }), signal);
  const more = moreOnDemand(
    context,
    "uq-anchor-options",
    () => import("./anchor.ts"),
    ({ anchorControls }) => anchorControls(session, about, signal),
  );
  const facts = readout();
  const words = h("span");
  const offer = button(
    "uq-use-tail-mean",
    "use the mean of the tail",
    () => session.request({ anchor: "tail-mean" }),
    signal,
  );
  const caution = h("p", { class: "uq-caution", role: "note", hidden: true }, words);
  // The room of the warning is reserved, so that the charts do not move under a moving slider.
  const hint = h("p", { class: "uq-hint" });
  const movable = about.features.some(({ unstressable }) => unstressable === null);
  const choices = about.features.map(({ name, unstressable }) => ({
    value: name,
    label: unstressable ? `${isolated(name)} (${unstressable})` : name,
    disabled: unstressable !== null,
  }));
  const element = h(
    "section",
    { class: "uq-stress-controls", "aria-label": "Stress level" },
    h("div", { class: "uq-stress-inputs" }, question, slider.element, more.element),
    facts.element,
    h("div", { class: "uq-stress-notes" }, hint, caution),
  );

  const meanAt = (stress: Stress | null) => (tau: number) => {
    const at = stress && rowOf(stress, names);
    if (!stress?.now || at === null) return "";
    const mean = valueAt(stress.taus, row(stress.reached, at, stress.taus.length), tau);
    const what = moved(stress.now);
    return Number.isFinite(mean) ? `${what} ${number(mean)}` : `no such ${what}`;
  };

  return {
    element,
    update({ frame, inputs }) {
      const stress = frame?.stress ?? null;
      const now = stress?.now ?? null;
      const chosen = about.features.find(({ name }) => name === inputs.stress_feature);
      const label = movable ? "choose a feature" : "no feature";
      const none = { value: "", label, disabled: true };
      feature.update(chosen ? choices : [none, ...choices], inputs.stress_feature);
      const isShare = chosen?.kind === "categorical";
      category.element.hidden = !isShare;
      if (isShare) {
        const values = chosen.values ?? (now?.category ? [now.category] : []);
        const current = now?.feature === chosen.name ? now.category : null;
        const wish = values.includes(inputs.stress_category) ? inputs.stress_category : current;
        category.update(
          values.map((value) => ({ value, label: value })),
          wish ?? "",
        );
      }
      setText(rest, isShare ? "less or more often?" : "were lower or higher on average?");
      const why = chosen ? null : movable ? PICK_FIRST : NONE_MOVABLE;
      const marks = isShare ? ["less often", "more often"] : ["lower", "higher"];
      marks.splice(1, 0, now?.start ? "at τ = 0" : "as in the data");
      slider.update(inputs.tau, meanAt(stress), marks, why);
      more.update(inputs, frame);
      const inGroups = frame?.inGroups ?? null;
      if (stress && now) facts.update(stress, now, inGroups);
      else facts.clear(stress ? "no feature is chosen" : "no stress yet");
      const text =
        frame?.rows === 0
          ? NO_ROW
          : stress && now
            ? warning(stress, now, about.n_rows, inGroups)
            : null;
      caution.hidden = text === null;
      hint.hidden = text !== null;
      setText(hint, why ?? (now ? effectOfWeights(now) : ""));
      setText(words, text ?? "");
      if (text && now?.status === "beyond quantile") caution.append(offer);
      else offer.remove();
    },
  };
}

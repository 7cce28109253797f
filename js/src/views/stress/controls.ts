import { row, valueAt } from "../../charts/profile.ts";
import { picker } from "../../controls/picker.ts";
import { tauSlider } from "../../controls/slider.ts";
import { h, setText } from "../../dom.ts";
import { isolated, number } from "../../format.ts";
import type { Context, Panel } from "../view.ts";
import { rowOf, type Stress } from "./reader.ts";
import { meaning, readout, warning } from "./readout.ts";

/** Shown in place of the warning, so that the charts do not move while a filter changes. */
const NO_ROW = "No row meets the filter; what is shown is of the last rows that did.";

const PICK_FIRST = "Choose a feature; then the slider moves its mean.";
const NONE_MOVABLE = "No feature of this table has a mean to move; the list says why of each.";

/** The controls of stress: the stressed feature, the slider of τ, and its effective sample size. */
export function stressControls({ session, about, uid, signal }: Context): Panel {
  const names = about.features.map(({ name }) => name);
  const feature = picker(
    "What if",
    { "data-testid": "uq-stress-feature" },
    (value) => session.request({ stress_feature: value }),
    signal,
  );
  const question = h(
    "div",
    { class: "uq-question" },
    feature.element,
    h("span", {}, "were lower or higher on average?"),
  );
  const slider = tauSlider(uid, (tau) => session.request({ tau }), signal);
  const facts = readout();
  const caution = h("p", { class: "uq-caution", role: "note", hidden: true });
  // The room of the warning is reserved, so that the charts do not move under a moving slider.
  const hint = h("p", { class: "uq-hint" });
  const movable = about.features.some(({ unstressable }) => unstressable === null);
  const choices = about.features.map(({ name, unstressable }) => ({
    value: name,
    label: unstressable ? `${name} (${unstressable})` : name,
    disabled: unstressable !== null,
  }));
  const element = h(
    "section",
    { class: "uq-stress-controls", "aria-label": "Stress level" },
    h("div", { class: "uq-stress-inputs" }, question, slider.element),
    facts.element,
    h("div", { class: "uq-said" }, hint, caution),
  );

  const meanAt = (stress: Stress | null, name: string) => (tau: number) => {
    const at = stress && rowOf(stress, names, name);
    if (!stress || at === null || !name) return "";
    const mean = valueAt(stress.taus, row(stress.reached, at, stress.taus.length), tau);
    const of = isolated(name);
    return Number.isFinite(mean) ? `mean of ${of} ${number(mean)}` : `no such mean of ${of}`;
  };

  return {
    element,
    update({ frame, inputs }) {
      const stress = frame?.stress ?? null;
      const chosen = names.includes(inputs.stress_feature);
      const label = movable ? "choose a feature" : "no feature";
      const none = { value: "", label, disabled: true };
      feature.update(chosen ? choices : [none, ...choices], inputs.stress_feature);
      const why = chosen ? null : movable ? PICK_FIRST : NONE_MOVABLE;
      slider.update(inputs.tau, meanAt(stress, inputs.stress_feature), why);
      const now = stress?.now ?? null;
      if (stress && now) facts.update(stress, now);
      else facts.clear(stress ? "no feature is chosen" : "no stress yet");
      const text =
        frame?.rows === 0 ? NO_ROW : stress && now ? warning(stress, now, about.n_rows) : null;
      caution.hidden = text === null;
      hint.hidden = text !== null;
      setText(hint, why ?? (now ? meaning(now) : ""));
      setText(caution, text ?? "");
    },
  };
}

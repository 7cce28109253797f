import { type Attributes, h, set, setText } from "../widget/dom.ts";
import { level } from "../widget/format.ts";
import { button } from "./button.ts";

/** Between two levels of the slider; at each of them the numbers of all panels are exact. */
const STEP = 0.05;
const nearest = (tau: number) => Math.round(tau / STEP) / 20;

/** A native range that stops at the levels of τ. */
export function tauRange(
  onStop: (tau: number) => void,
  attributes: Attributes,
  signal: AbortSignal,
) {
  const element = h("input", {
    ...{ type: "range", min: -1, max: 1, step: STEP, value: 0 },
    ...attributes,
  });
  const show = (tau: number) => {
    // A level from Python may lie between two steps.
    set(element, { step: tau === nearest(tau) ? STEP : "any" });
    element.value = String(tau);
  };
  const stop = () => {
    const tau = nearest(element.valueAsNumber);
    show(tau);
    onStop(tau);
  };
  element.addEventListener("input", stop, { signal });
  return { element, show };
}

/** The slider of the stress level τ: a native range from -1 to 1 with a reset button. */
export function tauSlider(onChange: (tau: number) => void, signal: AbortSignal) {
  const { element: range, show: move } = tauRange(
    (tau) => request(tau),
    { class: "uq-tau", "aria-label": "stress level τ", "data-testid": "uq-tau" },
    signal,
  );
  const output = h("output", { class: "uq-tau-value", "aria-hidden": "true" });
  const toZero = () => {
    move(0);
    request(0);
    // A disabled button would lose the focus to the page, so the slider takes it.
    range.focus();
  };
  const label = { "aria-label": "reset to 0: τ" };
  const reset = button("uq-tau-reset", "reset to 0", toZero, signal, label);
  const scale = h(
    "div",
    { class: "uq-tau-scale", "aria-hidden": "true" },
    h("span"),
    h("span"),
    h("span"),
  );
  let held = false;
  let describe: (tau: number) => string = () => "";

  let idle: string | null = null;

  const show = (tau: number) => {
    // The filled part of the track starts at zero, not at the left end: τ has a direction.
    const at = (tau + 1) / 2;
    range.style.setProperty("--uq-from", `${Math.min(0.5, at) * 100}%`);
    range.style.setProperty("--uq-to", `${Math.max(0.5, at) * 100}%`);
    setText(output, `τ = ${level(tau)}`);
    const meaning = describe(tau);
    set(range, { "aria-valuetext": `τ ${level(tau)}${meaning && `, ${meaning}`}` });
    // A τ without effect can still be reset to 0.
    range.disabled = idle !== null;
    set(range, { title: idle });
    reset.disabled = tau === 0;
  };
  const request = (tau: number) => {
    show(tau);
    onChange(tau);
  };

  range.addEventListener("pointerdown", () => (held = true), { signal });
  for (const event of ["pointerup", "pointercancel", "lostpointercapture", "blur"])
    range.addEventListener(event, () => (held = false), { signal });

  return {
    element: h(
      "div",
      { class: "uq-tau-control" },
      h("div", { class: "uq-tau-track" }, range, scale),
      output,
      reset,
    ),
    /** `meaning` describes a τ in words, `marks` its ends and 0; `why` is the reason why the slider is disabled. */
    update(
      tau: number,
      meaning: (tau: number) => string,
      marks: readonly string[],
      why: string | null,
    ): void {
      for (const [i, text] of marks.entries()) setText(scale.children[i] as Element, text);
      describe = meaning;
      idle = why;
      // During a drag, a frame of an older value must not move the slider.
      if (!held && range.valueAsNumber !== tau) move(tau);
      show(range.valueAsNumber);
    },
  };
}

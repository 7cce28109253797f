"""The controls of the explorer by keyboard: what their keys change, and how they are pressed."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from playwright.sync_api import expect

from browser.harness import PATIENCE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from playwright.sync_api import Locator

    from uqwidgets import Explorer

# A control without an identity of its own has that of its class or of its role.
FOCUSABLE = """(root) => [...root.querySelectorAll(
    "a[href], button, input, select, summary, textarea, [tabindex]")]
  .filter((one) => one.checkVisibility() && !one.disabled && one.tabIndex >= 0)
  .map((one) => ((one.id ||= `focus-${Math.random()}`), [
    one.id,
    one.dataset.testid?.replace(/^uq-column-.*/, "uq-column") ??
      (one.classList[0] || `${one.type} in ${one.parentElement.className}`),
    one.type ?? one.getAttribute("role") ?? one.tagName,
    one.getAttribute("aria-label") ?? one.textContent.slice(0, 40)]))"""
FOCUS = """() => {
  const one = document.activeElement;
  const { outlineStyle, outlineWidth } = getComputedStyle(one);
  const { width, height } = one.getBoundingClientRect();
  const isRinged = outlineStyle !== "none" && parseFloat(outlineWidth) >= 1;
  return { id: one.id, isLost: one === document.body, isSeen: isRinged && width * height > 0 };
}"""
# Whether the controls show these inputs, and the requests of the page are answered.
SHOWS = """(inputs) => {
  const frame = window.model.get("_frame");
  const same = (one, other) => JSON.stringify(one) === JSON.stringify(other);
  return frame.seq >= window.model.get("_seq") && same(window.model.get("pins"), inputs.pins) &&
    Object.entries(inputs).every(([name, value]) =>
      name === "pins" || same(window.model.get(name), value) && same(frame.inputs[name], value));
}"""
KEYS = {
    "select-one": ["ArrowDown"],
    "checkbox": ["Space"],
    "range": ["ArrowRight"],
    "slider": ["ArrowRight"],
    "number": ["Control+a", "3", "Enter"],
    "text": ["1", "Enter"],
    "option": ["ArrowDown", "Enter"],
    "search": ["z"],
    "date": ["ArrowUp"],
}


@dataclass(frozen=True)
class Operation:
    """What the keys of a control do.

    Attributes
    ----------
    changes
        The input of the kernel that changes, or "" where only the page does.
    shown
        What changes on the page, as an expression of the control ``one`` and of ``root``.
    keys
        The keys; the usual ones of its kind where there are none.
    after
        The control that makes this one appear, with its keys where they are not the usual ones.
    back
        The keys that restore the page.
    at
        Which of several controls it is; the first one may be chosen already.
    """

    changes: str = ""
    shown: str = ""
    keys: tuple[str, ...] = ()
    after: str = ""
    back: tuple[str, ...] = ()
    at: int = 0


def of(name: str, text: str = "textContent") -> str:
    """Return an expression for the text, or another property, of what has this identity."""
    return f"root.querySelector('[data-testid={name}]')?.{text}"


TOGGLE = Operation(shown="one?.parentElement.open", back=("Enter",))
# Buttons that are there while the model works; they have a test of their own.
OF_WORK = {"uq-stop", "uq-go-on"}
# Tab stops at every table, so that a long one can be scrolled by keys.
NOTHING = "nothing to scroll"
SCROLLS = Operation(
    shown=f"one.scrollHeight > one.clientHeight + 1 ? one.scrollTop : '{NOTHING}'",
    keys=("End",),
)
VALUE = "one?.getAttribute('aria-valuetext')"
PLACE = "one?.getAttribute('aria-valuenow')"
OPERATIONS = {
    "uq-shown-model": Operation("shown_model"),
    # Pins, undo, help.
    "uq-pin": Operation("pins"),
    "uq-undo": Operation("tau", after="uq-tau"),
    "uq-redo": Operation("tau", after="uq-undo"),
    # Its panel takes the focus, and Escape gives it back.
    "uq-save": Operation(shown="one.getAttribute('aria-expanded')", back=("Escape",)),
    "uq-copy": Operation(shown=of("uq-pin-status")),
    "uq-pin-view": Operation("tau", keys=("Home",), after="uq-tau"),
    "uq-pin-note": Operation("pins"),
    "uq-pin-ghost": Operation("pins"),
    "uq-pin-earlier": Operation("pins", after="uq-pin-view End"),
    "uq-pin-later": Operation("pins", after="uq-pin-view Home"),
    "uq-pin-delete": Operation("pins"),
    "uq-help": Operation(shown="one?.getAttribute('aria-expanded')", back=("Enter",)),
    "uq-tour": Operation(shown=of("uq-tour-card"), back=("Escape",)),
    "uq-tour-next": Operation(shown=of("uq-tour-card"), after="uq-tour", back=("Escape",)),
    "uq-tour-back": Operation(shown=of("uq-tour-card"), after="uq-tour-next", back=("Escape",)),
    "uq-help-close": Operation(shown=of("uq-tour-card"), after="uq-tour"),
    # The strip: the first note that an input mends.
    "uq-mend": Operation("n_repeats"),
    # Stress.
    "uq-stress-feature": Operation("stress_feature"),
    "uq-tau": Operation("tau"),
    "uq-tau-reset": Operation("tau"),
    "uq-anchor-options": TOGGLE,
    "uq-anchor": Operation("anchor"),
    "uq-tail": Operation("tail"),
    "uq-held": Operation("held"),
    "uq-held-value": Operation("held"),
    "uq-stress-category": Operation("stress_category"),
    "uq-indicator": Operation("indicator"),
    "uq-over-time-indicator": Operation("indicator"),
    "uq-slices-measure": Operation("slices_of"),
    "uq-tau-beside": Operation("tau"),
    # Rows.
    # An arrow key opens its list, a letter chooses.
    "uq-filter-add": Operation("ice_filter", keys=("a",)),
    "uq-filter-all": Operation("ice_filter", after="uq-filter-none"),
    "uq-filter-none": Operation("ice_filter"),
    "uq-filter-search": Operation(shown=of("uq-filter-item"), back=("Backspace",)),
    "uq-filter-value": Operation("ice_filter"),
    "uq-filter-class": Operation("ice_filter"),
    "uq-filter-only": Operation("ice_filter"),
    "uq-filter-missing": Operation("ice_filter"),
    "uq-filter-remove": Operation("ice_filter"),
    "uq-filter-low": Operation("ice_filter"),
    "uq-filter-high": Operation("ice_filter"),
    "range in uq-range": Operation("ice_filter"),
    "uq-cohort": Operation("ice_filter"),
    "uq-complement": Operation("complement"),
    "uq-cohort-save": Operation(shown=of("uq-cohort-name", "hidden"), back=("Escape",)),
    "uq-cohort-name": Operation("cohorts", after="uq-cohort-save"),
    "uq-cohort-copy": Operation("cohorts", after="uq-cohort"),
    "uq-cohort-rename": Operation(
        shown=of("uq-cohort-name", "hidden"), after="uq-cohort", back=("Escape",)
    ),
    "uq-cohort-delete": Operation("cohorts", after="uq-cohort"),
    # Importance.
    "uq-interval": Operation("interval"),
    "uq-simultaneous": Operation("simultaneous"),
    "uq-row-groups": Operation("groups"),
    "uq-repeats": Operation("n_repeats"),
    "uq-importance-options": TOGGLE,
    "uq-column": Operation("importance_of"),
    "uq-replacement": Operation("replacement"),
    "uq-compare": Operation("compare"),
    "uq-grouped": Operation("grouped"),
    "uq-verdict": Operation("verdict"),
    "uq-redundancy": Operation("redundancy"),
    "uq-sort": Operation("sort"),
    "uq-search": Operation(
        shown="root.querySelectorAll('[data-testid=uq-importance-row]').length", back=("Backspace",)
    ),
    "uq-importance-row": Operation("feature"),
    "uq-fold": Operation("top"),
    "uq-over-tau-name": Operation("feature", at=1),
    "uq-indicators-line": Operation("stress_feature", at=1),
    "uq-indicators-chart": Operation("indicator", at=1),
    "uq-pixel-measure": Operation(
        shown="root.querySelector('.uq-pixel-map').getAttribute('aria-label')"
    ),
    # The model itself.
    "uq-calibration-by": Operation("calibration_by"),
    "uq-logit": Operation("logit"),
    "uq-confusion-cell": Operation("selection"),
    "uq-pixel-map": Operation(
        shown="one?.getAttribute('aria-activedescendant')", keys=("ArrowRight",)
    ),
    # Curves.
    "uq-feature": Operation("feature"),
    "uq-measure": Operation("measure"),
    "uq-dependence-options": TOGGLE,
    "uq-lines": Operation("ice_lines"),
    "uq-color-by": Operation("color_by"),
    "uq-group-averages": Operation("group_averages"),
    "uq-own-values": Operation("own_values"),
    "uq-rug": Operation("rug"),
    "uq-center": Operation("center"),
    "uq-center-at": Operation("center_at"),
    "uq-relative": Operation("relative"),
    "uq-derivative": Operation("derivative"),
    "uq-spacing": Operation("spacing"),
    "uq-category-order": Operation("category_order"),
    "uq-clip": Operation("clip_lines"),
    "uq-range-low": Operation("selection"),
    "uq-range-high": Operation("selection", keys=("ArrowLeft",)),
    "uq-range-keep": Operation("ice_filter", after="uq-range-low"),
    "uq-range-clear": Operation(
        shown=of("uq-range-keep", "checkVisibility()"), after="uq-range-low"
    ),
    "uq-small-curves": Operation("small_curves"),
    "uq-small-curve": Operation("feature", at=1),
    "uq-second": Operation("second"),
    "uq-compare-with": Operation("compare_with"),
    # Single rows.
    "uq-selection-find": Operation("selection"),
    "uq-selection-lines": Operation(shown=VALUE),
    "uq-selection-line": Operation("selection"),
    "uq-selection-clear": Operation("selection"),
    "uq-selection-keep": Operation("ice_filter"),
    "uq-selected-row": Operation("row", keys=("ArrowDown",)),
    "uq-card-previous": Operation("row"),
    "uq-card-next": Operation("row"),
    "uq-what-if": Operation("what_if"),
    "uq-what-if-slider": Operation("what_if"),
    "uq-what-if-search": Operation(
        shown="root.querySelectorAll('.uq-value').length", back=("Backspace",)
    ),
    "uq-what-if-reset": Operation("what_if", after="uq-what-if"),
    # Numbers of charts: a crosshair, and a table that scrolls.
    "uq-reader": Operation(shown=PLACE, keys=("Home", "ArrowRight")),
    "uq-table-toggle": TOGGLE,
    "uq-table-scroll": replace(SCROLLS, after="uq-table-toggle"),
    "uq-cost": TOGGLE,
}
IS_LAST = """(select) => ![...select.options].slice(select.selectedIndex + 1)
  .some((option) => !option.disabled)"""
# What an expression gives of a control, which may be gone.
SHOWN = """(root, [id, expression]) => String(
  Function("root", "one", `return ${expression}`)(root, document.getElementById(id)))"""


def opener(name: str) -> str:
    """Return the control that is always there, and with which one comes to this one."""
    after = OPERATIONS[name].after
    return opener(after.split()[0]) if after else name


class Keyboard:
    """Operates the controls of a widget by keys alone, and restores its inputs."""

    def __init__(self, widget: Explorer, root: Locator) -> None:
        self.widget, self.root, self.page = widget, root, root.page

    def controls(self) -> list[tuple[str, str]]:
        """Return the name and the kind of every control; all are in the table."""
        names = [(name, kind) for _, name, kind, _ in self.root.evaluate(FOCUSABLE)]
        assert {name for name, _ in names} <= {*OPERATIONS, *OF_WORK}
        return names

    def begin(self, **inputs: Any) -> None:
        """Set inputs, wait until the page shows them, and keep all inputs to restore them."""
        self.widget.state = {**self.widget.state, **inputs}
        assert self.widget.wait(PATIENCE / 1000)
        self.inputs = {**self.widget._frame["inputs"], "pins": self.widget.pins}
        self.before = self.widget.state
        self.restore()

    def restore(self) -> None:
        """Restore the inputs, and wait until the page shows them."""
        if self.widget.state != self.before:
            self.widget.state = self.before
        self.page.wait_for_function(SHOWS, arg=self.inputs)

    def operate(self, name: str, kind: str = "") -> None:
        """Press the keys of a control, and wait until what they change has changed."""
        operation = OPERATIONS[name]
        self._prepare(operation)
        read = self._press(name, operation.keys, kind)
        after = read()
        for key in operation.back:
            self.page.keyboard.press(key)
        if operation.back:
            self._until(lambda: read() != after, name)
        assert not self.page.evaluate(FOCUS)["isLost"], f"the keys of {name} lose the focus"
        self.controls()

    def _prepare(self, operation: Operation) -> None:
        if operation.after:
            opener, *keys = operation.after.split()
            self._prepare(OPERATIONS[opener])
            self._press(opener, keys)

    def _press(self, name: str, keys: Iterable[str], kind: str = "") -> Callable[[], Any]:
        """Press keys, wait for the change, and return what reads it."""
        operation = OPERATIONS[name]
        self._until(lambda: len(self._alike(name, kind)) > operation.at, name)
        identity, kind = self._alike(name, kind)[operation.at]
        control = self.root.locator(f'[id="{identity}"]')
        expect(control).not_to_have_attribute("aria-disabled", "true")
        if kind == "select-one" and control.evaluate(IS_LAST):
            keys = ["ArrowUp"]

        def read() -> Any:
            if operation.changes:
                return self.widget.state[operation.changes]
            return self.root.evaluate(SHOWN, [identity, operation.shown])

        before = read()
        control.focus()
        for key in keys or KEYS.get(kind, ["Enter"]):
            self.page.keyboard.press(key)
        if before != NOTHING:
            self._until(lambda: read() != before, name)
        return read

    def _alike(self, name: str, kind: str) -> list[tuple[str, str]]:
        """Return the identity and the kind of all controls of a name, of one kind or of any."""
        controls = self.root.evaluate(FOCUSABLE)
        return [(one[0], one[2]) for one in controls if one[1] == name and kind in ("", one[2])]

    def _until(self, condition: Callable[[], bool], name: str) -> None:
        limit, pause = time.monotonic() + PATIENCE / 1000, 10.0
        while not condition():
            assert time.monotonic() < limit, f"the keys of {name} change nothing"
            self.page.wait_for_timeout(pause)
            pause = min(1.5 * pause, 100)

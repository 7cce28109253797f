"""One round through the widget, the same in every host: what a person does first."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import date
from importlib.metadata import version
from typing import TYPE_CHECKING

import numpy as np
from playwright.sync_api import expect

from browser.reading import ROUNDING, answered, number, table, wait_for_answer
from hosts.demo import make
from hosts.hosts import TAU_OF_PYTHON

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import Locator, Page

    from hosts.hosts import Host

# Computed styles of each kind of element, by its class: a host's style sheets must not change them.
STYLES = """(root) => {
  const properties = ["margin-top", "margin-bottom", "padding", "border-width", "border-radius",
    "font-size", "font-weight", "font-style", "line-height", "letter-spacing", "text-transform",
    "text-align", "text-decoration-line", "display", "box-sizing", "list-style-type",
    "opacity", "white-space", "text-shadow", "box-shadow", "float", "border-collapse", "position",
    "transform", "visibility", "cursor", "min-height", "max-width"];
  const styles = {};
  for (const element of root.querySelectorAll("*")) {
    const name = element.getAttribute("class");
    const place = element.closest("[hidden]") ? "hidden" : "shown";
    const key = `${element.localName}.${name ?? ""} ${element.type ?? ""} ${place}`;
    // A slider has no text.
    if (name === null || key in styles || element.type === "range") continue;
    const style = getComputedStyle(element);
    const each = properties.map((property) => [property, style.getPropertyValue(property)]);
    styles[key] = Object.fromEntries(each);
  }
  return styles;
}"""

#: By element: its computed styles.
Styles = dict[str, dict[str, str]]
#: Called with the width of the widget; returns its styles without a host.
Reference = Callable[[str, int], Styles]

DARK = """() => window.jupyterapp.commands.execute(
  "apputils:change-theme", { theme: "JupyterLab Dark" })"""


@dataclass
class Round:
    """The steps of a round and how each ended.

    Attributes
    ----------
    outcomes : dict
        By step: "yes", or what went wrong.
    """

    page: Page
    outcomes: dict[str, str] = field(default_factory=dict)

    def step(self, name: str, act: Callable[[], None]) -> None:
        """Do a step, whatever became of those before."""
        try:
            act()
        except Exception as error:  # noqa: BLE001  the test says all that went wrong
            self.outcomes[name] = f"{type(error).__name__}: {error}"[:3000]
        else:
            self.outcomes[name] = "yes"

    @property
    def faults(self) -> dict[str, str]:
        return {name: outcome for name, outcome in self.outcomes.items() if outcome != "yes"}


def first_root(page: Page) -> Locator:
    root = page.get_by_test_id("uq-root").first
    root.wait_for(state="attached", timeout=200_000)
    wait_for_answer(root)
    return root


def are_the_numbers_of_python(rows: list[list[str]], tau: float, share: float = 0.0) -> None:
    """Fail unless a table has the importance that Python computes, but for rounding.

    Parameters
    ----------
    rows : list of list of str
        Cells of the table of importance.
    tau : float
    share : float
        Of the largest importance: how far a number may be away besides.
    """
    with make() as explorer:
        explorer.tau = tau
        assert explorer.wait(60)
        expected = explorer.result("importance")
    of = dict(zip(expected.features, expected.importance, strict=True))
    shown = {name: number(cells[0]) for name, *cells in rows}
    assert set(shown) == set(of)
    for name, value in of.items():
        np.testing.assert_allclose(shown[name], value, rtol=ROUNDING, atol=share * max(of.values()))


def styles(root: Locator) -> Styles:
    return root.evaluate(STYLES)


def changed_styles(own: Styles, expected: Styles) -> dict[str, tuple[str, str]]:
    """Return the styles that are not as expected, with both values, of the parts that both have."""
    assert len(own.keys() & expected.keys()) > 50
    return {
        f"{key}: {name}": (value, own[key][name])
        for key, of in expected.items()
        if key in own
        for name, value in of.items()
        if own[key][name] != value
    }


def go_round(page: Page, host: Host, reference: Callable[[int], Styles]) -> Round:
    """Do all steps on a page on which the app is open."""
    this = Round(page)
    root = page.get_by_test_id("uq-root").first

    def shows() -> None:
        expect(first_root(page).get_by_test_id("uq-importance-row")).to_have_count(3)
        are_the_numbers_of_python(table(root, "Importance"), 0.0)
        # What is sent for all levels of tau arrives too.
        expect(root.locator(".uq-feature-lines path").first).to_be_visible()

    def moves() -> None:
        with answered(root):
            for _ in range(2):
                root.get_by_test_id("uq-tau").press("PageUp")
        tau = float(root.get_by_test_id("uq-tau").input_value())
        assert tau > 0
        expect(root.get_by_test_id("uq-stress-readout")).to_contain_text(f"τ {tau:.2f}")
        are_the_numbers_of_python(table(root, "Importance"), tau)
        expect(page.get_by_text("tau is").last).to_contain_text(f"tau is {tau:.2f}")

    def chooses() -> None:
        with answered(root):
            root.get_by_test_id("uq-measure").select_option(value="entropy")
        expect(root.locator(".uq-curves .uq-title").first).to_contain_text("entropy")

    def follows_python() -> None:
        page.get_by_role("button", name="from Python").first.click()
        expect(root.get_by_test_id("uq-tau")).to_have_value(str(TAU_OF_PYTHON))
        sign = f"τ −{-TAU_OF_PYTHON:.2f}"
        expect(root.get_by_test_id("uq-stress-readout")).to_contain_text(sign)

    def shows_twice() -> None:
        second = page.get_by_test_id("uq-root").nth(1)
        second.scroll_into_view_if_needed()
        wait_for_answer(second)
        with answered(second):
            second.get_by_test_id("uq-tau").press("Home")
        expect(root.get_by_test_id("uq-tau")).to_have_value("-1")

    def keeps_its_styles() -> None:
        changed = changed_styles(styles(root), reference(round(root.bounding_box()["width"])))
        assert not changed, changed

    def survives_a_reload() -> None:
        if host.notebook:
            page.evaluate(host.notebook.save)
        page.reload()
        again = first_root(page)
        before = again.get_by_test_id("uq-tau").input_value()
        with answered(again):
            again.get_by_test_id("uq-tau").press("ArrowRight")
        assert again.get_by_test_id("uq-tau").input_value() != before

    this.step("shows Python's numbers", shows)
    if this.faults:
        return this  # every other step would wait in vain
    this.step("keeps its styles", keeps_its_styles)
    this.step("tau from the page", moves)
    this.step("a choice", chooses)
    this.step("tau from Python", follows_python)
    if host.shows_twice:
        this.step("two views", shows_twice)
    this.step("reload", survives_a_reload)
    return this


def is_dark(page: Page) -> None:
    """Fail unless the widget is dark; a host may take a while to load its theme."""
    expect(first_root(page)).to_have_attribute("data-theme", "dark")


def raise_if(errors: list[str]) -> None:
    """Fail if the page raised errors, or asked other addresses."""
    assert not errors, errors


def record(
    folder: Path,
    host: Host,
    browser: str,
    browser_version: str,
    of: Round,
    release: str | None = None,
) -> None:
    """Write what came of a round, for the table of hosts; an older release has its own file."""
    entry = {
        "host": host.name,
        "version": release or version(host.package),
        "browser": browser,
        "browser version": browser_version,
        "date": date.today().isoformat(),
        "requests elsewhere": host.requests_elsewhere,
        "steps": of.outcomes,
    }
    minor = release.rsplit(".", 1)[0] if release else ""
    name = "-".join(filter(None, (host.name, minor, browser)))
    name = name.replace(", ", "-").replace(" ", "-").lower()
    (folder / f"{name}.json").write_text(json.dumps(entry, indent=2, ensure_ascii=False) + "\n")

"""The round of `rounds` in WebKit, whose driver knows neither locators nor their waits."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from selenium.common.exceptions import JavascriptException
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import WebDriverWait

from browser.harness import PATIENCE
from browser.reading import ANSWERED, ROWS
from hosts.hosts import TAU_OF_PYTHON
from hosts.rounds import STYLES, Round, are_the_numbers_of_python

if TYPE_CHECKING:
    from collections.abc import Iterator

    from selenium.webdriver import WebKitGTK
    from selenium.webdriver.remote.webelement import WebElement

    from hosts.hosts import Host
    from hosts.rounds import Styles

#: Seconds until a host has opened its page and run the app.
OPENING = 120

# marimo shows widgets in shadow roots, which selectors do not enter.
EVERY = """const every = (at, selector) => [...at.querySelectorAll(selector),
  ...[...at.querySelectorAll("*")].filter((element) => element.shadowRoot)
    .flatMap((element) => every(element.shadowRoot, selector))];
const roots = () => every(document, "[data-testid=uq-root]");
const part = (at, id) => roots()[at].querySelector(`[data-testid=${id}]`);
"""
NOTE_ERRORS = """if (window.noted === undefined) {
  window.noted = [];
  addEventListener("error", (event) => noted.push(String(event.message)));
  addEventListener("unhandledrejection", (event) => noted.push(String(event.reason)));
}"""
# A native menu opens outside the page, where the driver cannot choose.
CHOOSE = """const menu = part(arguments[0], arguments[1]);
menu.value = arguments[2];
for (const name of ["input", "change"]) menu.dispatchEvent(new Event(name, { bubbles: true }));"""
SAYS = """return every(document, "*")
  .some((element) => element.childElementCount === 0
    && element.textContent.includes(arguments[0]));"""
PRESS = """every(document, "button")
  .find((button) => button.textContent.includes(arguments[0])).click();"""


class View:
    """One view of the explorer on the page of a driver, by its number."""

    def __init__(self, driver: WebKitGTK, at: int = 0) -> None:
        self.driver, self.at = driver, at

    def run(self, code: str, *arguments: Any) -> Any:
        return self.driver.execute_script(EVERY + code, *arguments)

    def awaited(self, expression: str, *arguments: Any) -> Any:
        """Return what a promise resolves to; an error of it is raised."""
        code = f"""const done = arguments[arguments.length - 1];
        Promise.resolve({expression})
          .then((value) => done([value, null]), (error) => done([null, String(error)]));"""
        value, error = self.driver.execute_async_script(EVERY + code, *arguments)
        if error is not None:
            raise JavascriptException(error)
        return value

    def until(self, code: str, *arguments: Any, seconds: float = PATIENCE / 1000) -> None:
        waiting = WebDriverWait(self.driver, seconds, ignored_exceptions=[JavascriptException])
        waiting.until(lambda _: self.run(code, *arguments), code)

    def part(self, name: str) -> WebElement:
        return self.run("return part(arguments[0], arguments[1])", self.at, name)

    def text(self, selector: str) -> str:
        code = "return roots()[arguments[0]].querySelector(arguments[1]).textContent"
        return self.run(code, self.at, selector)

    def wait_for_answer(self, after: int = -1) -> None:
        of = {"after": after, "quiet": 250, "limit": 60_000}
        self.awaited(f"({ANSWERED})(roots()[arguments[0]], arguments[1])", self.at, of)

    @contextmanager
    def answered(self) -> Iterator[None]:
        """Wait at the end of the block until the answer to its changes is on the page."""
        after = int(self.run("return roots()[arguments[0]].dataset.seq ?? -1", self.at))
        yield
        self.wait_for_answer(after)

    def press(self, key: str, times: int = 1) -> None:
        slider = self.part("uq-tau")
        self.run("arguments[0].scrollIntoView({ block: 'center' })", slider)
        with self.answered():
            for _ in range(times):
                slider.send_keys(key)

    def tau(self) -> float:
        return float(self.part("uq-tau").get_property("value"))

    def has_tau(self, tau: float) -> None:
        self.until(
            "return Number(part(arguments[0], 'uq-tau').value) === arguments[1]", self.at, tau
        )

    def has_numbers(self, tau: float) -> None:
        details = "roots()[arguments[0]].querySelector('[aria-label=Importance] .uq-twin')"
        are_the_numbers_of_python(self.awaited(f"({ROWS})({details})", self.at), tau)

    def opens(self) -> None:
        self.until("return roots().length > 0", seconds=OPENING)
        self.run(NOTE_ERRORS)
        self.wait_for_answer()

    def styles(self) -> Styles:
        return self.run(f"return ({STYLES})(roots()[arguments[0]])", self.at)


@dataclass
class RoundInWebKit(Round):
    """The steps of a round, and what the page was like.

    Attributes
    ----------
    errors : list of str
        Errors of the page after it was open.
    styles : dict
        Computed styles of the explorer in this host.
    width : int
        Of the explorer.
    """

    errors: list[str] = field(default_factory=list)
    styles: Styles = field(default_factory=dict)
    width: int = 0


def go_round(driver: WebKitGTK, host: Host) -> RoundInWebKit:
    """Do the steps on a page on which the app is open."""
    this, view = RoundInWebKit(None), View(driver)

    def shows() -> None:
        view.opens()
        assert len(view.run("return every(roots()[0], '[data-testid=uq-importance-row]')")) == 3
        view.has_numbers(0.0)

    def moves() -> None:
        view.press(Keys.PAGE_UP, 2)
        tau = view.tau()
        assert tau > 0
        assert f"τ {tau:.2f}" in view.text("[data-testid=uq-stress-readout]")
        view.has_numbers(tau)
        view.until(SAYS, f"tau is {tau:.2f}")

    def chooses() -> None:
        with view.answered():
            view.run(CHOOSE, 0, "uq-measure", "entropy")
        assert "entropy" in view.text(".uq-curves .uq-title")

    def follows_python() -> None:
        view.run(PRESS, "from Python")
        view.has_tau(TAU_OF_PYTHON)

    def shows_twice() -> None:
        second = View(driver, 1)
        second.until("return roots().length > 1")
        second.run("roots()[1].scrollIntoView()")
        second.wait_for_answer()
        second.press(Keys.HOME)
        view.has_tau(-1.0)

    def survives_a_reload() -> None:
        this.errors += view.run("return window.noted")
        if host.notebook:
            view.awaited(f"({host.notebook.save})()")
        driver.refresh()
        view.opens()
        before = view.tau()
        view.press(Keys.ARROW_RIGHT)
        assert view.tau() != before

    this.step("shows Python's numbers", shows)
    if this.faults:
        return this  # every other step would wait in vain
    this.styles = view.styles()
    this.width = round(view.run("return roots()[0].getBoundingClientRect().width"))
    this.step("tau from the page", moves)
    this.step("a choice", chooses)
    this.step("tau from Python", follows_python)
    if host.shows_twice:
        this.step("two views", shows_twice)
    this.step("reload", survives_a_reload)
    # What stands in the page's console before it is open is not seen by this driver.
    this.errors += view.run("return window.noted ?? []")
    return this

"""Reading the widget as a person does: wait until it has answered, then take its numbers."""

from __future__ import annotations

import re
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import Locator

# Answered: a frame later than the one before, the last of its answer, and none after it for a
# while. The root tells of every paint.
ANSWERED = """(root, { after, quiet, limit }) => new Promise((resolve, reject) => {
  let timer;
  const look = () => {
    clearTimeout(timer);
    if (Number(root.dataset.seq) > after && root.dataset.final === "true")
      timer = setTimeout(resolve, quiet);
  };
  root.addEventListener("uq:painted", look);
  setTimeout(() => reject(new Error(`no answer after frame ${after}`)), limit);
  look();
})"""
ROWS = """(details) => {
  details.open = true;
  return new Promise((resolve) => setTimeout(() => resolve(
    [...details.querySelectorAll("tbody tr")].map((row) =>
      [...row.children].map((cell) => cell.textContent))), 50));
}"""
NUMBER = re.compile(r"-?\d[\d,]*(?:\.\d+)?(?:e[+-]?\d+)?")

# Numbers are shown with three significant digits.
ROUNDING = 0.0051


def wait_for_answer(root: Locator, after: int = -1, quiet: int = 250, limit: int = 20_000) -> None:
    root.evaluate(ANSWERED, {"after": after, "quiet": quiet, "limit": limit})


@contextmanager
def answered(root: Locator) -> Iterator[None]:
    """Do something to the widget, and go on when everything that came of it is on the page."""
    after = int(root.get_attribute("data-seq") or -1)
    yield
    wait_for_answer(root, after)


def numbers(text: str) -> list[float]:
    """Return every number in a text, in order."""
    plain = text.replace("−", "-")
    return [float(found.replace(",", "")) for found in NUMBER.findall(plain)]


def number(text: str) -> float:
    """Return the one number of a table's cell, or nan where it says that there is none."""
    return float("nan") if text == "not available" else numbers(text)[0]


def table(root: Locator, panel: str) -> list[list[str]]:
    """Return the rows of the table that stands for a panel's chart, as text."""
    details = root.get_by_role("region", name=panel, exact=True).locator("details")
    return details.evaluate(ROWS)


def model_calls(root: Locator) -> int:
    """Return what the last change cost, as the footer says it."""
    text = root.get_by_test_id("uq-footer").inner_text()
    return int(numbers(text)[0])

"""Readers of the widget on a page: they wait for its answer and return its texts and numbers."""

from __future__ import annotations

import re
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import Locator

# Resolves after the final frame of an answer later than `after`, once no further frame has been
# painted for `quiet` ms. The root sends an event for every painted frame.
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
# Sends `events` input events within about a second, the last one with the value `last`, and counts
# the requests that are answered from then on until the readout shows this value. The last event is
# sent at a painted frame, so that no frame that was received before it is painted after it.
FLOOD = """(root, { events, last }) => new Promise((resolve) => {
  const slider = root.querySelector("[data-testid=uq-tau]");
  const readout = root.querySelector("[data-testid=uq-stress-readout]");
  const started = performance.now();
  let sent = 0;
  const send = (value) => {
    slider.value = String(value);
    slider.dispatchEvent(new Event("input", { bubbles: true }));
    sent += 1;
  };
  const timer = setInterval(() => {
    const due = Math.min(events - 1, ((performance.now() - started) / 1000) * events);
    while (sent < due) send(0.9 * Math.sin(sent / 10));
    if (sent < events - 1) return;
    clearInterval(timer);
    root.addEventListener("uq:painted", finish, { once: true });
  }, 1);
  const finish = ({ detail: { seq: before } }) => {
    const answered = new Set();
    root.addEventListener("uq:painted", ({ detail }) => {
      if (detail.seq > before) answered.add(detail.seq);
      if (readout.textContent.includes(`τ ${last.toFixed(2)}`)) resolve(answered.size);
    });
    send(last);
  };
})"""
# Elements that scroll, are clipped, or are for screen readers only are exempt.
OUTSIDE = """(root) => {
  const box = root.getBoundingClientRect();
  const exempt = ".uq-sr, .uq-half, .uq-ends, .uq-table-scroll, .uq-confusion-scroll, .uq-clip";
  return [...root.querySelectorAll("*")]
    .filter((element) => !element.closest(exempt))
    .filter((element) => {
      const inner = element.getBoundingClientRect();
      return inner.width > 0 && (inner.right > box.right + 2 || inner.left < box.left - 2);
    })
    .map((element) => element.outerHTML.slice(0, 120));
}"""
NUMBER = re.compile(r"-?\d[\d,]*(?:\.\d+)?(?:e[+-]?\d+)?")

# Numbers are shown with three significant digits.
ROUNDING = 0.0051


def wait_for_answer(root: Locator, after: int = -1, quiet: int = 250, limit: int = 60_000) -> None:
    root.evaluate(ANSWERED, {"after": after, "quiet": quiet, "limit": limit})


@contextmanager
def answered(root: Locator) -> Iterator[None]:
    """Wait at the end of the block until the answer to its changes is on the page."""
    after = int(root.get_attribute("data-seq") or -1)
    yield
    wait_for_answer(root, after)


def flood(root: Locator, events: int, last: float) -> int:
    """Move τ many times within a second, and wait until the last value is shown.

    Returns
    -------
    int
        Requests that were answered after the last event.
    """
    return root.evaluate(FLOOD, {"events": events, "last": last})


def outside(root: Locator) -> list[str]:
    """Return the elements of a widget that extend beyond its left or right edge."""
    return root.evaluate(OUTSIDE)


def numbers(text: str) -> list[float]:
    """Return every number in a text, in order."""
    plain = text.replace("−", "-")
    return [float(digits.replace(",", "")) for digits in NUMBER.findall(plain)]


def number(text: str) -> float:
    """Return the number of a table's cell, nan if it is not available."""
    return float("nan") if text == "not available" else numbers(text)[0]


def table(root: Locator, panel: str) -> list[list[str]]:
    """Return the rows of the table of a panel's chart as text."""
    details = root.get_by_role("region", name=panel, exact=True).locator("details.uq-twin")
    return details.evaluate(ROWS)


def model_calls(root: Locator) -> int:
    """Return the number of model calls of the last change, from the footer."""
    text = root.locator(".uq-cost").text_content()
    return int(numbers(text)[0])

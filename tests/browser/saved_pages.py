"""What tests of saved pages share: opening them, choosing inputs, and comparing their numbers."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from browser.harness import watched_page
from browser.reading import ROUNDING, answered, number, table, wait_for_answer

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from playwright.sync_api import Browser, Locator

    import uqwidgets as uq

# Features that are shown before somebody asks for all.
_MOST_SHOWN = 50


@contextmanager
def opened(browser: Browser, path: Path) -> Iterator[Locator]:
    """Open a page, which may ask for nothing but itself, and return the root of its widget."""
    with watched_page(browser) as page:
        requests: list[str] = []
        page.on("request", lambda request: requests.append(request.url))
        page.goto(path.as_uri())
        root = page.get_by_test_id("uq-root")
        wait_for_answer(root)
        yield root
        assert requests == [path.as_uri()]


def choose(root: Locator, **inputs: Any) -> None:
    """Set controls one after the other, and wait for the answer to each."""
    for name, value in inputs.items():
        with answered(root):
            control = root.get_by_test_id(f"uq-{name.replace('_', '-')}")
            if name == "tau":
                control.evaluate(
                    "(e, v) => { e.value = v; e.dispatchEvent(new Event('input', {bubbles: true}));"
                    "e.dispatchEvent(new Event('change', {bubbles: true})); }",
                    str(value),
                )
            else:
                control.select_option(value)


def assert_importance(
    root: Locator, exact: uq.Importance, tolerance: float = 0.0, least: float = 0.0
) -> None:
    """Compare the table of importance with a result, to within a share of the axis.

    Parameters
    ----------
    least : float, default=0
        Differences that are rounding errors.
    """
    shown = table(root, "Importance")
    by_name = {name: i for i, name in enumerate(exact.features)}
    axis = max(exact.high) - min(0, *exact.low)
    assert len(shown) == min(len(by_name), _MOST_SHOWN)
    for name, value, low, high, *_ in shown:
        i = by_name[name]
        for text, end, off in (
            (value, exact.importance[i], tolerance),
            (low, exact.low[i], 5 * tolerance),
            (high, exact.high[i], 5 * tolerance),
        ):
            assert number(text) == _near(end, off * axis + least), name


def assert_curve(
    root: Locator, exact: uq.Dependence, tolerance: float = 0.0, least: float = 0.0
) -> None:
    """Compare the table of a curve with a result, to within a share of the axis.

    It is the axis of the lines of single rows. Where a reader zooms to the average, the share is
    three times as large.
    """
    shown = table(root, "Dependence")
    zoomed = max(exact.high) - min(exact.low)
    off = tolerance * min(max(zoomed, np.ptp(exact.ice)), 3 * zoomed)
    assert len(shown) == len(exact.grid)
    for cells, average in zip(shown, exact.average, strict=True):
        assert number(cells[1]) == _near(average, off + least)


def _near(exact: float, error: float) -> Any:
    """Return what a number with an error is equal to as it is printed."""
    return pytest.approx(exact, abs=error + ROUNDING * abs(exact), nan_ok=True)

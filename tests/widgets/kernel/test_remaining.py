"""The time that work still takes, by a clock that the tests move."""

from __future__ import annotations

import math
from collections.abc import Iterator

import pytest

from uqwidgets.widgets.kernel.remaining import Remaining

# What is done, how much of it, the estimate of the calls that are left, and the seconds until the
# next report, which are those of a call where there is an estimate.
Report = tuple[str, int, int, float | None, float]


def thousand_features() -> Iterator[Report]:
    """Ten shuffles: 0.4 s of calls, which the estimate knows, and 3.6 s of sums and intervals."""
    for shuffle in range(10):
        left = 4 - 0.4 * shuffle
        for call in range(4):
            yield f"importance, {shuffle} of 10 shuffles", call, 4, left - 0.1 * call, 0.1
        for feature in range(0, 1000, 100):
            what = f"intervals of importance for {shuffle} shuffles"
            yield what, feature, 1000, None, 0.36


def as_estimated() -> Iterator[Report]:
    for call in range(40):
        yield "importance", call, 40, 8 - 0.2 * call, 0.2


def left(reports: list[Report]) -> tuple[list[float], list[float]]:
    """Return what is shown to be left at each report, and what is."""
    remaining, now, in_model, shown, moments = Remaining(), 100.0, 7.0, [], []
    for what, done, total, estimate, seconds in reports:
        shown.append(remaining.ends(now, in_model, what, done, total, estimate) - now)
        moments.append(now)
        now += seconds
        in_model += seconds if estimate is not None else 0.0
    return shown, [now - moment for moment in moments]


def test_it_holds_within_a_factor_of_two_where_the_estimate_knows_a_tenth() -> None:
    shown, truth = left(list(thousand_features()))
    first = len(shown) // 5  # after two shuffles the rate is known
    for said, is_left in list(zip(shown, truth, strict=True))[
        first:-14
    ]:  # the last shuffle is short
        assert is_left / 2 <= said <= 2 * is_left
    # It counts down: hardly ever does a report say more than the one before.
    rises = [b - a for a, b in zip(shown[first:-1], shown[first + 1 :], strict=True)]
    assert sum(rise > 1 for rise in rises) <= 2


def test_a_right_estimate_stays_as_it_is() -> None:
    shown, truth = left(list(as_estimated()))
    assert shown == pytest.approx(truth, rel=0.01)


def test_without_an_estimate_a_step_goes_on_at_its_own_rate() -> None:
    steps: list[Report] = [("curves", done, 50, None, 0.5) for done in range(50)]
    shown, truth = left(steps)
    assert math.isinf(shown[0])
    assert shown[1:] == pytest.approx(truth[1:])


def test_further_work_does_not_count_as_time_that_was_lost() -> None:
    reports = [*as_estimated()][:20]
    reports += [("curve of b", call, 20, 12 - 0.2 * call, 0.2) for call in range(60)]
    shown, truth = left(reports)
    assert shown[40:] == pytest.approx(truth[40:], rel=0.1)

"""Levels of tau that a request interrupts: they are continued, and nothing is sent twice."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from uqwidgets.inference.moment_paths import path_moments
from uqwidgets.widgets.interruptions import SupersededError
from uqwidgets.widgets.over_tau import OverTau
from uqwidgets.widgets.views.stress import StressView
from widgets.following import Watched
from widgets.test_over_tau import logistic

MOMENTS = "uqwidgets.widgets.views.importance.drawn_changes.path_moments"


def ends_after(most: int) -> Callable[[], None]:
    """Return a check that raises once it was called so often."""
    checks = 0

    def check() -> None:
        nonlocal checks
        checks += 1
        if checks > most:
            raise SupersededError

    return check


def follow_to_the_end(watched: Watched, step: int) -> int:
    """Follow in requests that are interrupted, each after more checks; return their number."""
    for number in range(1, 400):
        try:
            watched.follow(ends_after(step * number))
        except SupersededError:
            continue
        return number
    pytest.fail("the levels are never complete")


def test_interrupted_levels_are_continued(
    watched: Watched, monkeypatch: pytest.MonkeyPatch
) -> None:
    counted: list[int] = []
    original = StressView._now
    monkeypatch.setattr(StressView, "_now", lambda *args: (counted.append(1), original(*args))[1])
    with pytest.raises(SupersededError):
        watched.follow(ends_after(20))
    assert not watched.messages
    assert follow_to_the_end(watched, 20) > 1
    assert watched.messages
    interrupted, counted[:] = len(counted), []
    fresh = OverTau(watched.views, watched.builder)
    assert list(fresh.follow(watched.inputs, lambda: None))
    assert interrupted <= 3 * len(counted)


def test_rough_intervals_are_computed_once(
    watched: Watched, monkeypatch: pytest.MonkeyPatch
) -> None:
    rough: list[str] = []

    def moments(*args: Any, **options: Any) -> Any:
        result = path_moments(*args, **options)
        rough.extend(["rough"] if options["most_rows"] else [])
        return result

    monkeypatch.setattr("uqwidgets.widgets.views.importance.over_tau._MANY_ROWS", 1)
    monkeypatch.setattr(MOMENTS, moments)
    assert follow_to_the_end(watched, 2) > 10
    assert len(rough) == len(watched.widget.explainer.features)


@pytest.mark.parametrize("many_rows", [1, 10**9])
def test_interrupted_levels_are_sent_once_and_end_with_those_of_a_whole_request(
    watched: Watched, monkeypatch: pytest.MonkeyPatch, many_rows: int
) -> None:
    monkeypatch.setattr("uqwidgets.widgets.views.importance.over_tau._MANY_ROWS", many_rows)
    follow_to_the_end(watched, 2)
    fresh = OverTau(watched.views, watched.builder)
    whole = list(fresh.follow(watched.inputs, lambda: None))
    assert len(watched.messages) == len(whole) == 2
    (meta, columns), (whole_meta, whole_columns) = watched.messages[-1], whole[-1]
    assert meta == whole_meta
    for name, values in whole_columns.items():
        np.testing.assert_allclose(columns[name], values, rtol=1e-6, atol=1e-12)


def test_levels_are_sent_again_after_those_of_other_inputs(watched: Watched) -> None:
    watched.follow()
    n_sent = len(watched.messages)
    watched.follow()
    assert len(watched.messages) == n_sent, "the page has them"
    watched.widget.stress_feature = "b"
    watched.widget.wait()
    others = watched.over_tau.follow(watched.inputs, lambda: None)
    next(others)
    others.close()  # a newer request came before the precise levels
    watched.widget.stress_feature = "a"
    watched.widget.wait()
    watched.follow()
    assert len(watched.messages) > n_sent


def test_ends_that_are_computed_are_not_computed_again_after_an_interruption(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("uqwidgets.widgets.views.importance.ends_over_tau._MOST_VALUES", 1)
    session = Watched(logistic()[0], n_repeats=6, stress_feature="a")
    computed: list[int] = []
    original = path_moments

    def moments(populations, *args, **options):
        if populations.weights.shape[1] == 1:
            if len(computed) == 5:
                raise SupersededError
            computed.append(1)
        return original(populations, *args, **options)

    monkeypatch.setattr(MOMENTS, moments)
    interruptions = 0
    while not session.messages or not session.over_tau.key:
        computed.clear()
        try:
            session.follow()
        except SupersededError:
            interruptions += 1
            assert interruptions < 100
    assert interruptions > 1
    session.widget.close()

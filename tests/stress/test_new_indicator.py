"""An indicator is declared in one place: everything else follows from its attributes."""

from __future__ import annotations

import numpy as np
import pytest

import uqwidgets as uq
from models import regression
from uqwidgets.stress import indicators as declarations
from uqwidgets.stress.indicators import Combination, Indicator
from uqwidgets.widgets.session.model_info import model_info
from widgets.wire import columns


def relative_error(square, target):
    """Root of the mean squared error in units of the mean of another output."""
    return np.sqrt(square) / target


def slopes(square, target):
    return 0.5 / (np.sqrt(square) * target), -np.sqrt(square) / np.square(target)


RELATIVE = Combination(relative_error, slopes)


@pytest.fixture
def explainer(monkeypatch):
    """An explainer of numbers, with an indicator that is declared before all others."""
    of_numbers = declarations.of_numbers

    def with_relative_error(measures, values):
        squares = values(measures["squared_error"])
        size = np.abs(values(measures["prediction"])) + 1
        outputs = (squares, size)
        yield Indicator("relative", "relative error", "", outputs, RELATIVE, (0.0, np.inf))
        yield from of_numbers(measures, values)

    monkeypatch.setattr(declarations, "of_numbers", with_relative_error)
    return regression(60)


def outputs_of(explainer):
    squares, sizes = explainer.indicators["relative"].per_row
    return squares, sizes


def test_a_new_indicator_is_listed_where_it_is_declared(explainer):
    assert list(explainer.indicators)[:3] == ["relative", "mean", "variance"]


def test_a_new_indicator_is_stressed_with_an_interval(explainer):
    feature = explainer.features[0]
    result = explainer.stress([feature], ["relative"], taus=5, level=0.9)
    squares, sizes = outputs_of(explainer)
    for k, tau in enumerate(result.taus):
        w = explainer.stress_weights(feature, tau)
        expected = np.sqrt(np.average(squares, weights=w)) / np.average(sizes, weights=w)
        assert result.values["relative"][0, k] == pytest.approx(expected)
        assert result.low["relative"][0, k] < expected < result.high["relative"][0, k]
    assert result.labels["relative"] == "relative error"
    # Without stress, the interval is about that of the delete-one jackknife.
    k = result.taus.tolist().index(0)
    n = len(squares)
    left_out = np.array(
        [np.sqrt(np.delete(squares, i).mean()) / np.delete(sizes, i).mean() for i in range(n)]
    )
    error = np.sqrt((n - 1) / n * np.square(left_out - left_out.mean()).sum())
    width = result.high["relative"][0, k] - result.low["relative"][0, k]
    assert width == pytest.approx(2 * 1.67 * error, rel=0.15)


def test_the_derivatives_are_those_of_the_combination():
    at, step = np.array([2.0, 3.0]), 1e-6
    for k, slope in enumerate(slopes(*at)):
        ends = [relative_error(*(at + sign * step * np.eye(2)[k])) for sign in (1, -1)]
        assert slope == pytest.approx((ends[0] - ends[1]) / (2 * step))


def test_a_new_indicator_is_a_score_and_takes_its_place_in_the_widget(explainer):
    assert explainer.scores("relative").value[0] > 0
    described = {one["name"]: one for one in model_info(explainer)["indicators"]}
    assert described["relative"]["bounds"] == [0, None]
    with uq.Explorer(explainer, indicator="relative", n_repeats=2) as widget:
        assert widget.wait(60)
        assert widget._frame["meta"]["stress"]["label"] == "relative error"
        shown = columns(widget._frame)["stress.value"]
        expected = explainer.stress(widget.explainer.features, ["relative"], taus=41)
        np.testing.assert_allclose(shown, expected.values["relative"], rtol=1e-6)

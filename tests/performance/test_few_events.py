"""An area under the ROC curve that rests on few rows of a class."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import ndtri
from scipy.stats import norm

import uqwidgets as uq
from uqwidgets.performance.shares import area_of_few


def model(X):
    p = norm.cdf(np.asarray(X)[:, 0])
    return np.column_stack([1 - p, p])


def table(seed, n=300, share=0.03, shift=0.95):
    rng, y = np.random.default_rng(seed), np.zeros(1)
    while not 2 <= y.sum() <= n - 2:
        y = (rng.random(n) < share).astype(int)
    return (rng.normal(size=n) + shift * y)[:, None], y


@pytest.mark.parametrize("area", [0.05, 0.5, 0.749, 0.98])
def test_the_ends_are_areas_as_far_away_as_the_normal_quantile(area):
    ends = area_of_few(area, 9, 291, 0.9)
    for end in ends:
        if 0 < end < 1:
            m = 300 / 2 - 1
            variance = end * (1 - end) / (9 * 291)
            variance *= 1 + m * (1 - end) / (2 - end) + m * end / (1 + end)
            assert abs(area - end) / np.sqrt(variance) == pytest.approx(ndtri(0.95), rel=1e-6)
    assert 0 <= ends[0] < area < ends[1] <= 1
    assert area_of_few(1 - area, 291, 9, 0.9) == pytest.approx((1 - ends[1], 1 - ends[0]))


def test_nine_events_of_300_rows_hold_and_have_a_remark():
    truth, held = norm.cdf(0.95 / np.sqrt(2)), 0
    for seed in range(200):
        result = uq.Explainer(model, *table(seed)).scores(["roc_auc"])
        held += result.low[0] <= truth <= result.high[0]
    # .90 by the influences of the rows.
    assert held / 200 > 0.95 - 3 * np.sqrt(0.95 * 0.05 / 200)
    remark = next(one for one in result.remarks if one.code == "few-events")
    assert "effective rows of one class" in remark


def test_a_perfect_ranking_of_few_events_has_an_interval():
    X, y = np.linspace(0, 1, 60)[:, None], np.zeros(60, dtype=int)
    y[-5:] = 1
    result = uq.Explainer(model, X, y).scores(["roc_auc"])
    assert result.value[0] == pytest.approx(1)
    assert 0.7 < result.low[0] < 0.99
    assert result.high[0] == 1


def test_many_events_keep_the_influences_of_rows():
    result = uq.Explainer(model, *table(0, share=0.5)).scores(["roc_auc"])
    assert not [one for one in result.remarks if one.code == "few-events"]
    assert result.high[0] - result.low[0] == pytest.approx(2 * 1.97 * result.std_error[0], rel=0.03)

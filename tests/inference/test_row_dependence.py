"""Tests of dependence: of independent rows they find nothing, of dependent ones the correlation."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.signal import lfilter
from scipy.special import ndtri
from scipy.stats import f_oneway, rankdata

from uqwidgets.inference.groups import RowGroups
from uqwidgets.inference.row_dependence import along_order, within_groups


def autoregression(rng, n, phi):
    return lfilter([1], [1, -phi], rng.normal(size=n + 200))[200:] * np.sqrt(1 - phi**2)


def test_the_analysis_of_variance_is_that_of_scipy():
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 12, size=200)
    values = rng.normal(size=200) + 0.2 * rng.normal(size=12)[codes]
    scores = ndtri((rankdata(values) - 0.5) / 200)
    expected = f_oneway(*(scores[codes == g] for g in range(12)))
    result = within_groups(values, RowGroups(codes), ordered=False)
    assert result.p_value == pytest.approx(expected.pvalue, rel=1e-9)


def test_the_correlation_and_the_factor_of_groups_are_found():
    rng, codes = np.random.default_rng(1), np.repeat(np.arange(400), 10)
    values = rng.normal(size=400)[codes] + rng.normal(size=4000)
    result = within_groups(values, RowGroups(codes), ordered=False)
    assert result.correlation == pytest.approx(0.5, abs=0.05)
    # The design effect is 1 + (10 - 1) 0.5 (Kish 1965).
    assert result.factor == pytest.approx(np.sqrt(5.5), rel=0.1)
    assert result.p_value < 1e-9


def test_a_smooth_trend_along_ordered_groups_is_no_dependence():
    rng, found = np.random.default_rng(2), 0
    for _ in range(200):
        age = rng.integers(18, 90, size=600)
        values = rng.normal(size=600) + np.sin(age / 12)
        groups = RowGroups(np.unique(age, return_inverse=True)[1])
        found += within_groups(values, groups, ordered=True).p_value < 0.01
    assert found <= 2 + 3 * np.sqrt(2)
    assert within_groups(values, groups, ordered=False).p_value < 0.01


@pytest.mark.parametrize(("phi", "least", "most"), [(0.0, -0.1, 0.1), (0.8, 0.7, 0.85)])
def test_the_correlation_along_an_order_is_found_beside_a_trend(phi, least, most):
    rng = np.random.default_rng(3)
    values = autoregression(rng, 1000, phi) + np.linspace(0, 5, 1000)
    result = along_order(values)
    assert least < result.correlation < most
    assert (result.p_value < 1e-6) == (phi > 0)
    factor = np.sqrt((1 + result.correlation) / (1 - result.correlation))
    assert result.factor == pytest.approx(max(factor, 1.0))

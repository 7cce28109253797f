"""Which grid values are far from the data, compared with the rule counted row by row."""

from __future__ import annotations

import itertools

import numpy as np
import pandas as pd
import pytest

from uqwidgets import Explainer
from uqwidgets.dependence.density import axis_of
from uqwidgets.dependence.density import near as near_in
from uqwidgets.dependence.grids import grid_of


def explained(**columns):
    frame = pd.DataFrame(columns)
    return Explainer(lambda d: np.zeros(len(d)), frame, np.zeros(len(frame)))


def near(column, grid, weights=None):
    result = explained(a=column).dependence("a", grid=grid, sample_weight=weights)
    return result.near


def quantile(values, weights, level):
    """Return the smallest value whose cumulative share of the weight reaches the level."""
    order = np.argsort(values)
    share = np.cumsum(weights[order]) / weights.sum()
    return values[order][np.searchsorted(share, level)]


def counted(columns, points, weights):
    """Apply the rule of the module row by row and point by point."""
    ess = weights.sum() ** 2 / np.square(weights).sum()
    texts = [column.dtype == object for column in columns]
    even = np.prod([min(0.1, 1 / len(p)) for p, text in zip(points, texts, strict=True) if text])
    numbers = texts.count(False)
    wide = min(1.0, max(0.1, (6 / (even * ess)) ** (1 / numbers))) if numbers else 0.0
    result = np.empty([len(p) for p in points], dtype=bool)
    for at in itertools.product(*(range(len(p)) for p in points)):
        inside = np.ones(len(weights), dtype=bool)
        for column, p, k, text in zip(columns, points, at, texts, strict=True):
            if text:
                inside &= column == p[k]
            else:
                low, high = (quantile(column, weights, level) for level in (0.01, 0.99))
                inside &= np.abs(column - p[k]) <= wide * (high - low) / 2
        inside_weights = weights[inside]
        enough = inside_weights.sum() / weights.sum() >= 0.1 * even * wide**numbers
        effective = (
            inside_weights.sum() ** 2 / np.square(inside_weights).sum()
            if inside_weights.any()
            else 0
        )
        of_equal = ess / (2 * len(points[0])) if texts == [True] else 0
        result[at] = enough and effective >= max(2, min(30, of_equal)) - 1e-9
    return result


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("n", [12, 60, 700])
def test_near_equals_the_rule_counted_row_by_row(n, weighted):
    rng = np.random.default_rng(n)
    a, b = rng.lognormal(size=n), rng.normal(size=n).round(1)
    c = rng.choice(np.array(["x", "y", "z", "rare"], object), n, p=[0.5, 0.3, 0.19, 0.01])
    weights = rng.exponential(size=n) ** 2 if weighted else np.ones(n)
    explainer = explained(a=a, b=b, c=c)
    sample_weight = weights if weighted else None
    for feature, column in (("a", a), ("b", b), ("c", c)):
        result = explainer.dependence(feature, grid=15, spacing="even", sample_weight=sample_weight)
        np.testing.assert_array_equal(result.near, counted([column], [result.grid], weights))
    for names, columns in ((["a", "b"], [a, b]), (["c", "a"], [c, a]), (["b", "c"], [b, c])):
        result = explainer.dependence(names, grid=7, spacing="even", sample_weight=sample_weight)
        np.testing.assert_array_equal(result.near, counted(columns, result.grids, weights))


def test_normal_values_beyond_two_and_a_half_standard_deviations_are_far():
    column = np.random.default_rng(0).normal(size=100_000)
    grid = np.array([-5, -2.6, -2.2, 0, 2.2, 2.6, 5, 50])
    assert near(column, grid).tolist() == [False, False, True, True, True, False, False, False]


@pytest.mark.parametrize("columns", [["number"], ["text"], ["number", "text"]])
def test_several_populations_have_the_points_of_each(columns):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"number": rng.normal(size=60), "text": rng.choice(list("abc"), 60)})
    frame.loc[::7, "number"] = np.nan
    table = Explainer(lambda d: np.zeros(len(d)), frame, np.zeros(60)).table
    axes = [axis_of(table, grid_of(table, column, 9)) for column in columns]
    weights = rng.exponential(size=(5, 60)) ** 3
    together = near_in(axes, weights)
    assert 0 < together.mean() < 1
    np.testing.assert_array_equal(together, [near_in(axes, each) for each in weights])


def test_near_does_not_depend_on_the_resolution_of_the_grid():
    column = np.random.default_rng(1).normal(size=400)
    fine = near(column, np.linspace(-4, 4, 401))
    np.testing.assert_array_equal(near(column, np.linspace(-4, 4, 9)), fine[::50])


def test_values_in_gaps_between_rows_are_far():
    column = np.concatenate([np.linspace(0, 1, 100), np.linspace(9, 10, 100)])
    assert near(column, [0.0, 0.5, 3.0, 5.0, 7.0, 9.5, 10.0]).tolist() == [
        *(True, True, False, False, False, True, True)
    ]


def test_few_rows_spread_evenly_are_all_near():
    for n in (5, 10, 30):
        assert near(np.linspace(0, 1, n), np.linspace(0, 1, n)).all()


def test_rare_categories_are_far():
    column = np.array(["a"] * 600 + ["b"] * 390 + ["c"] * 7 + ["d"], dtype=object)
    result = explained(a=pd.Categorical(column, categories=list("abcde")))
    assert result.dependence("a", grid=list("abcde")).near.tolist() == [
        True,
        True,
        False,
        False,
        False,
    ]
    # A category of fewer than 30 rows is far, unless all are rare.
    some = np.repeat(["a", "b", "c"], [200, 71, 29]).astype(object)
    assert explained(a=some).dependence("a", grid=list("abc")).near.tolist() == [True, True, False]
    few = np.repeat(["a", "b", "c"], [20, 7, 6]).astype(object)
    assert explained(a=few).dependence("a", grid=list("abc")).near.all()
    # Many categories of equal frequency are all near.
    many = np.repeat([f"c{k}" for k in range(100)], 3)
    assert explained(a=many).dependence("a", grid=100).near.all()


def test_a_constant_column_is_near_its_value_only():
    assert near(np.full(50, 3.0), [2.0, 3.0]).tolist() == [False, True]


def test_weights_change_which_values_are_far():
    column = np.linspace(0, 10, 201)
    weights = np.exp(-column * 2)
    grid = [0.0, 1.0, 4.0, 10.0]
    assert near(column, grid).all()
    assert near(column, grid, weights).tolist() == [True, True, False, False]
    single = np.zeros(201)
    single[100] = 1.0
    assert not near(column, [5.0], single).any()


def test_near_with_missing_and_infinite_values():
    column = np.concatenate([np.linspace(0, 1, 50), [np.nan] * 20, [np.inf]])
    result = explained(a=column).dependence("a", spacing="observed")
    assert result.near[:50].all()
    assert result.near[50:].tolist() == [False, True]
    nothing = explained(a=[np.nan, np.nan, 1.0]).dependence("a", grid=[1.0, 2.0])
    assert nothing.near.tolist() == [False, False]


def test_weights_need_no_model_call_and_the_frame_has_near():
    explainer = explained(a=np.random.default_rng(0).normal(size=300))
    result = explainer.dependence("a", grid=[0.0, 7.0])
    before = explainer.model_calls
    stressed = explainer.dependence(
        "a", grid=[0.0, 7.0], sample_weight=explainer.stress_weights("a", 0.5)
    )
    assert explainer.model_calls == before
    assert result.frame["near"].tolist() == [True, False]
    assert stressed.frame["near"].tolist() == [True, False]

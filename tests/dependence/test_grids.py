"""Grids of dependence curves for every kind of column."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from models import regression, table
from uqwidgets import Explainer
from uqwidgets.dependence import grid_of

DAYS = pd.date_range("2020-01-01", periods=101, freq="D")


def of(column, grid=50, spacing="quantile", **options):
    frame = pd.DataFrame({"a": column, "b": np.arange(len(column), dtype=float)})
    explainer = Explainer(lambda d: d["b"].to_numpy(), frame, frame["b"].to_numpy(), **options)
    return explainer.dependence("a", grid=grid, spacing=spacing)


@pytest.mark.parametrize("spacing", ["quantile", "even"])
@pytest.mark.parametrize("points", [2, 5, 13, 50])
def test_a_grid_of_twice_the_steps_evaluates_only_new_values(spacing, points):
    explainer = regression(300)
    coarse = explainer.dependence("x0", grid=points, spacing=spacing)
    before = explainer.rows_evaluated
    fine = explainer.dependence("x0", grid=2 * points - 1, spacing=spacing)
    assert set(coarse.grid) <= set(fine.grid)
    assert explainer.rows_evaluated == before + 300 * (points - 1)
    thrice = explainer.dependence("x0", grid=3 * points - 2, spacing=spacing)
    assert set(coarse.grid) <= set(thrice.grid)


class TestQuantile:
    @pytest.mark.parametrize("n_late", [0, 1, 47, 48])
    def test_few_values_are_all_on_the_grid_wherever_they_are(self, n_late):
        values = np.concatenate([np.tile([0.0, 1.0], 600), np.arange(n_late) + 2.5])
        np.testing.assert_array_equal(of(values).grid, np.unique(values))

    def test_quantiles_of_many_values_that_all_come_late(self):
        values = np.concatenate([np.zeros(1200), np.random.default_rng(0).normal(size=4000)])
        quantiles = np.unique(np.quantile(values, np.linspace(0, 1, 50)))
        np.testing.assert_allclose(of(values).grid, quantiles, rtol=1e-12)


class TestEven:
    def test_steps_from_the_lowest_to_the_highest(self):
        values = np.random.default_rng(0).lognormal(size=200)
        result = of(values, 11, "even")
        np.testing.assert_allclose(result.grid, np.linspace(values.min(), values.max(), 11))
        assert (result.grid[0], result.grid[-1]) == (values.min(), values.max())

    def test_steps_are_even_with_few_observed_values(self):
        assert of([0.0, 1.0, 4.0], 5, "even").grid.tolist() == [0, 1, 2, 3, 4]

    def test_whole_numbers_stay_whole(self):
        result = of([0, 3, 100], 8, "even").grid
        assert result.dtype.kind == "i"
        assert result.tolist() == [0, 14, 29, 43, 57, 71, 86, 100]
        assert of([1, 3], 50, "even").grid.tolist() == [1, 2, 3]
        assert of(np.array([0, 255], dtype=np.uint8), 6, "even").grid.tolist()[-1] == 255

    def test_a_constant_column_has_a_grid_of_one_value(self):
        assert of([2.5, 2.5], 5, "even").grid.tolist() == [2.5]

    def test_single_precision_columns_have_a_grid_of_their_dtype(self):
        values = np.random.default_rng(0).normal(size=100).astype(np.float32)
        for spacing in ("even", "quantile"):
            assert of(values, 7, spacing).grid.dtype == np.float32


class TestObserved:
    def test_the_grid_has_every_value_whatever_the_number_of_points(self):
        values = np.random.default_rng(0).normal(size=80)
        result = of(values, 5, "observed")
        np.testing.assert_array_equal(result.grid, np.sort(values))
        np.testing.assert_allclose(result.support, 1 / 80)

    def test_the_grid_has_missing_and_infinite_values(self):
        result = of([1.0, np.nan, np.inf, 1.0, -np.inf], spacing="observed")
        np.testing.assert_array_equal(result.grid, [-np.inf, 1, np.inf, np.nan])
        np.testing.assert_allclose(result.support, [0.2, 0.4, 0.2, 0.2])
        categories = of(["b", None, "a", "b"], spacing="observed")
        assert categories.grid[:2].tolist() == ["a", "b"]
        assert pd.isna(categories.grid[2])
        np.testing.assert_allclose(categories.support, [0.25, 0.5, 0.25])

    def test_the_grid_of_nullable_numbers(self):
        result = of(pd.array([3, None, 1, 3], dtype="Int64"), spacing="observed")
        np.testing.assert_array_equal(result.grid, [1, 3, np.nan])
        assert of(pd.array([3, 1], dtype="Int64"), spacing="observed").grid.dtype.kind == "i"

    def test_the_grid_has_all_categories(self):
        names = [f"c{k:03d}" for k in range(70)]
        result = of(names, 5, "observed")
        assert result.grid.tolist() == names
        assert result.remarks == ()


class TestDates:
    @pytest.mark.parametrize("zone", [None, "Europe/Athens"])
    @pytest.mark.parametrize("unit", ["s", "us", "ns"])
    def test_dates_are_spaced_like_numbers(self, zone, unit):
        days = DAYS.tz_localize(zone).as_unit(unit)
        result = of(
            days.to_series().sample(frac=1, random_state=0).to_numpy()
            if zone is None
            else pd.Series(days).sample(frac=1, random_state=0).array,
            5,
        )
        assert result.grid.tolist() == days[[0, 25, 50, 75, 100]].tolist()
        assert result.categorical
        even = of(pd.Series([days[0], days[1], days[100]]).array, 5, "even")
        expected = days[[0, 25, 50, 75, 100]]
        if zone is None:
            assert even.grid.tolist() == expected.tolist()
        assert (even.grid[0], even.grid[-1]) == (days[0], days[100])
        gaps = np.diff(even.grid)
        assert max(gaps) - min(gaps) <= pd.Timedelta(1, "s")

    def test_few_dates_are_all_on_the_grid(self):
        assert of([DAYS[4], DAYS[1], pd.NaT, DAYS[4]]).grid.tolist() == [DAYS[1], DAYS[4]]

    def test_a_grid_may_be_dates_or_texts(self):
        column = pd.Series(DAYS)
        expected = [pd.Timestamp("2020-02-01"), pd.Timestamp("2025-06-07T08:00")]
        for grid in (
            expected[::-1],
            ["2025-06-07T08:00", "2020-02-01"],
            np.array(expected, "M8[ns]"),
        ):
            result = of(column, grid)
            assert result.grid.tolist() == expected
            assert result.near.tolist() == [True, False]
        assert of(column, "2020-03-01").grid.tolist() == [pd.Timestamp("2020-03-01")]

    def test_a_grid_of_durations(self):
        result = of(pd.to_timedelta(np.arange(101), unit="h"), 5)
        assert result.grid.tolist() == [pd.Timedelta(h, "h") for h in (0, 25, 50, 75, 100)]
        assert of(pd.to_timedelta([1, 2, 9], unit="h"), 5, "even").grid[2] == pd.Timedelta(5, "h")

    def test_support_of_dates_is_by_nearness_in_time(self):
        result = of(pd.Series(DAYS), [DAYS[0], DAYS[100]])
        np.testing.assert_allclose(result.support, [51 / 101, 50 / 101])

    @pytest.mark.parametrize("grid", [["soon"], [], [3.5], [True], [pd.NaT], 7.5])
    def test_grid_values_that_are_no_dates_are_refused(self, grid):
        with pytest.raises(
            ValueError, match=r"the grid of 'a' must be a list of values such as '20"
        ):
            of(pd.Series(DAYS), grid)


def test_support_is_the_share_of_rows_nearest_to_a_value():
    column = np.array([0.0, 0.4, 0.6, 1.0, 3.0, np.nan, np.inf, 9.0])
    result = of(column, [0.0, 1.0, 4.0])
    np.testing.assert_allclose(result.support, np.array([2, 2, 2]) / 8)
    weights = np.arange(1.0, 9.0)
    frame = pd.DataFrame({"a": column})
    explainer = Explainer(lambda d: np.zeros(len(d)), frame, np.zeros(8))
    weighted = explainer.dependence("a", grid=[0.0, 1.0, 4.0], sample_weight=weights)
    np.testing.assert_allclose(weighted.support, np.array([1 + 2, 3 + 4, 5 + 8]) / 36)


def test_support_does_not_depend_on_the_scored_rows():
    explainer = regression()
    whole = explainer.dependence("x0", grid=5)
    some = explainer.dependence("x0", grid=5, rows=[0, 1])
    np.testing.assert_array_equal(some.support, whole.support)
    np.testing.assert_array_equal(some.near, whole.near)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"spacing": "evenly"}, "there is no spacing 'evenly'; did you mean 'even'"),
        ({"spacing": "given"}, "there is no spacing 'given'"),
        ({"grid": 1, "spacing": "even"}, "grid is 1; it must be at least 2"),
        ({"grid": True}, "the grid of 'x0' must be a list of numbers"),
        ({"grid": 2.5}, "the grid of 'x0' must be a list of numbers"),
        ({"grid": [[0.0, 1.0]]}, "the grid of 'x0' must be a list of numbers"),
        ({"grid": [0.0, np.inf]}, "the grid of 'x0' has a value that is not finite"),
    ],
)
def test_an_invalid_grid_is_refused_before_the_model_is_called(options, message):
    explainer = regression()
    with pytest.raises(ValueError, match=message):
        explainer.dependence("x0", **options)
    assert explainer.model_calls == 1


def test_a_feature_group_has_no_curve():
    X, y = table()
    explainer = Explainer(lambda d: d[:, 0], X, y, feature_groups={"both": ["x0", "x2"]})
    with pytest.raises(
        ValueError, match="'both' is a group; name a feature of it, one of 'x0', 'x2'"
    ):
        explainer.dependence("both")


def test_values_that_are_not_hashable_are_refused():
    frame = pd.DataFrame({"a": [1, [2]], "b": [1.0, 2.0]})
    with pytest.raises(ValueError, match="column 'a' holds a list in row 1; a feature needs a si"):
        Explainer(lambda d: d["b"].to_numpy(), frame, frame["b"])


def test_a_thinned_grid_keeps_every_nth_value():
    explainer = regression()
    grid = grid_of(explainer.table, "x0", 9)
    thin = grid.thinned(4)
    np.testing.assert_array_equal(thin.values, grid.values[::4])
    assert thin.replacements == grid.replacements[::4]
    assert len(thin) == 3


@pytest.mark.parametrize("points", [8, 20, 49])
@pytest.mark.parametrize("n_others", [3, 12, 59, 400])
@pytest.mark.parametrize("kind", ["floats", "integers", "dates", "two ties"])
def test_a_value_that_most_rows_have_is_one_point(kind, n_others, points):
    rng = np.random.default_rng(0)
    others = rng.permutation(np.arange(1, n_others + 1))
    values = np.concatenate([np.zeros(2000 - n_others, dtype=int), others])
    if kind == "two ties":
        values[:700] = 10_000
    column = {
        "floats": values * 0.25,
        "dates": pd.Timestamp("2024-01-01") + pd.to_timedelta(values, unit="D"),
    }.get(kind, values)
    grid = of(column, points).grid.tolist()
    observed = sorted(set(pd.Series(column).tolist()))
    assert min(8, len(observed)) <= len(grid) <= points
    assert sorted(set(grid)) == grid
    assert {observed[0], observed[-1], *pd.Series(column)[:1]} <= set(grid)

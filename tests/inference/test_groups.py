"""Rows that belong together: sums of influences over groups, against leaving groups out."""

from __future__ import annotations

import numpy as np
import pytest

from uqwidgets.inference import bounds, every_donor, half_width, mean_change, mean_over_rows
from uqwidgets.inference.groups import GroupCount, RowGroups
from uqwidgets.inference.mean_intervals import mean_intervals
from uqwidgets.inference.moment_paths import path_moments
from uqwidgets.inference.moments import row_moments
from uqwidgets.inference.population import Population
from uqwidgets.inference.populations import ManyPopulations
from uqwidgets.inference.variance import jackknife_groups


def table(seed=0, groups=40, mean_size=6):
    """Codes of groups of unequal sizes, weights, and values that groups have in common."""
    rng = np.random.default_rng(seed)
    codes = np.repeat(np.arange(groups), rng.integers(1, 2 * mean_size, size=groups))
    codes = rng.permutation(codes)
    weights = rng.uniform(0.5, 1.5, size=len(codes))
    values = rng.normal(size=groups)[codes] + rng.normal(size=len(codes))
    return RowGroups(codes, "patient"), weights, values


def test_sums_and_choices_of_groups():
    groups = RowGroups(np.array([2, 0, 2, 1]), "site")
    assert len(groups) == 3
    np.testing.assert_array_equal(groups.sums(np.array([1.0, 2, 3, 4])), [2, 4, 4])
    np.testing.assert_array_equal(
        groups.sums(np.eye(4)), np.eye(4) @ groups.sums_of_rows(np.eye(4)).T
    )
    assert groups.among(np.array([0, 3])).codes.tolist() == [1, 0]


@pytest.mark.parametrize(
    ("name", "text"),
    [("patient", "30 patients"), ("", "30 groups"), ("Site ID", "30 values of Site ID")],
)
def test_groups_are_counted_in_words(name, text):
    assert str(GroupCount(name, 30, 12.5)) == text


def test_a_mean_has_the_error_of_a_jackknife_over_groups():
    groups, weights, values = table()
    population = Population.of(len(values), weights, groups=groups)
    mean, error = mean_over_rows(values[None], population)
    left_out = [
        np.average(values[groups.codes != g], weights=weights[groups.codes != g])
        for g in range(len(groups))
    ]
    g = len(groups)
    jackknife = np.sqrt((g - 1) / g * np.square(np.array(left_out) - np.mean(left_out)).sum())
    assert error[0] == pytest.approx(jackknife, rel=0.05)
    assert (
        half_width(error, 0.95, population)[0]
        > half_width(error, 0.95, population.units)[0] * 0.999
    )
    intervals = mean_intervals(values[None], population)
    assert intervals.estimate == pytest.approx(mean)
    assert intervals.error == pytest.approx(error)
    assert intervals.df[0] <= population.units.ess - 1


@pytest.mark.parametrize("is_weighted", [False, True])
def test_the_error_of_a_change_over_all_pairs_is_that_of_a_jackknife_over_groups(is_weighted):
    groups, weights, values = table(1)
    n = len(values)
    weights = weights if is_weighted else np.ones(n)
    own = np.random.default_rng(2).normal(size=n)
    changes = np.square(values[:, None] - own) - np.square(own)  # donor by scored row

    def change_of(kept, w):
        population = Population.of(len(kept), w, groups=groups.among(kept))
        codes = np.arange(len(kept))
        lines = [(slice(0, len(kept)), changes[np.ix_(kept, kept)])]
        none = np.zeros(len(kept), dtype=np.intp)
        return every_donor(lines, codes, population, none), population

    change, population = change_of(np.arange(n), weights)
    interval = bounds(change, "u-statistic", 0.95, population)
    left_out = []
    for g in range(len(groups)):
        kept = np.flatnonzero(groups.codes != g)
        left_out.append(change_of(kept, weights[kept])[0].estimate)
    g = len(groups)
    jackknife = np.sqrt((g - 1) / g * np.square(np.array(left_out) - np.mean(left_out)).sum())
    assert interval.std_error == pytest.approx(jackknife, rel=0.1)
    alone = bounds(change, "u-statistic", 0.95, Population.of(n, weights))
    assert interval.std_error > 1.3 * alone.std_error


@pytest.mark.parametrize("repeats", [3, 10])
def test_groups_of_one_row_each_give_the_interval_of_rows(repeats):
    rng, n = np.random.default_rng(3), 60
    donors = np.stack([rng.permutation(n) for _ in range(repeats)])
    change, original = rng.normal(1, 1, size=(repeats, n)), rng.normal(size=n)
    weights = rng.uniform(0.5, 2, size=n)
    each = []
    for groups in (None, RowGroups(rng.permutation(n))):
        population = Population.of(n, weights, groups=groups)
        moments = row_moments(mean_change(change, donors, original, population), population)
        each.append(np.array(moments))
    np.testing.assert_allclose(each[1], each[0], rtol=1e-11)


def test_many_populations_have_the_moments_of_each():
    groups, weights, values = table(4, groups=20)
    rng, n = np.random.default_rng(5), len(values)
    donors = np.stack([rng.permutation(n) for _ in range(5)])
    change = values[donors] * rng.normal(1, 0.3, size=n)
    columns = np.stack([np.ones(n), weights, weights**3], axis=1)
    columns /= columns.mean(axis=0)
    many = ManyPopulations(columns, columns, groups)
    path = path_moments(many, [change], donors, [values], lambda: None)
    for t, column in enumerate(columns.T):
        population = Population.of(n, column, groups=groups)
        one = row_moments(mean_change(change, donors, values, population), population)
        # Sums of the third order are in single precision.
        for name, expected in one._asdict().items():
            rel = 1e-4 if name in ("cubes", "interaction") else 1e-9
            assert getattr(path, name)[0, t] == pytest.approx(float(expected), rel=rel, abs=1e-9), (
                name
            )


def test_the_jackknife_never_splits_a_group():
    groups, *_ = table(6)
    parts = jackknife_groups(len(groups.codes), seed=0, units=groups)
    assert len(set(zip(groups.codes.tolist(), parts.tolist(), strict=True))) == len(groups)
    assert parts.max() == 19

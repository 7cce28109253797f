"""Distinct values of columns of every kind, and which of them each row has."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from uqwidgets.evaluation.distinct import distinct_rows
from uqwidgets.evaluation.replacement import Constant
from uqwidgets.evaluation.table import Table
from uqwidgets.predictive import as_predictive

DAYS = [pd.Timestamp("2021-03-01"), pd.Timestamp("2020-01-01")]


def of(**columns):
    frame = pd.DataFrame(columns)
    made = Table(frame, np.zeros(len(frame)), as_predictive(lambda X: np.zeros(len(X))))
    return distinct_rows(made, range(len(columns)))


@pytest.mark.parametrize(
    ("column", "values", "codes"),
    [
        ([3.0, 1.0, 3.0, -0.0, 0.0], [0.0, 1.0, 3.0], [2, 1, 2, 0, 0]),
        ([3, 1, 3], [1, 3], [1, 0, 1]),
        ([True, False, True], [False, True], [1, 0, 1]),
        (list("bab"), ["a", "b"], [1, 0, 1]),
        ([1, "b", 1], [1, "b"], [0, 1, 0]),
        (pd.Categorical(list("ab"), categories=["c", "b", "a"]), ["b", "a"], [1, 0]),
        ([DAYS[0], DAYS[1], DAYS[0]], [DAYS[1], DAYS[0]], [1, 0, 1]),
        (pd.to_timedelta([10, 2], unit="D"), [pd.Timedelta("2D"), pd.Timedelta("10D")], [1, 0]),
        (np.array([0.1, 0.1], dtype=np.float32), [float(np.float32(0.1))], [0, 0]),
        ([np.inf, 1.0, -np.inf], [-np.inf, 1.0, np.inf], [2, 1, 0]),
        (pd.array([7, 5], dtype="Int64"), [5, 7], [1, 0]),
    ],
)
def test_distinct_values_are_sorted_and_rows_point_to_theirs(column, values, codes):
    result, which = of(a=column)
    assert result == [(value,) for value in values]
    assert which.tolist() == codes


@pytest.mark.parametrize(
    "column",
    [
        [1.0, np.nan, float("nan")],
        pd.array([1, None, None], dtype="Int64"),
        pd.array([True, None, None], dtype="boolean"),
        pd.Categorical(["a", None, None]),
        pd.array(["a", None, None], dtype="string"),
        pd.Series(["a", None, None], dtype=object),
        ["a", np.nan, np.nan],
        [DAYS[0], pd.NaT, pd.NaT],
    ],
)
def test_missing_values_are_one_distinct_value_equal_to_itself(column):
    result, which = of(a=column)
    again, _ = of(a=column)
    assert which.tolist() == [0, 1, 1]
    assert pd.isna(result[1][0])
    known = {Constant((0,), value) for value in result}
    assert all(Constant((0,), value) in known for value in again)


def test_combinations_of_several_columns():
    result, which = of(a=[2, 1, 2, 2, 1], b=list("xyxyy"), c=[0.5, np.nan, 0.5, 0.5, np.nan])
    assert result[1:] == [(2, "x", 0.5), (2, "y", 0.5)]
    assert result[0][:2] == (1, "y")
    assert np.isnan(result[0][2])
    assert which.tolist() == [1, 0, 1, 2, 0]


def test_many_columns_of_many_values():
    X = np.random.default_rng(0).normal(size=(500, 9))
    X[250:] = X[:250]
    result, which = of(**{f"x{j}": column for j, column in enumerate(X.T)})
    assert len(result) == 250
    np.testing.assert_array_equal(np.array(result)[which], X)
    assert all(type(value) is float for value in result[0])


def test_equal_values_of_different_types_are_distinct():
    mixed = np.array([1, True, "1", 1.0, None, np.nan, 1, np.float64(1.0)], dtype=object)
    result, which = of(a=pd.Series(mixed, dtype=object))
    kinds = [type(value) for (value,) in result[:4]]
    assert sorted(kinds, key=str) == [bool, float, int, str]
    assert len(result) == 6
    assert which[0] == which[6]
    assert which[3] == which[7]
    assert len({Constant((0,), value) for value in result}) == 6
    assert Constant((0,), (1,)) != Constant((0,), (True,))
    assert Constant((0,), (1,)) == Constant((0,), (np.int64(1),))

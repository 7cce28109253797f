"""Tables that are unlike those of a textbook, with models of them."""

from __future__ import annotations

from datetime import time, timedelta
from decimal import Decimal
from enum import Enum
from fractions import Fraction

import numpy as np
import pandas as pd
import pyarrow


class Classifier:
    """A model of so many classes, by the sum of all numbers that stand for the features."""

    def __init__(self, n_classes=2):
        self.classes_ = np.array([f"class {k}" for k in range(n_classes)])

    def predict_proba(self, X):
        sums = numbers_of(X).sum(axis=1)[:, None] + np.arange(len(self.classes_)) / 2
        scores = np.exp(np.sin(sums))
        return scores / scores.sum(axis=1, keepdims=True)


def regression(X):
    """Return the means and standard deviations of normal distributions, by ten features."""
    values = numbers_of(X)[:, :10]
    return values @ np.linspace(1, 0.1, values.shape[1]), np.full(len(X), 0.5)


def numbers_of(X):
    """Return a number for every value, also for missing ones, dates and categories."""
    columns = []
    for name in X:
        if pd.api.types.is_datetime64_any_dtype(X[name]):
            values = (X[name] - pd.Timestamp("2020-01-01")) / pd.Timedelta(days=365)
        elif pd.api.types.is_numeric_dtype(X[name]):
            values = X[name]
        else:
            values = X[name].map({"red": 0.0, "green": 0.5, "blue": 1.0})
        columns.append(values.astype(float).fillna(0.3))
    return np.column_stack(columns)


def normal(rng, n, p):
    return pd.DataFrame(rng.normal(size=(n, p)), columns=[f"x{j}" for j in range(p)])


def colours(rng, n, p):
    return pd.DataFrame({f"x{j}": rng.choice(["red", "green", "blue"], size=n) for j in range(p)})


def with_missing(rng, n):
    X = normal(rng, n, 2).assign(colour=rng.choice(["red", "blue"], size=n))
    X.loc[rng.random(n) < 0.3, "x0"] = np.nan
    X.loc[rng.random(n) < 0.3, "colour"] = None
    return X


def with_dates(rng, n):
    days = pd.to_datetime("2020-01-01") + pd.to_timedelta(rng.integers(0, 700, size=n), "D")
    return normal(rng, n, 1).assign(day=days)


TABLES = {
    "20 rows": (regression, lambda rng: normal(rng, 20, 3)),
    "categories only": (Classifier(), lambda rng: colours(rng, 60, 3)),
    "missing values": (regression, lambda rng: with_missing(rng, 60)),
    "dates": (regression, lambda rng: with_dates(rng, 60)),
    "ten classes": (Classifier(10), lambda rng: normal(rng, 120, 3)),
    "constant feature": (regression, lambda rng: normal(rng, 60, 2).assign(same=1.0)),
    "300 features": (regression, lambda rng: normal(rng, 60, 300)),
    "100,000 rows": (regression, lambda rng: normal(rng, 100_000, 2)),
}


def hard_table(name, seed=0):
    """Return a model, its table and the true values."""
    rng = np.random.default_rng(seed)
    model, table = TABLES[name]
    X = table(rng)
    if isinstance(model, Classifier):
        numbers = np.arange(len(X)) * 7 + (X.iloc[:, 0].rank() > 9)
        return model, X, model.classes_[numbers % len(model.classes_)]
    return model, X, regression(X)[0] + rng.normal(size=len(X)) / 2


def repeated(values, dtype=object, n=60):
    """Return a column that has these values in turn, each as it is."""
    array = np.empty(n, dtype=object)
    for row in range(n):
        array[row] = values[row % len(values)]
    return pd.Series(array, dtype=dtype)


def arrow(values, kind):
    """Return a column that Arrow stores, of the type that this function of its module makes."""
    dtype = pd.ArrowDtype(kind(pyarrow))
    return pd.Series(pd.array([values[row % len(values)] for row in range(60)], dtype=dtype))


class Colour(Enum):
    RED, BLUE = "red", "blue"


_NUMBERS = np.random.default_rng(0).normal(size=60)
_DAYS = pd.Series(pd.Timestamp("2024-01-01") + pd.to_timedelta(np.arange(60) % 45, unit="D"))

#: Columns that are seldom met, each a line. All analyses take them.
ODD_COLUMNS = {
    "1 and True": repeated([1, True, 0]),
    "equal numbers of all types": repeated([1, 1.0, True, "1", Decimal(1), np.float32(1)]),
    "fractions": repeated([Fraction(1, 2), Fraction(1, 3)]),
    "intervals": pd.cut(pd.Series(_NUMBERS), [-9, -1, 0, 1, 9]),
    "periods": _DAYS.dt.to_period("M"),
    "dates": pd.Series([day.date() for day in _DAYS], dtype=object),
    "durations": pd.Series(pd.to_timedelta(np.arange(60) % 7, unit="D")),
    "durations of Python": repeated([timedelta(1), timedelta(hours=2)]),
    "times": repeated([time(1), time(2, 30)]),
    "None and NaN": repeated([None, np.nan, "a", "b"]),
    "tuples": repeated([(1, 2), (3,)]),
    "bytes": repeated([b"a", b"\xff"]),
    "enumeration": repeated(list(Colour)),
    "empty text": repeated(["", " ", "b"]),
    "whole numbers beyond floats": repeated([10**30, 10**40, 5]),
    "half precision": pd.Series(_NUMBERS.astype(np.float16)),
    "denormal": pd.Series(_NUMBERS * 1e-310),
    "infinite": pd.Series(np.where(np.arange(60) % 9, _NUMBERS, np.inf)),
    "unsigned": pd.Series(np.arange(2**63, 2**63 + 60, dtype=np.uint64)),
    "sparse": pd.Series(pd.arrays.SparseArray(np.where(np.arange(60) % 3, 0.0, _NUMBERS))),
    "nullable bools": repeated([True, False, None], "boolean"),
    "categories of several types": pd.Series(pd.Categorical(repeated([1, "1", 2.5]))),
    "Arrow halves": arrow([1.5, 2.5, None], lambda pa: pa.float16()),
    "Arrow decimals": arrow([Decimal("1.5"), None, Decimal("2.5")], lambda pa: pa.decimal128(5, 2)),
    "Arrow days": arrow([_DAYS[0].date(), None], lambda pa: pa.date32()),
    "Arrow bools": arrow([True, False, None], lambda pa: pa.bool_()),
    "Arrow integers": arrow([1, 2, None], lambda pa: pa.int64()),
    "Arrow texts": arrow(["u", "v", None], lambda pa: pa.string()),
    "Arrow dictionary": arrow(["u", "v", None], lambda pa: pa.dictionary(pa.int8(), pa.string())),
}

#: Columns that are refused, with what the sentence says.
REFUSED_COLUMNS = {
    "lists": (repeated([[1], [2]]), "holds a list in row 0"),
    "void": (repeated([np.void(b"ab")]), "holds a void in row 0"),
    "Arrow lists": (arrow([[1, 2], [3]], lambda pa: pa.list_(pa.int64())), "holds a list<"),
    "Arrow structs": (arrow([{"a": 1}], lambda pa: pa.struct([("a", pa.int64())])), "a struct<"),
    "lone surrogates": (repeated(["a\ud800", "b"]), "'a\\ud800', which is not valid Unicode"),
    "categories with surrogates": (
        pd.Series(pd.Categorical(repeated(["a\ud800", "b"]))),
        "'a\\ud800', which is not valid Unicode",
    ),
}

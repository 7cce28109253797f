"""The model receives the caller's own values, in every container, dtype and missing marker."""

from __future__ import annotations

import datetime
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.base import BaseEstimator, RegressorMixin

import uqwidgets as uq
from uqwidgets.evaluation.replacement import SingleRow
from uqwidgets.widgets.inputs.what_if import changes, replacement_of

N = 24
CODES = np.random.default_rng(0).integers(0, 6, N)
Z = np.random.default_rng(1).normal(size=N).round(3)
DAYS = [datetime.datetime(2024, 1, 1) + datetime.timedelta(days=int(code)) for code in CODES]


def objects(kind, *missing):
    """Return a value of each code as objects; the first codes are missing."""
    return pd.Series(
        [missing[c] if c < len(missing) else kind(int(c)) for c in CODES], dtype=object
    )


def some(kind):
    return objects(kind, None).tolist()


def third(code):
    return code / 3


def text(code):
    return f"text {code}"


def decimal(code):
    return Decimal(code) / 4


PANDAS = {
    "texts and None": objects(text, None),
    "texts and NaN": objects(text, np.nan),
    "texts and NA": objects(text, pd.NA),
    "texts, None and NaN": objects(text, None, np.nan),
    "bools and None": objects(lambda c: c > 3, None),
    "dates": objects(lambda c: datetime.date(2024, 1, c + 1), None),
    "numbers among objects": objects(third),
    "numbers, None and NaN": objects(third, None, np.nan),
    "numbers and NA": objects(third, pd.NA),
    "integers among objects": objects(int),
    "integers and None": objects(int, None),
    "numbers of two types": objects(lambda c: c if c % 2 else c / 1),
    "decimals and None": objects(decimal, None),
    "mixed": objects(lambda c: c if c > 2 else text(c), None),
    "str": pd.Series(some(text), dtype="str"),
    "string": pd.Series(some(text), dtype="string"),
    "Int8": pd.Series(some(int), dtype="Int8"),
    "Float32": pd.Series(some(third), dtype="Float32"),
    "boolean": pd.Series(some(lambda c: c > 3), dtype="boolean"),
    "category": pd.Series(pd.Categorical(some(text), [text(c) for c in range(9)])),
    "ordered": pd.Series(pd.Categorical(some(int), [9, 5, 4, 3, 2, 1], ordered=True)),
    "datetime64": pd.Series(some(lambda c: pd.Timestamp(2024, 1, 1 + c)), dtype="datetime64[s]"),
    "a zone": pd.Series(DAYS).dt.tz_localize("Europe/Oslo"),
    "timedelta64": pd.Series(pd.to_timedelta(some(int), unit="h")),
    "periods": pd.Series(pd.period_range("2020-01", periods=6, freq="M")[CODES]),
    "intervals": pd.Series(pd.interval_range(0, 6)[CODES]),
    "sparse": pd.Series(pd.arrays.SparseArray(CODES.astype(float))),
    "float16": pd.Series(CODES / 4, dtype="float16"),
    "float32": pd.Series(Z, dtype="float32"),
    "uint8": pd.Series(CODES, dtype="uint8"),
    "bool": pd.Series(CODES > 2),
    "int64": pd.Series(CODES),
    **{
        f"{kind} of Arrow": pd.Series(pd.array(values, dtype=pd.ArrowDtype(kind)))
        for kind, values in {
            pa.int32(): some(int),
            pa.float32(): some(third),
            pa.bool_(): some(lambda c: c > 3),
            pa.string(): some(text),
            pa.date32(): [day.date() for day in DAYS],
            pa.timestamp("ms", "Europe/Oslo"): pd.to_datetime(DAYS, utc=True),
            pa.decimal128(7, 3): some(decimal),
        }.items()
    },
}
INDICES = {
    "default": None,
    "integers": np.random.default_rng(2).permutation(N),
    "texts": pd.Index([f"row {k}" for k in range(N)], name="name"),
    "times": pd.date_range("2024-01-01", periods=N, freq="h"),
    "several levels": pd.MultiIndex.from_arrays([CODES, range(N)], names=["code", "row"]),
}
POLARS = {
    pl.Int16: some(int),
    pl.UInt8: some(int),
    pl.Int64: [None if c == 0 else 2**60 + int(c) for c in CODES],
    pl.Float64: objects(third, None, np.nan).tolist(),
    pl.Float32: some(third),
    pl.Boolean: some(lambda c: c > 3),
    pl.String: some(text),
    pl.Binary: some(lambda c: text(c).encode()),
    pl.Categorical: some(text),
    pl.Enum([text(c) for c in range(9)]): some(text),
    pl.Date: some(lambda c: datetime.date(2024, 1, 1 + c)),
    pl.Time: some(lambda c: datetime.time(c)),
    pl.Datetime("ms"): DAYS,
    pl.Datetime("ns", "Europe/Oslo"): [None, *DAYS[1:]],
    pl.Duration("us"): some(lambda c: datetime.timedelta(hours=c)),
    pl.Decimal(9, 3): some(decimal),
}
ARROW = {
    pa.int16(): some(int),
    pa.uint64(): some(int),
    pa.int64(): [None if c == 0 else 2**60 + int(c) for c in CODES],
    pa.float32(): some(third),
    pa.float64(): objects(third, None, np.nan).tolist(),
    pa.bool_(): some(lambda c: c > 3),
    pa.string(): some(text),
    pa.large_string(): some(text),
    pa.binary(): some(lambda c: text(c).encode()),
    pa.dictionary(pa.int8(), pa.string()): some(text),
    pa.date32(): some(lambda c: datetime.date(2024, 1, 1 + c)),
    pa.time64("us"): some(lambda c: datetime.time(c)),
    pa.timestamp("ms"): DAYS,
    pa.timestamp("ns", "Europe/Oslo"): DAYS,
    pa.duration("s"): some(lambda c: datetime.timedelta(hours=c)),
    pa.decimal128(9, 3): some(decimal),
}
MATRICES = {
    "float64": np.where(CODES == 0, np.nan, CODES / 3),
    "float32": (CODES / 3).astype(np.float32),
    ">f8": (CODES / 3).astype(">f8"),
    "int16": CODES.astype(np.int16),
    "masked": np.ma.array(CODES / 3, mask=False),
    "texts": np.array([text(c) for c in CODES]),
    "datetime64": np.array(DAYS, dtype="datetime64[h]"),
    "texts and None": objects(text, None).to_numpy(),
    "texts and NaN": objects(text, np.nan).to_numpy(),
    "numbers and None": objects(third, None).to_numpy(),
    "integers among objects": objects(int).to_numpy(),
    "decimals and None": objects(decimal, None).to_numpy(),
    "bools and None": objects(lambda c: c > 3, None).to_numpy(),
}


def as_pandas(column, index=None):
    frame = pd.DataFrame({"id": np.arange(N), "c": column, "z": Z})
    return frame if index is None else frame.set_index(index)


def as_polars(kind):
    return pl.DataFrame({"id": np.arange(N), "c": pl.Series(POLARS[kind], dtype=kind), "z": Z})


def as_arrow(kind):
    columns = {"id": np.arange(N), "c": pa.array(ARROW[kind], type=kind, from_pandas=False), "z": Z}
    return pa.table(columns)


def as_matrix(column):
    ids = np.arange(N)
    if column.dtype.kind == "U":
        ids = np.array([str(k) for k in ids])
    elif column.dtype.kind == "M":
        ids = np.datetime64("2000-01-01") + ids
    stack = np.ma.stack if isinstance(column, np.ma.MaskedArray) else np.stack
    return stack([ids.astype(column.dtype), column, column[::-1]], axis=1)


TABLES = {
    **{f"pandas: {name}": as_pandas(column) for name, column in PANDAS.items()},
    **{f"pandas: index of {k}": as_pandas(PANDAS["str"], v) for k, v in INDICES.items()},
    **{f"pandas: numbers, index of {k}": as_pandas(Z, v)[["id", "c", "z"]].astype(float)
       for k, v in INDICES.items()},
    **{f"polars: {kind}": as_polars(kind) for kind in POLARS},
    **{f"Arrow: {kind}": as_arrow(kind) for kind in ARROW},
    **{f"array: {name}": as_matrix(column) for name, column in MATRICES.items()},
}  # fmt: skip


def exact(value):
    """Return what tells values apart: None from NaN, 1 from 1.0, a date from its text."""
    return type(value).__name__, repr(value)


def columns_of(X):
    """Return the dtype of each column, with its values."""
    if isinstance(X, pa.Table):
        return {n: (X[n].type, X[n].to_pylist()) for n in X.column_names}
    if isinstance(X, pl.DataFrame):
        return {c.name: (c.dtype, c.to_list()) for c in X}
    if isinstance(X, pd.DataFrame):
        return {n: (c.dtype, list(c.array)) for n, c in X.items()}
    names = ["id", "c", "z"] if X.shape[1] == 3 else ["id", "z"]
    return {name: (X.dtype, list(X[:, j])) for j, name in enumerate(names)}


class Table:
    """The caller's table, with which received ones are compared."""

    def __init__(self, X):
        self.X = X
        self.columns = columns_of(X)
        self.own = {n: list(map(exact, values)) for n, (_, values) in self.columns.items()}
        self.ids = {value: row for row, value in enumerate(self.own["id"])}
        assert len(self.ids) == N

    def compare(self, received, replaced=(), without=(), points=False):
        """Check each received row, and return which row of the table it is.

        Parameters
        ----------
        received : table
        replaced, without : sequence of str
            Columns whose values may be those of other rows, and that are left out.
        points : bool
            Whether replaced values may also be other values of the same type.
        """
        assert type(received) is type(self.X)
        columns = columns_of(received)
        assert list(columns) == [name for name in self.columns if name not in without]
        rows = [self.ids[exact(value)] for value in columns["id"][1]]
        for name, (dtype, values) in columns.items():
            assert dtype == self.columns[name][0], name
            got, own = list(map(exact, values)), self.own[name]
            if name not in replaced:
                assert got == [own[row] for row in rows], name
            elif points:
                assert {kind for kind, _ in got} <= {kind for kind, _ in own}, name
            else:
                assert set(got) <= set(own), name
        if isinstance(received, pd.DataFrame):
            self.compare_labels(received.index, rows)
        return rows

    def compare_labels(self, index, rows):
        labels = self.X.index
        assert index.names == labels.names
        # The labels 0, 1, 2, ... are positions; those of a part of the table are its own.
        if isinstance(labels, pd.RangeIndex) and isinstance(index, pd.RangeIndex):
            assert index.equals(pd.RangeIndex(len(rows)))
        else:
            assert index.equals(labels.take(rows))
            assert isinstance(labels, pd.RangeIndex) or type(index) is type(labels)


RECEIVED = []


class Spy(RegressorMixin, BaseEstimator):
    """An estimator that records what it receives; its answers depend on the first column."""

    def fit(self, X, y):  # noqa: ARG002
        self.n_features_in_ = X.shape[1]  # without names, as if X were an array
        RECEIVED.append(X)
        return self

    def predict(self, X):
        RECEIVED.append(X)
        _, first = next(iter(columns_of(X).values()))
        return np.array([len(repr(value)) for value in first], dtype=float)


def taken():
    batches = RECEIVED[:]
    RECEIVED.clear()
    return batches


@pytest.fixture(params=TABLES)
def table(request):
    RECEIVED.clear()
    return Table(TABLES[request.param])


def explained(table, **options):
    names = ("x0", "x1", "x2") if isinstance(table.X, np.ndarray) else ("id", "c", "z")
    both = {"both": list(names[1:])}
    return uq.Explainer(Spy().predict, table.X, Z, feature_groups=both, **options), names[1]


def test_the_model_receives_the_callers_values(table):
    explainer, feature = explained(table)
    batches = taken()
    assert sorted(row for batch in batches for row in table.compare(batch)) == [*range(N)]
    kind = explainer.table.kind(feature)

    for replacement in ("permutation", "ablation", "conditional"):
        for name, moved in ((feature, ("c",)), ("both", ("c", "z"))):
            options = {"replacement": replacement, "n_repeats": 2}
            explainer.importance("squared_error", [name], **options)
            for batch in taken():
                table.compare(batch, moved)
        result = explainer.replaced(feature, replacement=replacement, n_repeats=2)
        assert not taken()
        table.compare(result.X, ("c",))
        donors = [table.own["c"][donor] for donor in result.donors.ravel()]
        assert list(map(exact, columns_of(result.X)["c"][1])) == donors
    in_parts, _ = explained(table, memory_limit=16 * 8 * 3 * 7)
    in_parts.importance("squared_error", ["both"], n_repeats=2)
    for batch in taken():
        assert len(table.compare(batch, ("c", "z"))) <= 7
    explainer.importance("squared_error", [feature], n_repeats="all")
    for batch in taken():
        table.compare(batch, ("c",))
    explainer.dependence(feature, spacing="observed")
    assert not taken()  # the same values

    for call in (
        lambda: explainer.dependence(feature),
        lambda: explainer.dependence(feature, spacing="even"),
        lambda: explainer.dependence([feature, explainer.features[2]], grid=5),
    ):
        call()
        for batch in taken():
            table.compare(batch, ("c", "z"), points=True)

    values = explainer.table.column(feature)
    tried = [None] if explainer.table.missing(feature) else []
    tried.append(float(values.dropna().max()) if kind == "numeric" else values.dropna().iloc[0])
    for value in tried:
        changed = changes([{"feature": feature, "value": value}], explainer)
        for row in range(3):
            constant = replacement_of(explainer.table, row, changed)
            if constant is not None:
                explainer.evaluations.evaluate_all([SingleRow(constant, row)])
    for batch in taken():
        table.compare(batch, ("c",))


def test_fits_receive_what_predictions_receive(table):
    _, feature = explained(table)
    taken()
    learner = uq.Learner(Spy(), table.X, Z, n_refits=2)
    learner.fit()
    batches = taken()
    assert len(batches) == 4
    for batch in batches:
        table.compare(batch)
    learner.importance("squared_error", [feature], n_repeats=2)
    for batch in taken():
        table.compare(batch, ("c",))
    learner.dependence(feature, "prediction", grid=5)
    for batch in taken():
        table.compare(batch, ("c",), points=True)

    learner.loco("squared_error", [feature])
    batches = taken()
    assert len(batches) == 4
    for batch in batches:
        table.compare(batch, without=("c",))
    uq.loco_importance(Spy(), table.X, Z, table.X, Z, "squared_error", features=[feature])
    first, second, *rest = taken()
    table.compare(first)
    table.compare(second)
    assert len(rest) == 2
    for batch in rest:
        table.compare(batch, without=("c",))
    uq.loco_importance(
        Spy(), table.X, Z, table.X, Z, "squared_error", features=[feature], replace="mode"
    )
    *_, replaced = taken()
    table.compare(replaced, ("c",))

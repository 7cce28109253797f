"""Tables of other libraries: their conversion, and what the model receives."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.compose import make_column_transformer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from models import Recorder
from uqwidgets import Explainer
from uqwidgets.evaluation.dataframes import to_pandas


def towns(n=60):
    rng = np.random.default_rng(0)
    return pd.DataFrame(
        {
            "size": rng.normal(size=n),
            "town": rng.choice(["Oslo", "Rome", "Kyiv"], n),
            "count": rng.integers(0, 9, n),
            "flag": rng.random(n) < 0.5,
        }
    )


class ByArrow:
    def __init__(self, table):
        self._table = table

    def __arrow_c_stream__(self, requested_schema=None):
        return self._table.__arrow_c_stream__(requested_schema)


class ByInterchange:
    def __init__(self, frame):
        self._frame = frame

    def __dataframe__(self, nan_as_null=False, allow_copy=True):
        return self._frame.__dataframe__(nan_as_null, allow_copy)


@pytest.mark.parametrize(
    "convert",
    [
        lambda frame: pl.from_pandas(frame),
        lambda frame: pa.Table.from_pandas(frame),
        lambda frame: ByArrow(pa.Table.from_pandas(frame)),
        lambda frame: ByInterchange(frame),
    ],
    ids=["polars", "pyarrow", "arrow-stream", "interchange"],
)
def test_tables_become_the_same_dataframe(convert):
    frame = towns()
    result = to_pandas(convert(frame))
    assert isinstance(result, pd.DataFrame)
    assert [dtype.kind for dtype in result.dtypes] == ["f", "O", "i", "b"]
    assert result.to_numpy().tolist() == frame.to_numpy().tolist()


def test_pandas_and_numpy_are_returned_unchanged():
    frame, array = towns(), np.zeros((3, 2))
    assert to_pandas(frame) is frame
    assert to_pandas(array) is array


def test_polars_keeps_categories_dates_and_missing_values():
    table = pl.DataFrame(
        {
            "grade": pl.Series(["low", "high", None], dtype=pl.Enum(["low", "high"])),
            "day": pl.Series([0, 1, 2]).cast(pl.Date),
            "count": [1, None, 3],
            "name": ["x", None, "z"],
        }
    )
    result = to_pandas(table)
    assert result["grade"].cat.categories.tolist() == ["low", "high"]
    assert result["day"].dtype.kind == "M"
    assert result["count"].tolist()[::2] == [1.0, 3.0]
    assert result.isna().sum().tolist() == [1, 0, 1, 1]


@pytest.mark.parametrize("fitted_on", ["polars", "pandas"])
def test_an_explainer_takes_polars_for_features_and_target(fitted_on):
    frame = towns()
    y = np.where(frame["size"] + (frame["town"] == "Rome") > 0, "yes", "no")
    table, target = pl.from_pandas(frame), pl.Series("answer", y)
    model = make_pipeline(
        make_column_transformer(
            (StandardScaler(), ["size", "count"]),
            (OneHotEncoder(), ["town"]),
            ("passthrough", ["flag"]),
        ),
        LogisticRegression(),
    ).fit(table if fitted_on == "polars" else frame, y)
    explainer, expected = Explainer(model, table, target), Explainer(model, frame, y)
    assert explainer.table.target == "answer"
    assert explainer.features == expected.features
    for measure in ("nll", "entropy"):
        result = explainer.importance(measure, n_repeats=2)
        np.testing.assert_allclose(
            result.importance, expected.importance(measure, n_repeats=2).importance, rtol=1e-12
        )
    curve = explainer.dependence("town")
    assert curve.grid.tolist() == ["Kyiv", "Oslo", "Rome"]
    np.testing.assert_allclose(curve.average, expected.dependence("town").average, rtol=1e-12)


def test_the_model_receives_pandas():
    model = Recorder(lambda X: (X["a"].to_numpy(), np.ones(len(X))))
    table = pl.DataFrame({"a": [1.0, 2.0, 3.0], "b": ["x", "y", "x"]})
    Explainer(model, table, pl.Series([1.0, 2.0, 3.0])).importance(n_repeats=1)
    assert len(model.batches) > 1
    assert all(isinstance(X, pd.DataFrame) for X in model.batches)
    assert all(X.dtypes.iloc[0] == np.float64 for X in model.batches)


@pytest.mark.parametrize(
    ("X", "message"),
    [
        (pl.DataFrame({"a": [1.0]}).lazy(), r"polars LazyFrame.*pass X\.collect\(\)"),
        (type("Distant", (), {"toPandas": None})(), r"Distant.*pass X\.toPandas\(\)"),
    ],
    ids=["lazy", "distant"],
)
def test_a_lazy_table_is_refused_with_the_method_to_call(X, message):
    with pytest.raises(ValueError, match=message):
        to_pandas(X)


def test_without_pyarrow_the_error_names_what_to_install():
    class Needing:
        def to_pandas(self):
            raise ModuleNotFoundError("No module named 'pyarrow'")

    with pytest.raises(ValueError, match=r"Needing, which is read by way of pyarrow: pip inst"):
        to_pandas(Needing())

"""Tables of other libraries: their conversion, and what the model receives."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.compose import make_column_transformer
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, OneHotEncoder, StandardScaler

from uqwidgets import Explainer, Learner, ModelError
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


@pytest.mark.parametrize("convert", [pl.from_pandas, pa.Table.from_pandas])
def test_a_model_that_reads_pandas_alone_fails_with_the_way_out(convert):
    table = convert(towns())
    library = type(table).__module__.partition(".")[0]
    message = rf"AttributeError: .*\(it was given a table of {library}; .*, pass X\.to_pandas\(\)"

    def model(X):
        return X.iloc[:, 0].to_numpy()

    with pytest.raises(ModelError, match=message):
        Explainer(model, table, np.zeros(60))
    assert Explainer(model, table.to_pandas(), np.zeros(60)).model_calls == 1


def test_a_pipeline_of_polars_alone_is_explained():
    def features(X):
        return X.select(pl.col("size"), pl.col("count") * 2)

    table, y = pl.from_pandas(towns()), towns()["size"]
    model = make_pipeline(FunctionTransformer(features), LinearRegression()).fit(table, y)
    result = Explainer(model, table, y).importance("squared_error", n_repeats=2)
    assert result.features[0] == "size"
    learner = Learner(make_pipeline(FunctionTransformer(features), LinearRegression()), table, y)
    assert learner.importance("squared_error", n_repeats=2).features[0] == "size"


def test_an_index_of_pandas_in_an_arrow_table_goes_with_its_row():
    frame = towns().set_index(pd.date_range("2024-01-01", periods=60, freq="h", name="time"))

    def model(X):
        return X.to_pandas().index.hour.to_numpy() + X["size"].to_numpy()

    explainer = Explainer(model, pa.Table.from_pandas(frame), np.zeros(60))
    assert explainer.features == tuple(frame.columns)
    expected = Explainer(lambda X: X.index.hour + X["size"].to_numpy(), frame, np.zeros(60))
    for name in ("size", "count"):
        np.testing.assert_allclose(
            explainer.dependence(name, grid=5).average, expected.dependence(name, grid=5).average
        )


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

"""Columns as other libraries store them, compared with a model that is called for every pair."""

from __future__ import annotations

import datetime
import decimal
import zlib

import numpy as np
import pandas as pd
import pytest

import uqwidgets as uq
from cases import thorough_after

N = 24
RANDOM = np.random.default_rng(0)
CODES = RANDOM.integers(0, 6, N)
OTHER = RANDOM.normal(size=N).round(2)
Y = RANDOM.normal(size=N) + 3
DAYS = pd.Timestamp("2020-01-01") + pd.to_timedelta(CODES, unit="D")


def code(value):
    """Return a number that depends on the type and on every digit of a value."""
    if value is None or value is pd.NA or value is pd.NaT or value != value:
        return 0.5
    value = value.item() if isinstance(value, np.generic) else value
    return zlib.crc32(f"{type(value).__name__} {value}".encode()) % 1000 / 1000


def model(X):
    total = np.ones(len(X))
    for name in X.columns:
        total *= 1 + 0.3 * np.array([code(value) for value in X[name].tolist()])
    return total


def missing(kind):
    return [None if each == 0 else kind(int(each)) for each in CODES]


def arrow(values, name):
    pa = pytest.importorskip("pyarrow")
    kinds = {
        "integers": pa.int32(),
        "floats": pa.float64(),
        "bools": pa.bool_(),
        "texts": pa.string(),
        "moments": pa.timestamp("us"),
        "moments in a zone": pa.timestamp("ms", tz="Europe/Oslo"),
        "days": pa.date32(),
        "durations": pa.duration("us"),
        "decimals": pa.decimal128(7, 3),
    }
    return pd.array(values, dtype=pd.ArrowDtype(kinds[name]))


COLUMNS = {
    "integers": lambda: arrow(missing(int), "integers"),
    "floats": lambda: arrow(missing(lambda each: each / 3), "floats"),
    "bools": lambda: arrow(missing(lambda each: each > 3), "bools"),
    "texts": lambda: arrow(missing(str), "texts"),
    "moments": lambda: arrow(DAYS, "moments"),
    "moments in a zone": lambda: arrow(DAYS.tz_localize("UTC"), "moments in a zone"),
    "days": lambda: arrow([day.date() for day in DAYS], "days"),
    "durations": lambda: arrow(pd.to_timedelta(CODES, unit="h"), "durations"),
    "decimals": lambda: arrow([decimal.Decimal(int(each)) for each in CODES], "decimals"),
    "sparse": lambda: pd.arrays.SparseArray(CODES),
    "nullable": lambda: pd.array(missing(int), dtype="Int64"),
    "unused categories": lambda: pd.Categorical(CODES * 10, [70, 50, 40, 30, 20, 10, 0]),
    "a zone": lambda: DAYS.tz_localize("Europe/Oslo"),
    "periods": lambda: pd.period_range("2020-01", periods=6, freq="M")[CODES],
    "large integers": lambda: CODES + 2**60,
    "numbers among objects": lambda: np.array(missing(lambda each: each / 3), dtype=object),
    "objects": lambda: np.array([datetime.date(2020, 1, 1 + k) for k in CODES], dtype=object),
}


@pytest.fixture(params=COLUMNS)
def table(request):
    return pd.DataFrame({"c": COLUMNS[request.param](), "z": OTHER})


def test_importance_is_that_of_every_pair(table):
    loss, every = np.abs(model(table) - Y), 0.0
    for donor in range(N):
        own = table["c"].iloc[np.full(N, donor)].set_axis(table.index)
        every += np.abs(model(table.assign(c=own)) - Y).mean() / N
    explainer = uq.Explainer(model, table, Y)
    result = explainer.importance("absolute_error", ["c"], n_repeats="all")
    assert result.importance[0] == pytest.approx(every - loss.mean(), abs=1e-12)


@pytest.mark.parametrize("spacing", thorough_after(1, ["quantile", "even", "observed"]))
def test_curves_are_mean_predictions_and_have_pictures(table, spacing):
    result = uq.Explainer(model, table, Y).dependence("c", spacing=spacing)
    for value, average in zip(result.grid, result.average, strict=True):
        point = None if pd.isna(value) else value
        constant = pd.Series([point] * N, dtype=object).astype(table["c"].dtype)
        assert average == pytest.approx(model(table.assign(c=constant)).mean(), abs=1e-12)
    assert "<svg" in result._repr_html_()
    assert result.to_altair().to_dict()


def test_the_widget_shows_them(table):
    explainer = uq.Explainer(model, table, Y)
    with uq.explore(explainer, feature="c", n_repeats=2) as widget:
        assert widget.wait(60)
        assert not widget._frame["meta"]["error"]


def test_a_curve_over_large_integers_has_slopes():
    X = pd.DataFrame({"c": CODES + 2**60, "z": OTHER})
    result = uq.Explainer(lambda X: (X["c"] - 2**60).to_numpy(), X, Y).dependence(
        "c", derivative=True
    )
    np.testing.assert_allclose(result.average, 1.0)


@pytest.mark.parametrize("dtype", [">f8", ">f4", ">i2"])
def test_numbers_in_the_byte_order_of_another_machine(dtype):
    values = np.column_stack([CODES, 100 * OTHER]).astype(dtype)
    ranked = [
        uq.Explainer(lambda X: X[:, 0] + X[:, 1], X, Y).importance("squared_error", n_repeats="all")
        for X in (values, values.astype(values.dtype.newbyteorder("=")))
    ]
    np.testing.assert_array_equal(ranked[0].importance, ranked[1].importance)


@pytest.mark.parametrize("analysis", ["sample_weight", "rows"])
def test_rows_in_another_order_are_refused(analysis):
    X = pd.DataFrame({"c": CODES, "z": OTHER}, index=[f"row {k}" for k in range(N)])
    explainer = uq.Explainer(lambda X: X["z"].to_numpy(), X, Y)
    half = pd.Series(np.arange(N) % 2 == 0, index=X.index)
    of_order = explainer.importance("squared_error", **{analysis: half})
    assert len(of_order.features) == 2
    message = rf"{analysis} has the index of X in another order.*{analysis}\.loc\[X\.index\]"
    for call in (explainer.importance, explainer.scores):
        with pytest.raises(ValueError, match=message):
            call(**{analysis: half[::-1]})
    # By position where X has no labels of its own.
    unlabelled = uq.Explainer(lambda X: X[:, 1], X.to_numpy(), Y)
    assert len(unlabelled.importance("squared_error", **{analysis: half[::-1]}).features) == 2


class Probabilities:
    classes_ = np.array(["a", "b"])

    def __init__(self, convert):
        self.convert = convert

    def predict_proba(self, X):
        p = 1 / (1 + np.exp(-X["z"].to_numpy()))
        return self.convert(np.column_stack([1 - p, p]))


CONVERSIONS = {
    "other order": lambda p: pd.DataFrame(p[:, ::-1], columns=["b", "a"]),
    "same order": lambda p: pd.DataFrame(p, columns=["a", "b"]),
    "other names": lambda p: pd.DataFrame(p, columns=["no", "yes"]),
    "other index": lambda p: pd.DataFrame(p, index=np.arange(len(p))[::-1]),
    "half precision": lambda p: p.astype(np.float16),
    "list": lambda p: p.tolist(),
}


@pytest.mark.parametrize("name", CONVERSIONS)
def test_probabilities_in_any_container_belong_to_their_classes(name):
    X = pd.DataFrame({"c": CODES, "z": OTHER})
    y = np.where(OTHER > 0, "b", "a")
    result, expected = (
        uq.Explainer(Probabilities(convert), X, y).importance("nll", ["z"], n_repeats="all")
        for convert in (CONVERSIONS[name], lambda p: p)
    )
    tolerance = 1e-3 if name == "half precision" else 1e-12
    np.testing.assert_allclose(result.importance, expected.importance, rtol=tolerance)


def test_a_function_may_return_a_column_of_predictions():
    X = pd.DataFrame({"c": CODES, "z": OTHER})
    ranked = [
        uq.Explainer(function, X, Y).importance("squared_error", n_repeats="all").importance
        for function in (lambda X: X[["z"]].to_numpy(), lambda X: X["z"].to_numpy())
    ]
    np.testing.assert_array_equal(*ranked)


def test_a_table_without_numbers_says_so():
    X = pd.DataFrame({"c": CODES, "z": OTHER}).astype(str)
    with pytest.raises(ValueError, match=r"this needs a numeric feature, and there is none"):
        uq.Explainer(lambda X: X["z"].astype(float), X, Y).stress_to({"c": 2.0})


def test_complex_weights_are_refused():
    explainer = uq.Explainer(lambda X: X[:, 0], OTHER[:, None], Y)
    with pytest.raises(ValueError, match="sample_weight must be numbers"):
        explainer.importance("squared_error", sample_weight=np.ones(N) + 1j)

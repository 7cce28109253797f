"""The table of an explainer: dtypes and values that reach the model, and refused inputs."""

from __future__ import annotations

from decimal import Decimal

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_array, csr_matrix
from sklearn.linear_model import LinearRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

from models import Recorder, normal_model, table
from uqwidgets import Explainer, as_predictive
from uqwidgets.evaluation.batch import RowBlock
from uqwidgets.evaluation.containers import _TypedColumns
from uqwidgets.evaluation.table import Table

X, Y = table(30)


def mixed(n=30):
    return pd.DataFrame(
        {
            "whole": np.arange(n, dtype=np.int64),
            "small": (np.arange(n) % 7).astype(np.uint8),
            "single": np.linspace(0, 1, n, dtype=np.float32),
            "double": np.where(np.arange(n) % 5, np.linspace(-1, 1, n), np.nan),
            "flag": np.arange(n) % 3 == 0,
            "text": np.array(["Ä", "b'", 'c"'])[np.arange(n) % 3],
            "kind": pd.Categorical(np.array(["lo", "hi"])[np.arange(n) % 2], ["lo", "hi", "none"]),
            "nullable": pd.array([1, None, 3] * (n // 3), dtype="Int64"),
            "day": pd.date_range("2024-01-01", periods=n),
        },
        index=np.arange(n)[::-1],
    )


def score(data):
    return data["single"].to_numpy(dtype=float)


def test_the_model_receives_the_dtypes_of_the_table():
    data = mixed()

    def model(batch):
        pd.testing.assert_series_equal(batch.dtypes, data.dtypes)
        return score(batch)

    explainer = Explainer(model, data, np.arange(30.0))
    explainer.importance("prediction", n_repeats=3)
    for feature in data.columns:
        result = explainer.dependence(feature)
        assert len(result.grid) >= 2
        assert result.categorical == (feature in ("flag", "text", "kind", "day"))


def test_replaced_values_are_those_of_the_donors_and_missing_ones_pass_through():
    data = mixed()
    table = Table(data, np.arange(30.0), as_predictive(score))
    rows, donors = range(30), np.random.default_rng(0).permutation(30)
    for position, name in enumerate(data.columns):
        block = table.stacked([RowBlock(rows), RowBlock(rows, (position,), donors)])
        plain, replaced = block.iloc[:30], block.iloc[30:]
        pd.testing.assert_frame_equal(plain, data)
        expected = data.assign(**{name: data[name].take(donors).set_axis(data.index)})
        pd.testing.assert_frame_equal(replaced, expected)


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int64, np.int8])
def test_arrays_reach_the_model_with_their_dtype(dtype):
    whole = (10 * X).astype(dtype)

    def model(batch):
        assert isinstance(batch, np.ndarray)
        assert batch.dtype == dtype
        return batch[:, 0].astype(float)

    explainer = Explainer(model, whole, Y)
    explainer.importance("prediction", n_repeats=2)
    explainer.dependence("x1")


def test_pixels_are_stacked_row_by_row(monkeypatch):
    """Hundreds of integer columns are not stacked one by one, unless a value needs another type."""
    pixels = pd.DataFrame((10 * np.abs(X)).astype(np.uint8), columns=["a", "b", "c"][: X.shape[1]])
    stacked = []
    by_column = _TypedColumns._column

    def count(self, position, *rest):
        stacked.append(position)
        return by_column(self, position, *rest)

    monkeypatch.setattr(_TypedColumns, "_column", count)
    table = Table(pixels, Y, as_predictive(lambda batch: batch["a"].to_numpy(dtype=float)))
    rows, donors = range(30), np.random.default_rng(0).permutation(30)
    blocks = [RowBlock(rows), RowBlock(rows, (1,), donors), RowBlock(rows, (0,), values=(7.0,))]
    batch = table.stacked(blocks)
    assert stacked == []
    expected = pd.concat([pixels, pixels, pixels], ignore_index=True)
    expected.loc[30:59, "b"] = pixels["b"].to_numpy()[donors]
    expected.loc[60:, "a"] = np.uint8(7)
    pd.testing.assert_frame_equal(batch, expected)
    for value in (7.5, 256):
        batch = table.stacked([RowBlock(rows), RowBlock(rows, (0,), values=(value,))])
        assert batch["a"].iloc[-1] == value
        assert batch["b"].dtype == np.uint8
    assert stacked


def test_a_grid_of_integers_keeps_the_integer_dtype():
    model = Recorder(lambda batch: batch["small"].to_numpy(dtype=float))
    explainer = Explainer(model, mixed(), np.arange(30.0))
    assert explainer.dependence("small", grid=[1.0, 2.0]).average == pytest.approx([1, 2])
    assert model.batches[-1]["small"].dtype == np.uint8
    assert explainer.dependence("small", grid=[1.5, 300.0]).average == pytest.approx([1.5, 300])


def test_inputs_are_not_modified_and_may_be_read_only():
    data, y = X.copy(), Y.copy()
    data.flags.writeable = y.flags.writeable = False
    weights = np.linspace(0, 1, 30)
    weights.flags.writeable = False
    explainer = Explainer(normal_model, data, y)
    explainer.importance(sample_weight=weights, n_repeats=2)
    explainer.dependence("x0", sample_weight=weights)
    explainer.stress()
    np.testing.assert_array_equal(data, X)
    np.testing.assert_array_equal(y, Y)
    frame = mixed()
    before = frame.copy(deep=True)
    Explainer(score, frame, np.arange(30.0)).dependence("text")
    pd.testing.assert_frame_equal(frame, before)


def test_later_changes_of_the_inputs_do_not_reach_the_table():
    data, y = X.copy(), Y.copy()
    explainer = Explainer(normal_model, data, y)
    data[:], y[:] = 0.0, 0.0
    np.testing.assert_array_equal(
        explainer.importance("squared_error").importance,
        Explainer(normal_model, X, Y).importance("squared_error").importance,
    )


@pytest.mark.parametrize("names", [[0, 1, 2], [np.int64(7), "b", 3.5], ["a'b", 'c"d', "e.f[0]<i>"]])
def test_column_names_of_any_type(names):
    explainer = Explainer(lambda d: d.iloc[:, 0].to_numpy(), pd.DataFrame(X, columns=names), Y)
    assert explainer.features == tuple(str(name) for name in names)
    result = explainer.importance("squared_error", n_repeats=2)
    assert result.features[0] == str(names[0])
    assert explainer.dependence(names[1]).feature == str(names[1])
    assert explainer.stress([names[2]]).features == (str(names[2]),)


def test_the_kind_of_object_columns_is_that_of_their_values():
    data = np.array([[1.0, "a"], [2.0, "b"], [3.5, "a"]], dtype=object)
    table = Table(data, [1.0, 2.0, 3.0], as_predictive(lambda batch: batch[:, 0].astype(float)))
    assert table.kind("x0") == "numeric"
    assert table.kind("x1") == "categorical"
    np.testing.assert_array_equal(table.stacked([RowBlock(range(3))]), data)


FITTED = LinearRegression().fit(pd.DataFrame(X, columns=["a", "b", "c"]), Y)
ON_ARRAYS = LinearRegression().fit(X, Y)
FRAME = pd.DataFrame(X, columns=["a", "b", "c"])


@pytest.mark.parametrize(
    ("model", "data", "y", "message"),
    [
        (FITTED, FRAME.drop(columns="b"), Y, r"X has no column 'b', which the model was fitted w"),
        (FITTED, FRAME[["c"]], Y, r"no column 'a'.*\(2 are missing in all\); pass the columns"),
        (FITTED, X[:, :2], Y, "X has 2 columns, but the model was fitted on 3; pass"),
        (ON_ARRAYS, X[:, :2], Y, "X has 2 columns, but the model was fitted on 3; pass"),
        (ON_ARRAYS, X[:, 0], Y, r"X has shape \(30,\); pass a table of shape \(rows, features\)"),
        (FITTED, FRAME.iloc[:0], [], r"X has no rows; pass the rows that are to be explained"),
        (ON_ARRAYS, X, Y[:-1], r"y has shape \(29,\) but X has 30 rows; pass one value per row"),
        (ON_ARRAYS, X, np.stack([Y, Y], 1), r"y has shape \(30, 2\) but X has 30 rows"),
        (ON_ARRAYS, X, np.where(X[:, 0] > 1, np.nan, Y), r"y is missing in \d+ of 30 rows \(the f"),
        (ON_ARRAYS, X, [None, *Y[1:]], r"y is missing in 1 of 30 rows \(the first is row 0\)"),
        (ON_ARRAYS, X, [np.inf, *Y[1:]], r"y is inf in row 0; drop this row"),
        (
            ON_ARRAYS,
            X,
            ["low"] * 30,
            r"y holds 'low', which is not a number, but the model predicts",
        ),
        (
            normal_model,
            FRAME.set_axis(["a", "b", "a"], axis=1),
            Y,
            r"more than one column named 'a'",
        ),
        (normal_model, FRAME.set_axis([1, "1", 2], axis=1), Y, r"more than one column named '1'"),
        (normal_model, csr_matrix(X), Y, r"X is a sparse matrix, but features .*; pass X\.toarray"),
        (normal_model, csr_array(X), Y, r"X is a sparse matrix, but features .*; pass X\.toarray"),
        (
            normal_model,
            dict(FRAME),
            Y,
            r"X is of type dict; pass a table, such as pd\.DataFrame\(X\)",
        ),
        (normal_model, FRAME["a"], Y, r"X is a Series, which is one column; .* X\.to_frame\(\)"),
        (normal_model, FRAME[[]], Y, r"X has no columns; pass the features that are to be expl"),
        (normal_model, X[:, :0], Y, r"X has no columns; pass the features that are to be expl"),
        (
            normal_model,
            FRAME.assign(b=[[1, 2]] * 30),
            Y,
            r"column 'b' holds a list in row 0; a feature needs a single value per row",
        ),
        (normal_model, FRAME.assign(b=1j), Y, r"column 'b' holds complex numbers; pass their real"),
        (
            normal_model,
            FRAME.set_axis(pd.Index(["a", "b\ud800", "c"], dtype=object), axis=1),
            Y,
            r"the column name 'b\\ud800' is not valid Unicode; rename the column",
        ),
        (
            normal_model,
            FRAME,
            pd.date_range("2024-01-01", periods=30),
            r"y holds datetime\.datetime\(2024.*, which is not a number, but the model predicts",
        ),
        (
            normal_model,
            FRAME,
            Y + 1j,
            r"y holds .*j\), which is not a number, but the model predicts",
        ),
        (
            ON_ARRAYS,
            np.ma.masked_greater(X, 1.0),
            Y,
            r"X is masked in \d+ of 30 rows \(the first is row \d+\); .* X\.filled\(np\.nan\)",
        ),
        (
            ON_ARRAYS,
            X,
            np.ma.masked_less(Y, 0.0),
            r"y is masked in \d+ of 30 rows \(the first is row \d+\); leave these rows out of X",
        ),
        (normal_model, FRAME, pd.Series(Y)[::-1], r"in another order.*; pass y\.loc\[X\.index\]"),
    ],
)
def test_invalid_input_is_refused(model, data, y, message):
    with pytest.raises(ValueError, match=message):
        Explainer(model, data, y)


class Counted(str):
    """A text that counts how often texts of its kind are hashed."""

    hashed = 0

    def __hash__(self):
        Counted.hashed += 1
        return str.__hash__(self)


def test_values_are_hashed_only_in_columns_of_several_types():
    def make_table(values):
        data = pd.DataFrame({"text": pd.Series(values, dtype=object)})
        return Table(data, Y, as_predictive(lambda rows: np.zeros(len(rows))))

    values = [Counted("low"), Counted("high")] * 15
    Counted.hashed = 0
    make_table(values)
    make_table([*values[:29], None])
    assert Counted.hashed == 0
    make_table([*values[:29], 1.5])
    assert Counted.hashed == 29
    with pytest.raises(ValueError, match="column 'text' holds a set in row 29; a feature needs"):
        make_table([*values[:29], {"low"}])


def test_masked_weights_and_rows_are_refused_and_a_mask_of_nothing_is_not():
    explainer = Explainer(normal_model, np.ma.array(X), np.ma.array(Y))
    weights = np.ma.masked_less(np.arange(30.0), 3)
    with pytest.raises(ValueError, match=r"sample_weight is masked in 3 of 30 rows .*; give each"):
        explainer.importance(sample_weight=weights)
    with pytest.raises(ValueError, match=r"rows is masked in 3 of 30 rows \(the first is row 0\)"):
        explainer.importance(rows=weights.astype(int))
    whole = explainer.importance(sample_weight=np.ma.array(np.ones(30)), n_repeats=2)
    expected = Explainer(normal_model, X, Y).importance(n_repeats=2)
    np.testing.assert_allclose(whole.importance, expected.importance)
    extra = Explainer(normal_model, X, extra={"age": weights}).extra
    assert extra.missing("age") == 3


class OfAUnit(pd.DataFrame):
    """A DataFrame of another library."""

    @property
    def _constructor(self):
        return OfAUnit


def test_a_subclass_with_attributes_reaches_the_model():
    data = OfAUnit(FRAME.set_axis(pd.MultiIndex.from_product([["u"], list("abc")]), axis=1))
    data.attrs["unit"] = "m"
    seen = []

    def model(batch):
        seen.append(batch)
        return batch["u", "a"].to_numpy()

    Explainer(model, data, Y).importance("squared_error", n_repeats=2)
    assert len(seen) > 1
    for batch in seen:
        assert type(batch) is OfAUnit
        assert batch.attrs == {"unit": "m"}
        assert batch.columns.equals(data.columns)


def test_transformers_may_read_the_index():
    hours = pd.date_range("2024-01-01", periods=30, freq="h")
    frame = FRAME.set_index(hours)
    model = make_pipeline(
        FunctionTransformer(lambda X: X.assign(hour=X.index.hour)), LinearRegression()
    ).fit(frame, Y + hours.hour)
    explainer = Explainer(model, frame, Y + hours.hour)
    loss = np.square(Y + hours.hour - model.predict(frame))
    every = [
        np.square(Y + hours.hour - model.predict(frame.assign(a=value))) for value in frame["a"]
    ]
    importance = explainer.importance("squared_error", ["a"], n_repeats="all").importance
    assert importance == pytest.approx([np.mean(every) - np.mean(loss)])
    assert not explainer.importance("squared_error", n_repeats=5).remarks


def decimals(values):
    return [Decimal(f"{value:.3f}") for value in values]


@pytest.mark.parametrize("kind", [list, decimals])
@pytest.mark.parametrize("container", [pd.DataFrame, np.array])
def test_numbers_among_objects_are_numbers(kind, container):
    numbers = X.round(3)
    data = pd.DataFrame({f"x{j}": pd.Series(kind(numbers[:, j]), dtype=object) for j in range(3)})
    model = as_predictive(lambda batch: normal_model(np.asarray(batch, dtype=float)))
    extra = {"money": pd.Series(kind(numbers[:, 0]), dtype=object)}
    explainer = Explainer(model, container(data), Y, extra=extra)
    expected = Explainer(model, numbers, Y)
    assert explainer.table.numeric == ("x0", "x1", "x2")
    assert explainer.extra.numeric == ("money",)
    for n_repeats in (3, "all"):
        ranked, of_numbers = (
            one.importance("nll", n_repeats=n_repeats) for one in (explainer, expected)
        )
        assert ranked.features == of_numbers.features
        np.testing.assert_allclose(ranked.importance, of_numbers.importance, rtol=1e-9)
    for spacing in ("quantile", "even", "observed"):
        curve, of_numbers = (
            one.dependence("x0", spacing=spacing, grid=7) for one in (explainer, expected)
        )
        np.testing.assert_allclose(curve.grid, of_numbers.grid)
        np.testing.assert_allclose(curve.average, of_numbers.average)
    assert explainer.stress(["x0"], taus=3).features == ("x0",)


def test_bools_among_objects_are_categories():
    table = Table(FRAME.assign(b=pd.Series([True, None] * 15)), Y, as_predictive(normal_model))
    assert table.kind("b") == "categorical"


def test_a_target_may_be_a_column_and_have_a_name():
    table = Table(X, pd.DataFrame({"yield": Y}), as_predictive(normal_model))
    assert table.y.shape == (30,)
    assert Table(X, pd.Series(Y, name="yield"), as_predictive(normal_model)).target == "yield"
    assert Table(X, Y, as_predictive(normal_model)).target == "y"


def test_an_unknown_feature_suggests_the_nearest_one():
    explainer = Explainer(FITTED, FRAME.rename(columns=str), Y)
    with pytest.raises(ValueError, match=r"there is no feature 'bb'; did you mean 'b'\?"):
        explainer.dependence("bb")
    with pytest.raises(ValueError, match="there is no feature 'z'"):
        explainer.importance("squared_error", ["a", "z"])
    assert explainer.model_calls == 1


def test_a_permuted_index_without_an_order_is_refused():
    labels = ["one", 2, "three", 4]
    x = pd.DataFrame({"a": [1.0, 2.0, 3.0, 4.0]}, index=labels)
    y = pd.Series([0.0, 1.0, 2.0, 3.0], index=labels)[::-1]
    with pytest.raises(ValueError, match="y has the index of X in another order"):
        Explainer(lambda X: X["a"].to_numpy(), x, y)


def test_rows_are_matched_by_position_if_the_indices_differ_or_repeat():
    numbers = pd.Series(Y, index=np.arange(100, 130))
    for y in (numbers, numbers.set_axis([0] * 30), Y.tolist()):
        table = Table(FRAME, y, as_predictive(normal_model))
        np.testing.assert_array_equal(table.y, Y)


@pytest.mark.parametrize("container", [pd.Index, pd.Series, np.array, tuple, list])
def test_a_group_of_features_may_come_in_any_container(container):
    groups = {"g": container(["a", "c"])}
    table = Table(FRAME, Y, as_predictive(normal_model), groups)
    assert table.groups == {"g": ("a", "c")}
    assert table.groups_and_features == ("g", "b")

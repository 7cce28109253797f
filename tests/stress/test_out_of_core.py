"""Stress from batches compared with stress of all rows in memory."""

from __future__ import annotations

import sys

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import uqwidgets as uq
from stressed import classifier_and_regressor
from uqwidgets.stress.compressed.compression import compress
from uqwidgets.stress.compressed.levels import levels
from uqwidgets.stress.out_of_core.columns import anchors_of_batches
from uqwidgets.stress.out_of_core.profile import profile_batches, requested_features
from uqwidgets.stress.out_of_core.scan import NumericSummary
from uqwidgets.stress.out_of_core.sources import source_of

N = 6000
TAUS = [-1.0, -0.5, 0.0, 0.3, 1.0]


def frame(n=N):
    rng = np.random.default_rng(0)
    return pd.DataFrame(
        {
            "normal": rng.normal(size=n),
            "skewed": rng.lognormal(0, 3, n),
            "shifted": 1e6 + rng.gamma(0.3, size=n),
            "inflated": np.where(rng.random(n) < 0.3, 0.0, rng.gamma(0.5, size=n)),
            "count": rng.poisson(4, n),
            "binary": (rng.random(n) < 0.2) * 3.0,
            "constant": np.full(n, 0.1),
            "colour": rng.choice(["red", "green", "blue"], n, p=[0.7, 0.28, 0.02]),
        }
    )


def outputs(batch):
    return {
        "hit": batch["normal"].to_numpy() + np.log(batch["skewed"].to_numpy()) > 1,
        "wave": np.sin(batch["normal"]) - 1,
    }


def pieces(rows, k=7):
    return [rows.iloc[part] for part in np.array_split(np.arange(len(rows)), k)]


def agree(result, expected, rtol=1e-9):
    assert result.features == expected.features
    np.testing.assert_array_equal(result.status, expected.status)
    # The tolerance is the precision of the solver on rows.
    np.testing.assert_allclose(result.target, expected.target, rtol=1e-13, atol=1e-12)
    np.testing.assert_allclose(result.reached, expected.reached, rtol=rtol, atol=1e-9)
    np.testing.assert_allclose(result.ess, expected.ess, rtol=rtol)
    np.testing.assert_allclose(result.kl, expected.kl, rtol=rtol, atol=1e-12)
    np.testing.assert_allclose(result.half_share, expected.half_share, atol=5e-4)
    for name in result.indicators:
        np.testing.assert_allclose(result.values[name], expected.values[name], rtol=rtol, atol=1e-9)


def in_memory(rows, tail=0.05):
    """Each numeric feature compressed alone, with numpy's quantiles."""
    per_row = np.stack([np.asarray(v, dtype=float) for v in outputs(rows).values()], axis=1)
    result = {}
    for name in rows.columns.drop(["binary", "colour"]):
        values = rows[name].to_numpy(dtype=float)
        ends = np.quantile(values, [tail, 1 - tail])
        result[name] = levels(compress(values, per_row.T, *ends), np.array(TAUS))
    return result


@pytest.mark.parametrize("k", [1, 7, 60])
def test_batches_give_the_result_of_all_rows(k):
    rows = frame()
    result = profile_batches(pieces(rows, k), outputs, taus=TAUS)
    for name, expected in in_memory(rows).items():
        j = result.features.index(name)
        np.testing.assert_array_equal(result.status[j], expected.status)
        np.testing.assert_array_equal(result.target[j, [0, -1]], expected.target[[0, -1]])
        for own, other in (
            (result.values["hit"][j], expected.means[:, 0]),
            (result.values["wave"][j], expected.means[:, 1]),
            (result.reached[j], expected.reached),
            (result.ess[j], expected.ess),
            (result.kl[j], expected.kl),
            (result.half_share[j], expected.half_share),
        ):
            np.testing.assert_allclose(own, other, rtol=1e-11, atol=1e-14)


MODELS = list(classifier_and_regressor(frame(2500).drop(columns=["colour", "skewed", "shifted"])))


@pytest.mark.parametrize("anchor", ["quantile", "tail-mean"])
@pytest.mark.parametrize(("model", "X", "y"), MODELS, ids=["classes", "numbers"])
def test_a_model_is_called_once_for_all_indicators(model, X, y, anchor):
    lengths = []

    class Counting(type(model)):
        def predict(self, X, return_std=False):
            lengths.append(len(X))
            return super().predict(X, return_std=return_std)

        def predict_proba(self, X):
            lengths.append(len(X))
            return super().predict_proba(X)

    expected = uq.Explainer(model, X, y).stress(taus=TAUS, anchor=anchor)
    if not hasattr(model, "predict_proba"):
        del Counting.predict_proba
    counting = Counting()
    counting.__dict__.update(model.__dict__)
    batches = pieces(X.assign(answer=y))
    result = uq.stress_batches(counting, lambda: iter(batches), "answer", taus=TAUS, anchor=anchor)
    # For its distribution, and for what its own predict answers.
    assert sum(lengths) == 2 * len(X)
    assert result.indicators == expected.indicators
    assert result.labels == expected.labels
    assert (result.anchor, result.tail, result.level) == (anchor, 0.05, None)
    agree(result, expected, rtol=1e-8)
    assert "stress" in repr(result).lower()
    assert len(result.frame) == result.status.size * len(result.indicators)


def test_categories_and_shares_are_those_of_all_rows():
    rows = frame(3000)
    y = (rows["normal"] > 0) * 1

    def model(X):
        p = 1 / (1 + np.exp(-X["normal"].to_numpy() - (X["colour"] == "red")))
        return np.column_stack([1 - p, p])

    wrapped = uq.as_predictive(model, classes=[0, 1])
    expected = uq.Explainer(wrapped, rows, y).stress(["colour", "binary"], taus=TAUS)
    batches = pieces(rows.assign(y=y), 4)
    result = uq.stress_batches(wrapped, batches, "y", ["colour", "binary"], taus=TAUS)
    assert result.features == ("colour=blue", "colour=green", "colour=red", "binary")
    agree(result, expected)


def test_rows_without_a_value_are_left_out_or_refused():
    rows = frame(3000)
    rows.loc[5:80, "normal"] = np.nan
    rows.loc[2990, "normal"] = np.inf
    rows.loc[7:9, "colour"] = None
    rows["y"] = rows["count"] + 0.5

    def model(X):
        return X["count"].to_numpy() + np.sin(X["shifted"].to_numpy())

    batches = pieces(rows)
    left = uq.stress_batches(model, batches, "y", taus=TAUS)
    assert "normal" not in left.features
    assert left.remarks == (
        "normal is left out: missing or infinite in 77 of 3000 rows",
        "colour is left out: missing or infinite in 3 of 3000 rows",
    )
    expected = uq.Explainer(model, rows.drop(columns="y"), rows["y"]).stress(
        ["normal", "colour"], ["mean", "variance"], taus=TAUS, missing="drop"
    )
    result = uq.stress_batches(
        model, batches, "y", ["normal", "colour"], ["mean", "variance"], taus=TAUS, missing="drop"
    )
    assert result.remarks == expected.remarks
    np.testing.assert_allclose(result.values["mean"], expected.values["mean"], rtol=1e-9)
    np.testing.assert_allclose(result.values["variance"], expected.values["variance"], rtol=1e-8)
    with pytest.raises(ValueError, match="'normal' cannot be stressed: missing or infinite in 77"):
        uq.stress_batches(model, batches, "y", ["normal"])


@pytest.mark.parametrize(
    ("fitted", "labels"),
    [(None, [0, 1, "rest"]), (None, ["a b", "c", "d"]), (["a_b", "d"], ["d", "a b", 3])],
    ids=["numbers", "texts", "as libraries write them"],
)
def test_columns_are_matched_as_in_memory(fitted, labels):
    rng = np.random.default_rng(0)
    rows = pd.DataFrame(rng.normal(size=(300, 3)), columns=labels)

    class Model:
        n_features_in_ = len(fitted or labels)

        def predict(self, X):
            assert np.shape(X)[1] == self.n_features_in_
            return np.asarray(X)[:, 0]

    model = Model()
    if fitted:
        model.feature_names_in_ = np.array(fitted)
    y = rng.normal(size=300)
    expected = uq.Explainer(model, rows, y).stress(taus=TAUS)
    table = rows.copy()
    table[7] = y  # a target whose label is a number too
    agree(uq.stress_batches(model, pieces(table), 7, taus=TAUS), expected)
    one = uq.stress_batches(model, pieces(table), 7, [expected.features[1]], taus=TAUS)
    assert one.features == expected.features[1:2]
    assert profile_batches(table, ones, [7]).features == ("7",)
    with pytest.raises(ValueError, match=r"columns, but the model was|was fitted with"):
        uq.stress_batches(model, table.drop(columns=labels[1]), 7)


def awkward_numbers():
    usual = st.floats(-1e300, 1e300)
    return usual | st.sampled_from([0.0, -0.0, 1.0, 1e-320, -1e300]) | st.floats(1, 1.001)


@settings(max_examples=200, deadline=None)
@given(
    st.lists(awkward_numbers(), min_size=1, max_size=60), st.sampled_from([0.05, 0.1, 0.37, 0.499])
)
def test_few_values_have_the_quantiles_of_numpy(numbers, tail):
    values = np.array(numbers)
    if len(np.unique(values)) == 2:
        return
    source = source_of(pieces(pd.DataFrame({"x": values}), min(3, len(values))))
    summaries = {"x": NumericSummary.of(values)}
    with np.errstate(over="ignore", invalid="ignore"):
        ends = anchors_of_batches(source, summaries, tail, "quantile")["x"]
        np.testing.assert_array_equal([ends.low, ends.high], np.quantile(values, [tail, 1 - tail]))


@pytest.mark.parametrize("tail", [0.05, 0.31])
@pytest.mark.parametrize("anchor", ["quantile", "tail-mean"])
def test_many_values_have_the_anchors_of_all_rows(tail, anchor, monkeypatch):
    # Such a small buffer needs a second and a third pass.
    monkeypatch.setattr("uqwidgets.stress.out_of_core.order_statistics.FEW_ROWS", 10)
    rng = np.random.default_rng(0)
    n = 20_011
    rows = pd.DataFrame(
        {
            "normal": rng.normal(size=n),
            "shifted": 1e6 + 1e-3 * rng.normal(size=n),
            "skewed": -rng.lognormal(0, 5, n),
            "ties": np.where(rng.random(n) < 0.4, 1.5, rng.normal(size=n)),
        }
    )
    read = []

    def batches():
        read.append(1)
        return iter(pieces(rows))

    result = profile_batches(
        batches, lambda b: {"one": np.ones(len(b))}, tail=tail, anchor=anchor, taus=3
    )
    assert 4 <= len(read) <= 7
    for j, name in enumerate(result.features):
        ordered = np.sort(rows[name])
        size = int(np.ceil(tail * n))
        expected = np.quantile(rows[name], [tail, 1 - tail])
        if anchor == "tail-mean":
            expected = [ordered[:size].mean(), ordered[-size:].mean()]
            np.testing.assert_allclose(result.target[j, [0, -1]], expected, rtol=1e-13)
        else:
            np.testing.assert_array_equal(result.target[j, [0, -1]], expected)


def test_parquet_is_read_in_pieces(tmp_path, monkeypatch):
    pytest.importorskip("pyarrow", reason="Parquet needs the extra dask")
    monkeypatch.setattr("uqwidgets.stress.out_of_core.sources._PARQUET_ROWS", 1000)
    rows = frame()
    rows.to_parquet(tmp_path / "all.parquet")
    (tmp_path / "parts").mkdir()
    paths = [tmp_path / "parts" / f"{k}.parquet" for k in range(3)]
    for path, part in zip(paths, pieces(rows, 3), strict=True):
        part.to_parquet(path)
    sizes = []

    def watched(batch):
        sizes.append(len(batch))
        return outputs(batch)

    expected = profile_batches(rows, outputs, taus=TAUS)
    for where in (tmp_path / "all.parquet", str(tmp_path / "parts"), paths):
        agree(profile_batches(where, watched, taus=TAUS), expected, rtol=1e-11)
    assert max(sizes) <= 1000
    assert sum(sizes) == 3 * N


def test_parquet_without_pyarrow_names_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow.dataset", None)
    with pytest.raises(ImportError, match=r"pip install 'uqwidgets\[dask\]'"):
        profile_batches("rows.parquet", outputs)


@pytest.mark.filterwarnings("default")
@pytest.mark.thorough
def test_a_dask_cluster_gives_the_result_of_one_process(cluster):
    import dask.dataframe as dd

    rows = frame()
    lazy = dd.from_pandas(rows, npartitions=5)
    expected = profile_batches(rows, outputs, taus=TAUS)
    agree(profile_batches(lazy, outputs, taus=TAUS), expected, rtol=1e-11)
    model, X, y = MODELS[0]
    table = X.assign(answer=y)
    expected = uq.stress_batches(model, table, "answer", taus=TAUS, level=0.9)
    lazy_table = dd.from_pandas(table, npartitions=4)
    result = uq.stress_batches(model, lazy_table, "answer", taus=TAUS, level=0.9)
    agree(result, expected, rtol=1e-11)
    for name in result.indicators:
        np.testing.assert_allclose(result.low[name], expected.low[name], rtol=1e-9)
    assert len(cluster.scheduler_info()["workers"]) == 2
    # An error on a worker is raised as in one process.
    with pytest.raises(ValueError, match="the output 'nothing' has shape"):
        profile_batches(lazy, lambda _: {"nothing": [1.0]})


def test_empty_partitions_are_skipped():
    pytest.importorskip("dask", reason="needs the extra dask")
    rows = frame(300)
    batches = [rows[:0], rows[:100], rows[:0], rows[100:]]
    agree(profile_batches(batches, outputs, taus=TAUS), profile_batches(rows, outputs, taus=TAUS))


def ones(batch):
    return {"one": np.ones(len(batch))}


@pytest.mark.parametrize(
    ("batches", "options", "error", "message"),
    [
        (iter([frame(9)]), {}, TypeError, "an iterator of batches can be read only once"),
        (3, {}, TypeError, "batches is of type int; pass DataFrames, a function"),
        ([], {}, ValueError, "the batches have no rows"),
        ([1], {}, TypeError, "batches is of type list"),
        (lambda: [np.ones(3)], {}, TypeError, "a batch is of type ndarray; it must be a DataFrame"),
        (lambda: 3, {}, TypeError, "returns an object of type int; it must return an iterator"),
        ("no.parquet", {}, FileNotFoundError, "there is no file or folder 'no.parquet'; pass"),
        (list, {}, ValueError, "the batches have no rows"),
        ([frame(9), frame(9)[["normal"]]], {}, ValueError, "only some batches have a column 'bin"),
        (
            [frame(9), frame(9).assign(count="a")],
            {},
            ValueError,
            "'count' is numeric in one batch and not in another",
        ),
        (frame(9), {"features": ["norma"]}, ValueError, "no column 'norma'; did you mean 'normal'"),
        (frame(9), {"features": []}, ValueError, "features is empty"),
        (frame(9), {"tail": 0.5}, ValueError, "tail is 0.5; it must be between 0 and 0.5"),
        (frame(9), {"anchor": "mode"}, ValueError, "there is no anchor 'mode'"),
        (frame(9), {"missing": "ignore"}, ValueError, "missing is 'ignore'; it must be 'error'"),
        (frame(9), {"taus": [3]}, ValueError, "tau is 3"),
        (
            pd.DataFrame({"id": [f"row {k}" for k in range(2000)]}),
            {"features": "id"},
            ValueError,
            "'id' cannot be stressed: more categories than can be stressed one by one",
        ),
        (
            pd.DataFrame({"x": [None, np.nan]}, dtype=float),
            {"missing": "drop"},
            ValueError,
            "no feature can be stressed: x is left out: no value in any row",
        ),
        (
            pd.DataFrame({"x": 10.0 ** np.random.default_rng(0).uniform(-250, 0, 3000)}),
            {},
            ValueError,
            "'x' runs from .* stress its logarithm",
        ),
    ],
)
def test_invalid_batches_are_refused(batches, options, error, message):
    with pytest.raises(error, match=message):
        profile_batches(batches, ones, **options)


@pytest.mark.parametrize("later", [[9, 8], [9], [9, 9, 9]])
def test_batches_of_other_rows_in_a_later_pass_are_refused(later):
    passes = iter([[9, 9], later])
    message = r"batches have (17|9|27) rows, and had 18 in an earlier pass; .* the same each time"
    with pytest.raises(ValueError, match=message):
        profile_batches(lambda: [frame(n) for n in next(passes)], ones)


@pytest.mark.parametrize(
    ("outputs", "message"),
    [
        (lambda _: {}, "outputs returns nothing to average"),
        (lambda _: {"one": 1.0}, r"the output 'one' has shape \(\) for a batch of 9 rows"),
        (lambda b: {"one": np.full(len(b), np.nan)}, "the output 'one' is nan in row 0"),
        (lambda b: {"one": ["a"] * len(b)}, "the output 'one' is not all numbers: could not"),
        (
            lambda b: {f"from {b.index[0]}": np.ones(len(b))},
            "only some batches give 'from 0'; give the same outputs for all",
        ),
    ],
)
def test_invalid_outputs_are_refused(outputs, message):
    with pytest.raises(ValueError, match=message):
        profile_batches([frame(9), frame(9).set_index(np.arange(9) + 9)], outputs)


def test_outputs_without_names_are_refused():
    with pytest.raises(TypeError, match="outputs returns ndarray; it must return a dict of named"):
        profile_batches(frame(9), lambda b: np.ones(len(b)))


def test_invalid_arguments_with_a_model_are_refused():
    rows = frame(50)

    def model(X):
        return X["normal"].to_numpy()

    with pytest.raises(ValueError, match="there is no column 'coun'; did you mean 'count'"):
        uq.stress_batches(model, rows, "coun")
    with pytest.raises(ValueError, match="'y' is the target, not a feature"):
        uq.stress_batches(model, rows, "y", ["count", "y"])
    with pytest.raises(ValueError, match="there is no indicator 'means'; did you mean 'mean'"):
        uq.stress_batches(model, rows, "count", indicators=["means"])
    with pytest.raises(ValueError, match="'r2' is no mean over rows, so that of batches does not"):
        uq.stress_batches(model, rows, "count", indicators=["r2"])


def test_any_measure_of_a_model_is_an_indicator_of_batches():
    rows = frame(200)

    def model(X):
        return X["normal"].to_numpy(), np.full(len(X), 2.0)

    indicators = ["interval_width:0.5", "absolute_error"]
    result = uq.stress_batches(model, [rows[:90], rows[90:]], "count", indicators=indicators)
    whole = uq.Explainer(model, rows.drop(columns="count"), rows["count"])
    expected = whole.stress(indicators=indicators)
    for name in indicators:
        np.testing.assert_allclose(result.values[name], expected.values[name], rtol=1e-9)


@pytest.mark.parametrize("container", [pd.Index, pd.Series, np.array, tuple, iter])
def test_features_may_come_in_any_container(container):
    assert requested_features(container(["a", "b"])) == ["a", "b"]
    with pytest.raises(ValueError, match="features names 'a' twice; name each once"):
        requested_features(container(["a", "b", "a"]))
    with pytest.raises(ValueError, match="features is empty; name at least one"):
        requested_features(container([]))

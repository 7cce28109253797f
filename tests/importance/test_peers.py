"""Known faults of other packages, which this package must not have."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import HistGradientBoostingClassifier

from models import Recorder, normal_model, regression, table
from uqwidgets import Explainer


def test_features_do_not_share_a_permutation():
    X = np.arange(40.0)[:, None] + np.array([[0.0, 100.0, 200.0]])
    model = Recorder(lambda X: X[:, 0])
    Explainer(model, X, X[:, 0]).importance("squared_error", n_repeats=1)
    replaced = np.split(np.concatenate(model.batches[1:])[: 3 * 40], 3)
    orders = [tuple(part[:, j] - 100 * j) for j, part in enumerate(replaced)]
    assert len(set(orders)) == 3


def test_the_interval_is_not_the_standard_error_over_repeats():
    few, many = (regression().importance(n_repeats=k) for k in (10, 400))
    # More repeats bring no new rows, so the interval must not shrink to zero.
    assert (many.std_error[:2] > 0.5 * few.std_error[:2]).all()
    assert (many.std_error[:2] > 3 * many.repeats[:2].std(axis=1) / np.sqrt(400)).all()


def test_the_band_of_a_curve_is_of_the_mean_and_not_of_the_ice_curves():
    result = regression().dependence("x0", grid=[0.0, 1.0])
    spread = result.ice.std(axis=0, ddof=1)
    np.testing.assert_allclose(result.std_error, spread / np.sqrt(60))


def test_strings_categories_and_missing_values_are_supported():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(
        {
            7: np.where(rng.random(120) < 0.2, np.nan, rng.normal(size=120)),
            "kind": pd.Categorical(rng.choice(["a", "b'"], 120)),
            'quote"d': rng.integers(0, 5, 120),
        }
    )
    X.columns = [str(c) for c in X.columns]
    y = rng.random(120) < 0.5
    model = HistGradientBoostingClassifier(max_iter=5, categorical_features="from_dtype").fit(X, y)
    explainer = Explainer(model, X, y)
    result = explainer.importance(n_repeats=3)
    assert set(result.features) == {"7", "kind", 'quote"d'}
    assert np.isfinite(result.importance).all()
    for feature in explainer.features:
        assert (
            len(explainer.dependence(feature).rows) == 120
        )  # rows with missing values are not dropped
    assert explainer.dependence('quote"d').grid.dtype.kind == "i"


def test_all_rows_are_used():
    X = np.random.default_rng(0).normal(size=(3000, 1))
    explainer = Explainer(lambda X: X[:, 0], X, X[:, 0])
    assert explainer.importance("squared_error", n_repeats=1).per_row.shape == (1, 3000)
    assert explainer.dependence("x0", grid=3).ice.shape == (3000, 3)
    assert explainer.rows_evaluated == 3000 * 5


@pytest.mark.parametrize(("scale", "shift"), [(1e-5, 0.0), (1.0, 1e6), (1e-5, 1.0)])
def test_stress_does_not_depend_on_the_unit_of_a_feature(scale, shift):
    X, y = table(200)
    plain = Explainer(lambda X: X[:, 0], X, y).stress(["x0"])
    moved = Explainer(lambda X: (X[:, 0] - shift) / scale, X * scale + shift, y).stress(["x0"])
    assert np.ptp(plain.values["mean"]) > 1
    np.testing.assert_allclose(moved.values["mean"], plain.values["mean"], atol=1e-6)
    np.testing.assert_allclose(moved.ess, plain.ess, rtol=1e-5)


def test_a_mean_beyond_its_quantile_gives_a_status_and_nan():
    X = np.column_stack(
        [np.where(np.arange(100) < 3, 50.0 + np.arange(100), 0.0), np.arange(100.0)]
    )
    result = Explainer(lambda X: X[:, 0], X, X[:, 0] + 1).stress(indicators=["mean", "rmse"])
    up = result.taus > 0
    assert (result.status[0, up] == "beyond quantile").all()
    for values in result.values.values():
        assert np.isnan(values[0, up]).all()
    assert (np.diff(result.values["mean"][0, ~up]) > 0).all()


def test_the_levels_include_exactly_zero():
    for taus in (20, 21, [-0.5, 0.5]):
        assert 0.0 in regression().stress(taus=taus).taus


def test_two_models_of_the_same_rows_share_no_cache():
    X, y = table()
    one = Explainer(normal_model, X, y)
    two = Explainer(lambda X: (-normal_model(X)[0], normal_model(X)[1]), X, y)
    np.testing.assert_allclose(
        one.stress(indicators=["mean"]).values["mean"],
        -two.stress(indicators=["mean"]).values["mean"],
    )
    np.testing.assert_allclose(one.dependence("x0").average, -two.dependence("x0").average)


def test_units_and_intervals_are_stated():
    explainer = regression()
    result = explainer.importance("nll")
    assert "in nats" in repr(result)
    assert "95% interval u-statistic" in repr(result)
    assert "95% band" in repr(explainer.dependence("x0"))


def test_read_only_inputs_give_repeatable_numbers():
    X, y = table()
    X.flags.writeable = y.flags.writeable = False
    result = [Explainer(normal_model, X, y).importance().importance for _ in range(2)]
    np.testing.assert_array_equal(*result)

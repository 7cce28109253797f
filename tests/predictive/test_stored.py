"""Stored predictions stand for a model in everything that needs no new prediction."""

import numpy as np
import pandas as pd
import pytest

import uqwidgets as uq


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(300, 2)), columns=["a", "b"])
    p = 1 / (1 + np.exp(-X["a"].to_numpy()))
    return X, np.column_stack([1 - p, p]), np.where(rng.random(300) < p, "yes", "no")


def both(table):
    """Return an explainer of a function, and one of what it predicts."""
    X, P, y = table
    model = uq.as_predictive(
        lambda X: np.column_stack([1 - (p := 1 / (1 + np.exp(-X["a"]))), p]), classes=["no", "yes"]
    )
    stored = uq.Categorical(P, ["no", "yes"])
    return uq.Explainer(model, X, y), uq.Explainer(stored, X, y)


def test_what_needs_no_new_prediction_is_that_of_the_model(table):
    X = table[0]
    live, stored = both(table)
    for result in (
        lambda ex: ex.scores(),
        lambda ex: ex.calibration(),
        lambda ex: ex.confusion(),
        lambda ex: ex.stress(taus=5),
        lambda ex: ex.slices(),
        lambda ex: ex.prediction_sets(),
        lambda ex: ex.compare_rows(X["a"] > 0).scores().difference,
        lambda ex: ex.expected(X + 0.1, scoring=["nll"]).weights,
    ):
        pd.testing.assert_frame_equal(result(live).frame, result(stored).frame)
    assert stored.model_calls == 0


def test_what_needs_a_model_says_so(table):
    X = table[0]
    _, stored = both(table)
    for ask in (
        lambda: stored.importance(),
        lambda: stored.dependence("a", "entropy"),
        lambda: stored.expected(X, table[2]),
        lambda: uq.as_predictive(uq.Normal([0.0], [1.0]))(X),
    ):
        with pytest.raises(ValueError, match="predictions are stored, and no model"):
            ask()
    # What the model expects of itself there is not known either.
    assert np.isnan(stored.expected(X).own).all()


def test_the_widget_shows_what_there_is_and_a_page_holds_it(table, tmp_path):
    _, stored = both(table)
    with uq.explore(stored) as explorer:
        assert explorer.wait(60)
        meta = explorer._frame["meta"]
        assert meta["error"] is None
        assert {"stress", "performance", "slices"} <= set(meta)
        assert not {"importance", "dependence", "surface"} & set(meta)
        explorer.tau = 0.5
        assert explorer.wait(60)
        assert explorer.explainer.model_calls == 0
        path = tmp_path / "page.html"
        explorer.save(path, progress=False)
        assert path.stat().st_size > 10_000


def test_another_number_of_rows_is_refused(table):
    X, P, y = table
    with pytest.raises(ValueError, match="299 stored predictions for 300 rows"):
        uq.Explainer(uq.Categorical(P[1:], ["no", "yes"]), X, y)

"""The widget of an Explainer without the true target."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.linear_model import BayesianRidge

import uqwidgets as uq
from widgets.conftest import Counting, table
from widgets.wire import columns


@pytest.fixture
def widget():
    with uq.explore(Counting(), table()[0], n_repeats=4) as widget:
        assert widget.wait(30)
        yield widget


def test_the_pickers_offer_measures_and_indicators_that_need_no_target(widget):
    explainer, about = widget.explainer, widget._about
    assert about["target"] is None
    assert about["task"] == "classification"
    assert about["classes"] == []
    names = [choice["name"] for choice in about["measures"]]
    assert {"prediction", "entropy"} <= set(names)
    assert not any(explainer.measure(name).needs_truth for name in names)
    assert [i["name"] for i in about["indicators"]] == list(explainer.indicators)


def test_every_view_is_shown_without_target(widget):
    meta = widget._frame["meta"]
    assert meta["final"]
    assert meta["error"] is None
    assert [m["name"] for m in meta["importance"]["measures"]] == ["entropy"]
    expected = widget.explainer.importance("entropy", n_repeats=4)
    value = columns(widget._frame)["importance.value"][0]
    by_name = dict(zip(expected.features, expected.importance, strict=True))
    np.testing.assert_allclose(value, [by_name[f] for f in widget.explainer.features])
    assert meta["dependence"]["feature"] == expected.features[0]
    assert columns(widget._frame)["dependence.counts"].shape[0] == 1
    assert not columns(widget._frame)["dependence.ice_class"].any()
    assert meta["stress"]["indicator"] == "share:no"


def test_a_filter_by_an_unknown_target_is_an_error(widget):
    with pytest.raises(ValueError, match="a filter of the target needs y; pass it to Explainer"):
        widget.ice_filter = [{"feature": None, "values": ["yes"]}]


def test_a_loss_without_target_is_an_error(widget):
    with pytest.raises(ValueError, match="'nll' is not available: it needs y; pass y to Explainer"):
        widget.measure = "nll"


def test_the_static_picture_says_that_there_is_no_target(widget):
    assert "no target" in widget._repr_mimebundle_()[0]["text/html"]


def test_labels_without_target_have_no_measure():
    with pytest.raises(ValueError, match="labels alone gives no measure without y; pass y to"):
        uq.explore(lambda X: np.where(X[:, 0] > 0, "a", "b"), np.eye(4))


def test_a_learner_has_its_own_target():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 2))
    y = X[:, 0] + rng.normal(size=60)
    learner = uq.Learner(BayesianRidge(), X, y, n_refits=2)
    explainer = uq.Explainer(BayesianRidge().fit(X, y), X)
    with uq.Explorer(explainer, learner=learner, n_repeats=3) as widget:
        assert widget.wait(60)
        assert widget._frame["meta"]["error"] is None
        assert widget._frame["meta"]["learner"]["importance"]

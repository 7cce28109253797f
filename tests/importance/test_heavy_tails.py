"""The remark on heavy tails: where a few rows decide the variance of a loss."""

from __future__ import annotations

import numpy as np
import pytest

import uqwidgets as uq
from uqwidgets.inference.mean_intervals import have_heavy_tails, mean_intervals
from uqwidgets.inference.population import Population


def explainer(errors, **options):
    X = np.random.default_rng(7).normal(size=(len(errors), 2))
    return uq.Explainer(lambda X: (X[:, 0], np.ones(len(X))), X, X[:, 0] + errors, **options)


def heavy(result):
    return [remark for remark in result.remarks if remark.code == "heavy-tails"]


T3 = np.random.default_rng(4).standard_t(3, size=400)


def test_scores_and_curves_of_losses_with_heavy_tails_say_so():
    ex = explainer(T3)
    (of_scores,) = heavy(ex.scores(["rmse", "nll", "absolute_error"]))
    assert of_scores.startswith("Heavy tails: a few of the 400 rows")
    assert "RMSE" in of_scores
    assert len(heavy(ex.dependence("x1", "nll", grid=5))) == 1
    assert heavy(ex.dependence("x0", "prediction", grid=5)) == []


def test_an_importance_with_few_dominating_rows_says_which():
    errors = np.random.default_rng(5).normal(size=300)
    errors[:4] = 200.0
    ex = explainer(errors)
    (remark,) = heavy(ex.importance("squared_error", n_repeats=3))
    assert "the importance of x0 for squared_error" in remark  # and not of x1, which is ignored
    assert "x1" not in remark
    assert heavy(ex.importance("squared_error", n_repeats=3, interval="model")) == []


def test_light_tails_few_rows_and_weights_have_no_such_remark():
    rng = np.random.default_rng(6)
    ex = explainer(rng.normal(size=400))
    assert heavy(ex.scores()) + heavy(ex.importance("nll", n_repeats=2)) == []
    assert heavy(explainer(T3[:140]).scores()) == []
    assert heavy(explainer(T3).scores(sample_weight=rng.exponential(size=400))) == []
    of_groups = explainer(T3, groups=np.arange(400) // 2)
    assert all("of the 200 groups" in remark for remark in heavy(of_groups.scores(["rmse"])))


@pytest.mark.parametrize(
    ("draw", "least", "most"),
    [("t3", 0.8, 1.0), ("normal", 0.0, 0.03), ("exponential", 0.0, 0.03)],
)
def test_most_heavy_tails_are_found_and_few_light_ones(draw, least, most):
    rng, size = np.random.default_rng(8), (1000, 400)
    losses = {
        "t3": lambda: np.square(rng.standard_t(3, size=size)),
        "normal": lambda: np.square(rng.normal(size=size)),
        "exponential": lambda: rng.exponential(size=size),
    }[draw]()
    found = have_heavy_tails(mean_intervals(losses, Population.of(400)).df, 400).mean()
    assert least <= found <= most

"""How often the interval of a first sample holds the importance in the population."""

from __future__ import annotations

import numpy as np
import pytest

from uqwidgets import Explainer
from uqwidgets.importance import Settings, sampled_importance
from uqwidgets.inference.population import Population

ROWS = 2000
# Features that matter much and little, and an interaction.
EFFECTS = np.array([1.5, 0.6, 0.2])


def score(X: np.ndarray) -> np.ndarray:
    return X[:, :3] @ EFFECTS + 0.5 * X[:, 0] * X[:, 1]


def classifier(X: np.ndarray) -> np.ndarray:
    """Probabilities of two classes, the second of which is rare."""
    rare = 1 / (1 + np.exp(2 - score(X)))
    return np.column_stack([1 - rare, rare])


def regressor(X: np.ndarray) -> np.ndarray:
    return score(X)


def sample_of(kind: str, seed: int, n: int = ROWS) -> Explainer:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    if kind == "classes":
        y = (rng.random(n) < classifier(X)[:, 1]).astype(int)
        return Explainer(classifier, X, y, random_state=seed)
    return Explainer(regressor, X, score(X) + rng.normal(size=n), random_state=seed)


def in_order(explainer: Explainer, result: object, name: str) -> np.ndarray:
    places = [result.features.index(feature) for feature in explainer.features]
    return getattr(result, name)[places]


def population_importance(kind: str, measure: str) -> np.ndarray:
    explainer = sample_of(kind, 10_000, 400_000)
    return in_order(explainer, explainer.importance(measure, n_repeats=4), "importance")


def coverage(kind: str, measure: str, n_rows: int, n_repeats: int, simulations: int) -> np.ndarray:
    """Share of the simulations whose interval holds each feature's importance."""
    truth = population_importance(kind, measure)
    hits = []
    for seed in range(simulations):
        explainer = sample_of(kind, seed)
        result = sampled_importance(
            explainer.evaluations,
            explainer.measure(measure),
            explainer.features,
            Population.of(ROWS),
            Settings(n_repeats=n_repeats, seed=seed),
            n_rows,
        )
        low, high = in_order(explainer, result, "low"), in_order(explainer, result, "high")
        hits.append((low <= truth) & (truth <= high))
    return np.mean(hits, axis=0)


@pytest.mark.slow
@pytest.mark.parametrize("n_rows", [100, 200, 800])
@pytest.mark.parametrize(
    ("kind", "measure"), [("classes", "nll"), ("classes", "entropy"), ("numbers", "squared_error")]
)
def test_intervals_of_a_sample_hold_the_importance_as_often_as_they_say(
    kind: str, measure: str, n_rows: int
) -> None:
    shares = coverage(kind, measure, n_rows, 1, 1000)
    # 1,000 simulations have a standard error of 0.7 %.
    assert ((shares > 0.92) & (shares < 0.98)).all(), shares
    assert 0.93 < shares.mean() < 0.97


@pytest.mark.thorough
def test_intervals_of_a_sample_hold_the_importance() -> None:
    shares = coverage("classes", "nll", 200, 1, 150)
    assert ((shares > 0.88) & (shares <= 1.0)).all(), shares
    assert 0.91 < shares.mean() < 0.985


@pytest.mark.slow
def test_the_leading_features_are_held_although_they_were_chosen() -> None:
    # Many features matter equally little, and those that a screening overrates lead.
    effects = np.r_[np.ones(4), np.full(36, 0.3)]
    hits = []
    for seed in range(300):
        rng = np.random.default_rng(seed)
        X = rng.normal(size=(4000, 40))
        explainer = Explainer(
            lambda X: X @ effects, X, X @ effects + rng.normal(size=4000), random_state=seed
        )
        chosen = explainer.features
        for n_rows in (50, 200):
            result = sampled_importance(
                explainer.evaluations,
                explainer.measure("squared_error"),
                chosen,
                Population.of(4000),
                Settings(n_repeats=1, seed=seed),
                n_rows,
            )
            chosen = result.features[:10]
        truth = 2 * effects[[explainer.features.index(f) for f in result.features]] ** 2
        hits.append((result.low <= truth) & (truth <= result.high))
    assert 0.92 < np.mean(hits) < 0.97

"""The cost of measures: one model call for all of them, within the memory limit."""

from __future__ import annotations

import numpy as np
import pytest

from models import normal_model, table, three_classes, two_classes
from uqwidgets import Categorical, Explainer, Normal
from uqwidgets.evaluation.consistency import ROWS_ALONE
from uqwidgets.measures import described
from uqwidgets.predictive import Mixture, Quantiles

MEMBERS = 40
SHIFTS = np.linspace(-1, 1, MEMBERS)


def normal_members(X):
    mean, std = normal_model(X)
    return Mixture(Normal(mean[:, None] + SHIFTS * std[:, None], np.tile(std[:, None], MEMBERS)))


def members_of_classes(X):
    X = np.asarray(X, dtype=float)
    p = np.stack([three_classes(X + shift) for shift in SHIFTS], axis=1)
    return Mixture(Categorical(p, [0, 1, 2]))


def quantiles(X):
    mean, std = normal_model(X)
    return Quantiles([0.1, 0.5, 0.9], mean[:, None] + std[:, None] * [-1.3, 0.0, 1.3])


MODELS = {
    "normal": (normal_model, None),
    "normal members": (normal_members, None),
    "quantiles": (quantiles, None),
    "values": (lambda X: normal_model(X)[0], None),
    "two classes": (two_classes, 2),
    "three classes": (three_classes, 3),
    "members of classes": (members_of_classes, 3),
}


def explained(kind, **options):
    model, k = MODELS[kind]
    X, y = table(30)
    return Explainer(model, X, y if k is None else np.arange(30) % k, **options)


def by_hand(q, y):
    return np.abs(q.mean() - y) ** 1.5


@pytest.mark.parametrize("kind", MODELS)
def test_every_measure_of_an_answer_costs_one_call(kind):
    explainer = explained(kind)
    names = explainer.measures.query("available")["measure"].tolist()
    first, *others = [*names, by_hand]
    explainer.importance(first, n_repeats=3)
    explainer.dependence("x1", first, grid=5)
    before = explainer.model_calls, explainer.rows_evaluated
    weights = explainer.stress_weights("x0", 0.5)
    for measure in others:
        result = explainer.importance(measure, n_repeats=3, sample_weight=weights)
        assert np.isfinite(result.importance).all()
        assert np.isfinite(explainer.dependence("x1", measure, grid=5).average).all()
        assert explainer.stress(["x0"], [measure], taus=3).values
    assert (explainer.model_calls, explainer.rows_evaluated) == before
    assert len(others) == len(list(described(explainer._measures))) - sum(
        ~explainer.measures["available"]
    )


@pytest.mark.parametrize("kind", ["normal members", "members of classes"])
@pytest.mark.parametrize("share", [0.01, 0.2, 0.6])
def test_predictions_of_many_members_may_exceed_the_memory(kind, share):
    roomy = explained(kind)
    whole = 3 * 4 * roomy.evaluations.original.nbytes
    tight = explained(kind, memory_limit=int(share * whole))
    for measure in ("nll", "epistemic", by_hand, "nll"):
        rows_before = tight.rows_evaluated
        small, large = (e.importance(measure, n_repeats=4) for e in (tight, roomy))
        assert small.features == large.features
        np.testing.assert_allclose(small.importance, large.importance, rtol=1e-9, atol=1e-12)
        np.testing.assert_allclose(small.std_error, large.std_error, rtol=1e-9, atol=1e-12)
        # Evicted predictions are evaluated again, but only once.
        assert tight.rows_evaluated - rows_before <= 3 * 4 * 30 + ROWS_ALONE
    assert roomy.rows_evaluated == 30 + 3 * 4 * 30 + ROWS_ALONE


def test_the_prediction_without_replacement_stays_cached():
    explainer = explained("normal members", memory_limit=1)
    explainer.importance("epistemic", n_repeats=2)
    rows_before = explainer.rows_evaluated
    for measure in ("epistemic", "crps", by_hand):
        explainer.stress(indicators=[measure])
    assert explainer.rows_evaluated == rows_before


def test_derived_measures_stay_cached_when_predictions_do_not():
    explainer = explained("normal members")
    answer = explainer.evaluations.original.nbytes
    tight = explained("normal members", memory_limit=5 * answer)
    tight.importance("nll", n_repeats=4)
    cache = tight.evaluations._cache
    assert len(cache.predictions) <= 5
    changes = [key for key in cache.derived if key[0] == "change"]
    assert len(changes) == 3
    assert cache.nbytes <= 5 * answer

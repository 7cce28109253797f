"""Memory ownership: models, measures, scorers and callers may write into their arrays."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LinearRegression
from sklearn.metrics import make_scorer

from models import normal_model, table, two_classes
from uqwidgets import Explainer, Learner, as_predictive
from uqwidgets.evaluation.replacement import Drawn

X, Y = table(80)
LABELS = (Y > 0).astype(int)


class Buffered:
    """A model that returns views of one buffer, as bindings of runtimes do."""

    classes_ = np.array([0, 1])

    def __init__(self):
        self.buffer = np.empty((100_000, 2))

    def predict_proba(self, batch):
        answer = self.buffer[: len(batch)]
        answer[:] = two_classes(batch)
        return answer


class BufferedBySize(Buffered):
    """A model that returns the same array for all batches of one length."""

    def __init__(self):
        self.buffers = {}

    def predict_proba(self, batch):
        answer = self.buffers.setdefault(len(batch), np.empty((len(batch), 2)))
        answer[:] = two_classes(batch)
        return answer


class BufferedNormal:
    """A model that returns views of buffers of means and standard deviations."""

    def __init__(self):
        self.mean, self.std = np.empty(100_000), np.empty(100_000)

    def predict(self, batch, return_std=False):
        n = len(batch)
        self.mean[:n], self.std[:n] = normal_model(batch)
        return (self.mean[:n], self.std[:n]) if return_std else self.mean[:n]


class BufferedPoint:
    def __init__(self):
        self.mean = np.empty(100_000)

    def predict(self, batch):
        self.mean[: len(batch)] = normal_model(batch)[0]
        return self.mean[: len(batch)]


def numbers(explainer, measures):
    """Return importance of few and of more repeats, a curve, and stress."""
    result = []
    for measure in measures:
        result += [explainer.importance(measure, n_repeats=k).importance for k in (2, 5)]
        result.append(explainer.dependence("x0", measure, grid=5).average)
    stressed = explainer.stress(["x0"], taus=3)
    return [*result, stressed.values[stressed.indicators[0]]]


@pytest.mark.parametrize(
    ("model", "same", "y", "measures"),
    [
        (Buffered, two_classes, LABELS, ["nll", "entropy"]),
        (BufferedBySize, two_classes, LABELS, ["nll", "entropy"]),
        (BufferedNormal, normal_model, Y, ["nll", "squared_error"]),
        (BufferedPoint, lambda batch: normal_model(batch)[0], Y, ["squared_error"]),
    ],
)
def test_a_model_may_return_views_of_its_buffer(model, same, y, measures):
    buffered = numbers(Explainer(model(), X, y), measures)
    expected = numbers(Explainer(same, X, y), measures)
    for one, other in zip(buffered, expected, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-12, atol=1e-15)


def test_members_of_an_ensemble_may_share_a_buffer():
    class Shared(Buffered):
        def __init__(self, shift, buffer):
            self.shift, self.buffer = shift, buffer

        def predict_proba(self, batch):
            return super().predict_proba(np.asarray(batch) + self.shift)

    buffer = np.empty((100_000, 2))
    answer = as_predictive([Shared(0.0, buffer), Shared(1.0, buffer)])(X)
    for member, shift in enumerate((0.0, 1.0)):
        np.testing.assert_array_equal(
            answer.members.probabilities[:, member], two_classes(X + shift)
        )


@pytest.mark.parametrize(
    "data",
    [
        X,
        pd.DataFrame({"count": np.arange(80), "one": X[:, 0]}),
        pd.DataFrame({"count": np.arange(80)}),
    ],
)
def test_a_model_may_write_into_its_batch(data):
    def writing(batch):
        columns = batch if isinstance(batch, np.ndarray) else batch.to_numpy().astype(float)
        answer = columns[:, 0].copy()
        memory = (
            [batch]
            if isinstance(batch, np.ndarray)
            else [batch[name].to_numpy(copy=False) for name in batch]
        )
        for part in memory:
            part.flags.writeable = True
            part[:] = 99
        return answer

    written_to = Explainer(writing, data, Y)
    plain = Explainer(lambda batch: np.asarray(batch)[:, 0].astype(float), data, Y)
    np.testing.assert_allclose(
        written_to.importance("squared_error").importance,
        plain.importance("squared_error").importance,
    )
    name = plain.features[0]
    np.testing.assert_array_equal(written_to.table.column(name), plain.table.column(name))


def test_later_changes_of_the_inputs_change_no_result():
    memory, target = X.copy(), Y.copy()
    explainer = Explainer(
        normal_model, pd.DataFrame(memory, columns=list("abc"), copy=False), target
    )
    memory[:], target[:] = 0.0, 0.0
    right = Explainer(normal_model, pd.DataFrame(X, columns=list("abc")), Y)
    np.testing.assert_array_equal(explainer.table.column("a"), X[:, 0])
    np.testing.assert_array_equal(
        explainer.importance("nll").importance, right.importance("nll").importance
    )
    np.testing.assert_array_equal(explainer.dependence("a").grid, right.dependence("a").grid)


def test_later_changes_reach_no_fit_and_no_other_model():
    def learner(data, target):
        return Learner(LinearRegression(), data, target, n_refits=2)

    def other(data, target):
        return Explainer(normal_model, data, target, others={"one": lambda batch: batch[:, 0]})

    data, target = X.copy(), Y.copy()
    late, model = learner(data, target), other(data, target)
    data[:], target[:] = 0.0, 0.0
    for one, right in ((late, learner(X, Y)), (model.others["one"], other(X, Y).others["one"])):
        np.testing.assert_array_equal(
            one.importance("squared_error").importance,
            right.importance("squared_error").importance,
        )


class TestWritesOfFunctions:
    def margin(self, q, y):  # noqa: ARG002
        p = q.probabilities
        p -= 0.5
        return np.abs(p[:, 1])

    @pytest.mark.parametrize("memory_limit", ["1GiB", 1])
    def test_a_measure_that_writes_into_predictions_is_refused(self, memory_limit):
        explainer = Explainer(two_classes, X, LABELS, memory_limit=memory_limit)
        message = (
            r"^measure 'margin' failed: it writes into the model's answers, .*; let it copy them"
        )
        with pytest.raises(ValueError, match=message):
            explainer.importance(self.margin)
        np.testing.assert_array_equal(
            explainer.importance("nll").importance,
            Explainer(two_classes, X, LABELS).importance("nll").importance,
        )

    def test_a_scorer_that_writes_into_its_inputs_is_refused(self):
        def clipped(y, p, sample_weight=None):
            np.clip(p, 0.4, 0.6, out=p)
            return float(np.average((p - y) ** 2, weights=sample_weight))

        def reweighting(y, p, sample_weight=None):
            sample_weight *= 2
            return float(np.average((p - y) ** 2, weights=sample_weight))

        explainer = Explainer(two_classes, X, LABELS)
        weights = np.linspace(0.5, 1.5, len(X))
        for function in (clipped, reweighting):
            scorer = make_scorer(function, response_method="predict_proba")
            with pytest.raises(ValueError, match="cannot score this model: it writes into the mod"):
                explainer.importance(scorer, n_repeats=2, sample_weight=weights)
        np.testing.assert_array_equal(
            explainer.importance("nll").importance,
            Explainer(two_classes, X, LABELS).importance("nll").importance,
        )

    def test_stored_arrays_are_read_only(self):
        explainer = Explainer(normal_model, X, Y)
        evaluations = explainer.evaluations
        answer = evaluations.evaluate(Drawn((0,), "permutation", 0, 0))
        for array in (answer.loc, evaluations.original.scale, evaluations.truth, explainer.table.y):
            with pytest.raises(ValueError, match="read-only"):
                array[0] = 1.0
        with pytest.raises(ValueError, match="read-only"):
            explainer.table.numbers("x0")[0] = 1.0

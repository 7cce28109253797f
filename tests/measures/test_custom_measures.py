"""Measures that the user passes as a function."""

from __future__ import annotations

import functools

import numpy as np
import pytest
from sklearn.metrics import accuracy_score, make_scorer

from models import Recorder, classification, normal_model, regression, table, two_classes
from uqwidgets import Explainer, Point
from uqwidgets.measures import available, find

COLOURS = np.array(["red", "blue"])


def absolute(q, y):
    return np.abs(q.mean() - y)


def measure(function):
    return find(function, available(Point([1.0]), classifier=False))


@pytest.mark.parametrize("function", [absolute, lambda q, y: list(np.abs(q.mean() - y))])
def test_a_function_is_a_measure_like_any_other(function):
    explainer = regression()
    for ask in (
        lambda m: explainer.importance(m, n_repeats=3).frame,
        lambda m: explainer.dependence("x0", m, grid=5).frame,
        lambda m: explainer.importance_over_tau("x0", m, n_repeats=3, taus=3).frame,
    ):
        mine, named = ask(function), ask("absolute_error")
        numbers = named.select_dtypes("number").columns
        np.testing.assert_allclose(mine[numbers], named[numbers], rtol=1e-12)
    assert explainer.importance(absolute, n_repeats=3).label == "absolute"


def test_a_function_receives_the_labels_of_the_rows_whatever_the_batch():
    X, y = table()
    labels = COLOURS[(y > 0).astype(int)]
    seen = []

    def missed(q, y):
        seen.append((len(q), y))
        return 1 - q.probabilities[np.arange(len(q)), [["red", "blue"].index(c) for c in y]]

    explainer = Explainer(two_classes_of_colours(), X, labels)
    result = explainer.importance(missed, n_repeats=4)
    for n, received_labels in seen:
        assert len(received_labels) == n
        assert n % 60 == 0
        np.testing.assert_array_equal(received_labels, np.tile(labels, n // 60))
    assert max(n for n, _ in seen) > 60
    p = explainer.evaluations.original.probabilities
    assert result.baseline == pytest.approx(1 - p[np.arange(60), (y > 0).astype(int)].mean())


def two_classes_of_colours():
    class Model:
        classes_ = COLOURS

        def predict_proba(self, X):
            return two_classes(X)

    return Model()


def test_a_function_receives_labels_also_without_probabilities():
    X, y = table()
    labels = np.where(y > 0, "up", "down")
    explainer = Explainer(lambda X: np.where(X[:, 0] > 0, "up", "down"), X, labels)
    mine = explainer.importance(lambda q, y: (q.value != y) * 1.0, n_repeats=2)
    np.testing.assert_array_equal(
        mine.importance, explainer.importance("zero_one", n_repeats=2).importance
    )


def test_two_functions_with_the_same_name_are_distinguished():
    explainer = regression()

    def nll(power):
        def nll(q, y):
            return np.abs(q.mean() - y) ** power

        return nll

    first, second = nll(1), nll(2)
    np.testing.assert_allclose(
        explainer.importance(second).importance, explainer.importance("squared_error").importance
    )
    np.testing.assert_allclose(
        explainer.importance(first).importance, explainer.importance("absolute_error").importance
    )
    curve = explainer.dependence("x0", "nll").average
    for one, named in ((first, "absolute_error"), (second, "squared_error")):
        expected = explainer.dependence("x0", named).average
        np.testing.assert_allclose(explainer.dependence("x0", one).average, expected)
    np.testing.assert_array_equal(explainer.dependence("x0", "nll").average, curve)
    lambdas = [lambda q, y: q.mean() - y, lambda q, y: y - q.mean()]
    up, down = (explainer.importance(f, n_repeats=2) for f in lambdas)
    np.testing.assert_array_equal(
        up.frame.set_index("feature").importance["x0"], up.importance[up.features.index("x0")]
    )
    assert up.baseline == -down.baseline


class Loss:
    def __init__(self, power):
        self.power = power

    def __eq__(self, other):
        return True

    __hash__ = None

    def of(self, q, y):
        return np.abs(q.mean() - y) ** self.power

    __call__ = of


def test_a_function_is_identified_by_itself_not_by_equality():
    loss, other = Loss(1), Loss(2)
    assert measure(loss).key == measure(loss).key
    assert measure(loss.of).key == measure(loss.of).key
    partial = functools.partial(absolute)
    keys = [measure(f).key for f in (loss, other, loss.of, other.of, absolute, partial)]
    assert len(set(keys)) == len(keys)
    assert measure(loss).name == "Loss"
    assert measure(partial).name == "partial"


def test_the_id_of_a_deleted_function_is_not_reused():
    explainer = regression()
    result = []
    for power in range(1, 20):  # a new function may get the address of one that was freed
        loss = Loss(power)
        result.append(explainer.importance(loss, n_repeats=1).baseline)
        del loss
    assert len(set(result)) == len(result)


def test_a_function_costs_no_model_call_and_is_computed_once():
    X, y = table()
    model = Recorder(normal_model)
    explainer = Explainer(model, X, y)
    explainer.importance("nll")
    explainer.dependence("x0")
    rows, calls = model.rows, []

    def counted(q, y):
        calls.append(len(q))
        return absolute(q, y)

    for _ in range(3):
        explainer.importance(counted)
        explainer.importance(counted, sample_weight=np.arange(60))
        explainer.dependence("x0", counted)
        explainer.stress(indicators=[counted])
    assert model.rows == rows
    assert sum(calls) == 60 + 3 * 10 * 60 + 50 * 60


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (lambda q, _: np.zeros(len(q) + 1), r"'<lambda>' gave shape \(61,\) for 60 rows.*\(60,\)"),
        (lambda q, _: np.zeros((len(q), 1)), r"gave shape \(60, 1\) for 60 rows"),
        (lambda *_: 3.0, r"gave shape \(\) for 60 rows"),
        (lambda *_: None, r"gave shape \(\) for 60 rows"),
        (lambda q, _: [[1], [1, 2]] * len(q), "gave a ragged list for 60 rows"),
        (lambda q, _: np.full(len(q), "a"), "gave <U1 instead of numbers"),
        (lambda q, _: np.full(len(q), 1j), "gave complex128 instead of numbers"),
        (lambda q, _: np.full(len(q), None), "gave object instead of numbers"),
        (lambda q, _: np.where(np.arange(len(q)) < 2, np.nan, 1), "is nan in 2 of 60 rows; it mu"),
        (lambda q, _: -np.ones(len(q)) / 0.0, "failed: ZeroDivisionError|is -inf in 60 of 60"),
        (lambda q, y: q.absent + y, "'<lambda>' failed: AttributeError: .*absent"),
        (lambda q: q.mean(), "'<lambda>' failed: TypeError: .*positional argument"),
    ],
)
def test_the_return_value_of_a_function_is_checked(function, message):
    explainer = regression()
    with np.errstate(all="ignore"), pytest.raises(ValueError, match=message):
        explainer.importance(function)


def test_bools_and_integers_are_numbers():
    explainer = regression()
    result = explainer.importance(lambda q, y: q.mean() > y, n_repeats=1)
    assert 0 < result.baseline < 1


def test_a_returned_array_may_change_afterwards():
    explainer = regression()
    buffer = np.zeros(60)

    def same(q, y):  # noqa: ARG001
        return buffer

    assert explainer.stress(indicators=[same]).values["same"][0, 0] == 0
    buffer[:] = 1.0
    assert explainer.stress(indicators=[same]).values["same"][0, 0] == 0


def test_invalid_measures_are_refused():
    explainer = classification()
    with pytest.raises(ValueError, match=r"accuracy_score is a function of .*make_scorer\(accura"):
        explainer.importance(accuracy_score)
    with pytest.raises(ValueError, match=r"make_scorer.* is a metric of all rows together"):
        explainer.dependence("x0", make_scorer(accuracy_score))
    for wrong in (3, None, ["nll"]):
        with pytest.raises(TypeError, match=r"give one name, scorer or function of"):
            explainer.importance(wrong)

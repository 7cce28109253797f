"""Every public method refuses an option of a wrong type in one sentence that names the option."""

import inspect
import re
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from sklearn.linear_model import LinearRegression
from traitlets import TraitError

import uqwidgets as uq
from uqwidgets.importance import ImportanceOptions

# Options of `Explainer.importance` that are no part of `ImportanceOptions`.
SUBJECT = {"self", "measure", "features", "stream"}
X = np.random.default_rng(0).normal(size=(60, 2))
Y = X[:, 0] + np.random.default_rng(1).normal(size=60)
NAN = float("nan")

WRONG: dict[str, list[Any]] = {
    "callback": [3, "yes"],
    "stream": ["yes", 1],
    "level": ["0.9", NAN, True],
    "tail": ["x", NAN, True],
    "n_jobs": ["2", 2.5, NAN, True, 0],
    "memory_limit": [True, NAN, 0, "x"],
    "derivative": ["yes", 1],
    "relative": ["yes", 1],
    "n_repeats": [True, "3", 2.5, NAN],
    "n_refits": [True, "3", 2.5],
    "n_train": ["x", 2.5, True],
    "n_test": ["x", 2.5, True],
    "n_datasets": ["x", 2.5, True],
    "n_tables": ["x", 2.5, True],
    "n_estimators": ["100", 100.5, True],
}


def learner() -> uq.Learner:
    return uq.Learner(LinearRegression(), X, Y, n_refits=3)


def truth() -> uq.GroundTruth:
    return uq.GroundTruth(lambda X: X[:, 0], lambda n, rng: rng.normal(size=(n, 2)))


def methods() -> Iterator[tuple[str, Callable[..., Any], tuple[Any, ...]]]:
    """Public calls, each with arguments that it accepts."""
    one, two = (uq.Explainer(lambda X, b=b: b * X[:, 0], X, Y) for b in (1, 0.5))
    fitted = learner().fit()
    loss, feature = ("squared_error",), ("x0",)
    for subject in (one, one.compare(two), one.compare_rows(X[:, 1] > 0)):
        name = type(subject).__name__
        yield f"{name}.importance", subject.importance, loss
        yield f"{name}.dependence", subject.dependence, feature
        yield f"{name}.stress", subject.stress, (["x0"], ["mean"])
        yield f"{name}.scores", subject.scores, ()
    yield "Explainer.dependences", one.dependences, ()
    yield "Explainer.accumulated_effects", one.accumulated_effects, feature
    yield "Explainer.replaced", one.replaced, feature
    yield "Explainer.importance_over_tau", one.importance_over_tau, ("x0", "squared_error")
    yield "Explainer.diagnose", one.diagnose, ()
    yield "Explainer.redundancy", one.redundancy, ()
    yield "Learner.fit", fitted.fit, ()
    yield "Learner.importance", fitted.importance, loss
    yield "Learner.loco", fitted.loco, loss
    yield "Learner.dependence", fitted.dependence, feature
    yield "Learner.dependences", fitted.dependences, ()
    yield "Learner.performance", fitted.performance, loss
    yield "Learner.compare", fitted.compare, (learner().fit(), *loss)
    yield "GroundTruth.importance", truth().importance, ()
    yield "GroundTruth.dependence", truth().dependence, feature
    yield "GroundTruth.decompose", truth().decompose, (LinearRegression(),)
    yield "GroundTruth.coverage", truth().coverage, (LinearRegression(),)
    yield "loco_importance", uq.loco_importance, (LinearRegression(), X, Y, X, Y, *loss)
    yield "Explainer", uq.Explainer, (lambda X: X[:, 0], X, Y)
    yield "Learner", uq.Learner, (LinearRegression(), X, Y)


@pytest.mark.parametrize(("call", "arguments"), [pytest.param(f, a, id=n) for n, f, a in methods()])
def test_a_wrong_type_is_refused_in_one_sentence(
    call: Callable[..., Any], arguments: tuple[Any, ...]
) -> None:
    names = [name for name in inspect.signature(call).parameters if name in WRONG]
    accepts_any = inspect.signature(call).parameters.values()
    assert names or any(each.kind is each.VAR_KEYWORD for each in accepts_any)
    for name in names:
        for value in WRONG[name]:
            with pytest.raises((TypeError, ValueError), match=rf"^{name} is ") as caught:
                call(*arguments, **{name: value})
            sentence = str(caught.value)
            assert re.search(r"; (it must be|pass|give) ", sentence)
            assert sentence.endswith(".")


def test_every_public_method_with_a_callback_is_checked() -> None:
    checked = {name for name, *_ in methods()}
    classes = [uq.Explainer, uq.Learner, uq.GroundTruth, uq.ModelComparison, uq.RowsComparison]
    with_callback = {
        f"{of.__name__}.{name}"
        for of in classes
        for name, method in inspect.getmembers(of, inspect.isfunction)
        if not name.startswith("_") and "callback" in inspect.signature(method).parameters
    }
    assert with_callback <= checked


@pytest.mark.parametrize("names", [3, "ab", ("one",), ("one", "two", "three")])
def test_a_comparison_needs_two_names(names: Any) -> None:
    explainer = uq.Explainer(lambda X: X[:, 0], X, Y)
    with pytest.raises(ValueError, match=r"^names is .*; give two names"):
        explainer.compare_rows(X[:, 0] > 0, names=names)


def test_type_checkers_know_all_options_of_importance():
    parameters = inspect.signature(uq.Explainer.importance).parameters
    assert set(ImportanceOptions.__annotations__) == set(parameters) - SUBJECT


def numbers() -> Iterator[tuple[str, Callable[[Any], Any]]]:
    """Public calls with a number in a place that the test of options does not fill."""
    ex = uq.Explainer(lambda X: (X[:, 0], np.ones(len(X))), X, Y)
    yield "tau", lambda value: ex.stress_weights("x0", tau=value)
    yield "tau", lambda value: ex.stress(taus=value)
    yield "tau", lambda value: ex.stress(taus=[0.0, value])
    yield "tau", lambda value: ex.importance_over_tau("x0", taus=[value])
    yield "mean of 'x0'", lambda value: ex.stress_to({"x0": value})
    yield "variance of 'x0'", lambda value: ex.stress_to(variances={"x0": value})
    yield "margin", lambda value: ex.diagnose(margin=value)
    yield "grid of 'x0'", lambda value: ex.dependence("x0", grid=[value, 0.5])
    yield "n is", lambda value: truth().importance("squared_error", n=value)
    yield "n is", lambda value: truth().dependence("x0", n=value)
    yield "n_samples", uq.datasets.make_linear


@pytest.mark.parametrize(("name", "call"), list(numbers()))
@pytest.mark.parametrize("value", [True, np.True_])
def test_a_truth_value_is_no_number(name: str, call: Callable[[Any], Any], value: Any) -> None:
    with pytest.raises(ValueError, match=name):
        call(value)


def test_an_input_that_is_a_number_refuses_a_truth_value() -> None:
    explainer = uq.Explainer(lambda X: X[:, 0], X, Y)
    with pytest.raises(TraitError, match="tau is True; it must be a number"):
        uq.Explorer(explainer, tau=True)

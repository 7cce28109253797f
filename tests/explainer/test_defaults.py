"""Defaults that stand for arguments that a call leaves out."""

import inspect

import numpy as np
import pytest
from sklearn.linear_model import LinearRegression

import uqwidgets as uq

X = np.random.default_rng(0).normal(size=(40, 2))


def explainer(**options):
    return uq.Explainer(lambda X: X[:, 0], X, X[:, 0], **options)


@pytest.fixture(autouse=True)
def _as_before():
    with uq.set_options():
        yield


def test_options_stand_for_what_is_left_out():
    uq.set_options(level=0.8, n_repeats=4, random_state=7)
    one = explainer()
    result = one.importance("squared_error")
    assert (one.seed, result.level, result.n_repeats) == (7, 0.8, 4)
    assert one.stress("x0", "mean").level == 0.8
    paired = one.compare(explainer(random_state=1))
    explicit = paired.importance("squared_error", level=0.8, n_repeats=4)
    assert paired.importance("squared_error").frame.equals(explicit.frame)
    learner = uq.Learner(LinearRegression(), X, X[:, 0], n_refits=3)
    assert learner.importance("squared_error").n_repeats == 4
    widget = uq.explore(lambda X: X[:, 0], X, X[:, 0])
    assert widget.explainer.seed == 7
    widget.close()


def test_an_argument_that_is_passed_counts():
    uq.set_options(level=0.8, random_state=7)
    one = explainer(random_state=3)
    assert one.seed == 3
    assert one.importance("squared_error", level=0.95).level == 0.95


def test_a_block_puts_back_what_was_there():
    uq.set_options(level=0.8)
    with uq.set_options(level=0.7, n_repeats=3):
        result = explainer().importance("squared_error")
    assert (result.level, result.n_repeats) == (0.7, 3)
    result = explainer().importance("squared_error")
    assert (result.level, result.n_repeats) == (0.8, 10)


def test_a_generator_gives_one_seed():
    uq.set_options(random_state=np.random.default_rng(0))
    assert explainer().seed == explainer().seed


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"level": 2}, "level is 2; it must be between 0 and 1"),
        ({"level": 0.9, "n_repeats": 0}, "n_repeats is 0; it must be a whole number"),
        ({"memory_limit": "x"}, "memory_limit|bytes"),
        ({"levels": 0.9}, "levels"),
    ],
)
def test_bad_options_are_refused_and_none_is_set(options, sentence):
    with pytest.raises((TypeError, ValueError), match=sentence):
        uq.set_options(**options)
    assert explainer().importance("squared_error").level == 0.95


def test_signatures_and_errors_stay_those_of_the_methods():
    uq.set_options(level=0.8)
    assert inspect.signature(uq.Explainer.importance).parameters["level"].default == 0.95
    with pytest.raises(TypeError, match=r"importance.* unexpected keyword argument 'lvel'"):
        explainer().importance("squared_error", lvel=0.9)

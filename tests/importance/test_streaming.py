"""Results that get better while one looks, and bars that show how far they are."""

from __future__ import annotations

import io

import numpy as np
import pytest
from tqdm.std import tqdm

from models import Recorder, normal_model, regression, table
from uqwidgets import Explainer, Progress, ProgressBar


def test_repeats_grow_and_the_last_result_is_the_whole():
    explainer, plain = regression(), regression()
    result = list(explainer.importance("nll", n_repeats=10, stream=True))
    repeats = [partial.n_repeats for partial in result]
    assert repeats == sorted(set(repeats))
    assert repeats[0] == 1
    assert repeats[-1] == 10
    whole = plain.importance("nll", n_repeats=10)
    np.testing.assert_array_equal(result[-1].importance, whole.importance)
    np.testing.assert_array_equal(result[-1].high, whole.high)
    assert explainer.rows_evaluated == plain.rows_evaluated
    errors = [partial.std_error.max() for partial in result]
    assert errors[-1] < errors[0]


def test_the_model_is_asked_only_when_the_next_result_is():
    explainer = regression()
    results = explainer.importance("nll", stream=True)
    assert explainer.rows_evaluated == 60
    next(results)
    assert explainer.rows_evaluated == 60 + 3 * 60
    next(results)
    assert explainer.rows_evaluated == 60 + 2 * 3 * 60


def test_intervals_over_repeats_begin_with_two():
    result = list(regression().importance("nll", interval="fixed-data", n_repeats=4, stream=True))
    assert [partial.n_repeats for partial in result] == [2, 3, 4]
    assert all(np.isfinite(partial.high).all() for partial in result)


def test_every_donor_comes_feature_by_feature():
    result = list(regression().importance("nll", n_repeats="all", stream=True))
    assert [len(partial.features) for partial in result] == [1, 2, 3]


def test_what_was_computed_when_it_stopped_is_not_computed_again():
    X, y = table()
    model = Recorder(normal_model)
    explainer = Explainer(model, X, y, memory_limit="40KB")

    def stop(progress):
        raise KeyboardInterrupt(progress)

    with pytest.raises(KeyboardInterrupt):
        explainer.importance("nll", callback=stop)
    asked = explainer.rows_evaluated
    explainer.importance("nll", n_repeats=1)
    assert explainer.rows_evaluated < asked + 4 * 60


def test_a_bar_follows_each_stretch_of_calls(monkeypatch):
    bars = []

    class Quiet(tqdm):
        def __init__(self, **options):
            super().__init__(**options, file=io.StringIO())
            bars.append(self)

    monkeypatch.setattr("uqwidgets.evaluation.progress.tqdm", Quiet)
    bar = ProgressBar("asked")
    explainer = regression()
    explainer.importance("nll", callback=bar)
    explainer.dependence("x0", callback=bar)
    assert [b.n for b in bars] == [b.total for b in bars]
    assert sum(b.n for b in bars) == explainer.rows_evaluated - 60
    assert all(b.disable for b in bars)  # closed

    bar(Progress(10, 100, 1.0))
    bar(Progress(10, 50, 1.0))  # the stretch before was stopped
    assert (bars[-2].n, bars[-1].n, bars[-1].total) == (10, 10, 50)
    bar(Progress(50, 50, 0.0))

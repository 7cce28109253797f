"""Memory at the peak of stress from batches, beside the size of a batch."""

from __future__ import annotations

import gc
import tracemalloc
import weakref
from functools import partial

import numpy as np
import pandas as pd
import pytest

import uqwidgets as uq

ROWS = 10_000
FEATURES = [f"x{j}" for j in range(10)]


def two_classes(X):
    p = 1 / (1 + np.exp(-X["x0"].to_numpy()))
    return np.column_stack([1 - p, p])


def made_batches(count):
    """Make batches when they are read, so that no other batch is in memory."""
    for seed in range(count):
        rng = np.random.default_rng(seed)
        rows = pd.DataFrame(rng.normal(size=(ROWS, len(FEATURES))), columns=FEATURES)
        yield rows.assign(y=(rows["x0"] > 0) * 1)


@pytest.fixture
def without_collector():
    """Without the collector of cycles, what is freed does not depend on when it runs."""
    gc.collect()
    gc.disable()
    yield
    gc.enable()


@pytest.mark.usefixtures("without_collector")
def test_memory_of_batches_does_not_grow_with_their_number():
    model = uq.as_predictive(two_classes, classes=[0, 1])
    size = next(made_batches(1)).memory_usage().sum()

    def peak(count):
        tracemalloc.start()
        try:
            uq.stress_batches(model, partial(made_batches, count), "y", indicators=["share:1"])
            return tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()

    peak(1)  # imports
    few, many = peak(2), peak(12)
    assert many < few + 0.5 * size
    assert many < 7 * size


@pytest.mark.usefixtures("without_collector")
@pytest.mark.parametrize("classes", [[0, 1], None], ids=["classes", "numbers"])
def test_an_explainer_is_freed_with_its_last_reference(classes):
    def predict(X):
        return X["x0"].to_numpy() if classes is None else two_classes(X)

    rows = next(made_batches(1))[:50]
    explainer = uq.Explainer(uq.as_predictive(predict, classes=classes), rows[FEATURES], rows["y"])
    for name in explainer.indicators:
        explainer.stress(["x0"], [name], taus=3)
    explainer.stress(["x0"], ["squared_error" if classes is None else "nll"], taus=3, level=0.9)
    reference = weakref.ref(explainer)
    del explainer
    assert reference() is None

"""The picture whose pixels the features are."""

from __future__ import annotations

import numpy as np
import pytest

import uqwidgets as uq


@pytest.fixture(scope="module")
def explainer():
    X = np.random.default_rng(0).uniform(size=(40, 6))
    return uq.Explainer(lambda X: X[:, 1] + 2 * X[:, 4], X, X[:, 1])


def test_the_shape_follows_from_the_number_of_rows_without_a_model_call(explainer):
    with uq.Explorer(explainer, n_repeats=2, small_curves=0) as explorer:
        assert explorer.wait()
        assert explorer._frame["meta"]["pixels"] is None
        before = explainer.rows_evaluated
        explorer.image_rows = 2
        assert explorer.wait()
        shown = explorer._frame["meta"]["pixels"]
        assert (shown["rows"], shown["columns"]) == (2, 3)
        assert explainer.rows_evaluated == before
        assert "image_rows=2" in explorer.code()


def test_rows_that_the_features_do_not_fill_are_refused(explainer):
    with uq.Explorer(explainer, n_repeats=2) as explorer:
        with pytest.raises(ValueError, match="6 features fill no picture of 4 rows; use a number"):
            explorer.image_rows = 4
        with pytest.raises(ValueError, match="image_rows is 7"):
            explorer.image_rows = 7
        assert explorer.image_rows == 0

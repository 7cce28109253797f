"""Trees of a forest, asked one by one as fast as the forest asks them all."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.ensemble import (
    ExtraTreesClassifier,
    ExtraTreesRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from sklearn.utils import get_tags
from sklearn.utils.parallel import Parallel, delayed
from sklearn.utils.validation import validate_data

from uqwidgets._typing import Floats
from uqwidgets.predictive.adapters.reading import Labels, name_of
from uqwidgets.predictive.distributions import Categorical

CLASSIFIERS = (RandomForestClassifier, ExtraTreesClassifier)
REGRESSORS = (RandomForestRegressor, ExtraTreesRegressor)


def categorical_of_trees(forest: Any, X: Any, labels: Labels) -> Categorical:
    """Ask each tree of a classifying forest, shape (n, m, k)."""
    rows = _validated(forest, X)
    found = np.empty((rows.shape[0], len(forest.estimators_), len(forest.classes_)))

    def ask(tree: int) -> None:
        found[:, tree] = forest.estimators_[tree].predict_proba(rows, check_input=False)

    _for_all_trees(forest, ask)
    # Shares of the rows in a leaf sum to one: to look at them all takes as long as to ask.
    return Categorical(found[:1], labels)._with(probabilities=found)


def values_of_trees(forest: Any, X: Any) -> Floats:
    """Ask each tree of a forest of regressors, shape (n, m)."""
    if forest.n_outputs_ > 1:
        raise ValueError(
            f"{name_of(forest)} predicts {forest.n_outputs_} targets at once; wrap one of them."
        )
    rows = _validated(forest, X)
    found = np.empty((rows.shape[0], len(forest.estimators_)))

    def ask(tree: int) -> None:
        found[:, tree] = forest.estimators_[tree].predict(rows, check_input=False)

    _for_all_trees(forest, ask)
    return found


def _validated(forest: Any, X: Any) -> Any:
    # Once for all trees, which want single precision.
    nan = "allow-nan" if get_tags(forest).input_tags.allow_nan else True
    return validate_data(
        forest, X, reset=False, dtype=np.float32, accept_sparse="csr", ensure_all_finite=nan
    )


def _for_all_trees(forest: Any, ask: Any) -> None:
    threads = Parallel(n_jobs=forest.n_jobs, require="sharedmem")
    threads(delayed(ask)(tree) for tree in range(len(forest.estimators_)))

"""The front door: one call from a fitted model to the widget."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from uqwidgets.explainer.explainer import Explainer
from uqwidgets.learner import Learner
from uqwidgets.widgets.explorer import Explorer


def explore(
    model: Any,
    X: Any = None,
    y: Any = None,
    *,
    learner: Learner | None = None,
    feature_groups: Mapping[str, Sequence[str]] | None = None,
    random_state: int | np.random.RandomState | None = 0,
    memory_limit: int | str = "1GiB",
    **inputs: Any,
) -> Explorer:
    """Show what drives a fitted model's predictions, errors and confidence, in one widget.

    Parameters
    ----------
    model : object, callable or Explainer
        A fitted model, see `as_predictive`; or an `Explainer`, which holds X and y already.
    X : DataFrame or array-like of shape (n, p)
        Rows to explain, best ones the model was not fitted on.
    y : array-like of shape (n,), optional
        Their true target; what needs it is not offered without.
    learner : Learner, optional
        Shown beside the model: the mean over refits of the procedure, with its interval.
    feature_groups : mapping of str to sequence of str, optional
        Features that move together, by the name of their group; see `Explainer`.
    random_state : int, RandomState or None, default=0
        Of the donors that are drawn.
    memory_limit : int or str, default="1GiB"
        How much of the model's answers may be kept.
    **inputs
        Where the controls begin, such as ``feature="age"``, ``measure="entropy"`` or ``tau=0.5``:
        ``tau``, ``stress_feature``, ``feature``, ``measure``, ``indicator``, ``ice_filter``,
        ``ice_lines``, ``n_repeats``, ``interval``, ``center``, ``derivative``; see `Explorer`.

    Returns
    -------
    Explorer
        The widget; its controls are traits that can be read, set and observed.

    Raises
    ------
    TypeError
        For an argument that does not exist, or an Explainer beside X, y or how to make one.
    ValueError
        If X, y and the model do not fit each other, or an input cannot have its value.
    """
    if isinstance(model, Explainer):
        if X is not None or y is not None or feature_groups is not None:
            raise TypeError(
                "explore got an Explainer, which holds X, y and feature_groups already; leave "
                "them out, or pass the model itself."
            )
        return Explorer(model, learner=learner, **inputs)
    if X is None:
        raise TypeError("explore needs rows to explain: uq.explore(model, X, y).")
    explainer = Explainer(
        model,
        X,
        y,
        feature_groups=feature_groups,
        random_state=random_state,
        memory_limit=memory_limit,
    )
    return Explorer(explainer, learner=learner, **inputs)

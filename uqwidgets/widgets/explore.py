"""`explore`: one call from a fitted model to the widget."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np

from uqwidgets.explainer.defaults import takes_options
from uqwidgets.explainer.explainer import Explainer
from uqwidgets.learner import Learner
from uqwidgets.widgets.explorer import Explorer
from uqwidgets.widgets.kernel.marimo_hint import hint_once

if TYPE_CHECKING:
    from uqwidgets.widgets.inputs.types import ExploreArguments


@takes_options
def explore(
    model: Any,
    X: Any = None,
    y: Any = None,
    *,
    learner: Learner | None = None,
    feature_groups: Mapping[str, Sequence[str]] | None = None,
    random_state: int | np.random.RandomState | None = 0,
    memory_limit: int | str = "1GiB",
    extra: Any = None,
    groups: Any = None,
    time: Any = None,
    state: Mapping[str, Any] | None = None,
    title: str | None = None,
    weights: Any = None,
    **inputs: Unpack[ExploreArguments],
) -> Explorer:
    """Show what drives a fitted model's predictions, errors and confidence, in one widget.

    Parameters
    ----------
    model : object, callable, Explainer or dict of these
        A fitted model, see `as_predictive`; or an `Explainer`, which holds X and y already; or two
        to four of these by name, such as ``{"forest": forest, "boosting": boosting}``: the first is
        shown, and compared with one of the others; ``shown_model`` shows another one.
    X : DataFrame or array-like of shape (n, p)
        Rows to explain, preferably rows that the model was not fitted on.
    y : array-like of shape (n,), optional
        Their true target. Without it, measures that need it are not offered.
    learner : Learner, optional
        Shown beside the model: the mean over refits of the procedure, with its interval.
    feature_groups : mapping of str to sequence of str, optional
        Features that move together, by the name of their group; see `Explainer`.
    random_state : int, RandomState or None, default=0
        Seed of the donors.
    memory_limit : int or str, default="1GiB"
        Memory to work in, most of it for cached predictions; see `Explainer`.
    extra : DataFrame of shape (n, q), Series or dict, optional
        Columns that the model does not use, such as a site, a group or a date, for filters;
        see `Explainer`.
    groups : str or array-like of shape (n,), optional
        Rows that belong together, such as those of one patient: the name of a column of X or of
        ``extra``, or a label for each row; every interval is then for other groups, see
        `Explainer`. The widget offers other columns, see `Explorer`.
    time : str or array-like of shape (n,), optional
        What orders rows that follow each other and may depend on each other, see `Explainer`.
    state : dict, optional
        The ``state`` of an explorer of the same features: its inputs and pins.
    title : str, optional
        Name of the model on the page; by default the kind of the model.
    weights : array-like of shape (n,) or Reweighting, optional
        Weights of the rows at tau = 0, such as the result of `Explainer.stress_to`.
    **inputs
        ``layout``, the views that are shown: ``"all"``, one of ``"importance"``, ``"dependence"``,
        ``"pixels"``, ``"stress"``, ``"importance_over_tau"``, ``"small_curves"``, ``"surface"``,
        ``"performance"``, ``"over_time"`` and ``"comparison"``, or a list of these. And initial
        values of the controls, such as ``feature="age"`` or ``measure="entropy"``:
        ``tau``, ``stress_feature``, ``stress_category``, ``anchor``, ``tail``, ``feature``,
        ``measure``, ``indicator``, ``ice_filter``, ``complement``, ``cohorts``, ``ice_lines``,
        ``n_repeats``, ``interval``, ``center``, ``derivative``; see `Explorer`.

    Returns
    -------
    Explorer
        The widget; its controls are traits that can be read, set and observed.

    Raises
    ------
    TypeError
        For an argument that does not exist, or if X, y or options of an `Explainer` are passed
        together with an `Explainer`.
    ValueError
        If X, y and the model do not match, or an input cannot have its value.

    See Also
    --------
    Explainer : The same results without a widget, with more options.
    Explorer : The widget, with all its inputs.

    Notes
    -----
    The widget keeps the kernel free: the model is called on a worker thread, in calls of about
    100 ms, and Stop ends the work after the current call. Moving tau, changing the measure, the
    interval or a filter needs no call of the model.

    References
    ----------
    Wood et al. 2024; Bachoc et al. 2023; Goldstein et al. 2015.

    Examples
    --------
    >>> from sklearn.linear_model import LogisticRegression
    >>> import uqwidgets as uq
    >>> X, y = uq.datasets.make_redundant(100, copied="x1", n_features=3, n_relevant=1)
    >>> widget = uq.explore(LogisticRegression().fit(X, y), X, y, measure="entropy")
    >>> widget.wait()
    True
    >>> widget.measure
    'entropy'
    >>> widget.close()
    """
    hint_once()
    if isinstance(model, Mapping):
        if not model:
            raise ValueError("explore got no model in the dict; give each model by its name.")
        (name, shown), *others = model.items()
        options: dict[str, Any] = {"name": name, "others": dict(others)}
        if isinstance(shown, Explainer):
            raise TypeError(
                f"{name!r} is an Explainer, which has no other models; pass the models "
                "themselves with X and y, or Explainer(model, X, y, name=..., others={...})."
            )
    else:
        shown, options = model, {}
    if isinstance(model, Explainer):
        if any(argument is not None for argument in (X, y, feature_groups, extra, groups, time)):
            raise TypeError(
                "explore got an Explainer, which holds X, y, feature_groups, extra, groups and "
                "time already; leave them out, or pass the model itself."
            )
        return Explorer(model, learner=learner, state=state, title=title, weights=weights, **inputs)
    if X is None:
        raise TypeError("explore needs rows to explain: uq.explore(model, X, y).")
    explainer = Explainer(
        shown,
        X,
        y,
        feature_groups=feature_groups,
        random_state=random_state,
        memory_limit=memory_limit,
        extra=extra,
        groups=groups,
        time=time,
        **options,
    )
    return Explorer(explainer, learner=learner, state=state, title=title, weights=weights, **inputs)

"""Explainer: one fitted model and one table."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from copy import deepcopy
from dataclasses import replace
from typing import Any

import numpy.typing as npt

from uqwidgets._utils.options import (
    RandomState,
    brief,
    check_callback,
    checked_flag,
    checked_jobs,
    seed_of,
)
from uqwidgets.evaluation.cache import parse_bytes
from uqwidgets.evaluation.columns import extra_columns
from uqwidgets.evaluation.containers import container_of
from uqwidgets.evaluation.evaluations import Evaluations
from uqwidgets.evaluation.progress import ProgressCallback
from uqwidgets.evaluation.row_groups import set_row_groups, set_time_blocks
from uqwidgets.evaluation.table import Table
from uqwidgets.explainer.comparing import Comparing
from uqwidgets.explainer.defaults import methods_take_options
from uqwidgets.explainer.dependence import Curves
from uqwidgets.explainer.importance import Ranking
from uqwidgets.explainer.others import Others
from uqwidgets.explainer.replacing import Replacing
from uqwidgets.explainer.slices import Slicing
from uqwidgets.importance.redundancy import redundancy
from uqwidgets.importance.redundancy_result import Redundancy
from uqwidgets.inference import checked_level
from uqwidgets.measures import available
from uqwidgets.predictive.adapters import with_labels


@methods_take_options
class Explainer(Ranking, Replacing, Curves, Slicing, Comparing):
    """What drives a fitted model's predictions, its errors and its confidence.

    The model is evaluated once for every replaced value, and its predictive distributions are
    cached. Further measures, weights, row filters and intervals are computed from them without
    another model call.

    Labels, predicted numbers, and all that is made of them (scores, confusion, rates, importance
    and curves of them) are those of the model's own ``predict``; nll, entropy, std and CRPS are
    those of its distribution. Where ``predict`` may differ from the most probable class or the
    mean, it is compared on the rows and on up to 1,000 of the first replaced rows, one model call
    each. Where a row differs, a remark says so, and ``predict`` is called for replaced rows too,
    but only for results that are made of it.

    Parameters
    ----------
    model : object or callable
        A fitted model, see `as_predictive`. It is never refitted. Or stored predictions of these
        rows, such as ``uq.Categorical(P, classes)`` or ``uq.Normal(mean, std)``: then everything
        works that needs no new prediction, and the rest says that it needs a model.
    X : DataFrame of pandas or polars, Arrow table, or array-like, of shape (n, p)
        Rows to explain, preferably rows that the model was not fitted on. Never modified; columns
        that the model was not fitted on are ignored. The model gets rows in the same container,
        with the dtypes, the missing markers and the labels of rows of X; a model that reads pandas
        alone needs ``X.to_pandas()``. Tables of other libraries are converted to pandas.
    y : array-like of shape (n,), optional
        The true target of these rows. Predictions, entropy and other measures of confidence,
        redundancy and weights do not need it; whatever does, such as ``nll``, raises an error
        without it.
    feature_groups : mapping of str to sequence of str, optional
        Features that move together, by the name of their group; no feature is in two. By default,
        importance is computed for the groups and for the features in no group.
    random_state : int, RandomState, Generator or None, default=0
        Seed of the donors. The default is an integer, so that results are reproducible and
        cached donors are used again.
    memory_limit : int or str, default="1GiB"
        Memory to work in, most of it for cached predictions, in bytes or with a unit. Over the
        limit the least recently used arrays are evicted: first those that are computed again
        without a model call, then predictions. At its peak an analysis takes at most half as much
        again, beside the table and 0.4 MB of fixed costs that no limit bounds. The smallest limit
        that this holds for is about 8 n (16 + 3 k + p) bytes for n rows of p features and
        predictions of k numbers each, and 80 n bytes more for the intervals of `stress`. With
        less, an analysis takes what it needs, and a remark of its result gives the smallest limit.
    extra : DataFrame of shape (n, q), Series or dict, optional
        Columns that the model does not use, such as a site, a group or a date, for the filters
        of a widget. They are matched with the rows of X by their index where it has the same
        labels, and by position otherwise.

    groups : str or array-like of shape (n,), optional
        Rows that belong together, such as those of one patient: a label for each row, or the name
        of a column of X or of ``extra``. Rows of a group may depend on each other, and every
        interval is then for other groups. Donors still come from all rows, also from those of the
        same group, so that estimates do not change: with G groups of equal size, one pair in G
        has the row and the donor in one group, as one in n is a row with itself otherwise. By
        default each row is independent of all others.
    time : str or array-like of shape (n,), optional
        What orders the rows, if rows that follow each other may depend on each other: a number or
        a date for each row, or the name of a column of X or of ``extra``. Intervals then come from
        16 blocks of consecutive rows (fewer for less than 80 rows) as groups. With ``groups`` too,
        the groups hold whole series, and intervals are for other groups.
    name : str, optional
        Name of the model, shown where it is compared with others.
    others : mapping of str to model or Explainer, optional
        One to three other fitted models of the same rows by name, with which a widget compares
        this one. A model is not called before it is compared; see also `compare`.

    Attributes
    ----------
    model : object or callable
        The fitted model, as it was passed.
    features : tuple of str
        Names of the columns that the model uses, in its order.
    classes : ndarray of shape (k,) or None
        Labels of a classifier.
    model_calls, rows_evaluated : int
        Calls of the model so far, and rows in them.
    extra : Columns
        The columns that the model does not use.

    Raises
    ------
    TypeError
        If the model offers no way to predict.
    ValueError
        If X, y, ``extra`` and the model do not match, or the model fails on the rows as they are.

    See Also
    --------
    explore : The same results in a notebook, with sliders.
    Learner : The procedure that fits the model; its intervals include refitting.
    as_predictive : The models that can be explained.

    References
    ----------
    Wood et al. 2024; Dankers et al. 2020; Merrick 2019; Molnar et al. 2023; Bachoc et al. 2023.

    Examples
    --------
    >>> import numpy as np
    >>> import uqwidgets as uq
    >>> X = np.random.default_rng(0).normal(size=(100, 2))
    >>> def model(X):
    ...     return X[:, 0], np.ones(len(X))  # mean and standard deviation of a normal distribution
    >>> explainer = uq.Explainer(model, X, X[:, 0])
    >>> explainer.importance("nll").features
    ('x0', 'x1')
    >>> explainer.rows_evaluated  # 10 repeats of 2 features, and the rows as they are
    2100
    >>> explainer.importance("squared_error").features
    ('x0', 'x1')
    >>> explainer.rows_evaluated  # another measure costs no model call
    2100
    """

    def __init__(
        self,
        model: Any,
        X: Any,
        y: Any = None,
        *,
        feature_groups: Mapping[str, Sequence[str]] | None = None,
        random_state: RandomState = 0,
        memory_limit: int | str = "1GiB",
        extra: Any = None,
        groups: Any = None,
        time: Any = None,
        name: str | None = None,
        others: Mapping[str, Any] | None = None,
    ) -> None:
        self.model = model
        self.predictive = with_labels(model, y)
        self.table = Table(X, y, self.predictive, feature_groups)
        self.extra = extra_columns(extra, X, self.table)
        set_row_groups(groups, X, self.table, self.extra)
        set_time_blocks(time, X, self.table, self.extra)
        self.seed = seed_of(random_state)
        self.evaluations = Evaluations(
            self.predictive, self.table, parse_bytes(memory_limit), self.seed
        )
        self.evaluations.extra = self.extra
        self.classes = self.evaluations.classes
        self._measures = available(
            self.evaluations.original,
            classifier=self.classes is not None,
            with_truth=self.table.has_target,
        )
        self.name = self.predictive.name if name is None else str(name)

        # No explainer is named in the makers, which would hold it in a cycle.
        seed, row_groups = self.seed, self.table.row_groups

        def maker(other: Any) -> Callable[[], Explainer]:
            if isinstance(other, Explainer):
                return lambda: other
            try:
                with_labels(other, y)
            except TypeError as error:
                raise TypeError(f"others has {brief(other)}: {error}") from None
            return lambda: Explainer(
                other,
                X,
                y,
                feature_groups=feature_groups,
                random_state=seed,
                memory_limit=memory_limit,
                groups=row_groups,
            )

        if others is not None and not isinstance(others, Mapping):
            raise TypeError(f"others is {brief(others)}; pass a dict from names to fitted models.")
        _check_names([self.name, *map(str, others or {})])
        if others:  # they are made later, and the caller may change the table until then
            X, y = container_of(X).owned().table, deepcopy(y)
        makers = {str(key): maker(other) for key, other in (others or {}).items()}
        self.others = Others(makers)

    def __getstate__(self) -> object:
        raise TypeError(
            "an Explainer cannot be pickled or copied, because it holds locks and a live model; "
            "pickle the model, X and y, and make an Explainer of them where it is needed."
        )

    def redundancy(
        self,
        with_target: bool = False,
        features: Sequence[str] | None = None,
        *,
        n_estimators: int = 100,
        level: float = 0.95,
        sample_weight: npt.ArrayLike | None = None,
        rows: npt.ArrayLike | None = None,
        n_jobs: int | None = None,
        callback: ProgressCallback | None = None,
    ) -> Redundancy:
        """How well each feature is predicted by the others: R2 out of bag.

        The model is not evaluated. Pass the result to `diagnose` to learn which features are
        informative and independent of the others.

        Parameters
        ----------
        with_target : bool, default=False
            Whether to predict each feature once more with the target among the predictors.
        features : sequence of str, optional
            Features or groups. By default every group, and every feature in no group.
        n_estimators : int, default=100
            Trees of each random forest, at least 50.
        level : float, default=0.95
            Confidence level of the intervals.
        sample_weight : array-like of shape (n,), optional
            Weights that describe a population, stress included. The forests and the score both
            use them.
        rows : array-like, optional
            A mask or the positions of the rows that are scored; the forests are fitted on all
            rows.
        n_jobs : int, optional
            Number of trees that are fitted in parallel.
        callback : callable, optional
            Called with a `Progress` after every forest. An exception that it raises stops the
            work.

        Returns
        -------
        Redundancy

        Raises
        ------
        ValueError
            For a name that does not exist, a value out of range, or a table of one feature.

        See Also
        --------
        Explainer.diagnose : Whether the model shows that features share information.

        References
        ----------
        Wood et al. 2024, figure 7.

        Examples
        --------
        >>> import numpy as np
        >>> import uqwidgets as uq
        >>> x = np.random.default_rng(0).normal(size=100)
        >>> X = np.column_stack([x, 2 * x, np.random.default_rng(1).normal(size=100)])
        >>> explainer = uq.Explainer(lambda X: X[:, 0], X, x)
        >>> explainer.redundancy(n_estimators=50).features[-1]  # the least redundant
        'x2'
        """
        check_callback(callback)
        result = redundancy(
            self.table,
            self.table.named_features(features),
            self.table.population(sample_weight, rows),
            with_target=checked_flag(with_target, "with_target"),
            n_estimators=n_estimators,
            level=checked_level(level),
            seed=self.seed,
            n_jobs=checked_jobs(n_jobs),
            callback=callback,
        )
        return replace(result, remarks=result.remarks + self.evaluations.remarks_on_memory())

    def __repr__(self) -> str:
        return (
            f"Explainer({self.predictive.name}, {self.table.size}, {len(self.features)} features; "
            f"{self.model_calls:,} model calls, {self.rows_evaluated:,} rows evaluated)"
        )

    def _repr_html_(self) -> str:
        from uqwidgets.plotting.html import subject_html

        groups = self.table.row_groups
        facts = {
            "rows": f"{len(self.table):,}" + ("" if groups is None else f" of {groups}"),
            "target": self.table.target or "not passed",
            "model calls so far": f"{self.model_calls:,} ({self.rows_evaluated:,} rows)",
        }
        return subject_html(
            f"Explainer of {self.predictive.name}", facts, _QUESTIONS, self.features
        )


_MOST_MODELS = 4
# Shown with an explainer in a notebook.
_QUESTIONS = {
    "importance()": "which features drive the likelihood, the entropy or any other measure",
    "dependence(feature)": "how a measure changes with the values of one feature",
    "stress()": "what happens when the mean of a feature moves",
    "diagnose()": "which features share information, and which have information of their own",
    "redundancy()": "how well each feature is predicted by the others",
    "scores()": "how good the model is, with intervals",
    "calibration()": "whether events with predicted probability p happen in a share p of the rows",
    "slices()": "where errors, or any measure, are clearly higher than elsewhere",
    "compare_groups(column)": "whether the model is as good for each group of people",
    "prediction_sets()": "sets of targets that contain the true one as often as they promise",
    "expected(table)": "what scores to expect in another table, mostly without y",
    "compare(other)": "how another model of the same rows differs, with paired intervals",
    "compare_rows(rows)": "how the model's results differ between two groups of rows",
    "measures": "which measures this model offers",
}


def _check_names(names: Sequence[str]) -> None:
    """Raise a ValueError if models share a name or have none, or if there are too many."""
    if len(names) > _MOST_MODELS:
        raise ValueError(
            f"there are {len(names)} models, of which at most {_MOST_MODELS} can be compared; "
            "leave some out."
        )
    if "" in names or len(set(names)) < len(names):
        raise ValueError(
            f"the models are named {list(names)!r}; give each its own name, not an empty text."
        )

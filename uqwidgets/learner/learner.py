"""The learner: importance, curves and performance of one procedure over refits."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy.typing as npt

from uqwidgets._utils.choices import as_names
from uqwidgets._utils.options import check_callback
from uqwidgets.dependence import POINTS, CurveTransform, surface_features
from uqwidgets.dependence.result import Dependence
from uqwidgets.dependence.surface_result import Surface
from uqwidgets.evaluation.progress import ProgressCallback
from uqwidgets.explainer.defaults import methods_take_options
from uqwidgets.importance.result import Importance
from uqwidgets.learner.dependence import learner_dependence, learner_surface
from uqwidgets.learner.importance import learner_importance
from uqwidgets.learner.performance import PerformanceMethods


@methods_take_options
class Learner(PerformanceMethods):
    """Importance, curves and performance of a procedure, averaged over refits on resamples.

    The importance of one fitted model depends on the rows that it happened to learn from. A
    learner fits the procedure m times, each time on a resample of one table, and scores each refit
    on the rows left out. Its results are means over the refits, with intervals that account for
    the training rows that the refits share.

    Refits are made when a method first needs them, and stored. If that is stopped, by an interrupt
    or by an exception from ``callback``, the next call continues with the missing refits.

    Parameters
    ----------
    estimator : object
        A scikit-learn estimator. Copies of it are fitted; the estimator itself is never changed.
        In each refit, parts whose ``random_state`` is None get a seed of that refit.
    X : DataFrame of pandas or polars, Arrow table, or array-like, of shape (n, p)
    y : array-like of shape (n,)
    n_refits : int, default=15
        At least 2. Nadeau and Bengio (2003) recommend 15: fewer give wide and uncertain intervals,
        and many more give intervals that are too narrow.
    resampling : {"bootstrap", "subsampling", "leave-two-groups-out"}, default="bootstrap"
        ``"bootstrap"`` draws n rows with replacement, ``"subsampling"`` a share of them without.
        Where a class has fewer than 20 rows, both resample each class by itself.
        ``"leave-two-groups-out"`` cuts the rows into G groups and leaves out every two of them,
        which takes G (G - 1) / 2 refits: 10, 15, 21 and so on.
    train_fraction : float, default=0.632
        Share of the rows that a refit by ``"subsampling"`` learns from, and the largest share by
        ``"leave-two-groups-out"``.
    correction : {"nadeau-bengio"}, float or None, default="nadeau-bengio"
        Term that is added to 1/m in the variance of the mean, for the interval ``"corrected"``:
        number of held-out rows over number of distinct training rows, a number, or 0.
    feature_groups : mapping of str to sequence of str, optional
        Features that are replaced or left out together, by the name of their group.
    adapter : callable, default=as_predictive
        Called with each fitted estimator; returns what `as_predictive` takes. To read a forest as
        a mixture of its trees:
        ``adapter=lambda forest: uq.as_predictive(forest, members=True, noise=0.4)``.
    random_state : int, RandomState, Generator or None, default=0
        Seed of the resamples, the fits and the donors. The default is not None, because two
        learners can be compared only if both draw the same resamples.
    n_jobs : int, optional
        Number of refits that run at the same time, through joblib on its active backend.
    memory_limit : int or str, default="1GiB"
        Memory for the cached predictions and the arrays of a result, in bytes or as text such as
        ``"500MB"``. Curves are averaged over all rows; a result holds those of as many rows as fit.
        Each refit has its share, and needs what an `Explainer` of its held-out rows needs; with
        less, a remark gives the smallest limit.
    groups : str or array-like of shape (n,), optional
        Rows that belong together, such as those of one patient: a label for each row, or the name
        of a column of X, which refits then do without. Resamples draw groups with all their rows,
        what a refit holds out are whole groups, and every interval is for tables of as many other
        groups: all numbers of rows in a formula are numbers of groups. With ``train_fraction`` and
        ``correction``, shares of groups are meant. In a held-out table of G groups, one donor in G
        is of the same group, as one in n is the row itself otherwise. By default each row is
        independent of all others.
    cv : int, splitter or iterable of (training rows, held-out rows), optional
        Splits in place of ``resampling``, ``train_fraction`` and ``n_refits``: a number of folds,
        or a splitter of scikit-learn's kind, such as ``RepeatedKFold(n_splits=5, n_repeats=3)``.
        It is given ``groups``, and must keep the rows of a group together. Two learners that are
        compared need the same splits.
    fit_params : dict of str to array-like of shape (n, ...), optional
        Further arguments of ``fit``, one value per row, such as ``{"sample_weight": weights}``;
        each fit gets those of its rows. In a pipeline, scikit-learn's metadata routing passes them
        to the steps that request them. They do not change how rows are scored.

    Raises
    ------
    TypeError
        If the estimator cannot be copied, ``adapter`` cannot be called, ``cv`` is no splitter, or
        ``fit_params`` is no dict.
    ValueError
        If the table or an option of the resampling is not suitable; if ``groups`` has another
        length than X, names no column, is missing in a row, or gives fewer groups than the
        resampling needs: 4, and 2 G where every two of G are left out; if ``cv`` cannot split the
        rows or splits a group; if an array of ``fit_params`` has another length than X.

    See Also
    --------
    Explainer : The same for one fitted model, with intervals that are conditional on the model.
    GroundTruth.decompose : Bias and variance of a procedure where the truth is known.

    Notes
    -----
    Every interval is for the expectation of the mean over refits, over data sets of n rows. It
    includes the variance of the training rows and that of the held-out rows, but not the bias of
    the procedure. Nominal 95 % intervals had the coverage in brackets in simulations, from the
    worst to the best of features, grid points, procedures and kinds of resampling:

    - ``"corrected"``: t with m - 1 degrees of freedom and the variance of Nadeau and Bengio (2003),
      for every result (performance 90 to 98 %, comparisons 95 to 100 %, importance by a loss 63
      to 100 %, as a ratio 62 to 100 %, by a metric 60 to 100 %, `loco` 87 to 100 %, curves 72 to
      99 %, surfaces 74 to 100 %). The only one that supports ``sample_weight``.
    - ``"variance-components"``: separate estimates of the variances of training rows and of
      held-out rows, for importance by difference and for curves (importance 90 to 100 %, curves 87
      to 100 %).
    - ``"group-jackknife"``: delete-a-group jackknife, for the same results of a learner with
      ``resampling="leave-two-groups-out"`` (importance 83 to 100 %, curves 91 to 100 %).
    - ``"row-effect"``: variance of the held-out rows only, for importance by a loss where features
      are uncorrelated; narrower than ``"variance-components"`` (81 to 100 %).

    ``interval=None`` selects the one with the best coverage: ``"variance-components"`` for
    importance by difference and for curves, ``"group-jackknife"`` for curves of a learner with
    ``resampling="leave-two-groups-out"``, and ``"corrected"`` for all other results, with
    ``sample_weight``, if ``correction`` is not the default, or if no two refits share at least
    two held-out rows, or groups of rows. The ``remarks`` of a result name its interval, the
    coverage, which was also simulated for 30 groups of rows, and how wide the interval is for a
    tree.

    A learner has no ``rows``, because each refit scores the rows that it held out; rows of weight
    zero are neither scored nor donors. It has no ``stress`` either: the papers define stress for
    the rows of one table, and the rows of a refit have other means and quantiles than those of the
    next. Pass the weights of one stress of the whole table (`Explainer.stress_weights`) as
    ``sample_weight``; every result is then that of the stressed population.

    References
    ----------
    Molnar et al. 2023, section 7; Nadeau and Bengio 2003.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.linear_model import LinearRegression
    >>> import uqwidgets as uq
    >>> X = np.random.default_rng(0).normal(size=(60, 2))
    >>> y = 2 * X[:, 0]
    >>> learner = uq.Learner(LinearRegression(), X, y, n_refits=10)
    >>> learner
    Learner(LinearRegression, 60 rows, 0 of 10 refits by bootstrap)
    >>> learner.importance("squared_error").features
    ('x0', 'x1')

    Three rows of each of 20 patients, of whom some are held out with all their rows:

    >>> learner = uq.Learner(LinearRegression(), X, y, groups=np.repeat(np.arange(20), 3))
    >>> learner
    Learner(LinearRegression, 60 rows of 20 groups, 0 of 15 refits by bootstrap)
    >>> learner.sizes.iloc[0].to_dict()
    {'train_rows': 36, 'held_out_rows': 24, 'train_groups': 12, 'held_out_groups': 8}
    """

    def importance(
        self,
        measure: Any = "nll",
        features: Sequence[str] | None = None,
        *,
        replacement: str = "permutation",
        n_repeats: int | str = 5,
        compare: str = "difference",
        interval: str | None = None,
        level: float = 0.95,
        sample_weight: npt.ArrayLike | None = None,
        callback: ProgressCallback | None = None,
    ) -> Importance:
        """Average over refits of the importance in the rows that each refit held out.

        This is learner-PFI, for a loss or any other measure.

        Parameters
        ----------
        measure : str, function or scorer, default="nll"
            A measure of a row: ``"nll"``, ``"entropy"``, ``"prediction"``, ``"squared_error"`` and
            others (see `Explainer.measures`), or a function ``f(distribution, y)`` that returns
            one number per row; or a scikit-learn scorer, by name (``"roc_auc"``, ``"r2"``) or made
            by ``make_scorer``, for the loss of its score.
        features : sequence of str, optional
            Features or groups. By default every group, and every feature that is in no group.
        replacement : {"permutation", "ablation", "conditional"}, default="permutation"
            How new values are drawn: the column is permuted, drawn from with replacement (Merrick
            2019, eq. 9), or permuted within subgroups of rows that are alike in the other
            features.
        n_repeats : int or "all", default=5
            Permutations per refit; ``"all"`` averages over all donors. Fewer than the 10 of
            `Explainer.importance`, because the mean over 15 refits averages over 75 permutations.
        compare : {"difference", "ratio"}, default="difference"
            Measure after the replacement minus that before, or divided by it.
        interval : str, optional
            ``"variance-components"``, ``"group-jackknife"``, ``"row-effect"`` or ``"corrected"``,
            see the Notes of `Learner`. By default ``"variance-components"``, and ``"corrected"``
            for scorers and ratios, with weights, and where the learner has another correction.
        level : float, default=0.95
        sample_weight : array-like of shape (n,), optional
            Weights of the rows, as scored rows and as donors.
        callback : callable, optional
            Called with a `Progress` while refits are made. To stop, raise an exception from it.

        Returns
        -------
        Importance
            ``per_refit`` holds the importance in every refit, and ``remarks`` the simulated
            coverage of the interval.

        Raises
        ------
        ModelError
            If fewer than two fits succeed, or the adapter fails on one.
        ValueError
            For a name that does not exist, a value out of range, or an interval that does not suit
            the measure.

        See Also
        --------
        loco : Importance by leaving features out of the fit.
        Explainer.importance : Importance for one fitted model.

        References
        ----------
        Molnar et al. 2023, eq. 8 (over the held-out rows).

        Examples
        --------
        >>> import numpy as np
        >>> from sklearn.linear_model import LinearRegression
        >>> import uqwidgets as uq
        >>> X = np.random.default_rng(0).normal(size=(60, 2))
        >>> learner = uq.Learner(LinearRegression(), X, 2 * X[:, 0], n_refits=10)
        >>> result = learner.importance("squared_error")
        >>> result.features, result.interval, result.per_refit.shape
        (('x0', 'x1'), 'variance-components', (2, 10))
        """
        check_callback(callback)
        return learner_importance(
            self._averaging(level, callback, interval, sample_weight),
            sample_weight,
            measure=measure,
            features=features,
            replacement=replacement,
            n_repeats=n_repeats,
            compare=compare,
        )

    def loco(
        self,
        measure: Any = "nll",
        features: Sequence[str] | None = None,
        *,
        compare: str = "difference",
        level: float = 0.95,
        callback: ProgressCallback | None = None,
    ) -> Importance:
        """How much the measure rises when each feature is left out of every refit (LOCO).

        Each refit is fitted once more without each feature, on the same rows; the mean over refits
        is that of the change in the held-out rows.

        Parameters
        ----------
        measure : str, function or scorer, default="nll"
            As in `importance`.
        features : sequence of str, optional
            Features or groups. By default every group, and every feature that is in no group.
        compare : {"difference", "ratio"}, default="difference"
            The measure without the feature minus that with it, or divided by it.
        level : float, default=0.95
            Of the interval ``"corrected"``, which includes the variance of the fits.
        callback : callable, optional
            Called with a `Progress` after every fit. To stop the work, raise an exception from it;
            the fits that are finished stay.

        Returns
        -------
        Importance
            ``per_refit`` holds the importance in every refit.

        Raises
        ------
        ModelError
            If fewer than two fits succeed, or a fit without a feature or the adapter fails.
        ValueError
            For a name that does not exist, or a value out of range.

        See Also
        --------
        loco_importance : LOCO on one train-test split of your own; its interval is conditional on
            the fits, it supports ``sample_weight``, and it can set features to a constant instead.
        importance : Importance by permutation, without further fits.

        References
        ----------
        Dankers et al. 2020, section 8.2.

        Examples
        --------
        >>> import numpy as np
        >>> from sklearn.linear_model import LinearRegression
        >>> import uqwidgets as uq
        >>> X = np.random.default_rng(0).normal(size=(60, 2))
        >>> learner = uq.Learner(LinearRegression(), X, 2 * X[:, 0], n_refits=10)
        >>> result = learner.loco("squared_error")
        >>> result.features, result.replacement
        (('x0', 'x1'), 'refit')
        """
        check_callback(callback)
        averaging = self._averaging(level, callback)
        names = averaging.refits[0].explainer.table.named_features(features)
        return self._leave_one_out.importance(
            averaging, measure, names, compare, self.n_jobs, callback
        )

    def dependence(
        self,
        feature: str | Sequence[str],
        measure: Any = "prediction",
        *,
        grid: Any = None,
        spacing: str = "quantile",
        center: Any = False,
        derivative: bool = False,
        relative: bool = False,
        interval: str | None = None,
        level: float = 0.95,
        sample_weight: npt.ArrayLike | None = None,
        callback: ProgressCallback | None = None,
    ) -> Dependence | Surface:
        """Average over refits of the curve or surface over the rows that each refit held out.

        This is learner-PD, for the prediction or any other measure. All refits share one grid,
        which is made from the whole table.

        Parameters
        ----------
        feature : str or sequence of two str
            Two features give a surface.
        measure : str or function, default="prediction"
            A measure of a row, as in `importance`.
        grid : int, array-like of shape (g,), or one of these for each of two features
            Number of values, or the values themselves. By default 50 for a curve, and 20 of each
            feature for a surface.
        spacing : {"quantile", "even", "observed"}, default="quantile"
            Quantiles of the observed values, even steps from the lowest to the highest, or every
            distinct value.
        center : bool or value of the feature, default=False
            Each row's curve minus its value at the first grid point, or at this value (c-ICE).
        derivative : bool, default=False
            The slope of each row's curve (d-ICE), for numeric features.
        relative : bool, default=False
            Each row's curve minus the measure of the unchanged row (individual conditional
            importance; its mean is partial importance).
        interval : {"variance-components", "group-jackknife", "corrected"}, optional
            Of the pointwise band, see the Notes of `Learner`. By default
            ``"variance-components"`` for curves, ``"group-jackknife"`` for those of a learner with
            ``resampling="leave-two-groups-out"``, and ``"corrected"`` for surfaces, with weights,
            and where the learner has another correction.
        level : float, default=0.95
        sample_weight : array-like of shape (n,), optional
            Weights of the rows.
        callback : callable, optional
            Called with a `Progress` while refits are made. To stop, raise an exception from it.

        Returns
        -------
        Dependence or Surface
            ``per_refit`` holds the average of every refit.

        Raises
        ------
        ModelError
            If fewer than two fits succeed, or the adapter fails on one.
        ValueError
            For a name that does not exist, a value out of range, or transforms that exclude each
            other.

        See Also
        --------
        Explainer.dependence : Curves and surfaces for one fitted model.

        References
        ----------
        Molnar et al. 2023, eq. 7 (over the held-out rows); Goldstein et al. 2015; Dankers et al.
        2020.

        Examples
        --------
        >>> import numpy as np
        >>> from sklearn.linear_model import LinearRegression
        >>> import uqwidgets as uq
        >>> X = np.random.default_rng(0).normal(size=(60, 2))
        >>> learner = uq.Learner(LinearRegression(), X, 2 * X[:, 0], n_refits=10)
        >>> learner.dependence("x0", grid=[0, 1], center=True).average.round(6).tolist()
        [0.0, 2.0]
        """
        check_callback(callback)
        transform = CurveTransform.of(center, derivative, relative)
        averaging = self._averaging(level, callback, interval, sample_weight)
        table = self._table(averaging)
        pair = surface_features(feature)
        if pair is not None:
            return learner_surface(
                averaging, table, pair, measure, grid, spacing, transform, sample_weight
            )
        return learner_dependence(
            averaging, table, str(feature), measure, grid, spacing, transform, sample_weight
        )

    def dependences(
        self,
        features: Sequence[str] | None = None,
        measure: Any = "prediction",
        *,
        grid: int = POINTS,
        spacing: str = "quantile",
        center: bool = False,
        derivative: bool = False,
        relative: bool = False,
        interval: str | None = None,
        level: float = 0.95,
        sample_weight: npt.ArrayLike | None = None,
        callback: ProgressCallback | None = None,
    ) -> dict[str, Dependence]:
        """Compute `dependence` for several features, one after the other.

        Parameters
        ----------
        features : sequence of str, optional
            By default all features.
        measure, spacing, derivative, relative, interval, level, sample_weight, callback
            As in `dependence`.
        grid, center
            As in `dependence`; the same for all features.

        Returns
        -------
        dict of str to Dependence

        Raises
        ------
        ModelError
            If fewer than two fits succeed, or the adapter fails on one.
        ValueError
            For an unknown name, a value out of range, or transforms that exclude each other.

        See Also
        --------
        Learner.dependence : One curve or surface.

        References
        ----------
        Molnar et al. 2023, section 7.

        Examples
        --------
        >>> import numpy as np
        >>> from sklearn.linear_model import LinearRegression
        >>> import uqwidgets as uq
        >>> X = np.random.default_rng(0).normal(size=(60, 2))
        >>> learner = uq.Learner(LinearRegression(), X, 2 * X[:, 0], n_refits=10)
        >>> {name: len(curve.grid) for name, curve in learner.dependences(grid=5).items()}
        {'x0': 5, 'x1': 5}
        """
        check_callback(callback)
        transform = CurveTransform.of(center, derivative, relative)
        averaging = self._averaging(level, callback, interval, sample_weight)
        table = self._table(averaging)
        names = table.features if features is None else as_names(features)
        return {
            table.features[table.index(name)]: learner_dependence(
                averaging, table, name, measure, grid, spacing, transform, sample_weight
            )
            for name in names
        }

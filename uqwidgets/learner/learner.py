"""One procedure, refitted: its importance, curves and performance, and how sure they are."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from uqwidgets.dependence import CurveTransform
from uqwidgets.dependence.result import Dependence
from uqwidgets.dependence.surface_result import Surface
from uqwidgets.evaluation.progress import ProgressCallback
from uqwidgets.importance.result import Importance
from uqwidgets.learner.dependence import learner_dependence, learner_surface
from uqwidgets.learner.importance import learner_importance
from uqwidgets.learner.performance import learner_comparison, learner_performance
from uqwidgets.learner.performance_result import Comparison, Performance
from uqwidgets.learner.procedure import Procedure


class Learner(Procedure):
    """What a procedure gives, averaged over refits on resamples of one table.

    One fitted model hides how much of what it says it owes to the rows it happened to see. Here
    the procedure is fitted m times, each time on a resample, and asked about the rows left out;
    importance, curves and performance are means over these refits, with intervals that account
    for the rows they share (Molnar et al. 2023, section 7).

    Refits are made when something first needs them, and kept. If that is stopped, by an
    interrupt or by what ``callback`` raises, the next call goes on from there.

    Parameters
    ----------
    estimator : object
        Of scikit-learn's kind. Copies of it are fitted; itself it is never changed. Parts whose
        ``random_state`` is None get one for each refit.
    X : DataFrame or array-like of shape (n, p)
    y : array-like of shape (n,)
    n_refits : int, default=15
        As Nadeau and Bengio recommend; at least 2.
    resampling : str, default="bootstrap"
        ``"bootstrap"`` draws n rows with replacement, ``"subsampling"`` a share of them without;
        where a class has fewer than 20 rows, each class is resampled by itself.
        ``"leave-two-groups-out"`` cuts the rows into G groups and leaves out every two of them,
        which takes G (G - 1) / 2 refits: 10, 15, 21 and so on.
    train_fraction : float, default=0.632
        The share of ``subsampling``.
    correction : {"nadeau-bengio"}, float or None, default="nadeau-bengio"
        What is added to 1/m in the variance of the mean, in intervals of the kind ``"corrected"``:
        rows held out over distinct rows learned from, a number, or nothing.
    feature_groups : mapping of str to sequence of str, optional
    read : callable, default=as_predictive
        Called with each fit; returns what `as_predictive` takes. A forest as a mixture of its
        trees: ``read=lambda forest: uq.as_predictive(forest, members=True, noise=0.4)``.
    random_state : int, RandomState, Generator or None, default=0
        Of the resamples, the fits and the donors.
    n_jobs : int, optional
        Refits at a time, through joblib and whichever of its backends is set up.
    memory_limit : int or str, default="1GiB"
        What may be kept of the answers of all refits.

    Raises
    ------
    TypeError
        If the estimator cannot be copied, or ``read`` cannot be called.
    ValueError
        If the table, or how it is to be resampled, is not fit for refits.
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
        """Average over refits the importance in the rows that each has not seen.

        This is learner-PFI (Molnar et al. 2023, eq. 8, over the held-out rows), of any measure: the
        entropy's has an interval too.

        Parameters
        ----------
        measure, features, replacement, n_repeats, compare, sample_weight
            As in `Explainer.importance`.
        interval : str, optional
            ``"variance-components"``, ``"group-jackknife"``, ``"row-effect"`` or ``"corrected"``;
            see `uqwidgets.learner.intervals`. By default the one that covers best:
            ``"variance-components"``, and ``"corrected"`` of metrics and ratios, with weights, and
            where the learner has a correction of its own. ``"row-effect"`` is for importance by a
            loss, and ``"group-jackknife"`` needs ``resampling="leave-two-groups-out"``.
        level : float, default=0.95
        callback : callable, optional
            Called while refits are made.

        Returns
        -------
        Importance
            With the importance in every refit as ``per_refit``; its ``remarks`` say how often such
            intervals covered in simulations.

        Raises
        ------
        ModelError
            If fewer than two fits succeed, or one cannot be read.
        ValueError
            For a name that does not exist, or a value out of range.
        """
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
        """Leave each feature out of every refit: how much the measure then rises.

        Parameters
        ----------
        measure, features, compare
            As in `Explainer.importance`.
        level : float, default=0.95
        callback : callable, optional
            Called with a `Progress` after every fit; raise from it to stop. What is finished is
            kept.

        Returns
        -------
        Importance
            With the importance in every refit as ``per_refit``.

        Raises
        ------
        ModelError
            If fewer than two fits succeed, or one fails without a feature, or cannot be read.
        ValueError
            For a name that does not exist, or a value out of range.
        """
        averaging = self._averaging(level, callback)
        units = averaging.refits[0].explainer.units(features)
        return self._left_out.importance(averaging, measure, units, compare, self.n_jobs, callback)

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
        """Curve or surface of the procedure: the mean over refits of those of held-out rows.

        This is learner-PD (Molnar et al. 2023, eq. 7, over the held-out rows), of any measure. All
        refits share one grid, made from the whole table.

        Parameters
        ----------
        feature, measure, grid, spacing, center, derivative, relative, sample_weight
            As in `Explainer.dependence`.
        interval : {"variance-components", "group-jackknife", "corrected"}, optional
            Of the pointwise band. By default the one that covers best: for curves
            ``"variance-components"``, or ``"group-jackknife"`` of a learner with
            ``resampling="leave-two-groups-out"``, which that one needs; ``"corrected"`` for
            surfaces, with weights, and where the learner has a correction of its own.
        level : float, default=0.95
        callback : callable, optional
            Called while refits are made.

        Returns
        -------
        Dependence or Surface
            With the average of every refit as ``per_refit``.

        Raises
        ------
        ModelError
            If fewer than two fits succeed, or one cannot be read.
        ValueError
            For a name that does not exist, a value out of range, or forms that exclude each other.
        """
        form = CurveTransform.of(center, derivative, relative)
        averaging = self._averaging(level, callback, interval, sample_weight)
        table = self._table(averaging)
        if isinstance(feature, (list, tuple, np.ndarray, pd.Index)):
            return learner_surface(
                averaging, table, list(feature), measure, grid, spacing, form, sample_weight
            )
        return learner_dependence(
            averaging, table, str(feature), measure, grid, spacing, form, sample_weight
        )

    def performance(
        self, measure: Any = "nll", *, level: float = 0.95, callback: ProgressCallback | None = None
    ) -> Performance:
        """Mean of a measure, or of scikit-learn's metric, over what each refit has not seen.

        Parameters
        ----------
        measure : str, function or scorer, default="nll"
            As in `Explainer.importance`.
        level : float, default=0.95
        callback : callable, optional
            Called while refits are made.

        Returns
        -------
        Performance

        Raises
        ------
        ModelError
            If fewer than two fits succeed, or one cannot be read.
        ValueError
            For a name that does not exist, or a value out of range.
        """
        return learner_performance(self._averaging(level, callback), measure, self._name)

    def compare(
        self,
        other: Learner,
        measure: Any = "nll",
        *,
        level: float = 0.95,
        callback: ProgressCallback | None = None,
    ) -> Comparison:
        """Test whether another procedure does better on the same resamples of the same table.

        The corrected resampled t test (Nadeau and Bengio 2003; Molnar et al. 2023, section 9).

        Parameters
        ----------
        other : Learner
            Of the same table, resampling, seed and number of refits.
        measure : str, function or scorer, default="nll"
            As in `Explainer.importance`; both must have it.
        level : float, default=0.95
        callback : callable, optional
            Called while refits are made.

        Returns
        -------
        Comparison
            Of this one minus the other.

        Raises
        ------
        ModelError
            If fewer than two fits succeed, or one cannot be read.
        ValueError
            If the two do not resample alike, or one does not have the measure.
        """
        plan, theirs = self._refits.plan, other._refits.plan
        alike = plan.same_as(theirs) and np.array_equal(self._refits.y, other._refits.y)
        if not alike or self.n_refits != other.n_refits:
            raise ValueError(
                "the two learners do not resample alike; make both of the same table, with the "
                "same n_refits, resampling, train_fraction and random_state."
            )
        return learner_comparison(
            self._averaging(level, callback),
            other._averaging(level, callback),
            measure,
            (self._name, other._name),
        )

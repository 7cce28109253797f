"""Importance and curves of a known data-generating process, and the errors of models."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from uqwidgets._typing import Floats
from uqwidgets._utils.options import (
    MOST_ROWS,
    RandomState,
    check_callback,
    checked_count,
    checked_jobs,
    seed_of,
)
from uqwidgets.dependence import grid_of
from uqwidgets.dependence.result import Dependence
from uqwidgets.dependence.surface_result import Surface
from uqwidgets.evaluation.progress import ProgressCallback
from uqwidgets.explainer.defaults import methods_take_options
from uqwidgets.explainer.explainer import Explainer
from uqwidgets.ground_truth.coverage import SimulatedIntervals
from uqwidgets.ground_truth.decomposition import decompose
from uqwidgets.ground_truth.process import GeneratingProcess, Noise
from uqwidgets.ground_truth.result import Decomposition
from uqwidgets.ground_truth.simulation import (
    Design,
    Estimand,
    FeatureImportance,
    PartialDependence,
)
from uqwidgets.importance.result import Importance
from uqwidgets.learner import Learner
from uqwidgets.learner.loco_importance.fits import AdapterFunction
from uqwidgets.plotting.html import subject_html
from uqwidgets.predictive import as_predictive

# Default numbers of rows of a training set and of a test set.
_N_TRAIN, _N_TEST = 1000, 500
# The question that each method answers.
_QUESTIONS = {
    "data(n)": "rows of the process, and their target",
    "importance()": "which features drive the process itself",
    "dependence(feature)": "how the expected target changes with one feature, in truth",
    "decompose(estimator)": "bias, variance and Monte Carlo error of models",
    "coverage(estimator)": "how often a learner's interval is right",
}


@methods_take_options
class GroundTruth(SimulatedIntervals):
    """A known data-generating process, as in a simulation study.

    Its own partial dependence and permutation importance, DGP-PD and DGP-PFI, are the estimands of
    those of models.

    Parameters
    ----------
    f : callable
        ``f(X)``: the expected target of each row of a table like those of ``sample``, shape (n,).
    sample : callable
        ``sample(n, rng)``: n independent rows, a DataFrame or an array of shape (n, p), drawn
        with a `numpy.random.Generator`.
    noise : float or callable, default=1.0
        Standard deviation of normal noise, in the unit of the target; then ``"nll"`` and
        ``"entropy"`` of the truth are known too. Or ``noise(X, rng)``: the difference of each
        row's target from its expectation, shape (n,).
    random_state : int, RandomState, Generator or None, default=0
        Seed of everything that is drawn. With None, each object draws other data.

    Raises
    ------
    TypeError
        If f or sample is not a function.
    ValueError
        If the noise is neither a function nor a standard deviation.

    See Also
    --------
    Learner : Importance and curves of a procedure, from one table.
    Explainer : Importance and curves of one fitted model.

    References
    ----------
    Molnar et al. 2023, definitions 1 and 2.

    Examples
    --------
    >>> import uqwidgets as uq
    >>> truth = uq.GroundTruth(
    ...     lambda X: 2 * X[:, 0], lambda n, rng: rng.normal(size=(n, 2)), noise=0.5
    ... )
    >>> X, y = truth.data(100)
    >>> X.shape, y.shape
    ((100, 2), (100,))
    >>> result = truth.importance(n=1000)  # in truth 8 and 0
    >>> result.features, result.importance.round().tolist()
    (('x0', 'x1'), [8.0, 0.0])
    """

    def __init__(
        self,
        f: Callable[[Any], Any],
        sample: Callable[[int, np.random.Generator], Any],
        noise: Noise = 1.0,
        *,
        random_state: RandomState = 0,
    ) -> None:
        self._process = GeneratingProcess.of(f, sample, noise)
        self.random_state = seed_of(random_state)

    def __repr__(self) -> str:
        return f"GroundTruth({self._name}, noise {self._noise})"

    def _repr_html_(self) -> str:
        facts = {"noise": self._noise, "random_state": str(self.random_state)}
        return subject_html(f"GroundTruth of {self._name}", facts, _QUESTIONS)

    @property
    def _name(self) -> str:
        return getattr(self._process.f, "__name__", "f")

    @property
    def _noise(self) -> str:
        noise = self._process.noise
        return "a function" if callable(noise) else f"{noise:g}"

    def data(self, n: int, random_state: RandomState = None) -> tuple[Any, Floats]:
        """Draw rows and their target.

        Parameters
        ----------
        n : int
        random_state : int, RandomState or Generator, optional
            Seed of these data. By default that of the truth, so that each call returns the same
            data.

        Returns
        -------
        X : DataFrame or ndarray of shape (n, p)
        y : ndarray of shape (n,)

        Raises
        ------
        ValueError
            If a function returns an array of the wrong shape, or values that are not finite.

        Examples
        --------
        >>> import uqwidgets as uq
        >>> truth = uq.GroundTruth(lambda X: X[:, 0], lambda n, rng: rng.normal(size=(n, 2)))
        >>> X, y = truth.data(5, random_state=1)
        >>> X.shape, y.shape
        ((5, 2), (5,))
        """
        n = checked_count(n, "n", 1, MOST_ROWS)
        if isinstance(random_state, np.random.Generator):
            return self._process.draw(n, random_state)
        seed = self.random_state if random_state is None else seed_of(random_state)
        return self._process.draw(n, np.random.default_rng(seed))

    def importance(
        self,
        measure: Any = "squared_error",
        features: Sequence[str] | None = None,
        *,
        n: int = 10_000,
        replacement: str = "permutation",
        n_repeats: int | str = 5,
        compare: str = "difference",
        level: float = 0.95,
        callback: ProgressCallback | None = None,
    ) -> Importance:
        """Compute the importance of the true process (DGP-PFI).

        Parameters
        ----------
        measure : str or function, default="squared_error"
            A measure of a row, as in `Explainer.importance`. The default is not ``"nll"``, because
            the distribution of the target is known only where the noise is normal.
        features : sequence of str, optional
            By default all.
        n : int, default=10000
            Rows to average over. The interval is for the Monte Carlo error of this average.
        replacement : {"permutation", "ablation", "conditional"}, default="permutation"
            How new values are drawn: the column is permuted, drawn from with replacement, or
            permuted within subgroups of rows that are alike in the other features.
        n_repeats : int or "all", default=5
            Permutations. Fewer than the 10 of `Explainer.importance`, because an average over
            10,000 rows needs no more.
        compare : {"difference", "ratio"}, default="difference"
            Measure after the replacement minus that before, or divided by it.
        level : float, default=0.95
        callback : callable, optional
            Called with a `Progress` after every block of evaluations. To stop, raise an exception
            from it.

        Returns
        -------
        Importance

        Raises
        ------
        ValueError
            For a name that does not exist, or a value out of range.

        See Also
        --------
        decompose : Error of models' importance.
        Explainer.importance : Importance for one fitted model.

        References
        ----------
        Molnar et al. 2023, definition 2.

        Examples
        --------
        >>> import uqwidgets as uq
        >>> truth = uq.GroundTruth(lambda X: X[:, 0], lambda n, rng: rng.normal(size=(n, 2)))
        >>> result = truth.importance(n=1000)  # in truth 2 and 0
        >>> result.features, result.importance.round().tolist()
        (('x0', 'x1'), [2.0, 0.0])
        """
        check_callback(callback)
        return self._explainer(n).importance(
            measure,
            features,
            replacement=replacement,
            n_repeats=n_repeats,
            compare=compare,
            level=level,
            callback=callback,
        )

    def dependence(
        self,
        feature: str | Sequence[str],
        measure: Any = "prediction",
        *,
        grid: Any = None,
        n: int = 10_000,
        spacing: str = "quantile",
        level: float = 0.95,
        callback: ProgressCallback | None = None,
    ) -> Dependence | Surface:
        """Compute the curve or surface of the true process (DGP-PD).

        Parameters
        ----------
        feature : str or sequence of two str
            Two features give a surface.
        measure : str or function, default="prediction"
            A measure of a row, as in `importance`.
        grid : int, array-like of shape (g,), or one of these for each of two features
            Number of values, or the values themselves. By default 50 for a curve, and 20 of each
            feature for a surface. To compare with a model's curve, pass the grid of that curve.
        n : int, default=10000
            Rows to average over. The band is for the Monte Carlo error of this average.
        spacing : {"quantile", "even", "observed"}, default="quantile"
            Quantiles of the drawn values, even steps, or every distinct value.
        level : float, default=0.95
        callback : callable, optional
            Called with a `Progress` after every block of evaluations. To stop, raise an exception
            from it.

        Returns
        -------
        Dependence or Surface

        Raises
        ------
        ValueError
            For a name that does not exist, or a value out of range.

        See Also
        --------
        decompose : Error of models' curves.
        Explainer.dependence : Curves and surfaces for one fitted model.

        References
        ----------
        Molnar et al. 2023, definition 1.

        Examples
        --------
        >>> import uqwidgets as uq
        >>> truth = uq.GroundTruth(lambda X: X[:, 0] ** 2, lambda n, rng: rng.normal(size=(n, 2)))
        >>> truth.dependence("x0", grid=[0, 1, 2], n=100).average.round(6).tolist()
        [0.0, 1.0, 4.0]
        """
        check_callback(callback)
        explainer: Any = self._explainer(n)
        result: Dependence | Surface = explainer.dependence(
            feature, measure, grid=grid, spacing=spacing, level=level, callback=callback
        )
        return result

    def decompose(
        self,
        procedure: Any,
        feature: str | None = None,
        measure: Any = None,
        *,
        grid: int | npt.ArrayLike = 11,
        replacement: str = "permutation",
        n_repeats: int | str = 5,
        n_train: int | None = None,
        n_test: int | None = None,
        n_datasets: int = 50,
        n_refits: int = 1,
        n_truth: int = 20_000,
        n_jobs: int | None = None,
        callback: ProgressCallback | None = None,
    ) -> Decomposition:
        """Decompose the error of models' curves, or importance, by simulation.

        The procedure is fitted on many training sets, and each model evaluated on two test sets
        of fresh rows. The mean error of all models is the bias, the variance between models is the
        model variance, and the variance between test sets of one model is the Monte Carlo error of
        averaging over rows and, for importance, donors.

        Parameters
        ----------
        procedure : object
            A scikit-learn estimator; or a `Learner`, of which the estimator and the ``adapter`` are
            used, but not the table.
        feature : str, optional
            The feature of the curve. By default the importance of all features is decomposed.
        measure : str or function, optional
            A measure of a row, as in `importance`. By default ``"prediction"`` for a curve and
            ``"squared_error"`` for importance.
        grid : int or array-like of shape (g,), default=11
            Of a curve: number of values, or the values. Fewer than the 50 of `dependence`, because
            the error is estimated at each value for every model.
        replacement : {"permutation", "ablation", "conditional"}, default="permutation"
            Of importance, as in `importance`.
        n_repeats : int or "all", default=5
            Permutations for importance, as in `importance`.
        n_train, n_test : int, optional
            Rows of a training set and of a test set. By default 1000 and 500; for a `Learner`, the
            numbers of distinct rows that its refits learn from and hold out.
        n_datasets : int, default=50
            Training sets.
        n_refits : int, default=1
            Fits on each training set. With two or more, the part of the variance is estimated that
            comes from the randomness of the fit itself.
        n_truth : int, default=20000
            Rows for the truth.
        n_jobs : int, optional
            Number of training sets that are simulated at the same time, through joblib on its
            active backend.
        callback : callable, optional
            Called with a `Progress` after every training set. To stop, raise an exception from it.

        Returns
        -------
        Decomposition
            For importance by the squared error under permutation, also with the parts of the bias.

        Raises
        ------
        ModelError
            If a fit, the adapter or a fitted model fails.
        TypeError
            If the procedure cannot be copied and fitted.
        ValueError
            For a name that does not exist, or a value out of range.

        See Also
        --------
        Learner : Intervals for a procedure where the truth is not known.

        References
        ----------
        Molnar et al. 2023, section 5, figures 1 and 2, eq. 9, 10.

        Examples
        --------
        >>> from sklearn.linear_model import LinearRegression
        >>> import uqwidgets as uq
        >>> truth = uq.GroundTruth(lambda X: X[:, 0], lambda n, rng: rng.normal(size=(n, 2)))
        >>> result = truth.decompose(
        ...     LinearRegression(), "x0", grid=[0, 1], n_train=50, n_test=20, n_datasets=10
        ... )
        >>> list(result.frame)
        ['value', 'truth', 'expected', 'bias', 'bias_error', 'model_variance', 'mc_variance', 'mse']
        """
        check_callback(callback)
        estimator, sizes = procedure, (_N_TRAIN, _N_TEST)
        adapter: AdapterFunction = as_predictive
        if isinstance(procedure, Learner):
            estimator, adapter = procedure.estimator, procedure.adapter
            first = procedure.sizes.iloc[0]
            sizes = int(first["train_rows"]), int(first["held_out_rows"])
        design = Design.of(
            sizes[0] if n_train is None else n_train,
            sizes[1] if n_test is None else n_test,
            n_datasets,
            n_refits,
            self.random_state,
        )
        n_jobs = checked_jobs(n_jobs)
        truth = self._explainer(n_truth, "n_truth")
        estimand: Estimand
        if feature is None:
            loss = "squared_error" if measure is None else measure
            estimand = FeatureImportance(
                tuple(truth.groups_and_features), loss, replacement, n_repeats
            )
        else:
            points = grid_of(truth.table, feature, grid)
            estimand = PartialDependence(points, "prediction" if measure is None else measure)
        return decompose(
            self._process,
            truth,
            estimand,
            estimator,
            adapter,
            design,
            n_jobs,
            callback,
        )

    def _explainer(self, n: int, name: str = "n") -> Explainer:
        """Explainer of the process itself, on rows that no other method draws."""
        rng = np.random.default_rng(np.random.SeedSequence(self.random_state, spawn_key=(0,)))
        X, y = self._process.draw(checked_count(n, name, 1, MOST_ROWS), rng)
        return Explainer(self._process.predictive, X, y, random_state=self.random_state)

"""What importance and curves of a known data-generating process are, and how models miss them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from uqwidgets._typing import Floats
from uqwidgets._utils.random_state import RandomState, seed_of
from uqwidgets.dependence import grid_of
from uqwidgets.dependence.result import Dependence
from uqwidgets.dependence.surface_result import Surface
from uqwidgets.evaluation.progress import ProgressCallback
from uqwidgets.explainer.explainer import Explainer
from uqwidgets.ground_truth.decomposing import decomposed
from uqwidgets.ground_truth.process import Noise, Process
from uqwidgets.ground_truth.questions import Curve, Question, Ranks
from uqwidgets.ground_truth.result import Decomposition
from uqwidgets.ground_truth.simulation import Design
from uqwidgets.importance.result import Importance
from uqwidgets.learner import Learner
from uqwidgets.learner.loco_importance.read_fit import Read
from uqwidgets.predictive import as_predictive

# What a fit learns from and a test set holds, unless it is said.
_N_TRAIN, _N_TEST = 1000, 500


class GroundTruth:
    """A data-generating process that is known, as in a simulation.

    Its own partial dependence and permutation importance, DGP-PD and DGP-PFI, are what those of
    models estimate (Molnar et al. 2023, definitions 1 and 2).

    Parameters
    ----------
    f : callable
        ``f(X)``: the expected target of each row of a table like those of ``sample``, shape (n,).
    sample : callable
        ``sample(n, rng)``: n independent rows, a DataFrame or an array of shape (n, p), drawn
        with a `numpy.random.Generator`.
    noise : float or callable, default=1.0
        Standard deviation of normal noise, which makes `nll` and `entropy` of the truth known
        too; or ``noise(X, rng)``: how far the target of each row is from its expectation.
    random_state : int, RandomState, Generator or None, default=0
        Of all that is drawn.

    Raises
    ------
    TypeError
        If f or sample is no function.
    ValueError
        If the noise is neither a function nor a standard deviation.
    """

    def __init__(
        self,
        f: Callable[[Any], Any],
        sample: Callable[[int, np.random.Generator], Any],
        noise: Noise = 1.0,
        *,
        random_state: RandomState = 0,
    ) -> None:
        self._process = Process.of(f, sample, noise)
        self.random_state = seed_of(random_state)

    def __repr__(self) -> str:
        noise = self._process.noise
        said = "a function" if callable(noise) else f"{noise:g}"
        return f"GroundTruth({getattr(self._process.f, '__name__', 'f')}, noise {said})"

    def data(self, n: int, random_state: RandomState = None) -> tuple[Any, Floats]:
        """Draw rows and their target.

        Parameters
        ----------
        n : int
        random_state : int, RandomState or Generator, optional
            That of the truth, unless given.

        Returns
        -------
        X : DataFrame or ndarray of shape (n, p)
        y : ndarray of shape (n,)

        Raises
        ------
        ValueError
            If one of the functions does not give what it should.
        """
        if isinstance(random_state, np.random.Generator):
            return self._process.drawn(n, random_state)
        seed = self.random_state if random_state is None else seed_of(random_state)
        return self._process.drawn(n, np.random.default_rng(seed))

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
        """DGP-PFI: importance of the true process (Molnar et al. 2023, definition 2).

        Parameters
        ----------
        measure, features, replacement, n_repeats, compare, level, callback
            As in `Explainer.importance`.
        n : int, default=10000
            Rows to average over; the interval says how far off that may be.

        Returns
        -------
        Importance

        Raises
        ------
        ValueError
            For a name that does not exist, or a value out of range.
        """
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
        """DGP-PD (Molnar et al. 2023, definition 1): the curve of the truth.

        Parameters
        ----------
        feature, measure, grid, spacing, level, callback
            As in `Explainer.dependence`. To set it beside a model's curve, pass that one's grid.
        n : int, default=10000
            Rows to average over; the band says how far off that may be.

        Returns
        -------
        Dependence or Surface

        Raises
        ------
        ValueError
            For a name that does not exist, or a value out of range.
        """
        explainer: Any = self._explainer(n)
        found: Dependence | Surface = explainer.dependence(
            feature, measure, grid=grid, spacing=spacing, level=level, callback=callback
        )
        return found

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
        """Take the error of a model's curve, or importance, apart by simulation.

        The procedure is fitted on many training sets, and each model asked about two test sets
        of fresh rows. What all of them miss on average is bias; what tells models apart is their
        variance; what tells the test sets of one model apart is the Monte Carlo error of
        averaging over rows and, for importance, donors (Molnar et al. 2023, section 5, figures 1
        and 2).

        Parameters
        ----------
        procedure : object
            An estimator of scikit-learn's kind; or a `Learner`, whose estimator is taken, and what
            its fits are read by, but not its table.
        feature : str, optional
            Whose curve is meant. Unless one is named, it is the importance of all features.
        measure : str or callable, optional
            As in `Explainer.dependence` and `Explainer.importance`: by default ``"prediction"``
            for a curve and ``"squared_error"`` for importance.
        grid : int or array-like of shape (g,), default=11
            Of a curve: number of values, or the values.
        replacement, n_repeats
            Of importance, as in `Explainer.importance`.
        n_train, n_test : int, optional
            Rows that a fit learns from and rows of a test set: 1000 and 500, or, for a `Learner`,
            distinct rows that its refits learn from and hold out.
        n_datasets : int, default=50
            Training sets.
        n_refits : int, default=1
            Fits on each training set; with two or more, how much of the variance is the chance
            of the fit itself (random seeds) becomes known.
        n_truth : int, default=20000
            Rows for the truth.
        n_jobs : int, optional
            Training sets at a time, through joblib and whichever of its backends is set up.
        callback : callable, optional
            Called with a `Progress` after every training set; raise from it to stop.

        Returns
        -------
        Decomposition
            For importance by the squared error under permutation, also the parts of the bias
            (Molnar et al. 2023, eq. 9, 10).

        Raises
        ------
        ModelError
            If a fit or a fitted model fails, or cannot be read.
        TypeError
            If the procedure cannot be copied and fitted.
        ValueError
            For a name that does not exist, or a value out of range.
        """
        estimator, sizes = procedure, (_N_TRAIN, _N_TEST)
        read: Read = as_predictive
        if isinstance(procedure, Learner):
            estimator, read, sizes = procedure.estimator, procedure.read, procedure.sizes
        design = Design.of(
            sizes[0] if n_train is None else n_train,
            sizes[1] if n_test is None else n_test,
            n_datasets,
            n_refits,
            self.random_state,
        )
        truth = self._explainer(n_truth)
        question: Question
        if feature is None:
            asked = "squared_error" if measure is None else measure
            question = Ranks(tuple(truth.units()), asked, replacement, n_repeats)
        else:
            points = grid_of(truth.table, feature, grid)
            question = Curve(points, "prediction" if measure is None else measure)
        return decomposed(self._process, truth, question, estimator, read, design, n_jobs, callback)

    def _explainer(self, n: int) -> Explainer:
        """Rows that are drawn apart from all others, with the process as their model."""
        rng = np.random.default_rng(np.random.SeedSequence(self.random_state, spawn_key=(0,)))
        X, y = self._process.drawn(n, rng)
        return Explainer(self._process.predictive, X, y, random_state=self.random_state)

"""Decomposition of the error of models' importance or curves."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy.typing as npt
import pandas as pd

from uqwidgets._typing import Floats
from uqwidgets.plotting.result import Result, in_unit, replaced

if TYPE_CHECKING:
    import altair as alt


@dataclass(frozen=True, eq=False, repr=False)
class Decomposition(Result):
    """Bias, model variance and Monte Carlo error of a curve, or of importance.

    `GroundTruth.decompose` returns it.

    Attributes
    ----------
    procedure, measure, label, unit : str
    feature : str or None
        The feature of the curve; None for importance.
    categorical : bool
        Whether the points of a curve are categories.
    points : ndarray of shape (k,)
        Values of the feature; or names of the features, in truth the most important first.
    truth : ndarray of shape (k,)
        DGP-PD or DGP-PFI.
    expected : ndarray of shape (k,)
        Mean of the models' estimates: learner-PD or learner-PFI.
    bias, bias_error : ndarray of shape (k,)
        Expected minus truth, and the standard error of this by simulation.
    model_variance, mc_variance : ndarray of shape (k,)
        Variance between models, and Monte Carlo error of a finite number of test rows and donors,
        in the squared unit. The estimates are unbiased, so that one may be slightly negative.
    fit_variance : ndarray of shape (k,) or None
        The part of the model variance between fits on the same training set; None if there was one
        fit per training set.
    mse : ndarray of shape (k,)
        Mean square error; up to the error of the simulation, the squared bias plus both variances.
    estimates : ndarray of shape (n_datasets, n_refits, n_tests, k)
        The estimate of each model from each test set.
    bias_parts : DataFrame or None
        For importance by the squared error under permutation: columns ``feature,
        permutation_loss_bias, permutation_loss_bias_error, squared_model_bias,
        squared_model_bias_error, variance_inflation, variance_inflation_error``. The bias is the
        first part, minus the second, plus the third; the variance of the target around its
        expectation is part of both losses and cancels. All are means over the same rows, at least
        1000. The standard errors include the variance of training sets and of rows; they are NaN
        with two training sets. Estimates of variances and of squares are skewed: with 20 to 50
        training sets, 1.96 standard errors held the value in 87 to 96 % of simulations, and it was
        above the interval in most of the others.
    replacement : str or None
    n_repeats : int, "all" or None
        Of importance; None for a curve.
    n_train, n_test, n_datasets, n_refits, n_tests, n_truth : int
        Rows of a training set and of a test set; training sets, fits on each, test sets of each
        fit; rows for the truth.
    seed : int

    See Also
    --------
    Learner : Importance and curves of a procedure where the truth is not known.

    References
    ----------
    Molnar et al. 2023, section 5, definitions 1 and 2, eq. 9, 10.

    Examples
    --------
    >>> from sklearn.linear_model import LinearRegression
    >>> import uqwidgets as uq
    >>> truth = uq.GroundTruth(lambda X: X[:, 0], lambda n, rng: rng.normal(size=(n, 2)))
    >>> result = truth.decompose(LinearRegression(), n_train=50, n_test=20, n_datasets=10)
    >>> result.points.tolist(), result.estimates.shape
    (['x0', 'x1'], (10, 1, 2, 2))
    """

    procedure: str
    measure: str
    label: str
    unit: str
    feature: str | None
    categorical: bool
    points: npt.NDArray[Any]
    truth: Floats
    expected: Floats
    bias: Floats
    bias_error: Floats
    model_variance: Floats
    mc_variance: Floats
    fit_variance: Floats | None
    mse: Floats
    estimates: Floats
    bias_parts: pd.DataFrame | None
    replacement: str | None
    n_repeats: int | str | None
    n_train: int
    n_test: int
    n_datasets: int
    n_refits: int
    n_tests: int
    n_truth: int
    seed: int

    @property
    def frame(self) -> pd.DataFrame:
        """One row per feature, or per value of a curve.

        Columns ``feature`` or ``value``, ``truth, expected, bias, bias_error, model_variance``,
        ``fit_variance`` if it was estimated, ``mc_variance, mse``.
        """
        columns: dict[str, Any] = {
            "feature" if self.feature is None else "value": self.points,
            "truth": self.truth,
            "expected": self.expected,
            "bias": self.bias,
            "bias_error": self.bias_error,
            "model_variance": self.model_variance,
        }
        if self.fit_variance is not None:
            columns["fit_variance"] = self.fit_variance
        return pd.DataFrame(columns | {"mc_variance": self.mc_variance, "mse": self.mse})

    @property
    def title(self) -> str:
        """Heading of the result."""
        if self.feature is None:
            return f"Error of the importance for {self.label}{in_unit(self.unit)}"
        return f"Error of the dependence of {self.label}{in_unit(self.unit)} on {self.feature}"

    @property
    def how(self) -> str:
        """Sizes of the simulation, in words."""
        fits = "" if self.n_refits == 1 else f", {self.n_refits} fits of each"
        text = (
            f"{self.procedure}, {self.n_datasets} training sets of {self.n_train:,} rows{fits}, "
            f"test sets of {self.n_test:,} rows"
        )
        if self.replacement is None or self.n_repeats is None:
            return text
        return f"{text}, {replaced(self.replacement, self.n_repeats)}"

    @property
    def _heading(self) -> str:
        return f"{self.title}: {self.how}"

    def _repr_html_(self) -> str:
        from uqwidgets.ground_truth.html import decomposition_html

        return decomposition_html(self)

    def to_altair(self, *, fits: bool = False) -> alt.Chart | alt.LayerChart:
        """Return an Altair chart of the parts of the mean square error, or of the fits.

        Parameters
        ----------
        fits : bool, default=False
            Whether to draw the estimate of every fit around the truth, with their mean, instead of
            the parts of the error (Molnar et al. 2023, figure 2, right).

        Examples
        --------
        >>> from sklearn.linear_model import LinearRegression
        >>> import uqwidgets as uq
        >>> truth = uq.GroundTruth(lambda X: X[:, 0], lambda n, rng: rng.normal(size=(n, 2)))
        >>> result = truth.decompose(LinearRegression(), n_train=50, n_test=20, n_datasets=10)
        >>> chart = result.to_altair()
        >>> type(chart).__name__
        'Chart'
        >>> [layer.mark.type for layer in result.to_altair(fits=True).layer]
        ['rule', 'tick', 'rule', 'circle', 'point']
        """
        from uqwidgets.ground_truth.chart import decomposition_chart, fits_chart

        return fits_chart(self) if fits else decomposition_chart(self)

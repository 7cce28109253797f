"""Decomposition: how models miss the truth."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy.typing as npt
import pandas as pd

from uqwidgets._typing import Floats
from uqwidgets.plotting.repr import in_unit, lines, replaced

if TYPE_CHECKING:
    import altair as alt


@dataclass(frozen=True, eq=False, repr=False)
class Decomposition:
    """Bias, model variance and Monte Carlo error of a curve, or of importance.

    Source: Molnar et al. 2023, section 5.

    Attributes
    ----------
    procedure, measure, label, unit : str
    feature : str or None
        Whose curve it is; None where it is the importance of features.
    categorical : bool
        Whether the points of a curve are categories.
    points : ndarray of shape (k,)
        Values of the feature; or names of features, the most important in truth first.
    truth : ndarray of shape (k,)
        DGP-PD or DGP-PFI (Molnar et al. 2023, definitions 1 and 2).
    expected : ndarray of shape (k,)
        What models give on average: the learner's PD or PFI.
    bias, bias_error : ndarray of shape (k,)
        Expected minus truth, and the standard error that the simulation leaves it.
    model_variance, mc_variance : ndarray of shape (k,)
        Variance between models, and what a finite number of test rows and donors adds to it.
        Estimates without bias, so that a variance of nothing may be a little below zero.
    fit_variance : ndarray of shape (k,) or None
        The part of the model variance that is left between fits on the same rows; None where there
        was one fit of each training set.
    mse : ndarray of shape (k,)
        Mean square error; up to the error of the simulation the squared bias and both variances.
    estimates : ndarray of shape (n_datasets, n_refits, n_tests, k)
        What they were all taken from.
    bias_parts : DataFrame or None
        Of importance by the squared error under permutation (Molnar et al. 2023, eq. 9, 10):
        columns ``feature, permutation_loss_bias, permutation_loss_bias_error, squared_model_bias,
        squared_model_bias_error, variance_inflation, variance_inflation_error``. The bias is the
        first part, minus the second, plus the third; the variance of the target around its
        expectation is in both losses and cancels. The errors are standard errors that the
        simulation leaves, of training sets and of rows; NaN of two training sets.
    replacement : str or None
    n_repeats : int, "all" or None
        Of importance.
    n_train, n_test, n_datasets, n_refits, n_tests, n_truth : int
        Rows of a training set and of a test set; training sets, fits on each, test sets of each
        fit; rows for the truth.
    seed : int
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
        """Columns ``truth, expected, bias, model_variance, mc_variance, mse``, and what of.

        The first column is ``feature``, or the ``value`` of a curve; ``bias_error`` follows
        ``bias`` and, where it is known, ``fit_variance`` the variance that it is a part of.
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
        """What is taken apart, as a heading."""
        if self.feature is None:
            return f"Error of the importance for {self.label}{in_unit(self.unit)}"
        return f"Error of the dependence of {self.label}{in_unit(self.unit)} on {self.feature}"

    @property
    def how(self) -> str:
        """What was simulated, in words."""
        fits = "" if self.n_refits == 1 else f", {self.n_refits} fits of each"
        text = (
            f"{self.procedure}, {self.n_datasets} training sets of {self.n_train:,} rows{fits}, "
            f"test sets of {self.n_test:,} rows"
        )
        if self.replacement is None or self.n_repeats is None:
            return text
        return f"{text}, {replaced(self.replacement, self.n_repeats)}"

    def __repr__(self) -> str:
        return lines(f"{self.title}: {self.how}", self.frame, ())

    def _repr_html_(self) -> str:
        from uqwidgets.ground_truth.html import decomposition_html

        return decomposition_html(self)

    def to_altair(self) -> alt.Chart:
        """Chart of the parts that make up the mean square error, to restyle or save."""
        from uqwidgets.ground_truth.chart import decomposition_chart

        return decomposition_chart(self)

"""The parts of scikit-learn's scorers, private attributes included, and their bounds.

A scorer takes an estimator, which it would evaluate again for every set of weights. Metrics here
are computed from predictions that exist already, so they need the scorer's function and arguments,
for which scikit-learn has no public access. No other file reads scikit-learn's private parts.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from inspect import Parameter, signature
from typing import Any

import numpy as np
from numpy import inf
from sklearn.metrics import get_scorer

from uqwidgets._typing import Range

SCORER: type = type(get_scorer("accuracy"))
#: Functions of scikit-learn's scorers of a positive and of a negative answer.
LIKELIHOOD_RATIOS: Sequence[Callable[..., Any]] = [
    get_scorer(name)._score_func
    for name in ("positive_likelihood_ratio", "neg_negative_likelihood_ratio")
]

_BOUNDS_OF_FUNCTIONS: dict[Range, tuple[str, ...]] = {
    (0.0, 1.0): (
        *("accuracy_score", "balanced_accuracy_score", "top_k_accuracy_score", "zero_one_loss"),
        *("average_precision_score", "roc_auc_score", "hamming_loss"),
        *("f1_score", "fbeta_score", "jaccard_score", "precision_score", "recall_score"),
    ),
    (-1.0, 1.0): ("matthews_corrcoef", "cohen_kappa_score"),
    (-inf, 1.0): (
        *("r2_score", "explained_variance_score", "d2_brier_score", "d2_log_loss_score"),
        *("d2_absolute_error_score", "d2_pinball_score", "d2_tweedie_score"),
    ),
    (0.0, inf): (
        *("brier_score_loss", "hinge_loss", "log_loss", "mean_pinball_loss"),
        *("mean_absolute_error", "median_absolute_error", "mean_absolute_percentage_error"),
        *("mean_squared_error", "mean_squared_log_error"),
        *("root_mean_squared_error", "root_mean_squared_log_error"),
        *("mean_gamma_deviance", "mean_poisson_deviance", "mean_tweedie_deviance"),
        *("positive_likelihood_ratio", "negative_likelihood_ratio"),
    ),
}
_BOUNDS = {name: bounds for bounds, names in _BOUNDS_OF_FUNCTIONS.items() for name in names}


@dataclass(frozen=True, eq=False)
class ScorerParts:
    """The parts of a scikit-learn scorer.

    Attributes
    ----------
    function : callable
        ``function(y_true, y_pred, **arguments)``, a score or a loss.
    arguments : dict
        Keyword arguments of the function.
    sign : {1, -1}
        -1 where the function is a loss, which the scorer negates.
    response_methods : tuple of str
        Methods of an estimator that give ``y_pred``, the first that exists.
    """

    function: Callable[..., Any]
    arguments: Mapping[str, Any]
    sign: int
    response_methods: tuple[str, ...]

    @classmethod
    def of(cls, scorer: Any) -> ScorerParts:
        """Read the parts of a scorer."""
        return cls(
            function=scorer._score_func,
            arguments=dict(scorer._kwargs),
            sign=scorer._sign,
            response_methods=tuple(np.atleast_1d(scorer._response_method).tolist()),
        )

    @property
    def parameters(self) -> Mapping[str, Parameter]:
        """Parameters of the function by name."""
        try:
            return signature(self.function).parameters
        except ValueError:  # a function that is not written in Python need not have one
            return {}

    @property
    def takes_weights(self) -> bool:
        """Whether rows may have unequal weights."""
        return "sample_weight" in self.parameters

    @property
    def zero_divisions(self) -> Sequence[Mapping[str, float]]:
        """Further arguments, one set for each call, that show whether the score is defined.

        A quotient with the denominator 0 has a warning and the value 0 if nothing else is chosen.
        The warning cannot be relied on, because its filters belong to all threads.
        """
        parameter = self.parameters.get("zero_division")
        chosen = self.arguments.get("zero_division", parameter and parameter.default)
        if chosen != "warn" or not self.is_label_metric:
            return ({},)
        if self.arguments.get("average", "binary") in ("binary", "micro"):
            return ({"zero_division": np.nan},)
        # An average over classes leaves those out whose value is NaN.
        return ({"zero_division": 0.0}, {"zero_division": 1.0})

    @property
    def is_regression_metric(self) -> bool:
        """Whether the function is one of scikit-learn's metrics of numbers."""
        return self._module.endswith("._regression")

    @property
    def is_label_metric(self) -> bool:
        """Whether it is one of scikit-learn's metrics of classes, a function of their labels."""
        return self._module.endswith("._classification")

    @property
    def _module(self) -> str:
        # The functions of NumPy 1.26 do not say in which module they are.
        return getattr(self.function, "__module__", None) or ""

    @property
    def name(self) -> str:
        """Name for a scorer without one: that of its function, with the arguments."""
        name = getattr(self.function, "__name__", type(self.function).__name__)
        arguments = ", ".join(f"{k}={v!r}" for k, v in self.arguments.items())
        return f"{'' if self.sign > 0 else 'neg_'}{name}{arguments and f'({arguments})'}"

    @property
    def bounds(self) -> Range:
        """Least and greatest score, whatever the rows; infinite for a function of the user."""
        # With normalize=False a metric counts rows, with adjusted=True it is relative to chance.
        rescaled = not self.arguments.get("normalize", True) or self.arguments.get("adjusted")
        if rescaled or not self._module.startswith("sklearn.metrics"):
            return -inf, inf
        low, high = _BOUNDS.get(self.function.__name__, (-inf, inf))
        return (low, high) if self.sign > 0 else (-high, -low)

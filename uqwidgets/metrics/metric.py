"""What a metric is, and how it is worked out thousands of times."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from sklearn import config_context
from sklearn.exceptions import UndefinedMetricWarning

from uqwidgets._typing import Floats
from uqwidgets._utils.errors import IN_PLACE, is_write
from uqwidgets.metrics.bounds import Bounds
from uqwidgets.metrics.inputs import Labels
from uqwidgets.predictive.distributions import Categorical, Distribution, Mixture

# What average precision says, and nothing else, where it is not defined.
_NO_POSITIVE = "No positive class found"
# Scores of confusion matrices that are remembered.
_MOST_KNOWN = 20_000


@dataclass(frozen=True, eq=False)
class Metric:
    """One of scikit-learn's scorers, applied to what a model answered.

    Attributes
    ----------
    name, label, unit : str
    key : hashable
        Tells it from any other metric of the same name.
    takes_weights : bool
        Whether rows may have unequal weights.
    bounds : tuple of float
        What it lies between, whatever the rows.
    """

    name: str
    label: str
    unit: str
    key: Hashable
    takes_weights: bool
    bounds: Bounds
    _function: Callable[..., Any]
    _arguments: Mapping[str, Any]
    _sign: int
    _read: Callable[[Any, Labels], tuple[Labels, Labels]]
    # The labels of the classes, where all that counts is which class is taken for which.
    _of_cells: Labels | None
    _known: dict[bytes, float] = field(default_factory=dict)

    @property
    def loss_label(self) -> str:
        """The label of the loss that is negated."""
        return self.label.removeprefix("neg ")

    def check_ratio(self, score: float, rows: str) -> None:
        """Check that there is a ratio to the loss that this is the score of.

        Raises
        ------
        ValueError
            If greater is better of the metric itself, or the rows lose nothing.
        """
        if self._sign > 0:
            raise ValueError(
                f"{self.name} is a score, of which greater is better, and has no ratio of errors; "
                "use compare='difference', or a scorer of a loss such as 'neg_log_loss'."
            )
        if not -score > 0:
            raise ValueError(
                f"the {self.loss_label} of the {rows} rows is {-score:.4g}, and a ratio needs a "
                "positive one; use compare='difference'."
            )

    def score(self, q: Distribution, y: Labels, weights: Floats | None = None) -> float:
        """Score answers; greater is better, as scikit-learn has it.

        Parameters
        ----------
        q : Distribution
        y : ndarray of shape (n,)
            Class positions where the distribution has classes, the target's own values
            otherwise, as for a `Measure`.
        weights : ndarray of shape (n,), optional
            None for equal ones. Rows of weight zero are left out.

        Returns
        -------
        float
            NaN where scikit-learn holds the metric to be undefined, as with one class left.

        Raises
        ------
        ValueError
            If the metric is none of such a target or such answers, or takes no weights.
        """
        return self.on(q, y)(weights)

    def on(self, q: Distribution, y: Labels) -> Callable[[Floats | None], float]:
        """Return `score` of these answers as a function of the weights alone.

        What the scorer is shown is read off the answers once.
        """
        if self._of_cells is not None and isinstance(q, Categorical | Mixture):
            return self._on_cells(self._of_cells, q, y)
        try:
            truth, said = self._read(q, y)
        except ValueError as error:
            raise unfit(self.name, error) from error
        truth, said = _unwritable(truth), _unwritable(said)
        return lambda weights: self._scored(truth, said, weights)

    def _on_cells(
        self, shown: Labels, q: Categorical | Mixture, y: Labels
    ) -> Callable[[Floats | None], float]:
        """Score the cells of the confusion matrix, each by its weight, instead of the rows.

        Scikit-learn spends its time on each row and, when these are few, on looking at what it
        got, while the same few cells come again and again: no cell is scored twice.
        """
        k = len(shown)
        cell = y * k + q.mode()

        def scored(weights: Floats | None) -> float:
            sums = np.bincount(cell, weights, minlength=k * k).astype(np.float64, copy=False)
            found = self._known.get(sums.tobytes())
            if found is None:
                held = np.flatnonzero(sums)
                found = self._scored(shown[held // k], shown[held % k], sums[held])
                if len(self._known) >= _MOST_KNOWN:
                    self._known.clear()
                self._known[sums.tobytes()] = found
            return found

        return scored

    def _scored(self, truth: Labels, said: Labels, weights: Floats | None) -> float:
        arguments = dict(self._arguments)
        if weights is not None:
            if not weights.all():
                kept = np.flatnonzero(weights)
                truth, said, weights = truth[kept], said[kept], weights[kept]
            if len(weights) == 0:
                return np.nan
            if weights.min() < weights.max() or (self.takes_weights and weights[0] != 1):
                if not self.takes_weights:
                    raise unfit(self.name, "it takes no weights of rows; ask for it without")
                arguments["sample_weight"] = _unwritable(weights)
        # What is scored here thousands of times was checked when it was made.
        with (
            config_context(assume_finite=True, skip_parameter_validation=True),
            warnings.catch_warnings(),
            np.errstate(all="ignore"),
        ):
            warnings.filterwarnings("ignore", module=r"sklearn\.")
            warnings.filterwarnings("error", _NO_POSITIVE, UserWarning)
            warnings.simplefilter("error", UndefinedMetricWarning)
            try:
                return self._sign * float(self._function(truth, said, **arguments))
            except Exception as error:
                of_nothing = isinstance(error, UndefinedMetricWarning)
                if of_nothing or str(error).startswith(_NO_POSITIVE):
                    return np.nan
                raise unfit(self.name, error) from error


def _unwritable(array: Labels) -> Labels:
    """View of an array that a scorer will be shown again, under other weights."""
    view = np.asarray(array).view()
    view.flags.writeable = False
    return view


def unfit(name: str, reason: object) -> ValueError:
    """Return the error that a model cannot be scored so."""
    if is_write(reason):
        return ValueError(f"{name} cannot score this model: {IN_PLACE}")
    first_line = next(iter(str(reason).splitlines()), type(reason).__name__).rstrip(".")
    return ValueError(f"{name} cannot score this model: {first_line}.")

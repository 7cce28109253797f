"""A metric of scikit-learn, computed from predictions under thousands of sets of weights."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any

import numpy as np
from sklearn import config_context

from uqwidgets._typing import Floats, Labels, Positions, Range
from uqwidgets._utils.errors import IN_PLACE, NoRatioError, is_write
from uqwidgets._utils.quiet import hidden_warnings
from uqwidgets.metrics.confusion import OfConfusion
from uqwidgets.metrics.inputs import LabelInputs
from uqwidgets.metrics.means import OfWeights
from uqwidgets.predictive.distributions import Categorical, Distribution, Mixture, Point

# Number of weights of the same rows whose scores are cached.
_CACHE_SIZE = 20_000
_NO_WEIGHTS = "it takes no weights of rows; leave them out"


class ScoreOfWeights:
    """The score of fixed predictions as a function of the weights of their rows.

    Parameters
    ----------
    of_each : callable
        From samples of weights (s, n) to their scores (s,).
    n : int
        Number of rows.
    of_rows : callable, optional
        See `of_rows`; given where the scorer's function is called for each sample of weights.
    """

    def __init__(
        self, of_each: OfWeights, n: int, of_rows: Callable[[Positions, Floats], float] | None
    ) -> None:
        self._of_each, self._of_rows = of_each, of_rows
        self.n = n

    @property
    def is_quick(self) -> bool:
        """Whether it needs no call of a scorer's function for each sample of weights."""
        return self._of_rows is None

    def __call__(self, weights: Floats | None) -> float:
        """Return the score under weights (n,), or under equal ones."""
        samples = np.ones((1, self.n)) if weights is None else weights[None]
        return float(self.of_each(samples)[0])

    def of_each(self, weights: Floats) -> Floats:
        """Return the scores (s,) under samples of weights (s, n)."""
        with np.errstate(all="ignore"):
            return self._of_each(weights)

    def of_rows(self, rows: Positions, weights: Floats) -> float:
        """Return the score of some rows (m,), which may be there several times, with weights."""
        if self._of_rows is None:
            return self(np.bincount(rows, weights, self.n).astype(np.float64, copy=False))
        with np.errstate(all="ignore"):
            return self._of_rows(rows, weights)


@dataclass(frozen=True, eq=False)
class Metric:
    """One of scikit-learn's scorers, applied to the predictions of a model.

    Attributes
    ----------
    name, label, unit : str
    key : hashable
        Distinguishes it from other metrics of the same name.
    takes_weights : bool
        Whether rows may have unequal weights.
    bounds : tuple of float
        Least and greatest value that it can have, whatever the rows.
    reads_answer : bool
        Whether it reads labels or predicted numbers, as for a `Measure`.
    """

    name: str
    label: str
    unit: str
    key: Hashable
    takes_weights: bool
    bounds: Range
    reads_answer: bool
    _function: Callable[..., Any]
    _arguments: Mapping[str, Any]
    _sign: int
    _read: Callable[[Any, Labels], tuple[Labels, Labels]]
    # The arguments of each call; where these differ in the score, it is not defined.
    _zero_divisions: Sequence[Mapping[str, float]]
    # The same metric without scikit-learn's function: from the confusion matrix, or from the true
    # values and the predictions as a function of the weights.
    _of_confusion: OfConfusion | None
    _of_weights: Callable[[Labels, Floats], OfWeights] | None

    @property
    def loss_label(self) -> str:
        """Label of the loss of which this is the negative."""
        return self.label.removeprefix("neg ")

    def check_ratio(self, score: float, rows: str) -> None:
        """Check that a ratio of losses exists.

        Raises
        ------
        ValueError
            If the metric is a score and not a negated loss, or the loss of the rows is zero.
        """
        if self._sign > 0:
            raise NoRatioError(
                f"{self.name} is a score, where greater is better, so it has no ratio of errors; "
                "use compare='difference', or a scorer of a loss such as 'neg_log_loss'."
            )
        if not -score > 0:
            raise NoRatioError(
                f"the {self.loss_label} of the {rows} rows is {-score:.4g}, and a ratio needs a "
                "positive one; use compare='difference'."
            )

    def score(self, q: Distribution, y: Labels, weights: Floats | None = None) -> float:
        """Score predictions; greater is better, as in scikit-learn.

        Parameters
        ----------
        q : Distribution
        y : ndarray of shape (n,)
            Class positions where the distribution has classes, the target's own values
            otherwise, as for a `Measure`.
        weights : ndarray of shape (n,), optional
            None for equal weights. Rows of weight zero are left out.

        Returns
        -------
        float
            NaN where scikit-learn considers the metric undefined, such as with a single class.

        Raises
        ------
        ValueError
            If the metric does not fit the target or the predictions, or takes no weights.
        """
        return self.on(q, y)(weights)

    def on(self, q: Distribution, y: Labels) -> ScoreOfWeights:
        """Return `score` of these predictions as a function of the weights alone.

        The inputs of the scorer are computed once.
        """
        return self.on_all([q], y)

    def on_all(self, distributions: Iterable[Distribution], y: Labels) -> ScoreOfWeights:
        """Return `score` of predictions of the same rows under several replacements together.

        Parameters
        ----------
        distributions : iterable of Distribution, length m
            Read one at a time.
        y : ndarray of shape (n,)

        Returns
        -------
        ScoreOfWeights
            Of weights of shape (m n,), those of the first distribution first.
        """
        cells: list[Labels | None] = []
        truths, predictions = [], []
        of_labels = self._read if isinstance(self._read, LabelInputs) else None
        for q in distributions:
            try:
                truth, predicted = self._read(q, y)
            except ValueError as error:
                raise unfit(self.name, error) from error
            truths.append(truth)
            predictions.append(predicted)
            if of_labels is not None and isinstance(q, Categorical | Mixture | Point):
                cells.append(of_labels.cells(q, y))
        truth, predicted = _concatenate(truths), _concatenate(predictions)
        of_weights = self._quick(truth, predicted, cells)
        if of_weights is None:

            def of_rows(rows: Positions, weights: Floats) -> float:
                return self._score(truth[rows], predicted[rows], weights)

            return ScoreOfWeights(self._each(truth, predicted), len(truth), of_rows)

        def signed(weights: Floats) -> Floats:
            try:
                return self._sign * of_weights(weights if self.takes_weights else _counts(weights))
            except ValueError as error:
                raise unfit(self.name, error) from error

        return ScoreOfWeights(signed, len(truth), None)

    def _quick(
        self, truth: Labels, predicted: Labels, cells: list[Labels | None]
    ) -> OfWeights | None:
        """Return the score as a function of many weights, if scikit-learn is not needed."""
        read, known = self._read, [cell for cell in cells if cell is not None]
        if self._of_confusion and isinstance(read, LabelInputs) and len(known) == len(cells):
            return _of_cells(self._of_confusion, np.concatenate(known), len(read.classes))
        if self._of_weights is None:
            return None
        with np.errstate(all="ignore"):
            return self._of_weights(truth, predicted)

    def _each(self, truth: Labels, predicted: Labels) -> OfWeights:
        """Return the score that calls the scorer's function once for the same weights."""
        known: dict[bytes, float] = {}

        def scores(weights: Floats) -> Floats:
            result = []
            for one in weights:
                key = blake2b(one.tobytes(), digest_size=16).digest()
                if key not in known:
                    if len(known) >= _CACHE_SIZE:
                        known.clear()
                    known[key] = self._score(truth, predicted, one)
                result.append(known[key])
            return np.array(result)

        return scores

    def _score(self, truth: Labels, predicted: Labels, weights: Floats) -> float:
        arguments = dict(self._arguments)
        if not weights.all():
            rows = np.flatnonzero(weights)
            truth, predicted, weights = truth[rows], predicted[rows], weights[rows]
        if len(weights) == 0:
            return np.nan
        if weights.min() < weights.max() or (self.takes_weights and weights[0] != 1):
            if not self.takes_weights:
                raise unfit(self.name, _NO_WEIGHTS)
            arguments["sample_weight"] = _read_only(weights)
        choices = self._zero_divisions
        if len(choices) > 1 and "labels" not in arguments:
            # Where each class has true rows and predicted ones, no denominator is 0.
            choices = choices[: 1 if set(truth.tolist()) == set(predicted.tolist()) else None]
        # The inputs were validated when they were made, and are scored thousands of times.
        with (
            config_context(assume_finite=True, skip_parameter_validation=True),
            hidden_warnings(Warning, module=r"sklearn\.|numpy\."),
            np.errstate(all="ignore"),
        ):
            try:
                score, *others = (
                    float(self._function(truth, predicted, **{**arguments, **choice}))
                    for choice in choices
                )
            except Exception as error:
                raise unfit(self.name, error) from error
        return self._sign * score if all(other == score for other in others) else np.nan


def _of_cells(of_confusion: OfConfusion, cell: Labels, k: int) -> OfWeights:
    """Score the cells of the confusion matrix, each by its weight, instead of the rows."""

    def scores(weights: Floats) -> Floats:
        sums = np.array([np.bincount(cell, one, minlength=k * k) for one in weights])
        return of_confusion(sums.astype(np.float64, copy=False).reshape(-1, k, k))

    return scores


def _counts(weights: Floats) -> Floats:
    """Return 1 for each row with weight, for a score that takes no weights."""
    counts = (weights > 0).astype(np.float64)
    if (counts * weights.max(axis=1, keepdims=True, initial=0.0) != weights).any():
        raise ValueError(_NO_WEIGHTS)
    return counts


def _concatenate(parts: list[Labels]) -> Labels:
    return _read_only(parts[0] if len(parts) == 1 else np.concatenate(parts))


def _read_only(array: Labels) -> Labels:
    """Read-only view of an array, because the scorer receives it again with other weights."""
    view = np.asarray(array).view()
    view.flags.writeable = False
    return view


def unfit(name: str, reason: object) -> ValueError:
    """Return the error that a metric cannot score a model."""
    if is_write(reason):
        return ValueError(f"{name} cannot score this model: {IN_PLACE}")
    first_line = next(iter(str(reason).splitlines()), type(reason).__name__).rstrip(".")
    return ValueError(f"{name} cannot score this model: {first_line}.")

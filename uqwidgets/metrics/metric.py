"""A metric of scikit-learn, computed from predictions under thousands of sets of weights."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from sklearn import config_context

from uqwidgets._typing import Floats, Range
from uqwidgets._utils.errors import IN_PLACE, NoRatioError, is_write
from uqwidgets._utils.quiet import hidden_warnings
from uqwidgets.metrics.confusion import OfConfusion
from uqwidgets.metrics.inputs import Labels
from uqwidgets.metrics.means import OfWeights
from uqwidgets.predictive.distributions import Distribution

# Number of confusion matrices whose scores are cached.
_CACHE_SIZE = 20_000


class ScoreOfWeights:
    """The score of fixed predictions as a function of the weights of their rows.

    Parameters
    ----------
    of_each : callable
        From samples of weights (s, n) to their scores (s,).
    n : int
        Number of rows.
    """

    def __init__(self, of_each: OfWeights, n: int) -> None:
        self._of_each = of_each
        self._n = n

    def __call__(self, weights: Floats | None) -> float:
        """Return the score under weights (n,), or under equal ones."""
        samples = np.ones((1, self._n)) if weights is None else weights[None]
        return float(self.of_each(samples)[0])

    def of_each(self, weights: Floats) -> Floats:
        """Return the scores (s,) under samples of weights (s, n)."""
        with np.errstate(all="ignore"):
            return self._of_each(weights)


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
    # Labels of the classes, if the metric depends on the confusion matrix alone.
    _cell_labels: Labels | None
    # The same metric without scikit-learn's function: from the confusion matrix, or from the true
    # values and the predictions as a function of the weights.
    _of_confusion: OfConfusion | None
    _of_weights: Callable[[Labels, Floats], OfWeights] | None
    _cache: dict[bytes, float] = field(default_factory=dict)

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
        cells: list[Labels] = []
        truths: list[Any] = []
        predictions: list[Any] = []
        for q in distributions:
            if self._cell_labels is not None and q.classes is not None and not truths:
                k, codes = len(self._cell_labels), q.mode()
                if codes.max(initial=0) < k:
                    cells.append(y * k + codes)
                    continue
                # A label that is none of the classes has no cell: the rows are scored directly.
                truths = [self._cell_labels[cell // k] for cell in cells]
                predictions = [self._cell_labels[cell % k] for cell in cells]
                cells = []
            try:
                truth, predicted = self._read(q, y)
            except ValueError as error:
                raise unfit(self.name, error) from error
            truths.append(truth)
            predictions.append(predicted)
        if self._cell_labels is not None and cells:
            cell = _concatenate(cells)
            return ScoreOfWeights(self._of_cells(self._cell_labels, cell), len(cell))
        truth, predicted = _concatenate(truths), _concatenate(predictions)
        if self._of_weights is None:

            def of_each(weights: Floats) -> Floats:
                return np.array([self._score(truth, predicted, one) for one in weights])

            return ScoreOfWeights(of_each, len(truth))
        with np.errstate(all="ignore"):
            of_weights = self._of_weights(truth, predicted)
        return ScoreOfWeights(lambda weights: self._sign * of_weights(weights), len(truth))

    def _of_cells(self, labels: Labels, cell: Labels) -> OfWeights:
        """Score the cells of the confusion matrix, each by its weight, instead of the rows.

        Scikit-learn takes time for each row and, with few rows, for validating its input; but the
        same few confusion matrices occur again and again, so their scores are cached.
        """
        k, of_confusion = len(labels), self._of_confusion

        def scores(weights: Floats) -> Floats:
            sums = np.array([np.bincount(cell, one, minlength=k * k) for one in weights])
            if of_confusion is not None:
                matrices = sums.astype(np.float64, copy=False).reshape(-1, k, k)
                return self._sign * of_confusion(matrices)
            return np.array([self._of_cell_sums(labels, one) for one in sums])

        return scores

    def _of_cell_sums(self, labels: Labels, sums: Floats) -> float:
        result = self._cache.get(sums.tobytes())
        if result is None:
            filled, k = np.flatnonzero(sums), len(labels)
            result = self._score(labels[filled // k], labels[filled % k], sums[filled])
            if len(self._cache) >= _CACHE_SIZE:
                self._cache.clear()
            self._cache[sums.tobytes()] = result
        return result

    def _score(self, truth: Labels, predicted: Labels, weights: Floats) -> float:
        arguments = dict(self._arguments)
        if not weights.all():
            rows = np.flatnonzero(weights)
            truth, predicted, weights = truth[rows], predicted[rows], weights[rows]
        if len(weights) == 0:
            return np.nan
        if weights.min() < weights.max() or (self.takes_weights and weights[0] != 1):
            if not self.takes_weights:
                raise unfit(self.name, "it takes no weights of rows; leave them out")
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

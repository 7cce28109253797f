"""Consistency: whether the model predicts the same for the same row in another call."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from uqwidgets.evaluation.batch import RowBlock
from uqwidgets.predictive import Distribution

# Rounding depends on the batch size, also in single precision. Noise that matters is larger than
# this share of the standard deviation of the predictions over rows.
_TOLERANCE = 1e-3
_ROUNDING = 1e-6
# Rows that are compared in all, and of one batch at most.
_MAX_ROWS = 200
_MAX_ROWS_OF_BATCH = 20


class Consistency:
    """Compares predictions for rows whose values were replaced by equal ones.

    Some rows of every permutation are their own donors, and some rows have the value of a curve's
    point already. The model must predict for them what it predicted for the rows as they are, so
    the comparison costs no model call.

    Parameters
    ----------
    original : Distribution
        Of the rows as they are.

    Attributes
    ----------
    compared, differing : int
        Rows that were evaluated again, and those with another prediction.
    """

    def __init__(self, original: Distribution) -> None:
        self.compared = 0
        self.differing = 0
        self._original = original
        self._tolerances = [_tolerance(array) for array in original.arrays()]

    @property
    def settled(self) -> bool:
        """Whether enough rows were compared."""
        return self.compared >= _MAX_ROWS

    def compare(
        self, answer: Distribution, unchanged: npt.NDArray[np.intp], block: RowBlock
    ) -> None:
        """Compare predictions with those of the rows as they are.

        Parameters
        ----------
        answer : Distribution
            Predictions for some rows of the table.
        unchanged : ndarray of int
            Positions in the answer of rows whose replaced values equal their own.
        block : RowBlock
            The rows of the answer.
        """
        some = unchanged[:_MAX_ROWS_OF_BATCH]
        if len(some) == 0:
            return
        before = self._original.take(block.positions[some]).arrays()
        after = answer.take(some).arrays()
        differs = np.zeros(len(some), dtype=np.bool_)
        for one, other, tolerance in zip(before, after, self._tolerances, strict=True):
            numbers = one.dtype.kind in "biuf" and other.dtype.kind in "biuf"
            apart = np.abs(one.astype(np.float64) - other) > tolerance if numbers else one != other
            differs |= apart.reshape(len(some), -1).any(axis=1)
        self.compared += len(some)
        self.differing += int(differs.sum())

    @property
    def remarks(self) -> tuple[str, ...]:
        """What a reader of a result should know."""
        if not self.differing:
            return ()
        return (
            "asked again about the same rows, the model gives other answers: they change from call "
            "to call or with the rows beside, and this noise is in all results (fix the model's "
            "random state, or switch off what only training needs, such as dropout)",
        )


def _tolerance(array: npt.NDArray[np.generic]) -> float:
    if array.dtype.kind not in "biuf" or array.size == 0:
        return 0.0
    numbers = array.astype(np.float64)
    return float(_TOLERANCE * numbers.std() + _ROUNDING * np.abs(numbers).max())

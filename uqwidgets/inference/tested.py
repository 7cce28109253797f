"""Tests of many estimates: p-values that agree with the intervals, adjusted for their number."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar, Literal, NamedTuple, get_args

import numpy as np
import numpy.typing as npt
import pandas as pd

from uqwidgets._typing import Floats
from uqwidgets._utils.choices import one_of
from uqwidgets._utils.options import brief, is_real
from uqwidgets.inference.simultaneous import adjusted
from uqwidgets.plotting.result import Result

Adjustment = Literal["holm", "bh"]
Alternative = Literal["greater", "less", "two-sided"]
#: A level, or an array with the level of each interval.
LevelOrLevels = float | Floats
#: From a level, or the levels, to the lower and upper ends of intervals. In a result, these are
#: partial functions of numbers, which can be pickled, and hold no values of rows.
Ends = Callable[[LevelOrLevels], tuple[Floats, Floats]]
# Tails of an interval, between which the one is searched whose end is the tested value; a smaller
# p-value counts as zero. So many halvings find it to 1e-15 of its size.
_SMALLEST_TAIL, _HALVINGS = 1e-15, 60


class Hypotheses(NamedTuple):
    """What the tests of a result are of.

    Attributes
    ----------
    columns : mapping of str to sequence, length m
        What names each estimate.
    greater, less : ndarray of shape (m,)
        P-values against each one-sided alternative; NaN where there is no interval.
    counts : ndarray of bool, shape (m,)
        Which estimates have an error; the others are not counted among the tests.
    """

    columns: Mapping[str, Sequence[Any]]
    greater: Floats
    less: Floats
    counts: npt.NDArray[np.bool_]

    def p_values(self, alternative: Alternative) -> Floats:
        """Return the p-values against an alternative, shape (m,)."""
        match alternative:
            case "greater":
                return self.greater
            case "less":
                return self.less
        return np.asarray(np.minimum(1.0, 2 * np.minimum(self.greater, self.less)))


class WithTests(Result):
    """A result whose estimates have intervals at any level, and so p-values."""

    _alternative: ClassVar[Alternative] = "two-sided"

    def tests(
        self,
        adjust: str | None = "holm",
        alternative: str | None = None,
        null: float | None = None,
    ) -> pd.DataFrame:
        """Test whether each estimate differs from a value, such as zero.

        The p-values agree with the intervals: that of ``"two-sided"`` is below 0.05 exactly if the
        95 % interval of the estimate by itself does not contain the value. That of a one-sided
        alternative is half of it on its own side, since a central interval leaves half of the rest
        on each side.

        Parameters
        ----------
        adjust : {"holm", "bh"} or None, default="holm"
            ``"holm"`` bounds the probability of any false find among all estimates of the result,
            whatever their dependence; ``"bh"`` bounds the expected share of false ones among the
            finds, for estimates that are independent or positively dependent. None adjusts nothing.
        alternative : {"greater", "less", "two-sided"}, optional
            What is found: estimates above the value, below it, or other than it. By default
            ``"greater"`` for importance, and ``"two-sided"`` for all other results.
        null : float, optional
            The value. By default 0, for a ratio 1, and for each point of a calibration its
            predicted probability. For an area under a ROC curve, pass 0.5.

        Returns
        -------
        DataFrame
            A line for each estimate, in the order of ``frame``: the columns that name it, such as
            ``feature``, then ``p_value, p_adjusted``. An estimate without any error, as the
            importance of a feature that the model ignores, is not counted among the tests. A
            p-value is NaN where there is no interval.

        Raises
        ------
        ValueError
            If the intervals of the result are known at one level alone, as those of a learner, or
            an argument has a value that does not exist.

        References
        ----------
        Holm 1979; Benjamini and Hochberg 1995.

        Examples
        --------
        >>> import numpy as np
        >>> import uqwidgets as uq
        >>> X = np.random.default_rng(0).normal(size=(200, 2))
        >>> explainer = uq.Explainer(lambda X: X[:, 0], X, X[:, 0])
        >>> tests = explainer.importance("squared_error").tests()
        >>> tests["feature"].tolist()
        ['x0', 'x1']
        >>> bool(tests["p_adjusted"][0] < 0.001), float(tests["p_adjusted"][1])
        (True, 1.0)
        """
        chosen = None if adjust is None else one_of(get_args(Adjustment), adjust, "adjustment")
        side: Alternative = self._alternative
        if alternative is not None:
            side = one_of(get_args(Alternative), alternative, "alternative")
        if null is not None and not is_real(null):
            raise ValueError(f"null is {brief(null)}; it must be a number, such as 0.")
        tests = self._hypotheses(None if null is None else float(null))
        p = tests.p_values(side)
        named = {name: list(values) for name, values in tests.columns.items()}
        return pd.DataFrame(
            {**named, "p_value": p, "p_adjusted": adjusted(p, tests.counts, chosen)}
        )

    @abstractmethod
    def _hypotheses(self, null: float | None) -> Hypotheses:
        """Return the tests against a value; None for the default one."""


def one_level_alone(what: str) -> ValueError:
    """Return the error of a result whose intervals are known at one level alone."""
    return ValueError(
        f"{what} known at one level alone, which gives no p-values and no numbers of rows; use the "
        "result of an Explainer with an interval."
    )


def hypotheses_of_ends(
    columns: Mapping[str, Sequence[Any]], intervals: Sequence[tuple[Ends, Any]]
) -> Hypotheses:
    """Return the tests of estimates from their intervals as functions of the level.

    Parameters
    ----------
    columns : mapping of str to sequence, length m
    intervals : sequence of (callable, array-like)
        The ends of some estimates each, and the values that these are tested against, whose shape
        is that of the estimates; m of them in all.
    """
    parts = [_one_sided(ends, np.asarray(null, dtype=np.float64)) for ends, null in intervals]
    greater, less, counts = (
        np.concatenate([np.ravel(part[k]) for part in parts]) for k in range(3)
    )
    return Hypotheses(columns, greater, less, counts.astype(np.bool_))


def _one_sided(ends: Ends, null: Floats) -> tuple[Floats, Floats, Floats]:
    """Return both one-sided p-values, and whether an interval has a width.

    An interval that leaves a tail t on each side has the level 1 - 2 t. The p-value against
    greater values is the smallest tail whose lower end is above the tested value. Where there is
    none, it is 1 minus that against smaller values.
    """
    low, high = ends(np.full(null.shape, 0.5))
    greater = _smallest_tail(lambda level: ends(level)[0] > null, null.shape)
    less = _smallest_tail(lambda level: ends(level)[1] < null, null.shape)
    is_above, is_below = greater < 0.5, less < 0.5
    both = (
        np.where(is_above, greater, np.where(is_below, 1 - less, 0.5)),
        np.where(is_below, less, np.where(is_above, 1 - greater, 0.5)),
    )
    is_unknown = np.isnan(low) | np.isnan(high)
    first, second = (np.where(is_unknown, np.nan, each) for each in both)
    return first, second, np.asarray(high > low, dtype=np.float64)


def _smallest_tail(
    is_clear: Callable[[Floats], npt.NDArray[np.bool_]], shape: tuple[int, ...]
) -> Floats:
    """Return the smallest tail at which intervals are clear of a value; 0.5 where none is."""
    low, high = np.full(shape, np.log(_SMALLEST_TAIL)), np.full(shape, np.log(0.5))
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        clear = is_clear(1 - 2 * np.exp(middle))
        low, high = np.where(clear, low, middle), np.where(clear, middle, high)
    tail = np.exp(high)
    is_always = is_clear(np.full(shape, 1 - 2 * _SMALLEST_TAIL))
    return np.where(is_always, 0.0, np.where(tail > 0.5 * (1 - 1e-9), 0.5, tail))


def filled(
    shape: tuple[int, ...],
    parts: Sequence[tuple[Any, Ends]],
    without: Any,
    level: LevelOrLevels,
) -> tuple[Floats, Floats]:
    """Return the ends of intervals that are known part by part.

    Parameters
    ----------
    shape : tuple of int
        Of the intervals.
    parts : sequence of (index, callable)
        Where each part is, and its intervals.
    without : index
        Where there is no interval, whatever its part says.
    level : float or ndarray of this shape
    """
    low, high = np.full((2, *shape), np.nan)
    is_one = np.ndim(level) == 0
    for place, ends in parts:
        low[place], high[place] = ends(level if is_one else np.asarray(level)[place])
    low[without] = high[without] = np.nan
    return low, high

"""What may be asked of an importance."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np

from uqwidgets._utils.choices import one_of
from uqwidgets.evaluation.replacement import Scheme, checked_scheme
from uqwidgets.inference import (
    Interval,
    Reference,
    checked_interval,
    checked_level,
    checked_reference,
)

Compare = Literal["difference", "ratio"]
COMPARISONS: tuple[Compare, ...] = get_args(Compare)
Repeats = int | Literal["all"]
# Intervals that need several repeats.
OVER_REPEATS = ("fixed-data", "quantile")


@dataclass(frozen=True)
class Settings:
    """How an importance is computed, checked.

    Attributes
    ----------
    replacement : {"permutation", "ablation", "conditional"}
    n_repeats : int or "all"
    compare : {"difference", "ratio"}
    interval : str
        See `uqwidgets.inference.intervals`.
    level : float
    reference : {"t", "normal"}
    seed : int
    """

    replacement: Scheme = "permutation"
    n_repeats: Repeats = 10
    compare: Compare = "difference"
    interval: Interval = "u-statistic"
    level: float = 0.95
    reference: Reference = "t"
    seed: int = 0

    @classmethod
    def of(
        cls,
        *,
        replacement: str,
        n_repeats: Any,
        compare: str,
        interval: str,
        level: float,
        reference: str,
        seed: int,
    ) -> Settings:
        """Check what a person asks for.

        Raises
        ------
        ValueError
            For a name that does not exist, a value out of range, or an interval over repeats
            where there are none.
        """
        kind, repeats = checked_interval(interval), checked_repeats(n_repeats)
        if kind in OVER_REPEATS and repeats in ("all", 1):
            raise ValueError(
                f"interval {kind!r} is over repeats, and n_repeats is {repeats!r}; ask for several "
                "repeats, or for interval='u-statistic'."
            )
        return cls(
            checked_scheme(replacement),
            repeats,
            one_of(COMPARISONS, compare, "comparison"),
            kind,
            checked_level(level),
            checked_reference(reference),
            seed,
        )


def checked_repeats(n_repeats: Any) -> Repeats:
    """Return the number of repeats, or ``"all"``.

    Raises
    ------
    ValueError
        If it is neither a whole number of at least 1 nor "all".
    """
    if isinstance(n_repeats, str) and n_repeats == "all":
        return "all"
    whole = isinstance(n_repeats, (int, np.integer)) and not isinstance(n_repeats, bool)
    if not whole or n_repeats < 1:
        raise ValueError(
            f"n_repeats is {n_repeats!r}; it must be a whole number of at least 1, or 'all'."
        )
    return int(n_repeats)

"""Checked options of an importance."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, TypedDict, get_args

import numpy.typing as npt

from uqwidgets._utils.choices import one_of
from uqwidgets._utils.options import MOST_REPEATS, brief, checked_count, checked_flag
from uqwidgets.evaluation.progress import ProgressCallback
from uqwidgets.evaluation.replacement import Draws, Repeats, Scheme, checked_scheme
from uqwidgets.inference import (
    Interval,
    Reference,
    checked_interval,
    checked_level,
    checked_reference,
)

Compare = Literal["difference", "ratio"]
Permute = Literal["rows", "groups"]
Sampler = Literal["subgroups", "residuals"]
COMPARISONS: tuple[Compare, ...] = get_args(Compare)
# Intervals that need several repeats.
OVER_REPEATS = ("fixed-data", "quantile")
# A stream of results adds half as many repeats at each step, so that intervals visibly tighten.
_GROWTH = 1.5


class ImportanceOptions(TypedDict, total=False):
    """Options of `Explainer.importance`, which describes them; for type checkers."""

    replacement: str
    n_repeats: int | str
    compare: str
    interval: str
    level: float
    reference: str
    simultaneous: bool
    permute: str
    sampler: str
    sample_weight: npt.ArrayLike | None
    rows: npt.ArrayLike | None
    callback: ProgressCallback | None


@dataclass(frozen=True)
class Settings:
    """Checked options of an importance.

    Attributes
    ----------
    replacement : {"permutation", "ablation", "conditional"}
    n_repeats : int or "all"
    compare : {"difference", "ratio"}
    interval : str
        One of `uqwidgets.inference.INTERVALS`.
    level : float
    reference : {"t", "normal"}
        Distribution whose quantiles the interval uses.
    seed : int
    simultaneous : bool
        Whether all intervals are to hold at once.
    permute : {"rows", "groups"}
        What values move between; groups only for features that are constant within them.
    sampler : {"subgroups", "residuals"}
        How values are drawn given the other features, for ``conditional`` replacement.
    """

    replacement: Scheme = "permutation"
    n_repeats: Repeats = 10
    compare: Compare = "difference"
    interval: Interval = "u-statistic"
    level: float = 0.95
    reference: Reference = "t"
    seed: int = 0
    simultaneous: bool = False
    permute: Permute = "rows"
    sampler: Sampler = "subgroups"

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
        simultaneous: bool = False,
        permute: str = "rows",
        sampler: str = "subgroups",
    ) -> Settings:
        """Check the options of a call.

        Raises
        ------
        ValueError
            For a name that does not exist, a value out of range, or an interval over repeats
            where there are none, or that is none for the mean where all are to hold at once.
        """
        kind, repeats = checked_interval(interval), checked_repeats(n_repeats)
        if kind in OVER_REPEATS and repeats in ("all", 1):
            raise ValueError(
                f"interval {kind!r} needs several repeats, and n_repeats is {brief(repeats)}; pass "
                "more, or interval='u-statistic'."
            )
        simultaneous = checked_flag(simultaneous, "simultaneous")
        if simultaneous and kind == "quantile":
            raise ValueError(
                "interval 'quantile' shows the spread of single repeats and is no interval for "
                "their mean; pass interval='u-statistic' with simultaneous=True."
            )
        scheme, moved = checked_scheme(replacement), one_of(get_args(Permute), permute, "permute")
        if moved == "groups" and scheme != "permutation":
            raise ValueError(
                f"permute='groups' shuffles groups, and replacement is {scheme!r}; pass "
                "replacement='permutation'."
            )
        how = one_of(get_args(Sampler), sampler, "sampler")
        if how == "residuals" and (scheme != "conditional" or repeats == "all"):
            raise ValueError(
                "sampler='residuals' draws values given the other features; pass it with "
                "replacement='conditional' and a number of repeats."
            )
        return cls(
            scheme,
            repeats,
            one_of(COMPARISONS, compare, "comparison"),
            kind,
            checked_level(level),
            checked_reference(reference),
            seed,
            simultaneous,
            moved,
            how,
        )

    @property
    def draws(self) -> Draws:
        """Replacements of each feature."""
        scheme: Scheme = "residuals" if self.sampler == "residuals" else self.replacement
        return Draws(scheme, self.n_repeats, self.seed)

    @property
    def fewest_repeats(self) -> int:
        """How many repeats the interval needs."""
        return 2 if self.interval in OVER_REPEATS else 1

    @property
    def first(self) -> Settings:
        """The same with the fewest repeats that have an interval."""
        if self.n_repeats == "all":
            return self
        return replace(self, n_repeats=min(self.fewest_repeats, self.n_repeats))

    def steps(self, features: Sequence[str]) -> Iterator[tuple[Sequence[str], Settings]]:
        """Yield features and settings of a stream of results, the last with all of them.

        Every step has more repeats than the one before, or with every row as a donor more
        features. Cached evaluations make each step cost only what it adds.
        """
        if self.n_repeats == "all":
            for n_features in range(1, len(features) + 1):
                yield features[:n_features], self
            return
        n_repeats = self.fewest_repeats
        while n_repeats < self.n_repeats:
            yield features, replace(self, n_repeats=n_repeats)
            n_repeats = max(n_repeats + 1, int(n_repeats * _GROWTH))
        yield features, self


def checked_repeats(n_repeats: Any) -> Repeats:
    """Return the number of repeats, or ``"all"``.

    Raises
    ------
    ValueError
        If it is neither a whole number from 1 to 100,000 nor "all".
    """
    if isinstance(n_repeats, str) and n_repeats == "all":
        return "all"
    return checked_count(n_repeats, "n_repeats", 1, MOST_REPEATS, ", or 'all'")

"""The scores as a function of tau, with their intervals, and the confusion of classes."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Any

import numpy as np

from uqwidgets._typing import Floats
from uqwidgets.widgets.inputs import Inputs
from uqwidgets.widgets.levels import Check, Level, LevelsOfSides, Samples
from uqwidgets.widgets.rows.population import Populations
from uqwidgets.widgets.tracks import Side, Track, extent, of_sides, stacked_samples
from uqwidgets.widgets.views.view import Content

# Largest error of an interpolated number as a share of its axis, which holds the score and its
# interval; errors of the ends may be so many times as large.
_TOLERANCE, _OF_ENDS = 0.001, 5
_ENDS = ("low", "high")
# Columns of the content that tau moves smoothly; bins of predicted probabilities change with tau.
_OF_CLASSES = ("confusion",)
_OF_NUMBERS = ("calibration_observed", "calibration_low", "calibration_high")

#: A function from a level, and the positions of scores whose ends are known, to the content of the
#: view without these ends.
Compute = Callable[[Populations, Collection[int]], Content]
#: A function from a level to levels of tau (l,), and the ends there by the position of a score,
#: arrays (2, l).
Known = Callable[[Inputs, Populations], tuple[Floats, dict[int, Floats]]]


class _Scores:
    """Scores over tau, whose intervals under stress are known at the levels of the profile.

    Parameters
    ----------
    inputs : Inputs
        Whatever their tau.
    compute : callable
    known : callable
    smooth : sequence of str
        Columns of the content that are smooth functions of tau, if it has them.
    """

    def __init__(
        self, inputs: Inputs, compute: Compute, known: Known, smooth: Sequence[str]
    ) -> None:
        self._inputs = inputs
        self._compute = compute
        self._known = known
        self._smooth = smooth

    def sample(self, levels: Sequence[Level], check: Check) -> Samples:
        """Return the columns at some levels, with all that decides the known ends."""
        samples: dict[str, list[Any]] = {}
        for level in levels:
            check()
            taus, ends = self._known(level.inputs(self._inputs), level.populations)
            # On a side these are straight or constant, so they are interpolated without an error.
            of_level = {"tau": level.tau, "taus": taus}
            of_level |= {f"known.{at}": of_score for at, of_score in ends.items()}
            of_level |= self._exact(level, ends)
            for name, value in of_level.items():
                samples.setdefault(name, []).append(value)
        return {name: np.array(values, dtype=np.float64) for name, values in samples.items()}

    def columns(self, samples: Samples) -> Samples:
        """Return the columns, as `uqwidgets.widgets.tracks.Derivation` demands."""
        columns = {
            name: values
            for name, values in samples.items()
            if name not in ("tau", "taus") and not name.startswith("known.")
        }
        for name, ends in samples.items():
            if name.startswith("known."):
                at = name.removeprefix("known.")
                for end, values in zip(_ENDS, ends[0], strict=True):
                    columns[f"scores.{at}.{end}"] = np.interp(
                        samples["tau"], samples["taus"][0], values
                    )
        return columns

    def certain(self, samples: Samples) -> Samples:
        """Return the columns of some sides: the samples determine all of them."""
        return stacked_samples([self.columns(each) for each in of_sides(samples)])

    def settled(
        self, sides: Sequence[Side], x: Floats, levels: LevelsOfSides, check: Check
    ) -> list[Samples]:
        """Return the columns; those of every level where a score is not defined at some."""
        settled = []
        for number, side in enumerate(sides):
            columns = self.columns(side.interpolated(x))
            undefined = [name for name, v in columns.items() if not np.isfinite(v).all()]
            if undefined:
                every = levels(np.full(len(x), number), x)
                exact = self.columns(self.sample(every, check))
                columns |= {name: exact[name] for name in undefined}
            settled.append(columns)
        return settled

    def _exact(self, level: Level, known: Collection[int]) -> dict[str, Any]:
        content = self._compute(level.populations, known)
        values: dict[str, Any] = {
            f"scores.{at}.{name}": np.nan if score[name] is None else score[name]
            for at, score in enumerate(content.meta["scores"])
            for name in ("value", *(() if at in known else _ENDS))
        }
        columns = content.columns
        return values | {name: columns[name] for name in self._smooth if name in columns}


def score_track(inputs: Inputs, compute: Compute, known: Known, *, has_classes: bool) -> Track:
    """Return the track of the scores.

    Parameters
    ----------
    inputs : Inputs
        Whatever their tau.
    compute : callable
    known : callable
    has_classes : bool
    """
    scores = _Scores(inputs, compute, known, _OF_CLASSES if has_classes else _OF_NUMBERS)
    return Track("scores", (), scores.sample, _TOLERANCE, _sizes, derivation=scores)


def _sizes(columns: Samples) -> dict[str, Any]:
    sizes: dict[str, Any] = {}
    for name, values in columns.items():
        if not name.endswith(".value"):
            continue
        ends = [f"{name.removesuffix('value')}{end}" for end in _ENDS]
        sizes[name] = extent([values, *(columns[end] for end in ends)], 1)
        sizes |= dict.fromkeys(ends, _OF_ENDS * sizes[name])
    # The view shows shares of the rows of a class, and of the rows of a bin.
    sizes |= {n: columns[n].sum(axis=-1, keepdims=True) for n in _OF_CLASSES if n in columns}
    return sizes | {name: 1.0 for name in _OF_NUMBERS if name in columns}

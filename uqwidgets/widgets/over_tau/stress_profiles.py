"""Indicators of each feature over tau, computed once for every view that shows them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from uqwidgets._typing import Floats
from uqwidgets.explainer.explainer import Explainer
from uqwidgets.stress.columns import StressedColumn
from uqwidgets.stress.profile import stress
from uqwidgets.stress.result import Stress
from uqwidgets.widgets.inputs.choices import LEVEL
from uqwidgets.widgets.over_tau.levels import STOPS
from uqwidgets.widgets.rows.described_profile import described_profile
from uqwidgets.widgets.rows.population import Intervals, Selection

#: Number of levels of all profiles, which are those of the slider.
LEVELS = len(STOPS)
#: Levels of tau as near as this are the same one.
SAME_LEVEL = 1e-9
# Weights of levels that are summarised together, which is a third faster than fewer of them.
_WEIGHTS_TOGETHER = 1 << 14
# Levels between these whose intervals stay cached.
_MOST_EXACT = 100
# Indicators that are scores of the model too. One more indicator costs a tenth of the first.
_SCORES = ("error_rate", "nll", "brier", "rmse", "absolute_error", "crps")


def line_of(explainer: Explainer, feature: str, name: str) -> tuple[str, str | None]:
    """Return the feature and the category of a line of a profile, from its name."""
    is_numeric = explainer.table.kind(feature) == "numeric"
    return (feature, None) if is_numeric else (feature, name.removeprefix(f"{feature}="))


def profile_of(explainer: Explainer, selection: Selection, feature: str) -> Stress:
    """Return every indicator over tau while a feature is stressed, without intervals.

    Parameters
    ----------
    explainer : Explainer
    selection : Selection
        It caches the profile.
    feature : str
        One of ``selection.stressable``.
    """
    if feature not in selection.profiles:
        profile = explainer.stress([feature], taus=STOPS, **selection.options)
        if selection.described is not None:
            lines = [line_of(explainer, feature, name) for name in profile.features]
            columns = [selection.column(*line) for line in lines]
            indicators = [explainer.indicators[name] for name in profile.indicators]
            profile = described_profile(profile, selection.described, columns, indicators)
        selection.profiles[feature] = profile
    return selection.profiles[feature]


def profile_all(explainer: Explainer, selection: Selection, check: Callable[[], None]) -> None:
    """Stress every feature that was not yet, with a check before each."""
    for feature in selection.stressable:
        if feature not in selection.profiles:
            check()
            profile_of(explainer, selection, feature)


def joined(profiles: Sequence[Stress], indicator: str) -> Stress:
    """Return the profiles of single features as one result, of one indicator."""
    levels = [profile.level for profile in profiles if profile.level is not None]

    def stacked(of: Callable[[Stress], npt.NDArray[Any]]) -> npt.NDArray[Any]:
        return np.vstack([of(profile) for profile in profiles])

    return replace(
        profiles[0],
        features=tuple(name for profile in profiles for name in profile.features),
        indicators=(indicator,),
        target=stacked(lambda p: p.target),
        reached=stacked(lambda p: p.reached),
        ess=stacked(lambda p: p.ess),
        kl=stacked(lambda p: p.kl),
        half_share=stacked(lambda p: p.half_share),
        status=stacked(lambda p: p.status),
        values={indicator: stacked(lambda p: p.values[indicator])},
        low={indicator: stacked(lambda p: p.low[indicator])},
        high={indicator: stacked(lambda p: p.high[indicator])},
        level=levels[0] if levels else None,
        remarks=tuple(dict.fromkeys(r for profile in profiles for r in profile.remarks)),
        effective_groups=None
        if profiles[0].effective_groups is None
        else np.vstack([p.effective_groups for p in profiles if p.effective_groups is not None]),
    )


def bounded(
    explainer: Explainer,
    selection: Selection,
    feature: str,
    category: str | None,
    indicators: Sequence[str] = (),
    check: Callable[[], None] = lambda: None,
) -> Stress | None:
    """Return the profile of a column with intervals, of indicators and of all scores.

    Parameters
    ----------
    explainer : Explainer
    selection : Selection
    feature : str
    category : str or None
        See `Selection.column`.
    indicators : sequence of str
    check : callable, optional
        Called now and then; what it raises ends the work.

    Returns
    -------
    Stress or None
        None where no row has a value of the column.
    """
    column = selection.column(feature, category)
    if column is None:
        return None
    key = (feature, category)
    known = selection.bounded.get(key)
    scores = [name for name in _SCORES if name in explainer.indicators]
    missing = dict.fromkeys([*scores, *indicators])
    if known is not None:
        missing = {name: None for name in missing if name not in known.indicators}
    if missing:
        new = _with_ends(explainer, selection, column, list(missing), STOPS, check)
        selection.bounded[key] = new if known is None else _merged(known, new)
    return selection.bounded[key]


def intervals_at(
    explainer: Explainer,
    selection: Selection,
    feature: str,
    category: str | None,
    tau: float,
    indicators: Sequence[str] = (),
    check: Callable[[], None] = lambda: None,
) -> Intervals:
    """Return all intervals that `bounded` knows, at any level of tau.

    Parameters
    ----------
    explainer, selection, feature, category, indicators, check
        As in `bounded`; the selection caches the latest ones.
    tau : float

    Returns
    -------
    dict of str to (float, float, float)
        Value, lower and upper end by the name of the indicator; none where no row has a value of
        the column.
    """
    profile = bounded(explainer, selection, feature, category, indicators, check)
    column = selection.column(feature, category)
    if profile is None or column is None:
        return {}
    if (at := level_of(profile.taus, tau)) is not None:
        return _intervals_of(profile, at)
    key, exact = (feature, category, tau), selection.exact
    known = exact.get(key, {})
    missing = [name for name in profile.indicators if name not in known]
    if missing:
        new = _intervals_of(_with_ends(explainer, selection, column, missing, np.array([tau])), 0)
        while len(exact) >= _MOST_EXACT:
            del exact[next(iter(exact))]
        exact[key] = known | new
    return exact[key]


def are_bounded(
    selection: Selection, feature: str, category: str | None, tau: float, indicator: str
) -> bool:
    """Whether the interval of an indicator is known at all levels and at tau."""
    profile = selection.bounded.get((feature, category))
    if profile is None or indicator not in profile.indicators:
        return False
    here = selection.exact.get((feature, category, tau), {})
    return level_of(profile.taus, tau) is not None or set(profile.indicators) <= set(here)


def level_of(taus: Floats, tau: float) -> int | None:
    """Return the position of a level among others, None if it lies between them."""
    at = int(np.abs(taus - tau).argmin())
    return at if abs(taus[at] - tau) < SAME_LEVEL else None


def _intervals_of(profile: Stress, at: int) -> Intervals:
    """Return the intervals of the only line of a profile, at one of its levels."""
    values, low, high = profile.values, profile.low, profile.high
    return {
        name: (values[name][0, at], low[name][0, at], high[name][0, at])
        for name in profile.indicators
    }


def _with_ends(
    explainer: Explainer,
    selection: Selection,
    column: StressedColumn,
    names: Sequence[str],
    taus: Floats,
    check: Callable[[], None] = lambda: None,
) -> Stress:
    """Return the profile of a column at some levels, with the intervals of some indicators."""
    shown = [explainer.indicators[name] for name in names]
    described = selection.described
    profile = stress(
        [column],
        len(explainer.table),
        shown,
        taus,
        tail=selection.tail,
        anchor=selection.anchor,
        level=LEVEL if described is None else None,
        remarks=(),
        n_together=_WEIGHTS_TOGETHER,
        check=check,
    )
    if described is not None:
        profile = described_profile(profile, described, [column], shown, LEVEL, check)
    return profile


def _merged(known: Stress, new: Stress) -> Stress:
    """Return a profile with the indicators of another one of the same column and levels."""
    return replace(
        known,
        indicators=(*known.indicators, *new.indicators),
        **{
            name: getattr(known, name) | getattr(new, name)
            for name in ("values", "low", "high", "labels", "units")
        },
    )


def ends_of_scores(
    explainer: Explainer, selection: Selection, feature: str, category: str | None, tau: float
) -> dict[str, tuple[float, float]]:
    """Return the ends of the interval of each score at one level of tau, by its name.

    Parameters
    ----------
    explainer : Explainer
    selection : Selection
    feature : str
        Where empty or without a value, another one serves for ``tau`` = 0, where the weights are
        equal whatever is stressed.
    category : str or None
    tau : float
    """
    at = _line_of_scores(explainer, selection, feature, category, at_zero=tau == 0)
    if at is None:
        return {}
    intervals = intervals_at(explainer, selection, *at, tau)
    return {name: intervals[name][1:] for name in _SCORES if name in intervals}


def _line_of_scores(
    explainer: Explainer,
    selection: Selection,
    feature: str,
    category: str | None,
    *,
    at_zero: bool,
) -> tuple[str, str | None] | None:
    """Return the feature and the category whose stress the intervals of the scores are of."""
    if feature and selection.column(feature, category) is not None:
        return feature, category
    numeric = (f for f in selection.stressable if explainer.table.kind(f) == "numeric")
    first = next(numeric, None) if at_zero else None
    return None if first is None else (first, None)

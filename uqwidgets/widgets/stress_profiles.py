"""Indicators of each feature over tau, computed once for every view that shows them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from uqwidgets._typing import Floats
from uqwidgets.explainer.explainer import Explainer
from uqwidgets.stress.profile import stress
from uqwidgets.stress.projection import checked_taus
from uqwidgets.stress.result import Stress
from uqwidgets.widgets.model_info import LEVEL
from uqwidgets.widgets.rows.described_profile import described_profile
from uqwidgets.widgets.rows.population import Selection

LEVELS = 21
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
        profile = explainer.stress([feature], taus=LEVELS, **selection.options)
        if selection.described is not None:
            lines = [line_of(explainer, feature, name) for name in profile.features]
            columns = [selection.column(*line) for line in lines]
            indicators = [explainer.indicators[name] for name in profile.indicators]
            profile = described_profile(profile, selection.described, columns, indicators)
        selection.profiles[feature] = profile
    return selection.profiles[feature]


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
    )


def bounded(
    explainer: Explainer,
    selection: Selection,
    feature: str,
    category: str | None,
    indicators: Sequence[str] = (),
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
    if known is not None and set(indicators) <= set(known.indicators):
        return known
    scores = [name for name in _SCORES if name in explainer.indicators]
    before = () if known is None else known.indicators
    names = dict.fromkeys([*before, *scores, *indicators])
    shown = [explainer.indicators[name] for name in names]
    described = selection.described
    profile = stress(
        [column],
        len(explainer.table),
        shown,
        checked_taus(LEVELS),
        tail=selection.tail,
        anchor=selection.anchor,
        level=LEVEL if described is None else None,
        remarks=(),
    )
    if described is not None:
        profile = described_profile(profile, described, [column], shown, LEVEL)
    selection.bounded[key] = profile
    return profile


def is_bounded(selection: Selection, feature: str, category: str | None, indicator: str) -> bool:
    """Whether the interval of an indicator is known."""
    known = selection.bounded.get((feature, category))
    return known is not None and indicator in known.indicators


def ends_of_scores(
    explainer: Explainer, selection: Selection, feature: str, category: str | None, tau: float
) -> dict[str, tuple[float, float]]:
    """Return the ends of the interval of each score at one level of tau, by its name.

    Between two levels of the profile they are interpolated, as the page does it.

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
    profile = _profile_of_scores(explainer, selection, feature, category, at_zero=tau == 0)
    if profile is None:
        return {}
    return {
        name: (
            _at(profile.taus, profile.low[name][0], tau),
            _at(profile.taus, profile.high[name][0], tau),
        )
        for name in _SCORES
        if name in profile.indicators
    }


def known_ends_of_scores(
    explainer: Explainer, selection: Selection, feature: str, category: str | None
) -> tuple[Floats, dict[str, Floats]]:
    """Return the levels of the profile (l,), and the ends of each score there, arrays (2, l).

    Parameters
    ----------
    explainer : Explainer
    selection : Selection
    feature : str
    category : str or None
    """
    profile = _profile_of_scores(explainer, selection, feature, category, at_zero=False)
    if profile is None:
        return checked_taus(LEVELS), {}
    return profile.taus, {
        name: np.stack([profile.low[name][0], profile.high[name][0]])
        for name in _SCORES
        if name in profile.indicators
    }


def _profile_of_scores(
    explainer: Explainer,
    selection: Selection,
    feature: str,
    category: str | None,
    *,
    at_zero: bool,
) -> Stress | None:
    profile = bounded(explainer, selection, feature, category) if feature else None
    if profile is None and at_zero:
        numeric = (f for f in selection.stressable if explainer.table.kind(f) == "numeric")
        first = next(numeric, None)
        profile = None if first is None else bounded(explainer, selection, first, None)
    return profile


def _at(taus: Floats, values: Floats, tau: float) -> float:
    exact = values[taus == tau]
    return float(exact[0]) if len(exact) else float(np.interp(tau, taus, values))

"""Figures of stress: indicators and importance over tau, and paths of error rates."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from uqwidgets._typing import Floats
from uqwidgets._utils.choices import one_of
from uqwidgets._utils.options import brief
from uqwidgets.plotting.choice import EMPHASISED, MOST_POINTS
from uqwidgets.plotting.figure import Axis, Figure, Mark, Panel, Rule, chosen
from uqwidgets.plotting.result import at_once
from uqwidgets.plotting.text import listed, sentence, with_unit
from uqwidgets.stress.importance_result import ImportanceOverTau, by_importance
from uqwidgets.stress.result import Stress, by_response, emphasised, response


def stress_figure(
    result: Stress,
    indicators: Sequence[str],
    features: Sequence[str] | None = None,
    most_lines: int | None = None,
    reference: float | None = None,
) -> Figure:
    """Return indicators over tau, with one line per feature and the leading features in colour.

    The features in colour and their colours are the same for all indicators of a result, so that
    several panels share one legend.

    Parameters
    ----------
    result : Stress
    indicators : sequence of str
        Of ``result.indicators``; one panel for each.
    features : sequence of str, optional
        Features in colour, in the order of their colours; by default those of `emphasised`.
    most_lines : int, optional
        Number of lines in a panel; by default what a chart holds.
    reference : float, optional
        Where a horizontal line is; by default at the value without stress.

    Raises
    ------
    ValueError
        If the result does not have an indicator or a feature.
    """
    check_indicators(result, indicators)
    leading = _leading(result, features)
    most = MOST_POINTS // len(result.taus) if most_lines is None else most_lines
    panels = [_profile(result, name, leading, most, reference) for name in indicators]
    names = [result.labels[name] for name in indicators]
    drawn = {name for mark in panels[0].marks for name in mark.data["feature"]}
    subtitle = f"one line per stressed feature, {len(drawn)} of {len(result.features)}"
    if result.level:
        subtitle += f", {result.level:.0%} interval".replace("%", " %")
        subtitle += at_once(result, result.n_values)
    known = np.isfinite(result.values[indicators[0]]).any(axis=1).sum()
    if known > len(drawn):
        subtitle += f"; the {known - len(drawn)} it responds to least are left out"
    title = f"{sentence(listed(names))} under stress"
    return Figure(title, subtitle, panels, ("feature", leading), columns=min(2, len(panels)))


def _profile(
    result: Stress, indicator: str, leading: list[str], most: int, reference: float | None
) -> Panel:
    """Return one indicator, these features in colour."""
    values = result.values[indicator]
    order = by_response(result, indicator)
    known = order[np.isfinite(response(values)[order])].tolist()
    first = [j for j in known if result.features[j] in leading]
    rest = [j for j in known if result.features[j] not in leading]
    drawn = sorted([*first, *rest[: max(0, most - len(leading))]])
    lines: dict[str, Any] = {"target": result.target, "reached": result.reached, "value": values}
    if result.level is not None:
        lines |= {"low": result.low[indicator], "high": result.high[indicator]}
    lines |= {"ess": result.ess, "kl": result.kl, "status": result.status}
    if reference is None and known:
        # At tau = 0 an indicator has one value, whatever feature is stressed.
        reference = float(values[known[0], nearest_levels(result.taus)[1]])
    rules: list[Rule] = [("x", 0.0)]
    if reference is not None:
        rules.append(("y", reference))
    name = result.labels[indicator]
    return Panel(
        Axis("τ", ends=(-1.0, 1.0)),
        Axis(with_unit(name, result.units[indicator])),
        _over_tau(result.features, result.taus, lines, drawn, leading, "value"),
        f"{sentence(name)} under stress",
        rules,
    )


def _over_tau(
    features: Sequence[str],
    taus: Floats,
    values: dict[str, Any],
    drawn: Sequence[int],
    leading: Sequence[str],
    shown: str,
) -> list[Mark]:
    """Return a line for each feature over tau, with bands and squares for those in colour.

    Parameters
    ----------
    features : sequence of str, length p
    taus : ndarray of shape (t,)
    values : dict of ndarray of shape (p, t)
        With the column ``status``; bands are between ``low`` and ``high``.
    drawn : sequence of int
        Positions of the features that are drawn.
    leading : sequence of str
        Names of those in colour.
    shown : str
        The column of the lines.
    """
    columns: dict[str, Any] = {
        "feature": [features[j] for j in drawn for _ in taus],
        "tau": np.tile(taus, len(drawn)),
        **{name: v[list(drawn)].ravel() for name, v in values.items()},
    }
    strong = np.array([name in leading for name in columns["feature"]], dtype=bool)
    main, others = chosen(columns, strong), chosen(columns, ~strong)
    look: dict[str, Any] = {"x": "tau", "tips": [name for name in columns if name != "kl"]}
    faint: dict[str, Any] = {"each": "feature", "colour": None, "opacity": 0.22}
    marks = [] if strong.all() else [Mark("line", others, y=shown, **look, **faint)]
    look["in_series"] = True
    if "low" in values:
        marks.append(Mark("band", main, y="low", y2="high", opacity=0.12, **look))
    marks.append(Mark("line", main, y=shown, **look))
    edge = np.asarray(main["status"]) == "edge"
    if edge.any():
        marks.append(Mark("square", chosen(main, edge), y=shown, **look))
    return marks


def roc_path_figure(result: Stress, features: Sequence[str] | None = None) -> Figure:
    """Return the true over the false positive rate along tau, with a path for each feature.

    Source: Bachoc et al. 2023, B.4 and figure 6.

    Parameters
    ----------
    result : Stress
    features : sequence of str, optional
        Features in colour; by default those of `emphasised`.

    Returns
    -------
    Figure
        All paths meet at tau = 0. A dot marks the end at the highest tau.

    Raises
    ------
    ValueError
        If the result has not both rates, or not such a feature.
    """
    leading = _leading(result, features)
    drawn = [*leading, *(name for name in result.features if name not in leading)]
    drawn = drawn[: max(len(leading), MOST_POINTS // len(result.taus))]
    paths = [result.roc_path(name).assign(feature=name).dropna() for name in drawn]
    frame = pd.concat([path for path in paths if len(path)] or paths, ignore_index=True)
    strong = frame["feature"].isin(leading)
    ends = frame[strong].groupby("feature", sort=False).tail(1)
    look: dict[str, Any] = {"tips": ["feature", "tau", "fpr", "tpr"]}
    marks = [
        Mark("line", frame[strong], "fpr", "tpr", in_series=True, order="tau", **look),
        Mark("dot", ends, "fpr", "tpr", in_series=True, **look),
    ]
    if not strong.all():
        look |= {"each": "feature", "colour": None, "opacity": 0.22, "order": "tau"}
        marks.insert(0, Mark("line", frame[~strong], "fpr", "tpr", **look))
    panel = Panel(Axis(result.labels["fpr"]), Axis(result.labels["tpr"]), marks)
    return Figure(
        "Error rates under stress",
        f"one path per stressed feature, {len(drawn)} of {len(result.features)}; its dot is the "
        "highest τ",
        [panel],
        ("feature", leading),
    )


def importance_over_tau_figure(result: ImportanceOverTau) -> Figure:
    """Return importance over tau, the features that matter most at tau = 0 emphasised.

    Parameters
    ----------
    result : ImportanceOverTau
    """
    order = by_importance(result)
    known = order[np.isfinite(result.importance[order]).any(axis=1)].tolist()
    leading = [result.features[j] for j in known[:EMPHASISED]]
    once = {"ess": result.ess, "reached": result.reached, "status": result.status}
    lines = {name: getattr(result, name) for name in ("importance", "std_error", "low", "high")}
    lines |= {name: np.tile(v, (len(result.features), 1)) for name, v in once.items()}
    panel = Panel(
        Axis(f"τ of {result.stressed}", ends=(-1.0, 1.0)),
        Axis(with_unit(f"importance for {result.label}", result.unit)),
        _over_tau(result.features, result.taus, lines, sorted(known), leading, "importance"),
        rules=[("x", 0.0), ("y", 0.0)],
    )
    return Figure(
        f"{sentence(result.label)}: importance as {result.stressed} is stressed",
        f"{result.level:.0%} {result.interval} interval".replace("%", " %"),
        [panel],
        ("feature", leading),
    )


def _leading(result: Stress, features: Sequence[str] | None) -> list[str]:
    """Return the features in colour, in the order of their colours."""
    if features is None:
        return [result.features[j] for j in emphasised(result)]
    return [one_of(result.features, name, "stressed feature") for name in features]


def check_indicators(result: Stress, indicators: Sequence[object]) -> None:
    """Raise a ValueError for an indicator that the result does not have."""
    for indicator in indicators:
        if indicator not in result.indicators:
            raise ValueError(
                f"the result has no indicator {brief(indicator)}; it has "
                f"{listed(result.indicators)}."
            )


def nearest_levels(taus: Floats) -> list[int]:
    """Positions of the lowest tau, of the tau nearest to zero, and of the highest tau."""
    return [int(taus.argmin()), int(np.abs(taus).argmin()), int(taus.argmax())]

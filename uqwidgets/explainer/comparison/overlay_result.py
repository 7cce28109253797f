"""Overlay: results of one kind on one scale, in one order, with one legend."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import pandas as pd

from uqwidgets._utils.choices import as_names, one_of
from uqwidgets._utils.remarks import Remark
from uqwidgets.dependence.result import Dependence
from uqwidgets.importance.result import Importance
from uqwidgets.plotting.result import Result
from uqwidgets.plotting.text import (
    clipped,
    counted_rows,
    few,
    listed,
    sentence,
    value_text,
    with_unit,
)
from uqwidgets.stress.result import Stress, by_response

if TYPE_CHECKING:
    import altair as alt

KINDS = (Importance, Dependence, Stress)
# There are as many colours that everybody can distinguish.
MOST_RESULTS = 7
# Panels of stressed features that are drawn where none are named.
PANELS = 4
# In pixels.
NAMES_AT_MOST = 240.0


@dataclass(frozen=True, eq=False, repr=False)
class Overlay(Result):
    """Results of one kind on one scale, in one order, with one legend.

    `overlay` makes it and explains the parameters.

    Attributes
    ----------
    names : tuple of str, length k
        Name of each result in the legend.
    results : tuple of Importance, Dependence or Stress, length k
    features : tuple of str
        Features that are shown, in the order of the first result.
    indicator : str or None
        For stress, the indicator that is shown; ``None`` for ROC paths.
    roc_path : bool
        Whether rates of stress are shown as paths in the ROC plane.
    remarks : tuple of Remark
        Those of all results.

    See Also
    --------
    overlay : Makes it.
    Difference : The difference of two importances, with an interval of its own.
    CurveGrid : Curves of several features, side by side.

    References
    ----------
    Wood et al. 2024, figures 3 to 6; Bachoc et al. 2023, figures 4 and 5.

    Examples
    --------
    >>> import numpy as np
    >>> import uqwidgets as uq
    >>> X = np.random.default_rng(0).normal(size=(100, 2))
    >>> one = uq.Explainer(lambda X: X[:, 0], X, X[:, 0])
    >>> other = uq.Explainer(lambda X: X[:, 0] / 2, X, X[:, 0])
    >>> both = uq.overlay(one=one.dependence("x0"), other=other.dependence("x0"))
    >>> both.names, both.features
    (('one', 'other'), ('x0',))
    """

    names: Sequence[str]
    results: Sequence[Any]
    features: Sequence[str] | None = None
    indicator: str | None = None
    roc_path: bool = False
    remarks: tuple[Remark, ...] = field(init=False)

    def __post_init__(self) -> None:
        names, results = tuple(self.names), tuple(self.results)
        _check_kinds(names, results)
        indicator, features = None, self.features
        if isinstance(results[0], Stress):
            if self.roc_path and self.indicator is not None:
                raise ValueError("roc_path shows two rates; leave out indicator.")
            if not self.roc_path:
                chosen = results[0].indicators[0] if self.indicator is None else self.indicator
                indicator = one_of(results[0].indicators, chosen, "indicator")
            for name, result in zip(names, results, strict=True):
                for needed in ("fpr", "tpr") if self.roc_path else (indicator,):
                    one_of(result.indicators, needed, "indicator", f"in {name!r}")
        elif self.roc_path or self.indicator is not None:
            raise ValueError("indicator and roc_path are for results of stress; leave them out.")
        if len({_scale(result, indicator) for result in results}) > 1:
            quantities = [_quantity(result, indicator) for result in results]
            raise ValueError(
                f"the results are of {listed(list(dict.fromkeys(quantities)))}, which share no "
                "axis; pass results of one measure and form."
            )
        remarks = tuple(dict.fromkeys(r for result in results for r in result.remarks))
        # A frozen dataclass refuses plain assignments.
        object.__setattr__(self, "names", names)
        object.__setattr__(self, "results", results)
        object.__setattr__(self, "indicator", indicator)
        object.__setattr__(self, "features", _features(names, results, features, indicator))
        object.__setattr__(self, "remarks", remarks)

    @property
    def frame(self) -> pd.DataFrame:
        """The tables of all results below each other; the column ``result`` has their names.

        Importances have the order of the first. Of stress, the shown features and indicators.
        """
        tables: list[pd.DataFrame] = []
        for name, result in zip(self.names, self.results, strict=True):
            table: pd.DataFrame = result.frame
            if not isinstance(result, Dependence):
                table = table[table["feature"].isin(self._shown)]
                table = table.sort_values(
                    "feature", key=lambda names: names.map(self._shown.index), kind="stable"
                )
            if isinstance(result, Stress):
                shown = ("fpr", "tpr") if self.roc_path else (self.indicator,)
                table = table[table["indicator"].isin(shown)]
            table.insert(0, "result", name)
            tables.append(table)
        return pd.concat(tables, ignore_index=True)

    @property
    def categorical(self) -> bool:
        """Whether there is a line for each feature or category, and no curves."""
        first = self.results[0]
        if isinstance(first, Dependence):
            return first.categorical or any(len(one.grid) == 1 for one in self.results)
        return isinstance(first, Importance)

    @property
    def quantity(self) -> str:
        """What is compared, with its unit."""
        return "true positive rate" if self.roc_path else _quantity(self.results[0], self.indicator)

    @property
    def across(self) -> str:
        """Title of the other axis."""
        if self.roc_path:
            return "false positive rate"
        if isinstance(self.results[0], Stress):
            return "τ"
        return self._shown[0] if isinstance(self.results[0], Dependence) else "feature"

    @property
    def title(self) -> str:
        """What is compared, and whose."""
        of = listed(self.short_names)
        first = self.results[0]
        if isinstance(first, Importance):
            return f"Importance for {with_unit(first.label, first.unit)}: {of}"
        if isinstance(first, Dependence):
            return f"{first.title}: {of}"
        what = "Rates" if self.roc_path else sentence(self.quantity)
        return f"{what} under stress: {of}"

    @property
    def how(self) -> list[str]:
        """How each result was computed, one sentence for each."""
        sentences = []
        for name, result in zip(self.short_names, self.results, strict=True):
            parts: list[str] = []
            if isinstance(result, Importance):
                parts = [result.how, counted_rows(result.per_row.shape[1], result.groups)]
            elif isinstance(result, Dependence):
                refits = [f"mean over {result.n_refits} refits"] if result.n_refits else []
                parts = [*refits, counted_rows(len(result.rows), result.groups)]
            else:
                parts = [f"anchors at tail {result.tail:g}"]
            has_interval = result.level is not None and not self.roc_path
            parts.append(f"{result.level:.0%} intervals" if has_interval else "no intervals")
            sentences.append(f"{name}: {', '.join(parts)}.")
        return sentences

    @property
    def marks(self) -> pd.DataFrame:
        """What is drawn: columns ``result, panel, tau, x, value, low, high, near``.

        One panel for each stressed feature; importances and curves have one panel.
        """
        frame = self.frame
        frame["tau"] = frame.get("tau", np.nan)
        frame["near"] = frame.get("near", True)
        frame["panel"] = ""
        first = self.results[0]
        if isinstance(first, Importance):
            frame["x"], frame["value"] = frame["feature"], frame["importance"]
        elif isinstance(first, Dependence):
            frame["x"], frame["value"] = frame["value"], frame["average"]
            if self.categorical:
                # A category may be anything, but JSON knows text.
                frame["x"] = frame["x"].map(value_text)
        else:
            frame["panel"] = frame["feature"]
            frame["x"] = frame["tau"]
            if self.roc_path:
                frame = self._paths(frame)
        columns = ["result", "panel", "tau", "x", "value", "low", "high", "near"]
        return frame[columns].reset_index(drop=True)

    @property
    def short_names(self) -> list[str]:
        """The names, shortened where they are long, for sentences and titles."""
        return [clipped(name, NAMES_AT_MOST) for name in self.names]

    @property
    def _shown(self) -> list[str]:
        return list(cast("Sequence[str]", self.features))

    @staticmethod
    def _paths(frame: pd.DataFrame) -> pd.DataFrame:
        """Put the two rates of one level beside each other."""
        rates = frame["indicator"].to_numpy()
        false = frame[rates == "fpr"].reset_index(drop=True)
        true: pd.DataFrame = frame[rates == "tpr"].reset_index(drop=True)
        return true.assign(x=false["value"], low=np.nan, high=np.nan)

    @property
    def _heading(self) -> str:
        return f"{self.title}\n" + "\n".join(self.how)

    def _repr_html_(self) -> str:
        from uqwidgets.explainer.comparison.overlay_html import overlay_html

        return overlay_html(self)

    def to_altair(self) -> alt.LayerChart | alt.ConcatChart:
        """Chart of the same numbers, to restyle or save.

        Examples
        --------
        >>> import numpy as np
        >>> import uqwidgets as uq
        >>> X = np.random.default_rng(0).normal(size=(100, 2))
        >>> one = uq.Explainer(lambda X: X[:, 0], X, X[:, 0])
        >>> other = uq.Explainer(lambda X: X[:, 0] / 2, X, X[:, 0])
        >>> both = uq.overlay(one=one.dependence("x0"), other=other.dependence("x0"))
        >>> type(both.to_altair()).__name__
        'LayerChart'
        """
        from uqwidgets.explainer.comparison.figure import overlay_figure
        from uqwidgets.plotting.altair import chart

        return chart(overlay_figure(self))


def overlay(
    *results: Any,
    features: str | Sequence[str] | None = None,
    indicator: str | None = None,
    roc_path: bool = False,
    **named: Any,
) -> Overlay:
    """Lay results over each other: of two models, two tables, a learner and a model.

    They have one scale, one order and one legend. Intervals of the same rows are not independent;
    for two models, `Explainer.compare` has the interval of the difference.

    Parameters
    ----------
    *results : Importance, Dependence, Stress, or mapping of str to these
        A mapping has the names for the legend. A result without a name is called ``model`` or
        ``learner``, with a number where there are several.
    features : str or sequence of str, optional
        Features of importances or of stress that are shown; all have them. By default all of an
        importance, and the 4 features of stress that the first result responds to most.
    indicator : str, optional
        Indicator of stress; by default the first of the first result.
    roc_path : bool, default=False
        For stress with the indicators ``fpr`` and ``tpr``: show these rates as paths in the ROC
        plane, from tau = -1 to 1.
    **named : Importance, Dependence or Stress
        Results with their names for the legend.

    Returns
    -------
    Overlay

    Raises
    ------
    TypeError
        If an argument is no such result, or the results are of different kinds.
    ValueError
        If there are fewer than 2 or more than 7 results, if two have the same name, or if their
        measures, features, forms or indicators do not fit.

    See Also
    --------
    Overlay : The result.
    CurveGrid : Curves of several features, side by side.
    Explainer.compare : The difference of two models, with its interval.

    References
    ----------
    Wood et al. 2024, figures 3 to 6; Bachoc et al. 2023, figures 4 and 5.

    Examples
    --------
    >>> import numpy as np
    >>> import uqwidgets as uq
    >>> X = np.random.default_rng(0).normal(size=(100, 2))
    >>> one = uq.Explainer(lambda X: X[:, 0], X, X[:, 0])
    >>> other = uq.Explainer(lambda X: X[:, 0] / 2, X, X[:, 0])
    >>> both = uq.overlay(
    ...     {"whole": one.importance("squared_error"), "half": other.importance("squared_error")}
    ... )
    >>> both.frame[["result", "feature"]].values.tolist()
    [['whole', 'x0'], ['whole', 'x1'], ['half', 'x0'], ['half', 'x1']]
    """
    pairs: list[tuple[Any, Any]] = []
    unnamed = [one for one in results if not isinstance(one, Mapping)]
    default = iter(_default_names(unnamed))
    for one in results:
        pairs += one.items() if isinstance(one, Mapping) else [(next(default), one)]
    pairs += named.items()
    chosen = None if features is None else as_names(features)
    return Overlay(
        [name for name, _ in pairs], [one for _, one in pairs], chosen, indicator, roc_path
    )


def _default_names(results: list[Any]) -> list[str]:
    kinds = ["learner" if getattr(one, "n_refits", 0) else "model" for one in results]
    return [
        kind if kinds.count(kind) == 1 else f"{kind} {kinds[: i + 1].count(kind)}"
        for i, kind in enumerate(kinds)
    ]


def _check_kinds(names: tuple[Any, ...], results: tuple[Any, ...]) -> None:
    for name, result in zip(names, results, strict=True):
        if not isinstance(name, str) or not name:
            raise TypeError(f"a result has the name {name!r}; names must be text.")
        if not isinstance(result, KINDS):
            raise TypeError(
                f"{name!r} is a {type(result).__name__}, which overlay cannot show; pass results "
                "of importance, dependence or stress."
            )
    if not 2 <= len(results) <= MOST_RESULTS:
        raise ValueError(
            f"overlay shows 2 to {MOST_RESULTS} results, and there is "
            f"{'none' if not results else len(results)}; pass as many as should be compared."
        )
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"two results have the name {twice!r}; give each its own name.")
    kinds = list(dict.fromkeys(type(result).__name__ for result in results))
    if len(kinds) > 1:
        raise TypeError(f"the results are {listed(kinds)}; pass results of one kind.")


def _quantity(result: Any, indicator: str | None) -> str:
    if isinstance(result, Stress):
        if indicator is None:
            return ""
        return with_unit(result.labels[indicator], result.units[indicator])
    if isinstance(result, Dependence):
        return with_unit(result.quantity, result.unit)
    change = "ratio" if result.compare == "ratio" else "increase"
    return f"{change} of {with_unit(result.label, result.unit)}"


def _scale(result: Any, indicator: str | None) -> tuple[Any, ...]:
    """Return what two results must share to have one axis.

    A measure's label may depend on the model: "predicted mean" of a model with a distribution is
    the "prediction" of one without.
    """
    if isinstance(result, Stress):
        return () if indicator is None else (indicator, result.units[indicator])
    if isinstance(result, Dependence):
        return (result.measure, result.unit, result.derivative, result.relative, result.center)
    return (result.measure, result.unit, result.compare)


def _features(
    names: tuple[str, ...],
    results: tuple[Any, ...],
    chosen: Sequence[str] | None,
    indicator: str | None,
) -> tuple[str, ...]:
    """Return the features that are shown, in the order of the first result."""
    first = results[0]
    if isinstance(first, Dependence):
        if chosen is not None:
            raise ValueError("features is for importances and stress; a curve has one feature.")
        along = list(dict.fromkeys(one.feature for one in results))
        if len(along) > 1:
            raise ValueError(
                f"the curves are along {listed(along)}; pass curves of one feature, or lay "
                "different features side by side with CurveGrid."
            )
        if len({one.categorical for one in results}) > 1:
            raise ValueError(
                f"{along[0]} is a number in one result and a category in another; pass curves "
                "with values of one kind."
            )
        return (first.feature,)
    if chosen is not None:
        for feature in chosen:
            for name, result in zip(names, results, strict=True):
                one_of(result.features, feature, "feature", f"in {name!r}")
        return tuple(sorted(chosen, key=first.features.index))
    if isinstance(first, Stress):
        order = by_response(first, indicator or "tpr").tolist()
        ranked = [first.features[j] for j in order]
        shared = [f for f in ranked if all(f in one.features for one in results)]
        if not shared:
            raise ValueError("no stressed feature is part of every result; stress the same ones.")
        return tuple(shared[:PANELS])
    for name, result in zip(names, results, strict=True):
        differing = sorted(set(result.features) ^ set(first.features))
        if differing:
            raise ValueError(
                f"{names[0]!r} and {name!r} do not both have {listed(few(differing))}; name those "
                "to show with features=."
            )
    return tuple(first.features)

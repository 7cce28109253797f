"""The inputs of the widget with their checks; values from a browser are untrusted."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any, NewType

import numpy as np
import traitlets as t

from uqwidgets._utils.choices import one_of, unknown
from uqwidgets._utils.options import brief, checked_flag
from uqwidgets.evaluation.replacement import checked_scheme
from uqwidgets.evaluation.table import Table
from uqwidgets.explainer.explainer import Explainer
from uqwidgets.explainer.others import explainer_of, in_groups
from uqwidgets.importance.settings import COMPARISONS
from uqwidgets.inference import checked_interval
from uqwidgets.measures import class_of
from uqwidgets.metrics import find_metric, is_metric
from uqwidgets.stress.anchors import ANCHORS
from uqwidgets.stress.columns import MOST_CATEGORIES, unstressable
from uqwidgets.widgets.inputs.center import is_value
from uqwidgets.widgets.inputs.checks import check_list, number, text, whole
from uqwidgets.widgets.inputs.cohorts import Cohort, cohorts
from uqwidgets.widgets.inputs.conditions import Condition, columns_with, conditions
from uqwidgets.widgets.inputs.held import Held, held
from uqwidgets.widgets.inputs.rows_text import rows_of_text, rows_text, text_of_rows
from uqwidgets.widgets.inputs.what_if import ChangedValue, changes

MOST_LINES = 5000
MOST_SMALL_CURVES = 50
MOST_REPEATS = 1000
# Measures and scorers whose importance is shown side by side.
MOST_QUANTITIES = 4
MOST_FEATURES = 100_000
MOST_VIEWS = 100
#: What features are sorted by besides measures and scorers.
SORTED_BY = ("feature", "verdict", "redundancy")
#: How the values of a curve are spaced, and how categories are ordered; the first is the default.
CURVE_SPACINGS = ("quantile", "even")
CATEGORY_ORDERS = ("", "value", "count")


#: Positions of rows as a text, see `uqwidgets.widgets.inputs.rows_text`.
RowText = NewType("RowText", str)
NO_ROWS = RowText("")


def _input(default: Any, check: Callable[[str, Any, Explainer], Any]) -> Any:
    """Declare an input: its default, and what returns a value in its plain form or raises."""
    return field(default=default, metadata={"check": check})


@dataclass(frozen=True)
class Inputs:
    """Everything that decides what the widget shows: each input once, with its validation.

    The traits of `Explorer` and the types of the front end are made from these declarations. A
    check gets the name of the input, the value and the explainer; it runs for every value, from
    Python and from the browser.
    """

    # The first, for the others are checked by the model that is shown.
    shown_model: str = _input("", lambda *value: _model(*value))
    views: tuple[str, ...] = _input((), lambda *value: _views(*value))
    tau: float = _input(0.0, lambda name, value, _: number(value, name, -1.0, 1.0))
    stress_feature: str = _input("", lambda *value: _stress_feature(*value))
    stress_category: str = _input("", lambda *value: _stress_category(*value))
    anchor: str = _input(
        "quantile", lambda name, value, ex: one_of(ANCHORS, text(name, value, ex), name)
    )
    tail: float = _input(0.05, lambda name, value, _: number(value, name, 0.001, 0.49))
    held: tuple[Held, ...] = _input(
        (), lambda _, value, explainer: [h.plain() for h in held(value, explainer)]
    )
    feature: str = _input("", lambda *value: _feature(*value))
    small_curves: int = _input(0, lambda name, value, _: whole(value, name, 0, MOST_SMALL_CURVES))
    second: str = _input("", lambda *value: _feature(*value))
    measure: str = _input("", lambda *value: _measure(*value))
    indicator: str = _input("", lambda *value: _indicator(*value))
    ice_filter: tuple[Condition, ...] = _input(
        (), lambda _, value, explainer: [c.plain() for c in conditions(value, explainer)]
    )
    complement: bool = _input(False, lambda name, value, _: checked_flag(value, name))
    cohorts: tuple[Cohort, ...] = _input(
        (), lambda _, value, explainer: [c.plain() for c in cohorts(value, explainer)]
    )
    ice_lines: int = _input(100, lambda name, value, _: whole(value, name, 0, MOST_LINES))
    n_repeats: int = _input(10, lambda name, value, _: whole(value, name, 2, MOST_REPEATS))
    interval: str = _input(
        "u-statistic", lambda name, value, ex: checked_interval(text(name, value, ex))
    )
    simultaneous: bool = _input(False, lambda name, value, _: checked_flag(value, name))
    groups: str = _input("", lambda *value: _groups(*value))
    time: str = _input("", lambda *value: _time(*value))
    importance_of: tuple[str, ...] = _input((), lambda *value: _quantities(*value))
    replacement: str = _input(
        "permutation", lambda name, value, ex: checked_scheme(text(name, value, ex))
    )
    compare: str = _input(
        "difference",
        lambda name, value, ex: one_of(COMPARISONS, text(name, value, ex), "comparison"),
    )
    grouped: bool = _input(False, lambda name, value, _: checked_flag(value, name))
    verdict: bool = _input(False, lambda name, value, _: checked_flag(value, name))
    redundancy: bool = _input(False, lambda name, value, _: checked_flag(value, name))
    sort: str = _input("", lambda *value: _sort(*value))
    image_rows: int = _input(0, lambda *value: _image_rows(*value))
    top: int = _input(50, lambda name, value, _: whole(value, name, 0, MOST_FEATURES))
    slices_of: str = _input("", lambda *value: _sliced(*value))
    compare_with: str = _input("", lambda *value: _compare_with(*value))
    center: bool = _input(False, lambda name, value, _: checked_flag(value, name))
    derivative: bool = _input(False, lambda name, value, _: checked_flag(value, name))
    relative: bool = _input(False, lambda name, value, _: checked_flag(value, name))
    center_at: str = _input("", lambda *value: _center_at(*value))
    spacing: str = _input(
        "quantile", lambda name, value, ex: one_of(CURVE_SPACINGS, text(name, value, ex), name)
    )
    color_by: str = _input("", lambda *value: _column(*value))
    group_averages: bool = _input(False, lambda name, value, _: checked_flag(value, name))
    own_values: bool = _input(False, lambda name, value, _: checked_flag(value, name))
    rug: bool = _input(False, lambda name, value, _: checked_flag(value, name))
    category_order: str = _input(
        "", lambda name, value, ex: one_of(CATEGORY_ORDERS, text(name, value, ex), name)
    )
    calibration_by: str = _input("", lambda *value: _calibration_by(*value))
    logit: bool = _input(False, lambda name, value, _: checked_flag(value, name))
    clip_lines: bool = _input(False, lambda name, value, _: checked_flag(value, name))
    selection: RowText = _input(NO_ROWS, lambda *value: _selection(*value))  # noqa: RUF009
    row: int = _input(-1, lambda name, value, ex: whole(value, name, -1, len(ex.table) - 1))
    what_if: tuple[ChangedValue, ...] = _input(
        (), lambda _, value, explainer: [c.plain() for c in changes(value, explainer)]
    )

    def plain(self) -> dict[str, Any]:
        """Return the form that travels."""
        lists = {name: [item.plain() for item in getattr(self, name)] for name in READERS}
        return {**vars(self), **lists, **{name: list(getattr(self, name)) for name in _NAME_LISTS}}

    @property
    def holds_at_once(self) -> bool:
        """Whether intervals of importance hold all at once; the spread of shuffles has no such."""
        return self.simultaneous and self.interval != "quantile"

    def shows(self, view: str) -> bool:
        """Whether the view of this name is on the page; all are where none is chosen."""
        return not self.views or view in self.views

    @classmethod
    def of(cls, values: Mapping[str, Any], lists: Mapping[str, tuple[Any, ...]]) -> Inputs:
        """Return the inputs of valid values in the form that travels, and of the lists of dicts."""
        selection = values["selection"]
        if not isinstance(selection, str):
            selection = text_of_rows(selection)
        names = {name: tuple(values[name]) for name in _NAME_LISTS}
        return cls(**{**values, **lists, **names, "selection": RowText(selection)})


NAMES = tuple(f.name for f in fields(Inputs))
#: What reads the inputs that are lists of dicts where they travel.
READERS: dict[str, Callable[[Any, Explainer], tuple[Any, ...]]] = {
    "ice_filter": conditions,
    "cohorts": cohorts,
    "held": held,
    "what_if": changes,
}
#: Inputs that are lists of names.
_NAME_LISTS = ("views", "importance_of")
_CHECKS = {f.name: f.metadata["check"] for f in fields(Inputs)}


class AnyValue(t.TraitType[Any, Any]):
    """A trait that refuses nothing itself: whoever owns it checks the value, and says what it is.

    Parameters
    ----------
    default : object
        Each owner has a list of its own.
    """

    def __init__(self, default: Any) -> None:
        super().__init__(default_value=default)

    def validate(self, obj: t.HasTraits, value: Any) -> Any:
        """Return the value, which the owner checks later where values are held back together.

        A number is checked at once if it has another type: where True replaces 1, nobody is told.
        """
        present = obj._trait_values.get(str(self.name))
        is_other = isinstance(present, (bool, int, float)) and type(value) is not type(present)
        return self._cross_validate(obj, value) if is_other else value

    def default(self, _obj: Any = None) -> Any:
        """Return the value of a new owner."""
        value = self.default_value
        return list(value) if isinstance(value, list) else value


def input_traits(**metadata: Any) -> dict[str, t.TraitType[Any, Any]]:
    """Make a trait of every input, tagged with the metadata; lists travel as lists of dicts."""
    defaults: dict[str, Any] = {**Inputs().plain(), "selection": []}
    own = {"selection": {"to_json": lambda rows, _widget: text_of_rows(rows)}}
    return {
        name: AnyValue(default).tag(**metadata, **own.get(name, {}))
        for name, default in defaults.items()
    }


def trait_value(name: str, plain: Any, explainer: Explainer) -> Any:
    """Return the value of a trait from that in plain form, which differ for rows alone."""
    return rows_of_text(plain, len(explainer.table)).tolist() if name == "selection" else plain


def validate(name: str, value: Any, explainer: Explainer) -> Any:
    """Return the value of an input if it may be one.

    Raises
    ------
    ValueError
        With a sentence that says what may be given.
    """
    return _CHECKS[name](name, value, explainer)


def inputs_of(values: Mapping[str, Any], explainer: Explainer) -> Inputs:
    """Return the inputs of complete values in plain form, see `validate`.

    Raises
    ------
    ValueError
        If a list was changed in place and is not valid any more.
    """
    lists = {name: read(values[name], explainer) for name, read in READERS.items()}
    return Inputs.of(values, lists)


def _selection(name: str, value: Any, explainer: Explainer) -> str:
    """Return the text of rows, which may also be those that meet some conditions."""
    if isinstance(value, (list, tuple)) and value and isinstance(value[0], dict):
        met = [condition.mask(explainer) for condition in conditions(value, explainer)]
        return text_of_rows(np.flatnonzero(np.logical_and.reduce(met)))
    try:
        return rows_text(value, len(explainer.table))
    except ValueError as error:
        raise ValueError(f"{name}: {error}") from None


def immovable(table: Table, feature: str) -> str | None:
    """Why the slider cannot move a feature's mean or a category's share, or None if it can."""
    if table.holds_dates(feature):
        return "dates"
    reason = unstressable(table, feature, missing="keep")
    if reason is None and table.kind(feature) == "categorical":
        few = len(table.labels(feature).texts) <= MOST_CATEGORIES
        return None if few else f"more than {MOST_CATEGORIES} categories"
    return reason


def is_stressable(table: Table, feature: str) -> bool:
    """Whether the slider takes the feature; a constant one stays where it is."""
    return immovable(table, feature) in (None, "constant")


def first_stressed(table: Table, names: Sequence[str]) -> str:
    """Return the first of the features that can be stressed; empty if there is none."""
    movable = [name for name in names if is_stressable(table, name)]
    # The share of a category is moved at first only where no feature has a mean.
    movable.sort(key=lambda name: table.kind(name) != "numeric")
    return movable[0] if movable else ""


def views_of_layout(layout: Any) -> list[str] | None:
    """Return the views that a layout names, empty for all of them; None if it names no views."""
    if isinstance(layout, str):
        return [] if layout == "all" else [layout]
    is_list = isinstance(layout, (list, tuple))
    return list(layout) if is_list and all(isinstance(one, str) for one in layout) else None


def _views(name: str, value: Any, explainer: Explainer) -> list[str]:
    # The views import this module.
    from uqwidgets.widgets import views

    check_list(value, name, "['importance', 'stress']")
    if len(value) > MOST_VIEWS:
        raise ValueError(f"{name} has {len(value):,} names; it can have {MOST_VIEWS}.")
    for one in value:
        if text(f"an item of {name}", one, explainer) not in views.NAMES:
            raise ValueError(unknown("view", one, ["all", *views.NAMES]))
    return [view for view in views.NAMES if view in value]


def _model(name: str, value: Any, explainer: Explainer) -> str:
    """Return the name of one of several models, whose explainer is made; empty where one is."""
    shown = explainer_of(explainer, text(name, value, explainer))
    return shown.name if shown.others else ""


def _measure(name: str, value: Any, explainer: Explainer) -> str:
    explainer.measure(text(name, value, explainer))
    return str(value)


def _sliced(name: str, value: Any, explainer: Explainer) -> str:
    """Return the name of a measure; empty for the first one that is offered."""
    return _measure(name, value, explainer) if text(name, value, explainer) else ""


def _quantities(name: str, value: Any, explainer: Explainer) -> list[str]:
    check_list(value, name, "['nll', 'entropy']")
    if len(value) > MOST_QUANTITIES:
        raise ValueError(f"{name} has {len(value):,} names; it can have {MOST_QUANTITIES}.")
    names = [_quantity(f"an item of {name}", one, explainer) for one in value]
    if len(set(names)) < len(names):
        raise ValueError(f"{name} has a name twice; give each measure or scorer once.")
    return names


def _quantity(name: str, value: Any, explainer: Explainer) -> str:
    """Return the name of a measure, or of a scorer of scikit-learn."""
    if not is_metric(text(name, value, explainer)):
        return _measure(name, value, explainer)
    explainer.table.require_target(value)
    find_metric(value, explainer.classes)
    return str(value)


def _image_rows(name: str, value: Any, explainer: Explainer) -> int:
    """Return the number of rows of a picture that has a pixel for every feature."""
    pixels = len(explainer.features)
    rows = whole(value, name, 0, pixels)
    if rows and pixels % rows:
        raise ValueError(
            f"{name} is {rows}, and {pixels} features fill no picture of {rows} rows; use a number "
            f"that divides {pixels}, or 0 where features are no pixels."
        )
    return rows


def _sort(name: str, value: Any, explainer: Explainer) -> str:
    if text(name, value, explainer) in ("", *SORTED_BY):
        return str(value)
    return _quantity(name, value, explainer)


def _compare_with(name: str, value: Any, explainer: Explainer) -> str:
    """Return what is compared with what is shown; a cohort may be named before it exists."""
    kind, separator, of = text(name, value, explainer).partition(":")
    if value in ("", "rest", "learner") or (kind == "cohort" and separator):
        return str(value)
    if kind == "model":
        if of not in explainer.others:
            raise ValueError(unknown("model", of, list(explainer.others), "to compare with"))
    elif kind == "class":
        if of not in (classes := classes_of(explainer)):
            raise ValueError(unknown("class", of, classes, "to compare with"))
    else:
        named = [
            f"{kind}:{value}"
            for kind, names in (("model", explainer.others), ("class", classes_of(explainer)))
            if value in names
        ]
        did_you_mean = f" Did you mean {' or '.join(map(repr, named))}?" if named else ""
        raise ValueError(
            f"{name} is {brief(value)}; it must be '', 'model:<name>', 'cohort:<name>', 'rest', "
            f"'class:<label>' or 'learner'.{did_you_mean}"
        )
    return str(value)


def classes_of(explainer: Explainer) -> list[str]:
    """Return the classes that can be compared; of two, one probability determines the other."""
    labels = [label for name in explainer.measure_names if (label := class_of(name)) is not None]
    return labels if len(labels) > 2 else []


def _indicator(name: str, value: Any, explainer: Explainer) -> str:
    if text(name, value, explainer) not in explainer.indicators:
        raise ValueError(unknown("indicator", value, list(explainer.indicators)))
    return str(value)


def _feature(name: str, value: Any, explainer: Explainer) -> str:
    if text(name, value, explainer):
        explainer.table.index(value)
    return str(value)


def _column(name: str, value: Any, explainer: Explainer) -> str:
    """Return the name of a feature or of an extra column."""
    if text(name, value, explainer):
        columns_with(explainer, value)
    return str(value)


def _calibration_by(name: str, value: Any, explainer: Explainer) -> str:
    """Return what calibration goes along: a column, or a measure that needs no true value."""
    if text(name, value, explainer):
        explainer.divided_by(value)
    return str(value)


def _groups(name: str, value: Any, explainer: Explainer) -> str:
    """Return the name of a column whose values are the groups of rows that belong together."""
    column = _column(name, value, explainer)
    if column and in_groups(explainer, column).table.row_groups is None:
        raise ValueError(
            f"{name} is {column!r}, where every row has a value of its own; name a column of what "
            "several rows belong to, such as patients."
        )
    return column


def in_dependence(explainer: Explainer, groups: str, time: str) -> Explainer:
    """Return an explainer whose rows belong together by one column, and are ordered by another.

    Where a name is empty, the groups or the order are those of the explainer; blocks of its own
    order give way to those of another.

    Parameters
    ----------
    explainer : Explainer
    groups, time : str
    """
    own = explainer.table.row_groups
    if own is not None and own.in_time and time:
        own = None
    return in_groups(explainer, groups or own, time or None)


def _time(name: str, value: Any, explainer: Explainer) -> str:
    """Return the name of a column whose values order the rows."""
    if column := _column(name, value, explainer):
        in_groups(explainer, None, column)
    return column


def _center_at(name: str, value: Any, explainer: Explainer) -> str:
    """Return the text of a value that a feature may have."""
    at, table = text(name, value, explainer), explainer.table
    if at and not any(is_value(table, feature, at) for feature in table.features):
        raise ValueError(
            f"{name} is {brief(value)}; it must be the text of a number, of a category or of a "
            "date of a feature."
        )
    return at


def _stress_feature(name: str, value: Any, explainer: Explainer) -> str:
    if _feature(name, value, explainer) and not is_stressable(explainer.table, value):
        reason = immovable(explainer.table, value)
        raise ValueError(f"{value!r} cannot be stressed: {reason}.")
    return str(value)


def _stress_category(name: str, value: Any, explainer: Explainer) -> str:
    category, table = text(name, value, explainer), explainer.table
    features = [f for f in table.features if table.kind(f) == "categorical"]
    movable = [f for f in features if is_stressable(table, f)]
    if category and not any(category in table.labels(f).texts for f in movable):
        known = [text for f in movable for text in table.labels(f).texts]
        raise ValueError(unknown("category", category, known))
    return category

"""The cohorts of a page: rows that its reader can choose, with the names of its author."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from uqwidgets.explainer.explainer import Explainer
from uqwidgets.widgets.inputs.conditions import Condition, conditions

ALL_ROWS = "all rows"
_PRESENT = "rows of the saved view"


@dataclass(frozen=True)
class NamedRows:
    """Rows that meet a filter, or all others, with their name."""

    name: str
    filter: tuple[Condition, ...]
    complement: bool = False

    @property
    def rows(self) -> tuple[tuple[Condition, ...], bool]:
        """What decides the rows."""
        return (self.filter, self.complement and bool(self.filter))


def named_rows(cohorts: Any, explainer: Explainer, shown: Sequence[NamedRows]) -> list[NamedRows]:
    """Return the cohorts of a page: all rows, cohorts of the author, and filters of views.

    Parameters
    ----------
    cohorts : mapping of str to filter, "classes" or None
        A filter is a list of conditions as in ``ice_filter``, one condition, or a class.
    explainer : Explainer
    shown : sequence of NamedRows
        Those of the explorer's cohorts and of the views that are saved.

    Raises
    ------
    ValueError
        If a name or a filter is not valid.
    """
    named = [NamedRows(ALL_ROWS, ())]
    for name, value in _items(cohorts, explainer):
        if not isinstance(name, str) or not name.strip():
            raise ValueError(f"cohorts has the name {name!r}; it must be a text.")
        if name in {one.name for one in named}:
            raise ValueError(f"cohorts has the name {name!r} twice; choose another one.")
        try:
            chosen = conditions(_listed(value), explainer)
        except ValueError as error:
            raise ValueError(f"cohort {name!r}: {error}") from None
        named.append(NamedRows(name, chosen))
    for one in shown:
        if one.rows not in [other.rows for other in named]:
            taken = {other.name for other in named}
            name = one.name or _PRESENT
            while name in taken:
                name += "'"
            named.append(NamedRows(name, one.filter, one.complement))
    return named


def _items(cohorts: Any, explainer: Explainer) -> list[tuple[Any, Any]]:
    if cohorts is None:
        return []
    if cohorts == "classes":
        if explainer.classes is None or not explainer.table.has_target:
            raise ValueError('cohorts is "classes", but the target has none; give filters by name.')
        return [(str(c), str(c)) for c in explainer.classes]
    if not isinstance(cohorts, Mapping):
        raise ValueError(
            f"cohorts is of type {type(cohorts).__name__}; it must be a dict from names to "
            'filters, or "classes".'
        )
    return list(cohorts.items())


def _listed(value: Any) -> list[Any]:
    if isinstance(value, Mapping):
        return [dict(value)]
    if isinstance(value, (list, tuple)):
        return list(value)
    return [{"feature": None, "values": [value]}]

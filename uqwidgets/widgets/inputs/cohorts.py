"""Cohorts: named filters, as plain JSON; those of the browser are validated."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from uqwidgets._utils.options import brief, checked_flag
from uqwidgets.explainer.explainer import Explainer
from uqwidgets.widgets.inputs.checks import check_list
from uqwidgets.widgets.inputs.conditions import MOST_VALUES, Condition, conditions, n_listed

MOST_COHORTS = 50
_MOST_CHARACTERS = 200
_FIELDS = {"name", "ice_filter", "complement"}


@dataclass(frozen=True)
class Cohort:
    """Rows by a name.

    Attributes
    ----------
    name : str
    conditions : tuple of Condition
        All of which a row meets.
    complement : bool
        Whether the cohort is all other rows instead.
    """

    name: str
    conditions: tuple[Condition, ...]
    complement: bool = False

    def plain(self) -> dict[str, Any]:
        """Return the form that travels."""
        filters = [condition.plain() for condition in self.conditions]
        return {"name": self.name, "ice_filter": filters, "complement": self.complement}


def cohorts(value: Any, explainer: Explainer) -> tuple[Cohort, ...]:
    """Read cohorts in the form that travels.

    Raises
    ------
    ValueError
        If one is malformed, or two have the same name.
    """
    check_list(value, "cohorts", "[{'name': 'old', 'ice_filter': [{'feature': 'age', 'low': 40}]}]")
    if len(value) > MOST_COHORTS:
        raise ValueError(f"there are {len(value):,} cohorts, and {MOST_COHORTS} at most.")
    listed = sum(n_listed(each) for each in filters_of(value))
    if listed > MOST_VALUES:
        raise ValueError(f"the cohorts list {listed:,} values; they can list {MOST_VALUES:,}.")
    read = tuple(_cohort(item, explainer) for item in value)
    names = [cohort.name for cohort in read]
    double = next((name for name in names if names.count(name) > 1), None)
    if double is not None:
        raise ValueError(f"two cohorts are named {double!r}; rename one of them.")
    return read


def filters_of(value: Any) -> Iterable[Any]:
    """Return the filters of cohorts, however malformed these are."""
    items = value if isinstance(value, (list, tuple)) else ()
    return [item.get("ice_filter") for item in items if isinstance(item, dict)]


def _cohort(item: Any, explainer: Explainer) -> Cohort:
    if not isinstance(item, dict) or not {"name"} <= item.keys() <= _FIELDS:
        raise ValueError("each cohort must be {'name', 'ice_filter', 'complement'}.")
    name = item["name"]
    if not isinstance(name, str) or not name.strip() or len(name) > _MOST_CHARACTERS:
        raise ValueError(
            f"the name of a cohort is {brief(name)}; it must be a text of 1 to {_MOST_CHARACTERS} "
            "characters."
        )
    try:
        return Cohort(
            name.strip(),
            conditions(item.get("ice_filter", []), explainer),
            checked_flag(item.get("complement", False), "complement"),
        )
    except ValueError as error:
        raise ValueError(f"cohort {name!r}: {error}") from None

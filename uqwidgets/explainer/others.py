"""Other fitted models of the same rows, made into explainers when they are first compared."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from copy import copy
from functools import partial
from threading import RLock
from typing import TYPE_CHECKING

import pandas as pd

from uqwidgets._utils.choices import unknown
from uqwidgets.evaluation.row_groups import set_row_groups, set_time_blocks
from uqwidgets.inference.groups import RowGroups

if TYPE_CHECKING:
    from uqwidgets.explainer.explainer import Explainer


class Others(Mapping[str, "Explainer"]):
    """Explainers by name, each of which is made at its first use.

    A new explainer calls its model for all rows, which may take long or fail. The first model does
    not wait for that.

    Parameters
    ----------
    makers : mapping of str to callable
        Each returns the explainer of this name.
    first : Explainer, optional
        The one that was made with these models, where they are seen from another one of them.

    Attributes
    ----------
    first : Explainer or None
    """

    def __init__(
        self, makers: Mapping[str, Callable[[], Explainer]], first: Explainer | None = None
    ) -> None:
        self.first = first
        self._makers = dict(makers)
        self._explainers: dict[str, Explainer] = {}
        self._lock = RLock()

    def __getitem__(self, name: str) -> Explainer:
        with self._lock:
            if name not in self._explainers:
                self._explainers[name] = self._makers[name]()
            return self._explainers[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._makers)

    def __len__(self) -> int:
        return len(self._makers)

    def __contains__(self, name: object) -> bool:
        return name in self._makers


def model_names(explainer: Explainer) -> list[str]:
    """Return the names of the models that stand beside each other, empty where there is one."""
    first = explainer.others.first or explainer
    return [first.name, *first.others] if first.others else []


def explainer_of(explainer: Explainer, name: str) -> Explainer:
    """Return the explainer of one of the models, whose others are all the rest.

    What the model answered is shared with the explainer that the models are compared by. Nothing
    refers back to what is returned here, so no cycle keeps answers in memory.

    Parameters
    ----------
    explainer : Explainer
        Of any of the models.
    name : str
        Of a model; empty for the first one.

    Raises
    ------
    ValueError
        If no model has this name, or its rows are not those of the first one.
    """
    first = explainer.others.first or explainer
    if name in ("", first.name):
        return first
    if name not in first.others:
        raise ValueError(unknown("model", name, model_names(explainer)))
    other = first.others[name]
    first.compare(other, names=(first.name, name))
    shown = in_groups(other, first.table.row_groups)
    rest = {key: partial(first.others.__getitem__, key) for key in first.others if key != name}
    shown.name, shown.extra = name, first.extra
    shown.others = Others({first.name: lambda: first, **rest}, first)
    return shown


def in_groups(
    explainer: Explainer, groups: RowGroups | str | None, time: str | None = None
) -> Explainer:
    """Return an explainer of the same answers whose rows belong to other groups.

    Parameters
    ----------
    explainer : Explainer
        It is not changed.
    groups : RowGroups, str or None
        Or the name of a feature or of an extra column; None for independent rows.
    time : str, optional
        The name of a feature or of an extra column that orders the rows; by default the order is
        that of the explainer.

    Raises
    ------
    ValueError
        See `set_row_groups` and `set_time_blocks`.
    """
    grouped = object.__new__(type(explainer))
    vars(grouped).update(vars(explainer))
    grouped.table = copy(explainer.table)
    grouped.table.row_groups, grouped.table.remarks = None, ()
    names = pd.DataFrame(columns=list(explainer.features))
    set_row_groups(groups, names, grouped.table, explainer.extra)
    set_time_blocks(time, names, grouped.table, explainer.extra)
    # The caches are shared, and only what is said of the rows differs.
    grouped.evaluations = object.__new__(type(explainer.evaluations))
    vars(grouped.evaluations).update(vars(explainer.evaluations))
    vars(grouped.evaluations).pop("_remarks_on_rows", None)
    grouped.evaluations.table = grouped.table
    return grouped

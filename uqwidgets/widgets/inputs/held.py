"""Means that are held: the weighted rows have them at every level of tau."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import inf
from typing import Any

import numpy as np

from uqwidgets._typing import Floats
from uqwidgets._utils.options import brief
from uqwidgets.evaluation.constants import is_missing
from uqwidgets.evaluation.table import Table
from uqwidgets.explainer.explainer import Explainer
from uqwidgets.widgets.inputs.checks import CONTAINERS, check_length, check_list, number, text

MOST_HELD = 2
_FIELDS = {"feature", "value", "category"}


@dataclass(frozen=True)
class Held:
    """The mean of a feature, or the share of one of its categories.

    Attributes
    ----------
    feature : str
    value : float
        In the unit of the feature; a share lies within [0, 1].
    category : str or None
        None for the mean of a numeric feature.
    """

    feature: str
    value: float
    category: str | None = None

    def plain(self) -> dict[str, Any]:
        """Return the form that travels."""
        category = {} if self.category is None else {"category": self.category}
        return {"feature": self.feature, "value": self.value, **category}

    @property
    def name(self) -> str:
        """What is held, as error messages name it."""
        if self.category is None:
            return f"mean of {self.feature!r}"
        return f"share of {self.category!r} in {self.feature!r}"

    def column(self, table: Table) -> Floats:
        """Return the values whose mean is held, shape (n,)."""
        if self.category is None:
            return table.numbers(self.feature)
        return table.labels(self.feature).mask([self.category]).astype(np.float64)


def mean_or_share(feature: str, category: str | None) -> str:
    """Return what stress moves or holds, as the widget names it: a mean, or a category's share."""
    return f"mean of {feature}" if category is None else f"share of {category} in {feature}"


def held(value: Any, explainer: Explainer) -> tuple[Held, ...]:
    """Read what is held in the form that travels.

    Raises
    ------
    ValueError
        If it is malformed, names a feature twice, or the feature has no value in some row.
    """
    check_list(value, "held", "[{'feature': 'age', 'value': 40}]")
    if len(value) > MOST_HELD:
        raise ValueError(f"held has {len(value)} means; {MOST_HELD} can be held.")
    read = tuple(_one(item, explainer) for item in value)
    names = [(one.feature, one.category) for one in read]
    if len(set(names)) < len(names):
        raise ValueError(f"held has the {read[-1].name} twice; give it once.")
    return read


def _one(item: Any, explainer: Explainer) -> Held:
    if not isinstance(item, Mapping) or not {"feature", "value"} <= item.keys() <= _FIELDS:
        raise ValueError("each of held must be {'feature', 'value'}, for a share with 'category'.")
    table = explainer.table
    feature = text("the feature that is held", item["feature"], explainer)
    table.index(feature)
    if table.kind(feature) == "numeric":
        if item.get("category") is not None:
            raise ValueError(f"{feature!r} is numeric; hold its mean, without a category.")
        n_missing = int((~np.isfinite(table.numbers(feature))).sum())
        if n_missing:
            raise ValueError(
                f"{feature!r} has no value in {n_missing} rows, so its mean cannot be held; fill "
                "them, or hold another feature."
            )
        return Held(feature, number(item["value"], f"the mean of {feature!r}", -inf, inf))
    category = _category(explainer, feature, item.get("category"))
    share = number(item["value"], f"the share of {category!r} in {feature!r}", 0.0, 1.0)
    return Held(feature, share, category)


def _category(explainer: Explainer, feature: str, value: Any) -> str:
    """Return the text of a category, which a page writes and Python may pass as it is."""
    what = f"the category of {feature!r}"
    if is_missing(value) or isinstance(value, CONTAINERS):
        raise ValueError(f"{what} is {brief(value)}; it must be a text.")
    if isinstance(value, str):
        check_length(what, value, explainer)
    return str(explainer.table.labels(feature).text(value, repr(feature), "category"))

"""Two models of the same rows, and the features and groups that both have."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from uqwidgets._utils.choices import as_names
from uqwidgets._utils.options import brief
from uqwidgets._utils.remarks import Remark
from uqwidgets.evaluation.evaluations import Evaluations
from uqwidgets.evaluation.replacement import Draws
from uqwidgets.evaluation.table import Table

_FEW = 5


@dataclass(frozen=True, eq=False)
class Pair:
    """Evaluations of two models of the same rows.

    Attributes
    ----------
    first, second : Evaluations
    names : tuple of (str, str)

    Raises
    ------
    ValueError
        If the rows, the targets or the kinds of the predictions differ.
    """

    first: Evaluations
    second: Evaluations
    names: tuple[str, str]

    def __post_init__(self) -> None:
        self._check_rows()
        self._check_targets()

    @property
    def groups_and_features(self) -> list[str]:
        """Features and groups whose importance both models have, in the order of the first."""
        own, other = self.first.table, self.second.table
        return [
            feature
            for feature in own.groups_and_features
            if feature in other.groups_and_features
            and _members(own, feature) == _members(other, feature)
        ]

    def named_features(self, features: Sequence[str] | None) -> list[str]:
        """Return the named features and groups, by default all `groups_and_features`.

        Raises
        ------
        ValueError
            If one is not the same for both models, or they share none.
        """
        if features is not None:
            features = [str(name) for name in as_names(features)]
            for feature in features:
                self.check_feature(feature)
            return features
        if not self.groups_and_features:
            raise ValueError(
                f"{self.names[0]} and {self.names[1]} share no feature, so no importance can "
                "be compared; compare their scores."
            )
        return self.groups_and_features

    @property
    def remarks(self) -> tuple[Remark, ...]:
        """A remark that names the features that only one of the models sees."""
        own, other = self.first.table.features, self.second.table.features
        alone = [
            f"only {name} sees {_listed(missing)}"
            for name, features, seen in zip(self.names, (own, other), (other, own), strict=True)
            if (missing := [feature for feature in features if feature not in seen])
        ]
        if not alone:
            return ()
        return (Remark("unshared-features", f"{' and '.join(alone)}: not compared"),)

    def check_feature(self, feature: str) -> None:
        """Raise a ValueError if a feature or group is not the same for both models."""
        for name, evaluations in zip(self.names, (self.first, self.second), strict=True):
            table = evaluations.table
            if feature not in table.groups and feature not in table.features:
                raise ValueError(
                    f"{brief(feature)} is no feature of {name}; name one that both models see, "
                    "such as "
                    f"{_listed(self.groups_and_features[:_FEW]) or 'none: they share no feature'}."
                )
        if _members(self.first.table, feature) != _members(self.second.table, feature):
            raise ValueError(
                f"the group {feature!r} has other features for {self.names[0]} than for "
                f"{self.names[1]}; pass the same feature_groups to both."
            )

    def check_draws(self, draws: Draws) -> None:
        """Raise a ValueError if the two models would have other donors."""
        if draws.scheme == "conditional" and set(self.first.table.features) != set(
            self.second.table.features
        ):
            raise ValueError(
                "replacement='conditional' draws donors among rows that are alike in the other "
                f"features, and {self.names[0]} and {self.names[1]} see different ones; use "
                "'permutation'."
            )

    def _check_rows(self) -> None:
        own, other = self.first.table, self.second.table
        if len(own) != len(other):
            raise ValueError(
                f"{self.names[0]} has {len(own)} rows and {self.names[1]} has {len(other)}; pass "
                "the same rows to both."
            )
        for name in own.features:
            if name in other and not _equal(own.column(name), other.column(name)):
                raise ValueError(
                    f"{name!r} has other values for {self.names[0]} than for {self.names[1]}; pass "
                    "the same rows to both, in the same order."
                )

    def _check_targets(self) -> None:
        own, other = self.first.table, self.second.table
        classes = [
            None if each.classes is None else [str(label) for label in each.classes.tolist()]
            for each in (self.first, self.second)
        ]
        if None in classes and classes[0] != classes[1]:
            kinds = ["numbers" if labels is None else "classes" for labels in classes]
            raise ValueError(
                f"{self.names[0]} predicts {kinds[0]} and {self.names[1]} {kinds[1]}; compare "
                "models of the same target."
            )
        if classes[0] != classes[1]:
            listed = [_listed(labels or []) for labels in classes]
            raise ValueError(
                f"{self.names[0]} predicts the classes {listed[0]}, and {self.names[1]} "
                f"{listed[1]}; compare models of the same classes."
            )
        if own.has_target != other.has_target:
            without = self.names[0 if other.has_target else 1]
            raise ValueError(f"{without} has no y; pass the same y to both explainers, or to none.")
        if own.has_target and not _equal(pd.Series(own.y), pd.Series(other.y)):
            raise ValueError(
                f"y has other values for {self.names[0]} than for {self.names[1]}; pass the same y "
                "to both."
            )


def _members(table: Table, feature: str) -> set[str]:
    return {table.features[column] for column in table.columns_of(feature)}


def _equal(one: pd.Series[Any], two: pd.Series[Any]) -> bool:
    """Whether two columns have the same values, whatever type holds them; missing ones are."""
    if one.equals(two):
        return True
    missing = one.isna().to_numpy()
    if not np.array_equal(missing, two.isna().to_numpy()):
        return False
    own, other = (np.asarray(each[~missing], dtype=object) for each in (one, two))
    return bool(np.all(own == other))


def _listed(names: Sequence[str]) -> str:
    shown = [repr(name) for name in names[:_FEW]]
    if len(names) > _FEW:
        shown.append(f"{len(names) - _FEW} more")
    return ", ".join(shown)

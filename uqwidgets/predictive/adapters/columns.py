"""The columns that a model was fitted with, wherever its library keeps their names."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
import pandas as pd
from sklearn.pipeline import Pipeline

from uqwidgets.predictive.adapters.base import attribute, from_library

# Attributes that hold a fitted part of a model, which sees the same columns.
_PARTS = (
    *("best_estimator_", "regressor_", "estimator_", "classifier_", "base_estimator_", "model_"),
    *("calibrated_classifiers_", "estimators_", "estimator"),
)


@dataclass(frozen=True)
class FittedColumns:
    """Columns that a model was fitted with.

    Attributes
    ----------
    names : tuple or None
        Their labels, in the model's order.
    count : int or None
        Their number.
    needed : {"always", "all", "same"}
        Whether a table must have these names; or they count only where it has all of them, because
        they may just number the columns of an array; or only where it has no others, because what
        the model does with the columns before it passes them on is not known.
    of_array : bool
        Whether the model was fitted on an array, and warns of names or refuses them.
    """

    names: tuple[Any, ...] | None = None
    count: int | None = None
    needed: Literal["always", "all", "same"] = "always"
    of_array: bool = False

    @property
    def required(self) -> tuple[Any, ...] | None:
        """The names, where a table must have them."""
        return self.names if self.needed == "always" else None

    def among(self, columns: Iterable[Any]) -> list[Any]:
        """Which of these columns the model was fitted with, in its order.

        Some libraries change names: XGBoost and LightGBM turn numbers into text, LightGBM also
        blanks into underscores. A name that is no column is compared with the columns as these
        libraries would write them.

        Raises
        ------
        ValueError
            If one that is needed is missing.
        """
        present = dict.fromkeys(columns)
        if self.names is None:
            return list(present)
        rewritten = {_as_libraries_write(c): c for c in present}
        missing = [n for n in self.names if n not in present and n not in rewritten]
        if missing and self.needed == "always":
            raise ValueError(
                f"X has no column {missing[0]!r}, which the model was fitted with"
                + (f" ({len(missing)} are missing in all)" if len(missing) > 1 else "")
                + "; pass the columns that the model was fitted on."
            )
        if missing or (self.needed == "same" and len(present) > len(self.names)):
            return list(present)
        return [name if name in present else rewritten[name] for name in self.names]


def fitted_columns(model: Any) -> FittedColumns:
    """Return the columns that a model was fitted with, by its own word or by that of its parts."""
    own = _own_columns(model)
    parts = [] if own.names is not None else [fitted_columns(part) for part in _parts(model)]
    if not parts:
        return own
    first = parts[0]
    count = first.count if own.count is None else own.count
    is_plain = type(model).__module__.startswith("sklearn.")
    if is_plain and (first.names is None or len(first.names) == count):
        own = replace(first, count=count)
    named = (part.names for part in parts if part.names is not None)
    names = next((names for names in named if own.count in (None, len(names))), None)
    return own if own.names is not None else replace(own, names=names, needed="same")


def _own_columns(model: Any) -> FittedColumns:
    """Return the columns by the attributes of the model itself."""
    if from_library(model, "lightgbm"):
        return _of_lightgbm(attribute(model, "booster_", model))
    if from_library(model, "statsmodels"):
        return _of_statsmodels(attribute(model, "model"))
    count = attribute(model, "n_features_in_")
    names = _labels(attribute(model, "feature_names_in_"))
    if names is not None:
        # interpret numbers the columns of an array, and takes those of a table by position.
        may_be_numbers = names == _numbered("feature_{:04}", len(names))
        return FittedColumns(names, count, "all" if may_be_numbers else "always")
    names = _labels(attribute(model, "feature_names_"))
    if names is not None:  # CatBoost writes "0", "1", ... for an array
        sure = from_library(model, "catboost") and names != _numbered("{}", len(names))
        return FittedColumns(names, count, "always" if sure else "all")
    if from_library(model, "ngboost"):  # which itself accepts more columns
        return FittedColumns(None, attribute(model, "n_features"), of_array=True)
    # These classes would have the names of a table.
    keeps_names = type(model).__module__.startswith("sklearn.") or hasattr(
        type(model), "feature_names_in_"
    )
    return FittedColumns(None, count, of_array=keeps_names and count is not None)


def _of_lightgbm(booster: Any) -> FittedColumns:
    read = attribute(booster, "feature_name")
    if read is None:  # not fitted
        return FittedColumns()
    names = tuple(read())
    if names == _numbered("Column_{}", len(names)) and booster.pandas_categorical is None:
        return FittedColumns(None, len(names), of_array=True)
    return FittedColumns(names, len(names))


def _of_statsmodels(model: Any) -> FittedColumns:
    names, data = _labels(attribute(model, "exog_names")), attribute(model, "data")
    formula, frame = attribute(model, "formula"), attribute(data, "frame")
    if isinstance(formula, str) and isinstance(frame, pd.DataFrame):
        return FittedColumns(_named_in(formula.partition("~")[2], frame.columns))
    if names is None or formula is not None:
        return FittedColumns()
    of_table = attribute(data, "row_labels") is not None
    return FittedColumns(names if of_table else None, len(names))


def _named_in(formula: str, columns: Iterable[Any]) -> tuple[Any, ...]:
    """Return the columns whose names stand in a formula, none of them as a function."""
    used = set()
    # The longest first, and without them the others: "b c" is neither "b" nor "c".
    for column in sorted(columns, key=lambda column: -len(str(column))):
        pattern = rf"(?<![\w.]){re.escape(str(column))}(?![\w(])"
        if re.search(pattern, formula):
            used.add(column)
            formula = re.sub(pattern, "", formula)
    return tuple(column for column in columns if column in used)


def _labels(names: Any) -> tuple[Any, ...] | None:
    """Return names as a tuple; None if there are none, or only the positions 0, 1, ..."""
    if not isinstance(names, (list, tuple, np.ndarray)) or np.ndim(names) != 1 or len(names) == 0:
        return None
    labels = tuple(np.asarray(names, dtype=object).tolist())
    return None if labels == tuple(range(len(labels))) else labels


def _numbered(form: str, count: int) -> tuple[str, ...]:
    return tuple(form.format(j) for j in range(count))


def _parts(model: Any) -> Sequence[Any]:
    """Return the fitted parts of a model, in the order in which the columns reach them."""
    if isinstance(model, Pipeline):
        return [step for _, step in model.steps if step not in (None, "passthrough")]
    for name in _PARTS:
        part = attribute(model, name)
        if isinstance(part, (list, tuple, np.ndarray)):
            part = next(iter(part.flat if isinstance(part, np.ndarray) else part), None)
        if part is not None:
            return [part]
    return []


def _as_libraries_write(label: Any) -> str:
    return str(label).replace(" ", "_")

"""Unfitted copies of an estimator."""

from __future__ import annotations

import copy
from contextlib import suppress
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import check_is_fitted


def unfitted_copy(estimator: Any) -> Any:
    """Return an unfitted estimator with the same parameters.

    scikit-learn's `clone` refuses an estimator that copies its parameters when it is made, such as
    the list of categorical columns of CatBoost, or takes them in a dict. Such a one is copied as it
    is. If it is fitted, it is made from its parameters, and compared with them.

    Raises
    ------
    ValueError
        If it is fitted, and cannot be made from its parameters.
    """
    with suppress(RuntimeError, TypeError):
        return clone(estimator)
    if not _is_fitted(estimator):
        return copy.deepcopy(estimator)
    try:
        return _made_anew(estimator)
    except TypeError as error:
        raise ValueError(
            f"{type(estimator).__name__} cannot be copied without its fit; pass one that is not "
            "fitted."
        ) from error


def _is_fitted(estimator: Any) -> bool:
    try:
        check_is_fitted(estimator)
    except NotFittedError:
        return False
    except Exception:  # noqa: BLE001  its tags raise
        return any(name.endswith("_") and not name.startswith("_") for name in vars(estimator))
    return True


def _made_anew(estimator: Any) -> Any:
    parameters = estimator.get_params(deep=False)
    made = type(estimator)(**{name: _copied(value) for name, value in parameters.items()})
    for name, value in made.get_params(deep=False).items():
        if name not in parameters or not _equal(value, parameters[name]):
            raise ValueError(
                f"{type(estimator).__name__} cannot be copied, because it changes its parameter "
                f"{name} when it is made; store what is passed as it is."
            )
    return made


def _copied(value: Any) -> Any:
    """Copy a parameter; estimators in it, also those in a list of named steps, unfitted."""
    if has_params(value):
        return unfitted_copy(value)
    if isinstance(value, (list, tuple)):
        return type(value)([_copied(one) for one in value])
    return copy.deepcopy(value)


def _equal(one: Any, other: Any) -> bool:
    if type(one) is not type(other):
        return False
    if has_params(one):
        return True  # it was compared when it was copied
    if isinstance(one, (list, tuple)):
        return len(one) == len(other) and all(map(_equal, one, other))
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(_equal(one[key], other[key]) for key in one)
    # Copies of objects that define no equality are not equal.
    without = "__eq__" not in {name for kind in type(one).__mro__[:-1] for name in vars(kind)}
    return without or repr(one) == repr(other) or np.array_equal(one, other)


def has_params(value: Any) -> bool:
    """Whether a value is an estimator, or another object with parameters."""
    return hasattr(value, "get_params") and not isinstance(value, type)

"""What every family of models needs to be read."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import check_is_fitted

from uqwidgets.predictive.adapters.options import Options
from uqwidgets.predictive.distributions import Distribution

Labels = npt.NDArray[Any]


@dataclass(frozen=True)
class Reading:
    """How a model is asked.

    Attributes
    ----------
    ask : callable
        ``ask(X)`` returns the distribution of the rows of ``X``.
    classes : ndarray of shape (k,) or None
        Labels of a classifier.
    uncertain : bool
        Whether it says more than a single value per row.
    """

    ask: Callable[[Any], Distribution]
    classes: Labels | None = None
    uncertain: bool = True


# Reads a model that stands inside another one.
Inner = Callable[[Any, Options], Reading]


def name_of(model: Any) -> str:
    """Class of a model, or name of a function; how many there are of several."""
    if isinstance(model, (list, tuple, dict)):
        each = list(model.values()) if isinstance(model, dict) else list(model)
        return f"{len(each)} x {name_of(each[0])}" if each else "no models"
    return str(getattr(model, "__name__", type(model).__name__))


def from_library(thing: Any, library: str, name: str | None = None) -> bool:
    """Whether this is of a class of that library, without importing the library."""
    return any(
        base.__module__.partition(".")[0] == library and name in (None, base.__name__)
        for base in type(thing).__mro__
    )


def labels_of(model: Any, given: Any) -> Labels | None:
    """Labels of a classifier's columns: those that are given, or its own ``classes_``.

    Raises
    ------
    ValueError
        If there are several targets or fewer than two classes, or what is given does not fit.
    """
    known = getattr(model, "classes_", None)
    if isinstance(known, list) and any(isinstance(c, np.ndarray) for c in known):
        raise ValueError("the model predicts several targets at once; wrap one of them.")
    own = None if known is None else _own(known)
    if given is None:
        return own
    labels = np.asarray(given)
    if labels.ndim != 1 or len(labels) < 2:
        raise ValueError(f"classes are {given!r}; they must be a list of at least two labels.")
    if own is not None and len(own) != len(labels):
        raise ValueError(
            f"classes has {len(labels)} labels but {name_of(model)} knows {len(own)}: "
            f"{', '.join(repr(c) for c in own.tolist())}."
        )
    if own is not None and set(own.tolist()) == set(labels.tolist()) and (own != labels).any():
        raise ValueError(
            f"classes are those of {name_of(model)} in another order; its columns are in the "
            f"order {', '.join(repr(c) for c in own.tolist())}."
        )
    return labels


def _own(classes: Any) -> Labels:
    labels = np.asarray(classes)
    if labels.ndim != 1:
        raise ValueError("the model predicts several targets at once; wrap one of them.")
    if len(labels) < 2:
        raise ValueError(
            f"the model knows the single class {labels.tolist()}; fit it on at least two."
        )
    return labels


def refuse_unfitted(model: Any) -> None:
    """Raise if scikit-learn, or the library the model is from, says that it was not fitted.

    Only of use where something is missing that fitting makes: not every library marks what it
    fitted in scikit-learn's way.
    """
    try:
        check_is_fitted(model)
    except NotFittedError:
        raise unfitted(model) from None
    except TypeError:  # no estimator in scikit-learn's sense: it cannot tell
        return


def unfitted(model: Any) -> NotFittedError:
    """Return the error for a model that was not fitted."""
    return NotFittedError(f"{name_of(model)} is not fitted; call its fit first.")


def one_column(values: Any) -> npt.NDArray[Any]:
    """Return predictions as an array; a table of one column as that column."""
    found = np.asarray(values)
    return found[:, 0] if found.ndim == 2 and found.shape[1] == 1 else found

"""The parts that all adapters share: their options, their row in the table, and their result."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import check_is_fitted

from uqwidgets._typing import Labels
from uqwidgets._utils.options import brief, is_real
from uqwidgets._utils.remarks import Remark
from uqwidgets.predictive.base import unmasked
from uqwidgets.predictive.distributions import Distribution


@dataclass(frozen=True, eq=False)
class Options:
    """The arguments of `as_predictive` except the model, each checked on its own."""

    classes: Any = None
    members: bool = False
    noise: float | None = None
    levels: Any = None
    samples: bool = False
    normalize: bool = False
    # Whether the classes are the labels of y, which its rows show, rather than passed by the user.
    of_target: bool = False
    # Whether the target of a model of counts is known to be no count, such as a rate.
    of_rates: bool = False

    def __post_init__(self) -> None:
        for name in ("members", "samples", "normalize"):
            if not isinstance(getattr(self, name), (bool, np.bool_)):
                raise TypeError(
                    f"{name} is {brief(getattr(self, name))}; it must be True or False."
                )
            object.__setattr__(self, name, bool(getattr(self, name)))
        if self.noise is not None:
            object.__setattr__(self, "noise", _positive(self.noise))
        if self.levels is not None:
            object.__setattr__(self, "levels", increasing_levels(self.levels))
        if self.samples and self.levels is not None:
            raise ValueError("samples and levels both say what the columns are; pass one of them.")

    def passed(self) -> list[str]:
        """Return the names of the options that differ from their defaults."""
        values = {
            f.name: getattr(self, f.name) for f in fields(self) if not f.name.startswith("of_")
        }
        return [name for name, value in values.items() if value is not None and value is not False]

    def allow_only(self, allowed: tuple[str, ...], reason: str) -> None:
        """Raise a `ValueError` if another option was passed than those that are allowed."""
        for name in self.passed():
            if name not in allowed:
                raise ValueError(f"{name} has no effect here, because {reason}.")


@dataclass(frozen=True)
class AdaptedModel:
    """A model behind the common interface: rows in, one distribution per row out.

    Attributes
    ----------
    distribution_of : callable
        ``distribution_of(X)`` returns the distribution of the rows of ``X``.
    classes : ndarray of shape (k,) or None
        Labels of a classifier.
    has_uncertainty : bool
        Whether the distribution holds more than a single value per row.
    remarks : tuple of Remark
        What a reader of results should know about how the model is read.
    around : callable or None
        ``around(wrapper)`` reads a model around this one by its own method of the same name, so
        that what a subclass changes there counts.
    is_predict : bool
        Whether the distribution holds what ``predict`` answers, so that both are the same.
    stored : Distribution or None
        Of the rows at hand, where there is no model.
    """

    distribution_of: Callable[[Any], Distribution]
    classes: Labels | None = None
    has_uncertainty: bool = True
    remarks: tuple[Remark, ...] = ()
    around: Callable[[Any], AdaptedModel] | None = None
    is_predict: bool = False
    stored: Distribution | None = None


# Adapts a model that is part of another one, such as the last step of a pipeline.
Adapt = Callable[[Any, Options], AdaptedModel]


@dataclass(frozen=True)
class Adapter:
    """One row of the table `ADAPTERS`: one family of models.

    Attributes
    ----------
    matches : callable
        ``matches(model, options)`` says whether a model belongs to the family.
    read : callable
        ``read(model, options, adapt)`` adapts such a model; ``adapt`` adapts its parts.
    options : tuple of str or None
        Options that have a meaning for the family; None passes all of them on to a part.
    reason : str
        Why other options have none, as a clause; ``{name}`` stands for the model.
    """

    matches: Callable[[Any, Options], bool]
    read: Callable[[Any, Options, Adapt], AdaptedModel]
    options: tuple[str, ...] | None = ()
    reason: str = "{name} gives a distribution of its own"

    def adapt(self, model: Any, options: Options, adapt: Adapt) -> AdaptedModel:
        """Adapt a model of this family.

        Raises
        ------
        ValueError
            If an option has no meaning for the family.
        """
        if self.options is not None:
            options.allow_only(self.options, self.reason.format(name=name_of(model)))
        return self.read(model, options, adapt)


def name_of(model: Any) -> str:
    """Return the class of a model or the name of a function; for several models, their number."""
    if isinstance(model, (list, tuple, dict)):
        models = list(model.values()) if isinstance(model, dict) else list(model)
        return f"{len(models)} x {name_of(models[0])}" if models else "no models"
    return str(getattr(model, "__name__", type(model).__name__))


def from_library(instance: Any, library: str, name: str | None = None) -> bool:
    """Whether the class of an instance, or a base of it, belongs to a library.

    The library is not imported.
    """
    return any(
        base.__module__.partition(".")[0] == library and name in (None, base.__name__)
        for base in type(instance).__mro__
    )


class NoLabelsError(TypeError):
    """A classifier does not name its classes."""


def offers(model: Any, name: str) -> bool:
    """Whether a model has a method; one whose lookup raises anything is not there."""
    try:
        return hasattr(model, name)
    except Exception:  # noqa: BLE001
        return False


def attribute(model: Any, name: str, default: Any = None) -> Any:
    """Return an attribute of a model; the default if it has none, or if reading it raises.

    Properties of models that are not fitted, or that a library does not finish, raise anything.
    """
    try:
        return getattr(model, name, default)
    except Exception:  # noqa: BLE001
        return default


def estimator_kind(model: Any) -> str:
    """Return what a model is by its tags, such as "classifier" or "clusterer"; "" without tags.

    They are those of scikit-learn 1.6, which an estimator gives by ``__sklearn_tags__``.
    """
    try:
        return str(model.__sklearn_tags__().estimator_type or "")
    except Exception:  # noqa: BLE001  a library's tags may raise anything
        return ""


def labels_of(model: Any, classes: Any) -> Labels | None:
    """Labels of a classifier's columns: ``classes`` if they are passed, else its ``classes_``.

    Raises
    ------
    ValueError
        If the model has several targets or fewer than two classes, or ``classes`` does not fit.
    """
    own = _own_labels(attribute(model, "classes_"))
    if classes is None:
        return own
    labels = np.asarray(classes)
    if labels.ndim != 1 or len(labels) < 2:
        raise ValueError(
            f"classes are {brief(classes)}; they must be a list of at least two labels."
        )
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


def _own_labels(classes: Any) -> Labels | None:
    several = isinstance(classes, list) and any(isinstance(c, np.ndarray) for c in classes)
    labels = np.empty((0, 0)) if several else np.asarray(classes)
    # A regressor of CatBoost has an empty list of classes.
    if classes is None or labels.shape == (0,):
        return None
    if labels.ndim != 1:
        raise ValueError(
            "the model predicts several targets at once; pass a function that predicts one of them."
        )
    if len(labels) < 2:
        raise ValueError(
            f"the model knows the single class {labels.tolist()}; fit it on at least two."
        )
    return labels


def refuse_unfitted(model: Any) -> None:
    """Raise a `NotFittedError` if scikit-learn, or the model's own library, says so.

    Call this only where an attribute that fitting creates is missing: not every library marks
    fitted models as scikit-learn does.
    """
    if not (from_library(model, "sklearn") or hasattr(type(model), "__sklearn_is_fitted__")):
        return
    try:
        check_is_fitted(model)
    except NotFittedError:
        raise unfitted(model) from None
    except Exception:  # noqa: BLE001  its tags raise: scikit-learn cannot tell
        return


def unfitted(model: Any) -> NotFittedError:
    """Return the error for a model that was not fitted."""
    return NotFittedError(f"{name_of(model)} is not fitted; call its fit first.")


def one_column(values: Any) -> npt.NDArray[Any]:
    """Return predictions as an array; a table of one column becomes that column."""
    array = np.asarray(unmasked(values))
    return array[:, 0] if array.ndim == 2 and array.shape[1] == 1 else array


def several_targets(name: str, count: int) -> str:
    """Return the sentence for a model that predicts several numbers for each row."""
    return (
        f"{name} predicts {count} numbers for each row; if they are targets, explain one of them: "
        "pass a function, such as lambda X: model.predict(X)[:, 0]; if they are probabilities, "
        "pass as_predictive(model, classes=[...])."
    )


def increasing_levels(levels: Any) -> npt.NDArray[np.float64]:
    """Return levels of quantiles as an array of shape (q,).

    Raises
    ------
    ValueError
        If they are not at least two increasing numbers between 0 and 1.
    """
    try:
        array = np.asarray(levels, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        array = np.empty(0)
    valid = array.ndim == 1 and len(array) > 1 and bool((array > 0).all() and (array < 1).all())
    if not valid or (np.diff(array) <= 0).any():
        raise ValueError(
            f"levels are {brief(levels)}; they must be at least two increasing numbers "
            "between 0 and 1."
        )
    return array


def _positive(noise: Any) -> float:
    if not is_real(noise) or not np.isfinite(noise) or noise <= 0:
        raise ValueError(
            f"noise is {brief(noise)}; it must be a number greater than zero: the standard "
            "deviation of the target around the prediction, in the target's units."
        )
    return float(noise)

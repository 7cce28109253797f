"""Read a predictive distribution off whatever a person has fitted."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from uqwidgets.predictive.distributions import Categorical, Distribution, Normal, Point


@dataclass(frozen=True)
class Predictive:
    """A model as the rest of the package sees it: rows in, one distribution out.

    Attributes
    ----------
    name : str
        Class or function name of the model.
    ask : callable
        ``ask(X)`` returns the distribution of the rows of ``X``.
    classes : ndarray of shape (k,) or None
        Labels of a classifier.
    wanted : tuple or None
        Column labels the model was fitted with, in its order.
    n_wanted : int or None
        Number of columns the model was fitted with.
    """

    name: str
    ask: Callable[[Any], Distribution]
    classes: npt.NDArray[Any] | None = None
    wanted: tuple[Any, ...] | None = None
    n_wanted: int | None = None

    def __call__(self, X: Any) -> Distribution:
        """Distribution of every row of ``X``.

        Raises
        ------
        ValueError
            If the model's answer is no valid distribution, or has another number of rows.
        """
        answer = self.ask(X)
        if len(answer) != len(X):
            raise ValueError(f"the model answered {len(answer)} rows for the {len(X)} asked.")
        return answer


def as_predictive(model: Any, classes: npt.ArrayLike | None = None) -> Predictive:
    """Wrap a fitted model so that it answers with a predictive distribution.

    Tried in this order: ``predict_distribution``; ``predict_proba``;
    ``predict(X, return_std=True)``; a plain function that returns a distribution, a
    ``(mean, std)`` tuple, a probability per class (2-D) or one value per row (1-D); plain
    ``predict``, which says nothing of uncertainty.

    Parameters
    ----------
    model : object or callable
        A fitted estimator or a function of ``X``.
    classes : array-like of shape (k,), optional
        Labels of the columns of probabilities, for a model that does not name them.

    Returns
    -------
    Predictive

    Raises
    ------
    TypeError
        If the model offers none of these.
    ValueError
        If a classifier knows fewer than two classes.
    """
    if isinstance(model, Predictive):
        return model
    if inspect.isclass(model):
        raise TypeError(f"{model.__name__} is a class; pass a fitted model, not its class.")
    known = getattr(model, "classes_", None)
    labels = None if known is None and classes is None else _labels(known, classes)
    if hasattr(model, "predict_distribution"):
        ask = model.predict_distribution
    elif hasattr(model, "predict_proba"):
        if labels is None:
            raise TypeError(
                f"{type(model).__name__} has predict_proba but no classes_; "
                "pass as_predictive(model, classes=[...])."
            )
        ask = _probabilities(model, labels)
    elif _gives_std(model):
        labels, ask = None, _mean_and_std(model)
    elif callable(model) and not hasattr(model, "predict"):
        ask = _function(model, labels)
    elif hasattr(model, "predict"):
        ask = _plain(model)
    else:
        raise TypeError(
            f"{type(model).__name__} has neither predict_proba nor predict and is no function; "
            "pass a fitted model."
        )
    wanted = getattr(model, "feature_names_in_", None)
    return Predictive(
        name=getattr(model, "__name__", type(model).__name__),
        ask=ask,
        classes=labels,
        wanted=None if wanted is None else tuple(wanted),
        n_wanted=getattr(model, "n_features_in_", None),
    )


def _labels(known: Any, given: npt.ArrayLike | None) -> npt.NDArray[Any]:
    several = isinstance(known, list) and any(isinstance(c, np.ndarray) for c in known)
    labels = np.empty((0, 0)) if several else np.asarray(known if known is not None else given)
    if labels.ndim != 1:
        raise ValueError("the model predicts several targets at once; wrap one of them.")
    if len(labels) < 2:
        raise ValueError(
            f"the model knows the single class {labels.tolist()}; fit it on at least two."
        )
    return labels


def _probabilities(model: Any, classes: npt.NDArray[Any]) -> Callable[[Any], Distribution]:
    return lambda X: Categorical(model.predict_proba(X), classes)


def _mean_and_std(model: Any) -> Callable[[Any], Distribution]:
    return lambda X: Normal(*model.predict(X, return_std=True))


def _plain(model: Any) -> Callable[[Any], Distribution]:
    return lambda X: Point(model.predict(X))


def _function(
    function: Callable[[Any], Any], classes: npt.NDArray[Any] | None
) -> Callable[[Any], Distribution]:
    def ask(X: Any) -> Distribution:
        answer = function(X)
        if isinstance(answer, Distribution):
            return answer
        if isinstance(answer, tuple) and len(answer) == 2:
            return Normal(*answer)
        values = np.asarray(answer)
        if values.ndim == 2 and classes is not None:
            return Categorical(values, classes)
        return Point(values)

    return ask


def _gives_std(model: Any) -> bool:
    # A Pipeline hands keyword arguments of predict to its last step, whose signature decides.
    steps = getattr(model, "steps", None)
    last = steps[-1][1] if steps else model
    predict = getattr(last, "predict", None)
    if predict is None:
        return False
    try:
        return "return_std" in inspect.signature(predict).parameters
    except (TypeError, ValueError):  # built-in without a signature
        return False

"""Networks whose members are fixed once they are fitted, with scikit-learn's interface."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, Literal, Self

import numpy as np
import numpy.typing as npt
import pandas as pd
import torch
from scipy.special import softmax
from sklearn.base import BaseEstimator
from sklearn.metrics import accuracy_score, r2_score
from sklearn.utils import ClassifierTags, RegressorTags
from sklearn.utils.metaestimators import available_if
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from uqwidgets._typing import Floats
from uqwidgets.predictive.categorical import Categorical, class_codes
from uqwidgets.predictive.mixture import Mixture
from uqwidgets.predictive.normal import Normal
from uqwidgets.predictive.torch.training import counts, positive

Task = Literal["regression", "classification"]

# Every forward pass has this many rows, padded where there are fewer. Linear algebra libraries
# choose their order of summation by the shape of the input, but a row must get the same answer to
# the last bit, whatever the other rows are. It is a multiple of the width of vector instructions.
ROWS = 32


@dataclass(frozen=True)
class Scale:
    """Standardisation of the features, or of a numeric target.

    Attributes
    ----------
    mean, std : ndarray of shape (p,) or ()
    """

    mean: Floats
    std: Floats

    @classmethod
    def of(cls, values: Floats) -> Self:
        """Standardise to zero mean and unit variance; a constant column is only centred."""
        std = values.std(axis=0)
        return cls(values.mean(axis=0), np.where(std > 0, std, 1.0))

    @classmethod
    def none(cls) -> Self:
        """Leave the units alone."""
        return cls(np.array(0.0), np.array(1.0))

    def tensor(self, values: Floats) -> torch.Tensor:
        """Standardised values in single precision."""
        return torch.as_tensor((values - self.mean) / self.std, dtype=torch.float32)


@dataclass(frozen=True)
class Numbers:
    """The target of a regression.

    Attributes
    ----------
    scale : Scale
        Standardisation of the network's output.
    """

    scale: Scale
    n_outputs = 1

    def tensor(self, y: Floats) -> torch.Tensor:
        """Return the standardised target, shape (n,)."""
        return self.scale.tensor(y)

    def means(self, outputs: Floats) -> Floats:
        """Members' means in the target's units, shape (n, m), from outputs (n, m, 1)."""
        return np.asarray(self.scale.mean + self.scale.std * outputs[:, :, 0])


@dataclass(frozen=True)
class Labels:
    """The target of a classification.

    Attributes
    ----------
    classes : ndarray of shape (k,)
    """

    classes: npt.NDArray[Any]

    @property
    def n_outputs(self) -> int:
        """One logit for each class."""
        return len(self.classes)

    def tensor(self, y: npt.NDArray[Any]) -> torch.Tensor:
        """Positions of the labels among the classes, shape (n,)."""
        return torch.as_tensor(class_codes(y, self.classes))


class FixedEnsemble(BaseEstimator, ABC):  # type: ignore[misc]
    """A network with a fixed number of members, each of which predicts every row.

    Subclasses set `n_samples`, `precision`, `task` and `random_state`.
    """

    n_samples: int
    precision: float | None
    task: Task | None

    def fit(self, X: Any, y: npt.ArrayLike) -> Self:
        """Fit the network and fix its members.

        Parameters
        ----------
        X : DataFrame or array-like of shape (n, p)
            Finite numbers.
        y : array-like of shape (n,)
            Numbers or labels, see ``task``.

        Returns
        -------
        self

        Raises
        ------
        ValueError
            If X or y cannot be used, a setting is out of range, or training diverges.
        """
        self._check_settings()
        is_categorical = isinstance(getattr(y, "dtype", None), pd.CategoricalDtype)
        X, y = validate_data(self, X, y, dtype=np.float64, ensure_min_samples=2)
        values = np.asarray(y)
        task = "classification" if is_categorical and self.task is None else self.task
        self.task_ = _task_of(values, task)
        if self.task_ == "regression":
            self.__dict__.pop("classes_", None)
            values = _numbers(values)
        else:
            self.classes_ = _classes(values)
            if self.precision is not None:
                raise ValueError("precision is that of a regression; y holds classes.")
        self._fit(X, values)
        return self

    def predict_distribution(self, X: Any) -> Mixture:
        """Predictive distribution of each row.

        Parameters
        ----------
        X : DataFrame or array-like of shape (n, p)

        Returns
        -------
        Mixture
            Of `Normal` in a regression and of `Categorical` in a classification, with
            ``n_samples`` members.

        Raises
        ------
        NotFittedError
            If it was not fitted.
        ValueError
            If X does not have the columns it was fitted with.
        """
        check_is_fitted(self)
        X = validate_data(self, X, reset=False, dtype=np.float64)
        if self.task_ == "regression":
            return _normal_mixture(self._means(X), self.precision_)
        return _categorical_mixture(self._outputs(X), self.classes_)

    def predict(self, X: Any) -> npt.NDArray[Any]:
        """Mean of the distribution, or its most probable class, shape (n,)."""
        q = self.predict_distribution(X)
        return q.mean() if q.classes is None else np.asarray(q.classes[q.mode()])

    @available_if(  # type: ignore[untyped-decorator]
        lambda self: getattr(self, "task_", self.task) != "regression"
    )
    def predict_proba(self, X: Any) -> Floats:
        """Probability of each class, shape (n, k), of a classification."""
        return self.predict_distribution(X).probabilities

    def score(self, X: Any, y: npt.ArrayLike, sample_weight: npt.ArrayLike | None = None) -> float:
        """Accuracy of a classification, or R2 of a regression, as in scikit-learn."""
        answers = self.predict(X)
        metric = r2_score if self.task_ == "regression" else accuracy_score
        return float(metric(y, answers, sample_weight=sample_weight))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        task = getattr(self, "task_", self.task)
        if task == "regression":
            tags.estimator_type, tags.regressor_tags = "regressor", RegressorTags()
        elif task == "classification":
            tags.estimator_type, tags.classifier_tags = "classifier", ClassifierTags()
        return tags

    @abstractmethod
    def _fit(self, X: Floats, y: npt.NDArray[Any]) -> None:
        """Fit the members and, in a regression, ``precision_``."""

    @abstractmethod
    def _members(self, rows: torch.Tensor) -> torch.Tensor:
        """Output of each member for `ROWS` rows, shape (m, `ROWS`, outputs)."""

    def _check_settings(self) -> None:
        counts(self, "n_samples")
        if self.precision is not None:
            positive(self, "precision")

    def _set_scales(self, X: Floats, y: npt.NDArray[Any], *, scaled: bool = True) -> None:
        """Choose the standardisation of features and target."""
        self.scale_ = Scale.of(X) if scaled else Scale.none()
        self.target_: Numbers | Labels
        if self.task_ == "classification":
            self.target_ = Labels(self.classes_)
        else:
            self.target_ = Numbers(Scale.of(y) if scaled else Scale.none())

    def _outputs(self, X: Floats) -> Floats:
        """Return the outputs of all members, shape (n, m, outputs)."""
        with torch.inference_mode():
            answers = [
                self._members(padded(rows))[:, : len(rows)].transpose(0, 1)
                for rows in self.scale_.tensor(X).split(ROWS)
            ]
            return np.asarray(torch.cat(answers), dtype=np.float64)

    def _means(self, X: Floats) -> Floats:
        """Means of all members in a regression, shape (n, m), in the units of the target."""
        assert isinstance(self.target_, Numbers)
        return self.target_.means(self._outputs(X))


def _numbers(y: npt.NDArray[Any]) -> Floats:
    try:
        return y.astype(np.float64)
    except (TypeError, ValueError):
        raise ValueError(
            f"y holds {y.tolist()[0]!r}, which is not a number; pass task='classification'."
        ) from None


def _classes(y: npt.NDArray[Any]) -> npt.NDArray[Any]:
    check_classification_targets(y)
    classes = np.unique(y)
    if len(classes) < 2:
        raise ValueError(
            f"y holds only 1 class, {classes.tolist()[0]!r}; it must hold two or more."
        )
    return classes


def padded(rows: torch.Tensor) -> torch.Tensor:
    """Return these rows (n, p), padded to `ROWS` rows by copies of the last one."""
    return torch.cat([rows, rows[-1:].expand(ROWS - len(rows), -1)])


def repeated(rows: torch.Tensor, members: int) -> torch.Tensor:
    """Repeat the rows for each member, one member after another."""
    return rows.expand(members, *rows.shape).flatten(0, 1)


def _normal_mixture(means: Floats, precision: float) -> Mixture:
    """Mixture of members with means (n, m), one precision (Gal and Ghahramani 2016, section 4)."""
    return Mixture(Normal(means, np.full(means.shape, precision**-0.5)))


def _categorical_mixture(logits: Floats, classes: npt.NDArray[Any]) -> Mixture:
    """Mixture of members with logits (n, m, k)."""
    return Mixture(Categorical(softmax(logits, axis=-1), classes))


def _task_of(y: npt.NDArray[Any], task: Task | None) -> Task:
    """Task that the user chose, or else the one that the values of ``y`` imply.

    Raises
    ------
    ValueError
        If no task was chosen and y holds more than two different whole numbers.
    """
    if task is not None:
        if task not in ("regression", "classification"):
            raise ValueError(f"task must be 'regression' or 'classification', not {task!r}.")
        return task
    if y.dtype.kind not in "iuf" or len(np.unique(y)) <= 2:
        return "classification"
    if (y != np.round(y)).any():
        return "regression"
    raise ValueError(
        "y holds whole numbers, which may be values or classes; pass task='regression' or "
        "task='classification'."
    )

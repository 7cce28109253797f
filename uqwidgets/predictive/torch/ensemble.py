"""Networks whose members are fixed once they are fitted, in scikit-learn's manners."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, Self

import numpy as np
import numpy.typing as npt
import pandas as pd
import torch
from sklearn.base import BaseEstimator
from sklearn.metrics import accuracy_score, r2_score
from sklearn.utils import ClassifierTags, RegressorTags
from sklearn.utils.metaestimators import available_if
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from uqwidgets._typing import Floats
from uqwidgets.predictive.mixture import Mixture
from uqwidgets.predictive.torch.passes import ROWS, filled_up
from uqwidgets.predictive.torch.targets import (
    Labels,
    Numbers,
    Scale,
    Task,
    categorical_mixture,
    normal_mixture,
    task_of,
)
from uqwidgets.predictive.torch.training import positive


class FixedEnsemble(BaseEstimator, ABC):  # type: ignore[misc]
    """A network with a fixed number of members, each of which answers every row.

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
        labelled = isinstance(getattr(y, "dtype", None), pd.CategoricalDtype)
        X, y = validate_data(self, X, y, dtype=np.float64, ensure_min_samples=2)
        values = np.asarray(y)
        wanted = "classification" if labelled and self.task is None else self.task
        self.task_ = task_of(values, wanted)
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
            return normal_mixture(self._means(X), self.precision_)
        return categorical_mixture(self._outputs(X), self.classes_)

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
        """Accuracy, or the coefficient of determination of a regression, as scikit-learn has it."""
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
        """Fit the members, and the noise of a regression as ``precision_``."""

    @abstractmethod
    def _members(self, rows: torch.Tensor) -> torch.Tensor:
        """Output of each member for `ROWS` rows, shape (m, `ROWS`, outputs)."""

    def _check_settings(self) -> None:
        positive(self, "n_samples")
        if self.precision is not None:
            positive(self, "precision")

    def _set_units(self, X: Floats, y: npt.NDArray[Any], *, scaled: bool = True) -> None:
        """Fix the units in which the network sees features and target."""
        self.scale_ = Scale.of(X) if scaled else Scale.none()
        self.target_: Numbers | Labels
        if self.task_ == "classification":
            self.target_ = Labels(self.classes_)
        else:
            self.target_ = Numbers(Scale.of(y) if scaled else Scale.none())

    def _outputs(self, X: Floats) -> Floats:
        """Ask all members, shape (n, m, outputs)."""
        with torch.inference_mode():
            answers = [
                self._members(filled_up(rows))[:, : len(rows)].transpose(0, 1)
                for rows in self.scale_.tensor(X).split(ROWS)
            ]
            return np.asarray(torch.cat(answers), dtype=np.float64)

    def _means(self, X: Floats) -> Floats:
        """Ask all members of a regression, shape (n, m), in the units of the target."""
        assert isinstance(self.target_, Numbers)
        return self.target_.means(self._outputs(X))


def _numbers(y: npt.NDArray[Any]) -> Floats:
    try:
        return y.astype(np.float64)
    except (TypeError, ValueError):
        raise ValueError(
            f"y holds {y.tolist()[0]!r}, which is no number; pass task='classification'."
        ) from None


def _classes(y: npt.NDArray[Any]) -> npt.NDArray[Any]:
    check_classification_targets(y)
    classes = np.unique(y)
    if len(classes) < 2:
        raise ValueError(
            f"y holds only 1 class, {classes.tolist()[0]!r}; it must hold two or more."
        )
    return classes

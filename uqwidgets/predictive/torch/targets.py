"""What a network is fitted to: numbers in their own units, or labels."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, Self

import numpy as np
import numpy.typing as npt
import torch
from scipy.special import softmax

from uqwidgets._typing import Floats
from uqwidgets.predictive.categorical import Categorical, class_codes
from uqwidgets.predictive.mixture import Mixture
from uqwidgets.predictive.normal import Normal

Task = Literal["regression", "classification"]


@dataclass(frozen=True)
class Scale:
    """Centre and unit in which a network sees columns, or one column."""

    mean: Floats
    std: Floats

    @classmethod
    def of(cls, values: Floats) -> Self:
        """Zero mean and unit variance; a constant column is only centred."""
        std = values.std(axis=0)
        return cls(values.mean(axis=0), np.where(std > 0, std, 1.0))

    @classmethod
    def none(cls) -> Self:
        """Leave the units alone."""
        return cls(np.array(0.0), np.array(1.0))

    def tensor(self, values: Floats) -> torch.Tensor:
        """Values in this unit, in single precision."""
        return torch.as_tensor((values - self.mean) / self.std, dtype=torch.float32)


@dataclass(frozen=True)
class Numbers:
    """The target of a regression.

    Attributes
    ----------
    scale : Scale
        The unit of the network's output.
    """

    scale: Scale
    n_outputs = 1

    def tensor(self, y: Floats) -> torch.Tensor:
        """Return the target as the network sees it, shape (n,)."""
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


def normal_mixture(means: Floats, precision: float) -> Mixture:
    """Members of these means (n, m) and one noise: Gal and Ghahramani 2016, section 4."""
    return Mixture(Normal(means, np.full(means.shape, precision**-0.5)))


def categorical_mixture(logits: Floats, classes: npt.NDArray[Any]) -> Mixture:
    """Members of these logits (n, m, k)."""
    return Mixture(Categorical(softmax(logits, axis=-1), classes))


def task_of(y: npt.NDArray[Any], wanted: Task | None) -> Task:
    """Whether ``y`` holds numbers to predict or labels, as said or as can be seen.

    Raises
    ------
    ValueError
        If it was not said and whole numbers, more than two of them, could be either.
    """
    if wanted is not None:
        if wanted not in ("regression", "classification"):
            raise ValueError(f"task must be 'regression' or 'classification', not {wanted!r}.")
        return wanted
    if y.dtype.kind not in "iuf" or len(np.unique(y)) <= 2:
        return "classification"
    if (y != np.round(y)).any():
        return "regression"
    raise ValueError(
        "y holds whole numbers, which may be values or classes; pass task='regression' or "
        "task='classification'."
    )

"""What is asked alike of the truth and of every model: a curve, or the importance of features."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from uqwidgets._typing import Floats
from uqwidgets.dependence import CurveTransform, dependence
from uqwidgets.dependence.grids import Grid
from uqwidgets.explainer.explainer import Explainer
from uqwidgets.inference.population import Population


class Question(Protocol):
    """Something of which every explainer has an estimate."""

    @property
    def measure(self) -> Any:
        """Name or function."""
        ...

    @property
    def points(self) -> npt.NDArray[Any]:
        """Values, or features, that the k answers are of."""
        ...

    def answer(self, explainer: Explainer) -> tuple[Floats, Floats]:
        """Estimates and their standard errors over rows, both of shape (k,)."""
        ...


@dataclass(frozen=True, eq=False)
class Curve:
    """Partial dependence at values of one feature.

    Attributes
    ----------
    grid : Grid
    measure : str or callable
    """

    grid: Grid
    measure: Any

    @property
    def points(self) -> npt.NDArray[Any]:
        """Values of the feature."""
        return self.grid.values

    def answer(self, explainer: Explainer) -> tuple[Floats, Floats]:
        """Average of the curves of all rows."""
        found = dependence(
            explainer.evaluations,
            explainer.measure(self.measure),
            self.grid,
            Population.of(len(explainer.table)),
            form=CurveTransform.of(False, False, False),
            level=0.95,
        )
        return found.average, found.std_error


@dataclass(frozen=True, eq=False)
class Ranks:
    """Importance of features.

    Attributes
    ----------
    units : tuple of str
    measure : str or callable
    replacement : str
    n_repeats : int or "all"
    """

    units: tuple[str, ...]
    measure: Any
    replacement: str
    n_repeats: int | str

    @property
    def points(self) -> npt.NDArray[Any]:
        """Names of the features."""
        return np.array(self.units, dtype=object)

    def answer(self, explainer: Explainer) -> tuple[Floats, Floats]:
        """Give the importance of each, in the order of the units."""
        found = explainer.importance(
            self.measure, self.units, replacement=self.replacement, n_repeats=self.n_repeats
        )
        order = np.array([found.features.index(unit) for unit in self.units])
        return found.importance[order], found.std_error[order]

"""The part of an explainer that compares: two models, two groups of rows, two classes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, cast

import numpy as np
import numpy.typing as npt

from uqwidgets._utils.choices import unknown
from uqwidgets._utils.options import brief
from uqwidgets.explainer.base import ExplainerBase
from uqwidgets.explainer.comparison.classes import ClassComparison
from uqwidgets.explainer.comparison.models import ModelComparison
from uqwidgets.explainer.comparison.rows import RowsComparison

if TYPE_CHECKING:
    from uqwidgets.explainer.explainer import Explainer


def _checked_names(names: tuple[str, str]) -> tuple[str, str]:
    """Return the names of both sides as texts, which differ."""
    if isinstance(names, str) or not isinstance(names, Sequence) or len(names) != 2:
        raise ValueError(f"names is {brief(names)}; give two names, such as ('old', 'new').")
    first, second = map(str, names)
    if first == second:
        raise ValueError(f"names is {brief(names)}; give two different names.")
    return first, second


class Comparing(ExplainerBase):
    """The part of `uqwidgets.Explainer` that compares models, groups of rows, and classes."""

    def compare(
        self, other: Explainer, *, names: tuple[str, str] = ("first", "second")
    ) -> ModelComparison:
        """Compare this model with another one of the same rows, by paired differences.

        The two need not have the same features: importance and curves are of those that both have,
        and a remark names the others.

        Parameters
        ----------
        other : Explainer
            Of the same rows in the same order, and the same target.
        names : tuple of (str, str), default=("first", "second")
            Of this model and of the other, for headings and remarks.

        Returns
        -------
        ModelComparison
            With the methods `importance`, `dependence`, `stress` and `scores`.

        Raises
        ------
        TypeError
            If ``other`` is no explainer.
        ValueError
            If the rows or the targets differ, or one model predicts classes and the other numbers.

        See Also
        --------
        Learner.compare : Compares two procedures, with refitting.

        References
        ----------
        Hoeffding 1948; Wood et al. 2024, eq. 5.

        Examples
        --------
        >>> import numpy as np
        >>> import uqwidgets as uq
        >>> X = np.random.default_rng(0).normal(size=(100, 2))
        >>> one, two = (uq.Explainer(lambda X, b=b: b * X[:, 0], X, X[:, 0]) for b in (1, 0.5))
        >>> one.compare(two).importance("squared_error").frame["feature"].tolist()
        ['x0', 'x1']
        """
        if not isinstance(other, Comparing):
            raise TypeError(
                f"other is {type(other).__name__}; pass an Explainer of the same rows, such as "
                "uq.Explainer(model, X, y)."
            )
        own = cast("Explainer", self)
        return ModelComparison(own, other, _checked_names(names))

    def compare_rows(
        self,
        rows: npt.ArrayLike,
        other_rows: npt.ArrayLike | None = None,
        *,
        names: tuple[str, str] = ("chosen rows", "other rows"),
        sample_weight: npt.ArrayLike | None = None,
    ) -> RowsComparison:
        """Compare the model in some rows with the same model in others.

        Parameters
        ----------
        rows : array-like
            A mask or the positions of the first group of rows.
        other_rows : array-like, optional
            Those of the second group, which may share rows with the first; by default all that are
            not in the first.
        names : tuple of (str, str), default=("chosen rows", "other rows")
            Of both groups, for headings and remarks.
        sample_weight : array-like of shape (n,), optional
            Weights of all rows that describe a population, stress included.

        Returns
        -------
        RowsComparison
            With the methods `importance`, `dependence`, `stress` and `scores`.

        Raises
        ------
        ValueError
            If a group has no row, or the names are the same.

        See Also
        --------
        Explainer.compare : Two models in the same rows.
        Explainer.compare_classes : Two classes of one model.

        References
        ----------
        Hoeffding 1948; Wood et al. 2024, eq. 5.

        Examples
        --------
        >>> import numpy as np
        >>> import uqwidgets as uq
        >>> X = np.random.default_rng(0).normal(size=(100, 2))
        >>> explainer = uq.Explainer(lambda X: X[:, 0], X, X[:, 0] + X[:, 1])
        >>> explainer.compare_rows(np.arange(40), names=("first forty", "rest"))
        RowsComparison(first forty, rest; 40 and 60 rows)
        """
        n = len(self.table)
        first = self.table.population(sample_weight, rows)
        if other_rows is None:
            others = np.setdiff1d(np.arange(n), first.positions)
            if not len(others):
                raise ValueError(
                    "rows chooses every row, so none is left to compare with; choose some of them."
                )
            other_rows = others
        second = self.table.population(sample_weight, other_rows)
        own = cast("Explainer", self)
        return RowsComparison(own, (first, second), _checked_names(names))

    def compare_classes(self, first: object, second: object) -> ClassComparison:
        """Compare two classes of the model in the same rows, by paired differences.

        Parameters
        ----------
        first, second : label of a class
            Of a model that gives probabilities.

        Returns
        -------
        ClassComparison
            With the methods `importance`, `dependence` and `stress`.

        Raises
        ------
        ValueError
            If the model gives no probabilities, a class does not exist, or both are the same.

        See Also
        --------
        Explainer.compare : Two models in the same rows.
        Explainer.compare_rows : One model in two groups of rows.

        References
        ----------
        Hoeffding 1948; Wood et al. 2024, eq. 5.

        Examples
        --------
        >>> import numpy as np
        >>> from sklearn.linear_model import LogisticRegression
        >>> import uqwidgets as uq
        >>> X = np.random.default_rng(0).normal(size=(60, 2))
        >>> y = np.digitize(X[:, 0], [-0.5, 0.5])
        >>> explainer = uq.Explainer(LogisticRegression().fit(X, y), X, y)
        >>> explainer.compare_classes(2, 0)
        ClassComparison(2, 0; 60 rows)
        """
        if self.classes is None:
            raise ValueError("the model predicts numbers; only a classifier has classes.")
        labels = [str(label) for label in self.classes]
        names = str(first), str(second)
        for name in names:
            if name not in labels:
                raise ValueError(unknown("class", name, labels))
            self.measure(f"probability:{name}")  # raises if there are no probabilities
        if names[0] == names[1]:
            raise ValueError(f"both classes are {names[0]!r}; give two different ones.")
        return ClassComparison(cast("Explainer", self), names)

"""A model as the rest of the package sees it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy.typing as npt

from uqwidgets._utils.remarks import Remark
from uqwidgets.predictive.adapters.columns import FittedColumns
from uqwidgets.predictive.distributions import Categorical, Distribution, Normal
from uqwidgets.predictive.rows_of_answers import answers_to


@dataclass(frozen=True)
class Predictive:
    """A model behind a common interface: rows in, one predictive distribution per row out.

    `as_predictive` makes it.

    Attributes
    ----------
    name : str
        Class or function name of the model.
    distribution_of : callable
        ``distribution_of(X)`` returns the distribution of the rows of ``X``.
    classes : ndarray of shape (k,) or None
        Labels of a classifier.
    columns : FittedColumns
        Columns the model was fitted with.
    remarks : tuple of Remark
        What a reader of results should know about how the model is read.
    own_predict : callable or None
        The model's own ``predict``, one value per row, where it may differ from the most probable
        class or the mean of the distribution. Labels and predicted numbers are then compared with
        it, and follow it. None where there is none, or both agree by construction.
    stored : Distribution or None
        Of the rows at hand, where there is no model that could predict others.

    See Also
    --------
    as_predictive : Makes one from a fitted model.

    Examples
    --------
    >>> import numpy as np
    >>> import uqwidgets as uq
    >>> predictive = uq.as_predictive(lambda X: (X[:, 0], np.full(len(X), 0.5)))
    >>> predictive(np.array([[1.0], [2.0]])).mean()
    array([1., 2.])
    """

    name: str
    distribution_of: Callable[[Any], Distribution] = field(repr=False)
    classes: npt.NDArray[Any] | None = None
    columns: FittedColumns = field(default_factory=FittedColumns, repr=False)
    remarks: tuple[Remark, ...] = ()
    own_predict: Callable[[Any], npt.NDArray[Any]] | None = field(default=None, repr=False)
    stored: Distribution | None = field(default=None, repr=False)

    @property
    def feature_names(self) -> tuple[Any, ...] | None:
        """Column labels the model was fitted with, in its order; None where it needs none.

        Examples
        --------
        >>> import uqwidgets as uq
        >>> uq.as_predictive(lambda X: X[:, 0]).feature_names is None
        True
        """
        return self.columns.required

    @property
    def n_features(self) -> int | None:
        """Number of columns the model was fitted with, as far as it is known.

        Examples
        --------
        >>> import numpy as np
        >>> from sklearn.linear_model import LinearRegression
        >>> import uqwidgets as uq
        >>> uq.as_predictive(LinearRegression().fit(np.eye(3), [1, 2, 3])).n_features
        3
        """
        return self.columns.count

    def __call__(self, X: Any) -> Distribution:
        """Predictive distribution of every row of ``X``.

        Parameters
        ----------
        X : DataFrame or array of shape (n, p)

        Returns
        -------
        Categorical, Normal, Poisson, NegativeBinomial, Mixture, Quantiles or Point
            Of n rows.

        Raises
        ------
        ValueError
            If the model's answer is no valid distribution, or has another number of rows or
            other labels of rows.
        """
        rows = len(X)  # counted first, since some models change X
        with answers_to(X):
            answer = self.distribution_of(X)
        if len(answer) != rows:
            raise ValueError(
                f"the model returned {len(answer)} rows for {rows} rows; it must return as many."
            )
        _refuse_several_targets(answer)
        return answer


def _refuse_several_targets(answer: Distribution) -> None:
    # One axis more than rows and classes is right only for the members of a mixture.
    if isinstance(answer, Normal) and answer.loc.ndim == 2:
        shape, expected = answer.loc.shape, "(rows,)"
    elif isinstance(answer, Categorical) and answer.probabilities.ndim == 3:
        shape, expected = answer.probabilities.shape, "(rows, classes)"
    else:
        return
    raise ValueError(
        f"the model's answer of shape {shape} must be {expected}: if it predicts several targets, "
        "wrap one of them; if they are members of an ensemble, make a Mixture of them."
    )

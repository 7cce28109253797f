"""The method of an explainer that returns replaced rows."""

from __future__ import annotations

from typing import Any

from uqwidgets._utils.choices import as_names
from uqwidgets._utils.options import check_callback
from uqwidgets.evaluation.progress import ProgressCallback
from uqwidgets.evaluation.replaced import Replaced, replaced_rows
from uqwidgets.evaluation.replacement import checked_scheme
from uqwidgets.explainer.base import ExplainerBase
from uqwidgets.importance.settings import checked_repeats


class Replacing(ExplainerBase):
    """The part of `uqwidgets.Explainer` that returns the rows with replaced values."""

    def replaced(
        self,
        feature: str,
        measures: Any = (),
        *,
        replacement: str = "permutation",
        n_repeats: int = 1,
        callback: ProgressCallback | None = None,
    ) -> Replaced:
        """Return all rows with the values of a feature replaced, and the model's answers.

        They are the rows that `importance` averages over, with the same donors, so a row that was
        evaluated is not evaluated again.

        Parameters
        ----------
        feature : str
            A feature, or a group of features that move together.
        measures : str, function or sequence of these, optional
            Measures whose values before and after the replacement the frame has.
        replacement : {"permutation", "ablation", "conditional"}, default="permutation"
            As in `importance`.
        n_repeats : int, default=1
            The first repeats of `importance`.
        callback : callable, optional
            Called with a `Progress` after every block of model calls.

        Returns
        -------
        Replaced
            The rows, their donors and their predictive distributions.

        Raises
        ------
        ValueError
            For a name that does not exist, or a value out of range.

        See Also
        --------
        Explainer.importance : The mean change over these rows, with an interval.

        References
        ----------
        Wood et al. 2024, figure 1.

        Examples
        --------
        Where the features disagree, the model is less sure.

        >>> import numpy as np
        >>> import uqwidgets as uq
        >>> x = np.random.default_rng(0).normal(size=100)
        >>> X = np.column_stack([x, x])
        >>> def model(X):
        ...     return X[:, 0], 1 + abs(X[:, 0] - X[:, 1])
        >>> replaced = uq.Explainer(model, X, x).replaced("x1", "entropy")
        >>> replaced.X.shape, replaced.donors.shape
        ((100, 2), (1, 100))
        >>> entropy = replaced.frame[["entropy_before", "entropy"]].mean()
        >>> entropy.round(1).tolist()
        [1.4, 2.1]
        """
        check_callback(callback)
        names = as_names(measures, "measures", may_be_empty=True)
        (name,) = self.table.named_features([feature])
        repeats = checked_repeats(n_repeats)
        if repeats == "all":
            raise ValueError("n_repeats is 'all', and replaced rows need a number of repeats.")
        return replaced_rows(
            self.evaluations,
            name,
            [self.measure(name) for name in names],
            checked_scheme(replacement),
            repeats,
            self.seed,
            callback,
        )

"""A model as the rest of the package sees it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy.typing as npt

from uqwidgets.predictive.distributions import Categorical, Distribution, Normal


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
        rows = len(X)  # some models change what they are asked
        answer = self.ask(X)
        if len(answer) != rows:
            raise ValueError(f"the model answered {len(answer)} rows for the {rows} asked.")
        _refuse_several(answer)
        return answer

    def columns_among(self, columns: Iterable[Any]) -> list[Any]:
        """Which of these columns of a table the model was fitted with, in its order.

        Libraries change names: XGBoost and LightGBM turn numbers into text, LightGBM blanks
        into underscores. A name that is not there as it is, is looked for as they write it.

        Parameters
        ----------
        columns : iterable of label

        Returns
        -------
        list of label

        Raises
        ------
        ValueError
            If one is missing.
        """
        there = dict.fromkeys(columns)
        written = {_as_libraries_write(c): c for c in there}
        found: list[Any] = []
        missing: list[Any] = []
        for name in self.wanted if self.wanted is not None else there:
            if name in there:
                found.append(name)
            elif isinstance(name, str) and name in written:
                found.append(written[name])
            else:
                missing.append(name)
        if missing:
            raise ValueError(
                f"X has no column {missing[0]!r}, which the model was fitted with"
                + (f" ({len(missing)} are missing in all)" if len(missing) > 1 else "")
                + "; pass the columns that the model was fitted on."
            )
        return found


def _as_libraries_write(label: Any) -> str:
    return str(label).replace(" ", "_")


def _refuse_several(answer: Distribution) -> None:
    # Members of a mixture have an axis more; alone they are the answers to several targets.
    if isinstance(answer, Normal) and answer.loc.ndim == 2:
        shape, expected = answer.loc.shape, "(rows,)"
    elif isinstance(answer, Categorical) and answer.probabilities.ndim == 3:
        shape, expected = answer.probabilities.shape, "(rows, classes)"
    else:
        return
    raise ValueError(
        f"the model's answer of shape {shape} must be {expected}: if it predicts several targets, "
        "wrap one of them; if these are members of an ensemble, make a Mixture of them."
    )

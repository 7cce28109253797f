"""Rows of answers: a Series or DataFrame that a model returns, in the order of its batch."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

import pandas as pd

# Labels of the rows that the model is asked about at the moment.
_ASKED: ContextVar[pd.Index[Any] | None] = ContextVar("_ASKED", default=None)
# Labels that an error shows.
_MOST_SHOWN = 3


@contextmanager
def answers_to(X: Any) -> Iterator[None]:
    """Let `in_order` put what is read meanwhile into the order of the rows of a batch.

    Wherever answers are read, the batch need not be passed. Its labels are read at once, since
    some models change it.
    """
    labels = X.index if isinstance(X, pd.DataFrame) else pd.RangeIndex(len(X))
    token = _ASKED.set(labels)
    try:
        yield
    finally:
        _ASKED.reset(token)


def in_order(answer: Any) -> Any:
    """Return an answer with its rows in the order of the batch, where it has labels of rows.

    Rows are matched by their labels. An answer that is numbered from 0, as pandas does by default,
    has no labels of its own and stays as it is, like everything that is no Series or DataFrame.

    Raises
    ------
    ValueError
        If the labels are others, or if they repeat and are in another order.
    """
    labels = _ASKED.get()
    if labels is None or not isinstance(answer, (pd.Series, pd.DataFrame)):
        return answer
    own, numbers = answer.index, pd.RangeIndex(len(labels))
    if len(own) != len(labels) or own.equals(labels):  # a wrong length is refused elsewhere
        return answer
    if isinstance(own, pd.RangeIndex) and own.equals(numbers):
        return answer
    if own.is_unique and labels.is_unique:
        places = own.get_indexer(labels)
        if (places >= 0).all():
            return answer.iloc[places]
        if own.equals(numbers):
            return answer
    repeated = "" if labels.is_unique else ", whose labels repeat"
    raise ValueError(
        f"the model returned a {type(answer).__name__} with the index {_shown(own)}, but its batch "
        f"has the index {_shown(labels)}{repeated}, so the rows cannot be matched; return them in "
        "the order of the batch, with its index or as an array."
    )


def _shown(labels: pd.Index[Any]) -> str:
    shown = ", ".join(repr(label) for label in labels[:_MOST_SHOWN].tolist())
    return shown + (", ..." if len(labels) > _MOST_SHOWN else "")

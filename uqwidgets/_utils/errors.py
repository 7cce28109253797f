"""Errors of code that a user passes: models, measures and metrics."""

from __future__ import annotations

import re
import threading

# What errors of objects say that work in one thread alone: connections of sqlite3, signals,
# greenlets, event loops, and attributes of `threading.local`.
_OF_A_THREAD = re.compile(r"\bthreads?\b|_thread\._local", re.IGNORECASE)


class ModelError(ValueError):
    """The model raised an error, or did not return a distribution for each row.

    It is a `ValueError`; the message names the feature and the rows where it happened.

    See Also
    --------
    Explainer : Raises it when it is made, or when a feature's values are replaced.

    Examples
    --------
    >>> import uqwidgets as uq
    >>> X, y = uq.datasets.make_linear(20)
    >>> try:
    ...     uq.Explainer(lambda X: [1.0], X, y)
    ... except uq.ModelError as error:
    ...     print("the model failed")
    the model failed
    """


class NoRatioError(ValueError):
    """A measure or a metric has no ratio, because its mean before replacement is not positive."""


def of_another_thread(error: BaseException) -> BaseException | None:
    """Return the cause of an error that says that an object belongs to another thread.

    It is None where there is none, and in the main thread.
    """
    if threading.current_thread() is threading.main_thread():
        return None
    cause: BaseException | None = error
    while cause is not None:
        # The sentence around the error of a model has names of features.
        if not isinstance(cause, ModelError) and _OF_A_THREAD.search(str(cause)):
            return cause
        cause = cause.__cause__ or cause.__context__
    return None


def in_one_line(error: BaseException) -> str:
    """Return the type of an error, with the first line of its message."""
    return f"{type(error).__name__}: {first_line(error)}".removesuffix(": ")


def first_line(error: BaseException) -> str:
    """First line of the message of an error; empty if it has none, or if that fails in turn."""
    try:
        text = str(error)
    except Exception:  # noqa: BLE001  the class of the error is not ours
        return ""
    return next(iter(text.splitlines()), "")


# The end of the sentence about a function that writes into a read-only array.
IN_PLACE = "it writes into the model's answers, which other results need too; let it copy them."


def is_write(error: object) -> bool:
    """Whether it is numpy's error about a write into a read-only array."""
    return isinstance(error, ValueError) and "read-only" in str(error)

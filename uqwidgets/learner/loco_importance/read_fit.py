"""How a fit is read: what makes of a fitted estimator something that can be asked."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from uqwidgets._utils.errors import ModelError, first_line, in_one_line
from uqwidgets.predictive import Predictive, as_predictive

Read = Callable[[Any], Any]


def checked_read(read: Any) -> Read:
    """Check that fits can be handed to it.

    Raises
    ------
    TypeError
        If it cannot be called, or is what one model was read as.
    """
    if not callable(read) or isinstance(read, Predictive):
        raise TypeError(
            f"read is of type {type(read).__name__}; pass a function that is called with each "
            "fitted estimator, such as lambda fitted: as_predictive(fitted, members=True)."
        )
    found: Read = read
    return found


def read_fit(read: Read, fitted: Any, how: str = "") -> Predictive:
    """Read a fitted estimator.

    Parameters
    ----------
    read : callable
        Takes the estimator, and returns what `as_predictive` takes.
    fitted : object
    how : str
        What is said of the fit where it cannot be read.

    Raises
    ------
    ModelError
        If ``read`` raises, or what it returns cannot be read.
    """
    if read is as_predictive:  # which says by itself what is wrong with a model
        return as_predictive(fitted)
    what = f"the fitted {type(fitted).__name__}{how}"
    try:
        answer = read(fitted)
    except Exception as error:
        problem = in_one_line(error).rstrip(".")
        raise ModelError(
            f"read failed on {what}: {problem}; pass a function that takes every fit."
        ) from error
    try:
        return as_predictive(answer)
    except Exception as error:
        raise ModelError(
            f"read returned {type(answer).__name__} for {what}, which as_predictive does not take: "
            f"{first_line(error)}"
        ) from error

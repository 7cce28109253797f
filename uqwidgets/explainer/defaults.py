"""Defaults that a user sets once for a session or a block of code: `set_options`."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import wraps
from types import FunctionType, TracebackType
from typing import Any, TypeVar, cast

from uqwidgets._utils.options import RandomState, seed_of
from uqwidgets.evaluation.cache import parse_bytes
from uqwidgets.importance.settings import checked_repeats
from uqwidgets.inference import checked_level

_Function = TypeVar("_Function", bound=Callable[..., Any])
_Class = TypeVar("_Class", bound=type)

_CHECKS: dict[str, Callable[[Any], Any]] = {
    "level": checked_level,
    "n_repeats": checked_repeats,
    "random_state": seed_of,
    "memory_limit": parse_bytes,
}
# Of the whole process, because a notebook runs each cell in a context of its own.
_set: dict[str, Any] = {}


class set_options:  # noqa: N801  it is called as a function
    """Set defaults for everything that is called from now on, or within a ``with`` block.

    They stand for arguments that a call leaves out, of `Explainer`, `Learner`, `GroundTruth`,
    comparisons, `loco_importance` and `explore`; an argument that is passed always counts, and an
    option that is left out stays as it is.

    Parameters
    ----------
    level : float, optional
        Of every interval.
    n_repeats : int or "all", optional
        Of every permutation.
    random_state : int, RandomState or Generator, optional
        Seed of every explainer and learner that is made; a generator gives one seed, now.
    memory_limit : int or str, optional
        Of every explainer and learner that is made, in bytes or as text such as ``"500MB"``.

    Raises
    ------
    TypeError
        For an option that does not exist.
    ValueError
        If an option cannot have its value; none is then set.

    See Also
    --------
    Explainer : Its signature has the defaults.

    Examples
    --------
    >>> import numpy as np
    >>> import uqwidgets as uq
    >>> X = np.random.default_rng(0).normal(size=(50, 2))
    >>> explainer = uq.Explainer(lambda X: X[:, 0], X, X[:, 0])
    >>> with uq.set_options(level=0.9, n_repeats=4):
    ...     result = explainer.importance("squared_error")
    >>> result.level, result.n_repeats
    (0.9, 4)
    >>> explainer.importance("squared_error").level
    0.95
    """

    def __init__(
        self,
        *,
        level: float | None = None,
        n_repeats: int | str | None = None,
        random_state: RandomState = None,
        memory_limit: int | str | None = None,
    ) -> None:
        given = {
            "level": level,
            "n_repeats": n_repeats,
            "random_state": random_state,
            "memory_limit": memory_limit,
        }
        checked = {name: _CHECKS[name](v) for name, v in given.items() if v is not None}
        self._before = dict(_set)
        _set.update(checked)

    def __enter__(self) -> None:
        """Keep the options until the block ends."""

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Return to the options from before."""
        _set.clear()
        _set.update(self._before)


def takes_options(function: _Function) -> _Function:
    """Let the options of `set_options` stand for arguments that a call leaves out."""
    signature = inspect.signature(function)
    names = [name for name in _CHECKS if name in signature.parameters]
    if not names:
        return function

    @wraps(function)
    def with_options(*args: Any, **kwargs: Any) -> Any:
        options = {name: _set[name] for name in names if name in _set}
        if options:
            try:
                given = signature.bind_partial(*args, **kwargs).arguments
            except TypeError:  # the function itself says what is wrong
                given = options
            kwargs |= {name: value for name, value in options.items() if name not in given}
        return function(*args, **kwargs)

    return cast("_Function", with_options)


def methods_take_options(owner: _Class) -> _Class:
    """Let the making of an object and its public methods, inherited ones too, take the options."""
    for name in dir(owner):
        method = inspect.getattr_static(owner, name)
        if isinstance(method, FunctionType) and (name == "__init__" or name[0] != "_"):
            setattr(owner, name, takes_options(method))
    return owner

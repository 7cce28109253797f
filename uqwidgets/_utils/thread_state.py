"""State that belongs to a thread, carried over to another one that works for it.

A new thread knows nothing of what the user set in theirs: scikit-learn's configuration, context
variables (numpy's error state and decimal's context are among them), and, where PyTorch is
imported, its grad mode and default device. Its default dtype belongs to the process.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from contextvars import Context, ContextVar, copy_context
from dataclasses import dataclass
from typing import Any, NamedTuple, ParamSpec, TypeVar

import numpy as np
from sklearn import config_context, get_config

P = ParamSpec("P")
T = TypeVar("T")


# The error state of the user in numpy, while the package computes in one of its own.
_errors_of_user: ContextVar[dict[str, Any] | None] = ContextVar("_errors_of_user", default=None)


@contextmanager
def own_errors() -> Iterator[None]:
    """Compute in numpy's default error state: weights underflow, whatever the user raises."""
    # Within itself, the present state is not the user's.
    token = _errors_of_user.set(_errors_of_user.get() or dict(np.geterr()))
    try:
        with np.errstate(divide="warn", over="warn", under="ignore", invalid="warn"):
            yield
    finally:
        _errors_of_user.reset(token)


@contextmanager
def errors_of_user() -> Iterator[None]:
    """Call code of the user in their error state, also within `own_errors`."""
    with np.errstate(**_errors_of_user.get() or {}):
        yield


class _Torch(NamedTuple):
    """Settings of PyTorch."""

    grad: bool
    device: Any
    dtype: Any


@dataclass(frozen=True, eq=False)
class ThreadState:
    """What a user set in a thread.

    Attributes
    ----------
    sklearn : dict
        Configuration of scikit-learn.
    torch : tuple or None
        None where PyTorch is not imported.
    context : Context or None
        Context variables; None in another process, which cannot have them.
    """

    sklearn: dict[str, Any]
    torch: _Torch | None
    context: Context | None

    @classmethod
    def of_this_thread(cls) -> ThreadState:
        """Return the state of the thread that calls."""
        return cls(get_config(), _torch_state(), copy_context())

    def __reduce__(self) -> Any:
        return ThreadState, (self.sklearn, self.torch, None)

    def run(self, function: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> T:
        """Call a function in this state, which the thread has only until it returns."""
        # A context is entered by one thread at a time, and what is set there stays in the copy.
        context = copy_context() if self.context is None else self.context.copy()
        return context.run(self._run, function, *args, **kwargs)

    def _run(self, function: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> T:
        with ExitStack() as stack:
            stack.enter_context(config_context(**self.sklearn))
            before = _torch_state()
            if self.torch is not None and before is not None:
                torch = sys.modules["torch"]
                stack.enter_context(torch.set_grad_enabled(self.torch.grad))
                if self.torch.device != before.device:
                    stack.enter_context(self.torch.device)
                if self.context is None:
                    # Threads share it, and the user may have set another since.
                    torch.set_default_dtype(self.torch.dtype)
            return function(*args, **kwargs)


def _torch_state() -> _Torch | None:
    # Another thread may be in the middle of the import.
    torch: Any = sys.modules.get("torch")
    if not hasattr(torch, "get_default_device"):
        return None
    return _Torch(torch.is_grad_enabled(), torch.get_default_device(), torch.get_default_dtype())

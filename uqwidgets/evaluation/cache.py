"""What is kept of earlier work, within a limit of bytes."""

from __future__ import annotations

import re
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Any, Generic, Protocol, TypeVar

import numpy.typing as npt


class Sized(Protocol):
    """Anything that knows how many bytes it holds."""

    @property
    def nbytes(self) -> int:
        """Bytes held."""
        ...


T = TypeVar("T", bound=Sized)


class Cache(Generic[T]):
    """Answers of the model, and arrays derived from them, least recently used first out.

    Over the limit, derived arrays go first: while the answers are here, they cost no model call
    to make again. But a quarter of the limit is left to them, for answers can be large, as those
    of many members are, and what was read off them then outlives them. Answers follow, and cost
    calls if more is to be read off them. The newest entry always stays.

    Parameters
    ----------
    limit : int
        Bytes that may be held.
    """

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self.answers: OrderedDict[Hashable, T] = OrderedDict()
        self.derived: OrderedDict[Hashable, npt.NDArray[Any]] = OrderedDict()
        self._answer_bytes = 0
        self._derived_bytes = 0
        # Whether both counts are those of what is here: Ctrl-C can come between two lines.
        self._counted = True

    @property
    def nbytes(self) -> int:
        """Bytes held."""
        self._count()
        return self._answer_bytes + self._derived_bytes

    def keep(self, key: Hashable, answer: T) -> None:
        """Remember an answer of the model, in place of what this key had."""
        self._count()
        self._counted = False
        former = self.answers.pop(key, None)
        self._answer_bytes += answer.nbytes - (0 if former is None else former.nbytes)
        self.answers[key] = answer
        self._shrink(key)
        self._counted = True

    def get(self, key: Hashable) -> T | None:
        """Return the answer, if it is still here."""
        answer = self.answers.get(key)
        if answer is not None:
            self.answers.move_to_end(key)
        return answer

    def drop(self, key: Hashable) -> None:
        """Let go of an answer, if it is still here."""
        self._count()
        self._counted = False
        answer = self.answers.pop(key, None)
        self._answer_bytes -= 0 if answer is None else answer.nbytes
        self._counted = True

    def array(self, key: Hashable) -> npt.NDArray[Any] | None:
        """Return the derived array of this key, if it is still here."""
        array = self.derived.get(key)
        if array is not None:
            self.derived.move_to_end(key)
        return array

    def memo(self, key: Hashable, compute: Callable[[], npt.NDArray[Any]]) -> npt.NDArray[Any]:
        """Return the derived array of this key, computed if it is not here."""
        array = self.array(key)
        if array is None:
            array = compute()
            self.put(key, array)
        return array

    def put(self, key: Hashable, array: npt.NDArray[Any]) -> None:
        """Remember a derived array, in place of what this key had."""
        array.flags.writeable = False
        self._count()
        self._counted = False
        former = self.derived.pop(key, None)
        self._derived_bytes += array.nbytes - (0 if former is None else former.nbytes)
        self.derived[key] = array
        self._shrink(key)
        self._counted = True

    def _count(self) -> None:
        if self._counted:
            return
        self._answer_bytes = sum(answer.nbytes for answer in self.answers.values())
        self._derived_bytes = sum(array.nbytes for array in self.derived.values())
        self._counted = True

    def _over(self) -> bool:
        return self._answer_bytes + self._derived_bytes > self.limit

    def _shrink(self, newest: Hashable) -> None:
        if not self._over():
            return
        self._drop_derived(newest, self.limit // 4)
        while self._over() and self.answers and next(iter(self.answers)) != newest:
            self._answer_bytes -= self.answers.popitem(last=False)[1].nbytes
        self._drop_derived(newest, 0)

    def _drop_derived(self, newest: Hashable, least: int) -> None:
        while self._over() and self._derived_bytes > least:
            if next(iter(self.derived)) == newest:
                return
            self._derived_bytes -= self.derived.popitem(last=False)[1].nbytes


def parse_bytes(size: int | str) -> int:
    """Bytes of a size such as ``1_000_000`` or ``"1GiB"``.

    Raises
    ------
    ValueError
        If it is no size.
    """
    if isinstance(size, int) and not isinstance(size, bool) and size > 0:
        return size
    pattern = r"\s*([0-9]{1,15}(?:\.[0-9]*)?)\s*(?:([KMGT])(i?))?B?\s*"
    match = re.fullmatch(pattern, str(size), re.IGNORECASE)
    found = 0
    if match is not None:
        power = " KMGT".index((match[2] or " ").upper())
        found = int(float(match[1]) * (1024 if match[3] else 1000) ** power)
    if found < 1:
        raise ValueError(f"memory_limit is {size!r}; give bytes or a text such as '1GiB'.")
    return found

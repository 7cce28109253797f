"""A cache of the model's predictions and of arrays derived from them, limited in bytes."""

from __future__ import annotations

import math
import re
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Any, Generic, Protocol, TypeVar
from weakref import WeakKeyDictionary

import numpy as np
import numpy.typing as npt

from uqwidgets._utils.options import brief, checked_count, is_whole
from uqwidgets._utils.remarks import Remark


class Sized(Protocol):
    """Anything that knows how many bytes it holds."""

    @property
    def nbytes(self) -> int:
        """Bytes held."""
        ...


T = TypeVar("T", bound=Sized)
Derived = TypeVar("Derived", bound=Sized)

# Arrays of up to 256 KiB always have room, however small the limit: of small tables, all repeats
# are processed together, which is exact for weighted rows too.
_SMALL = 1 << 18
# More than any machine has.
_MOST_BYTES = 1 << 60


class Cache(Generic[T]):
    """LRU cache of the model's predictions and of arrays derived from them.

    Over the limit, derived arrays are evicted first, because they can be computed again from the
    predictions without a model call. But a quarter of the limit is reserved for them: predictions
    can be large (a mixture of many members), and the values derived from them should outlive them.
    Then predictions are evicted, and reading more from them costs model calls. The newest entry
    always stays. Derived arrays that are pinned stay too, and do not count: their holder limits
    them.

    Parameters
    ----------
    limit : int
        Bytes that may be held.
    """

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self.predictions: OrderedDict[Hashable, T] = OrderedDict()
        self.derived: OrderedDict[Hashable, Any] = OrderedDict()
        self._pinned: WeakKeyDictionary[object, dict[Hashable, Any]] = WeakKeyDictionary()
        self._prediction_bytes = 0
        self._derived_bytes = 0
        # False while an entry changes: KeyboardInterrupt can come between any two lines, and the
        # bytes are then counted anew.
        self._counted = True

    @property
    def nbytes(self) -> int:
        """Bytes held."""
        self._count()
        return self._prediction_bytes + self._derived_bytes

    def keep(self, key: Hashable, prediction: T) -> None:
        """Store a prediction of the model in place of the former one of this key."""
        self.drop(key)
        self._counted = False
        self._prediction_bytes += prediction.nbytes
        self.predictions[key] = prediction
        self._shrink(key)
        self._counted = True

    def get(self, key: Hashable) -> T | None:
        """Return the prediction if it is cached, and mark it as the most recently used."""
        prediction = self.predictions.get(key)
        if prediction is not None:
            self.predictions.move_to_end(key)
        return prediction

    def drop(self, key: Hashable) -> None:
        """Evict a prediction if it is cached."""
        self._count()
        self._counted = False
        prediction = self.predictions.pop(key, None)
        self._prediction_bytes -= 0 if prediction is None else prediction.nbytes
        self._counted = True

    def pinned(self, holder: object) -> dict[Hashable, Any]:
        """Return the arrays that are pinned for a holder, by key, until the holder is gone."""
        return self._pinned.setdefault(holder, {})

    def longest(self, key: Hashable) -> npt.NDArray[Any] | None:
        """Return the longest derived array of a key, pinned or not; None if there is none."""
        stores = (*self._pinned.values(), self.derived)
        arrays = [array for store in stores if (array := store.get(key)) is not None]
        return max(arrays, key=len, default=None)

    def array(self, key: Hashable) -> npt.NDArray[Any] | None:
        """Return the longest derived array of a key, and mark it as the most recently used."""
        self._get_derived(key)
        return self.longest(key)

    def _get_derived(self, key: Hashable) -> Any:
        value = self.derived.get(key)
        if value is not None:
            self.derived.move_to_end(key)
        return value

    def cached(self, key: Hashable, compute: Callable[[], Derived]) -> Derived:
        """Return the derived array, or what else is derived, computed if it is not cached."""
        value: Derived | None = self._get_derived(key)
        if value is None:
            value = compute()
            self.put(key, value)
        return value

    def put(self, key: Hashable, value: Sized) -> None:
        """Store a derived array, or what else is derived, in place of the former of this key."""
        if isinstance(value, np.ndarray):
            value.flags.writeable = False
        self._count()
        self._counted = False
        former = self.derived.pop(key, None)
        self._derived_bytes += value.nbytes - (0 if former is None else former.nbytes)
        self.derived[key] = value
        self._shrink(key)
        self._counted = True

    def has_room(self, nbytes: int) -> bool:
        """Whether so many bytes of derived arrays are small, or at most half of the limit."""
        return nbytes <= max(_SMALL, self.limit // 2)

    def _count(self) -> None:
        if self._counted:
            return
        self._prediction_bytes = sum(prediction.nbytes for prediction in self.predictions.values())
        self._derived_bytes = sum(array.nbytes for array in self.derived.values())
        self._counted = True

    def _over(self) -> bool:
        return self._prediction_bytes + self._derived_bytes > self.limit

    def _shrink(self, newest: Hashable) -> None:
        if not self._over():
            return
        self._drop_derived(newest, self.limit // 4)
        while self._over() and self.predictions and next(iter(self.predictions)) != newest:
            self._prediction_bytes -= self.predictions.popitem(last=False)[1].nbytes
        self._drop_derived(newest, 0)

    def _drop_derived(self, newest: Hashable, least: int) -> None:
        while self._over() and self._derived_bytes > least:
            if next(iter(self.derived)) == newest:
                return
            self._derived_bytes -= self.derived.popitem(last=False)[1].nbytes


def parse_bytes(size: int | str) -> int:
    """Return the number of bytes of a size such as ``1_000_000`` or ``"1GiB"``.

    Raises
    ------
    ValueError
        If the size cannot be read, or is more than any machine has.
    """
    pattern = r"\s*([0-9]{1,15}(?:\.[0-9]*)?)\s*(?:([KMGT])(i?))?B?\s*"
    nbytes = int(size) if is_whole(size) else 0
    if isinstance(size, str) and (match := re.fullmatch(pattern, size, re.IGNORECASE)):
        power = " KMGT".index((match[2] or " ").upper())
        nbytes = int(float(match[1]) * (1024 if match[3] else 1000) ** power)
    if nbytes < 1:
        raise ValueError(f"memory_limit is {brief(size)}; give bytes or a text such as '1GiB'.")
    return checked_count(nbytes, "memory_limit", 1, _MOST_BYTES)


def bytes_text(size: float, whole: Callable[[float], int]) -> str:
    """Write bytes as `parse_bytes` reads them, rounded by ``whole`` to two or more digits."""
    units = ((1e9, "GB"), (1e6, "MB"), (1e3, "kB"))
    unit = next((u for u in units if size >= 10 * u[0]), (1, "B"))
    return f"{whole(size / unit[0])}{unit[1]}"


def remarks_on_limit(limit: int, smallest: float, what: str) -> tuple[Remark, ...]:
    """Return a remark if a memory limit is below the smallest one that an analysis keeps to.

    Parameters
    ----------
    limit : int
    smallest : float
    what : str
        What the analysis is of, such as "1,000 rows".
    """
    if limit >= smallest:
        return ()
    return (
        Remark(
            "memory-limit",
            f"memory_limit={bytes_text(limit, math.floor)!r} is too little for {what}, and more "
            f"memory was taken; {bytes_text(smallest, math.ceil)!r} is the smallest limit that "
            "this analysis keeps to",
        ),
    )

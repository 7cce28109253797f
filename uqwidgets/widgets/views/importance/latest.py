"""A cache of the latest results of one column of the importance view."""

from __future__ import annotations

from collections.abc import Hashable

from uqwidgets._typing import Floats


class LatestValues:
    """The results that were computed last, of shape (3, p); older ones are dropped.

    Parameters
    ----------
    most : int
        How many results stay cached.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._values: dict[Hashable, Floats] = {}

    def get(self, key: Hashable) -> Floats | None:
        """Return the values of a key; None if they are not computed, or were dropped."""
        return self._values.get(key)

    def add(self, key: Hashable, values: Floats) -> None:
        """Cache the values of a key."""
        # The dict is replaced as a whole, for another thread may read it.
        others = [item for item in self._values.items() if item[0] != key]
        self._values = dict([*others, (key, values)][-self._most :])

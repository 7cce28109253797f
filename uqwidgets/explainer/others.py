"""Other fitted models of the same rows, made into explainers when they are first compared."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from threading import RLock
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from uqwidgets.explainer.explainer import Explainer


class Others(Mapping[str, "Explainer"]):
    """Explainers by name, each of which is made at its first use.

    Making an explainer asks its model about all rows, which may take long or fail: the first model
    does not wait for that.

    Parameters
    ----------
    makers : mapping of str to callable
        Each returns the explainer of this name.
    """

    def __init__(self, makers: Mapping[str, Callable[[], Explainer]]) -> None:
        self._makers = dict(makers)
        self._explainers: dict[str, Explainer] = {}
        self._lock = RLock()

    def __getitem__(self, name: str) -> Explainer:
        with self._lock:
            if name not in self._explainers:
                self._explainers[name] = self._makers[name]()
            return self._explainers[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._makers)

    def __len__(self) -> int:
        return len(self._makers)

    def __contains__(self, name: object) -> bool:
        return name in self._makers

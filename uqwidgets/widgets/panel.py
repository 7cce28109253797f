"""What a panel shows: plain descriptions and columns of numbers."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy.typing as npt

from uqwidgets.inference.population import Population


@dataclass(frozen=True, eq=False)
class Populations:
    """The rows as they are stressed now, and the same rows unstressed.

    Attributes
    ----------
    now, unstressed : Population
    key : tuple
        What decides the rows and their weights.
    rows_key : tuple
        What decides the rows alone.
    """

    now: Population
    unstressed: Population
    key: tuple[Any, ...]
    rows_key: tuple[Any, ...]


@dataclass(frozen=True, eq=False)
class Content:
    """What a panel shows.

    Attributes
    ----------
    key : tuple or None
        What it was computed for.
    meta, columns : dict
        See `uqwidgets.widgets.frames.pack`; of ``meta``, ``remarks`` are sentences that a reader
        of the panel should know.
    """

    key: tuple[Any, ...] | None = None
    meta: dict[str, Any] = field(default_factory=dict)
    columns: dict[str, npt.NDArray[Any]] = field(default_factory=dict)


class Panel:
    """The last good content of a panel.

    Attributes
    ----------
    content : Content
        Replaced as a whole, for a sign of life may publish it from another thread.
    """

    def __init__(self) -> None:
        self.content = Content()

    @property
    def key(self) -> tuple[Any, ...] | None:
        """What the content was computed for."""
        return self.content.key

    @property
    def meta(self) -> dict[str, Any]:
        """What is said of the content."""
        return self.content.meta

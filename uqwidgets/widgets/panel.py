"""What a panel shows: plain descriptions and columns of numbers."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy.typing as npt

from uqwidgets.population import Population


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


@dataclass(eq=False)
class Panel:
    """The last good content of a panel.

    Attributes
    ----------
    key : tuple or None
        What it was computed for.
    meta, columns : dict
        See `uqwidgets.widgets.frames.pack`.
    """

    key: tuple[Any, ...] | None = None
    meta: dict[str, Any] = field(default_factory=dict)
    columns: dict[str, npt.NDArray[Any]] = field(default_factory=dict)

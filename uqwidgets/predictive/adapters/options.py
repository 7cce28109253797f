"""What can be said about a model beside the model."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

import numpy as np
import numpy.typing as npt


@dataclass(frozen=True, eq=False)
class Options:
    """The arguments of `as_predictive` beside the model, checked by themselves."""

    classes: Any = None
    members: bool = False
    noise: float | None = None
    levels: Any = None
    samples: bool = False

    def __post_init__(self) -> None:
        for name in ("members", "samples"):
            if not isinstance(getattr(self, name), (bool, np.bool_)):
                raise TypeError(f"{name} is {getattr(self, name)!r}; it must be True or False.")
            object.__setattr__(self, name, bool(getattr(self, name)))
        if self.noise is not None:
            object.__setattr__(self, "noise", _positive(self.noise))
        if self.levels is not None:
            object.__setattr__(self, "levels", increasing_levels(self.levels))
        if self.samples and self.levels is not None:
            raise ValueError("samples and levels both say what the columns are; pass one of them.")

    def given(self) -> list[str]:
        """Names of those that were passed."""
        said = {f.name: getattr(self, f.name) for f in fields(self)}
        return [name for name, value in said.items() if value is not None and value is not False]


def increasing_levels(levels: Any) -> npt.NDArray[np.float64]:
    """Return levels of quantiles as an array of shape (q,).

    Raises
    ------
    ValueError
        If they are not at least two increasing numbers between 0 and 1.
    """
    try:
        found = np.asarray(levels, dtype=np.float64)
    except (TypeError, ValueError):
        found = np.empty(0)
    inside = found.ndim == 1 and len(found) > 1 and bool((found > 0).all() and (found < 1).all())
    if not inside or (np.diff(found) <= 0).any():
        raise ValueError(
            f"levels are {levels!r}; they must be at least two increasing numbers between 0 and 1."
        )
    return found


def _positive(noise: Any) -> float:
    number = isinstance(noise, (int, float, np.integer, np.floating))
    if not number or isinstance(noise, bool) or not np.isfinite(noise) or noise <= 0:
        raise ValueError(
            f"noise is {noise!r}; it must be a number greater than zero: the standard deviation "
            "of the target around what is predicted, in the target's units."
        )
    return float(noise)

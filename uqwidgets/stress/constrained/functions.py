"""Functions of the rows, and what their means shall be, as a person gives them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from uqwidgets._typing import Floats

Phi = npt.ArrayLike | Callable[[pd.DataFrame], npt.ArrayLike]


def values_of(
    phi: Phi, X: pd.DataFrame | None, names: Sequence[str] | None
) -> tuple[Floats, list[str]]:
    """Values of the functions in every row (n, k), and their names.

    Raises
    ------
    ValueError
        If shapes do not fit, a value is missing or infinite, or there is only one row.
    """
    if callable(phi):
        if X is None:
            raise ValueError("phi is a function of the rows; pass them as X.")
        phi = phi(X)
    if names is None and isinstance(phi, (pd.DataFrame, pd.Series)):
        names = [str(c) for c in pd.DataFrame(phi).columns]
    values = _floats(phi, "phi")
    values = values[:, None] if values.ndim == 1 else values
    if values.ndim != 2 or 0 in values.shape:
        raise ValueError(f"phi has shape {values.shape}; it must be (rows, constraints).")
    if X is not None and len(values) != len(X):
        raise ValueError(f"phi has {len(values)} rows but X has {len(X)}; give one per row.")
    size = values.shape[1]
    labels = [f"constraint {j}" for j in range(size)] if names is None else [*names]
    if len(labels) != size:
        raise ValueError(f"there are {len(labels)} names for {size} constraints.")
    bad = ~np.isfinite(values)
    if bad.any():
        row, j = np.argwhere(bad)[0].tolist()
        raise ValueError(
            f"{labels[j]} is {values[row, j]} in row {row}; every row needs a number, so drop "
            "or fill such rows."
        )
    if len(values) == 1:
        raise ValueError("there is only one row; reweighting takes at least two.")
    return values, labels


def checked_targets(targets: npt.ArrayLike, size: int) -> Floats:
    """Wanted means as an array (k,).

    Raises
    ------
    ValueError
        If they are not k finite numbers.
    """
    wanted = np.atleast_1d(_floats(targets, "targets"))
    if wanted.shape != (size,):
        raise ValueError(f"targets has shape {wanted.shape}; there are {size} constraints.")
    if not np.isfinite(wanted).all():
        raise ValueError(f"a target is {wanted[~np.isfinite(wanted)][0]}; give finite numbers.")
    return wanted


def _floats(given: Any, what: str) -> Floats:
    try:
        return np.array(given, dtype=np.float64)
    except (TypeError, ValueError):
        raise ValueError(f"{what} holds something that is no number; give numbers only.") from None

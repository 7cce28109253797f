"""Weighted sums over many rows.

They avoid BLAS: after a product of two vectors its threads keep spinning on the cores that a
browser needs to paint the result.
"""

from __future__ import annotations

import numpy as np

from uqwidgets._typing import Floats


def dot(one: Floats, other: Floats) -> float:
    """Sum of products of two arrays (n,)."""
    return float(np.einsum("i,i->", one, other))


def weighted_sums(lines: Floats, weights: Floats) -> Floats:
    """Weighted sum of every line: (m, n) and (n,) to (m,)."""
    sums: Floats = np.einsum("mi,i->m", lines, weights)
    return sums

"""Array types that the whole package shares."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Positions = npt.NDArray[np.intp]
# Of classes: texts, numbers or any other values.
Labels = npt.NDArray[Any]
# Least and greatest value of a number, infinite where it has no limit.
Range = tuple[float, float]

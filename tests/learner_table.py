"""The table of the tests of learners."""

from __future__ import annotations

import numpy as np

from models import table

X, Y = table(80)

LABELS = np.where(Y > 0, "yes", "no")

"""Known processes of the tests of ground truth."""

from __future__ import annotations

import numpy as np
import pandas as pd

import uqwidgets as uq

SLOPES = np.array([1.0, -0.5, 0.0])


def linear(X):
    return np.asarray(X) @ SLOPES


def normal_rows(n, rng):
    return pd.DataFrame(rng.normal(size=(n, 3)), columns=["a", "b", "c"])


def line(noise=1.0, **options):
    return uq.GroundTruth(linear, normal_rows, noise, **options)

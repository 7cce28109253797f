"""The table that pages are saved of."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from widgets.pages import model


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(90, 3)), columns=list("abc"))
    return X, model(X)[0] + rng.normal(size=90)

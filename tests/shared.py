"""Real data of the papers, which are no part of the project; tests read them from their folder."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

FOLDER = Path(__file__).resolve().parents[2] / "shared" / "data"


def shared(name: str) -> Path:
    """Path of a file of the folder; without the folder, a test that needs it is skipped.

    Where the folder is present, a file that is missing from it is a failure under CI=true.
    """
    path = FOLDER / name
    if not path.is_file():
        reason = f"../shared/data/{name} is missing: put the papers' data beside the project"
        if FOLDER.is_dir() and os.environ.get("CI") == "true":
            pytest.fail(reason)
        pytest.skip(reason)
    return path


def features_and_target(name: str, target: str) -> tuple[pd.DataFrame, pd.Series]:
    X = pd.read_csv(shared(name))
    return X, X.pop(target)


def digits() -> tuple[np.ndarray, np.ndarray]:
    """Pixels of the MNIST test images, row by row, shape (10000, 784), and their labels."""
    with np.load(shared("mnist_test.npz")) as archive:
        return archive["images"].reshape(len(archive["labels"]), -1), archive["labels"]

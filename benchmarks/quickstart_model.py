"""The quickstart's data and model: breast cancer, calibrated forest (Wood et al. 2024, B.2)."""

from __future__ import annotations

import pandas as pd
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import load_breast_cancer
from sklearn.ensemble import RandomForestClassifier
from sklearn.frozen import FrozenEstimator
from sklearn.model_selection import train_test_split


def breast_cancer() -> tuple[CalibratedClassifierCV, pd.DataFrame, pd.Series]:
    """Fitted model, and the 143 x 30 test rows with their target."""
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    X_train, X_test, y_train, y_test = train_test_split(X, y, stratify=y, random_state=0)
    X_fit, X_calibration, y_fit, y_calibration = train_test_split(
        X_train, y_train, test_size=0.2, stratify=y_train, random_state=0
    )
    forest = RandomForestClassifier(500, max_depth=8, random_state=0).fit(X_fit, y_fit)
    calibrated = CalibratedClassifierCV(FrozenEstimator(forest), method="sigmoid")
    return calibrated.fit(X_calibration, y_calibration), X_test, y_test

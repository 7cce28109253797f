"""Other packages that compute permutation importance, and PD with ICE.

Each package runs in its quickest documented way, without subsampling of rows. All of them get
the same `Task`; none of them computes entropy.
"""

from __future__ import annotations

import contextlib
import io
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.inspection import partial_dependence, permutation_importance

REPEATS = 10
POINTS = 50


class Counted(BaseEstimator):
    """A fitted model that counts its calls and rows, and can record them.

    Parameters
    ----------
    model : object
        Fitted.
    """

    def __init__(self, model: Any = None) -> None:
        self.model = model
        self.n_features_in_ = model.n_features_in_
        self.calls = self.rows = 0
        self.requests: list[Any] | None = None
        for optional in ("classes_", "feature_names_in_"):
            if hasattr(model, optional):
                setattr(self, optional, getattr(model, optional))

    def fit(self, X: Any, y: Any) -> Counted:
        """Exist, because peers check for `fit`; it must never be called."""
        raise NotImplementedError("a benchmark never fits")

    def __sklearn_is_fitted__(self) -> bool:
        return True

    def count(self, X: Any) -> None:
        """Count one call."""
        self.calls += 1
        self.rows += len(X)
        if self.requests is not None:
            self.requests.append(X)


class CountedClassifier(ClassifierMixin, Counted):
    """A classifier that counts."""

    def predict_proba(self, X: Any) -> np.ndarray:
        """Return the answer of the model."""
        self.count(X)
        return self.model.predict_proba(X)


class CountedRegressor(RegressorMixin, Counted):
    """A regressor that counts."""

    def predict(self, X: Any) -> np.ndarray:
        """Return the answer of the model."""
        self.count(X)
        return self.model.predict(X)


@dataclass(frozen=True)
class Task:
    """A model to be explained, in the words of the peers.

    Attributes
    ----------
    counted : Counted
    X : DataFrame of shape (n, p)
    y : ndarray of shape (n,)
        Numbers; 0 and 1 of a classifier.
    predict : callable
        One number per row: the probability of class 1, or the prediction.
    loss : callable
        ``loss(y, predicted)`` of every row: log loss, or squared error.
    scoring, method : str
        In scikit-learn's terms: the same loss, and the method of the model that is called.
    """

    counted: Counted
    X: pd.DataFrame
    y: np.ndarray
    predict: Callable[[Any], np.ndarray]
    loss: Callable[[Any, Any], np.ndarray]
    scoring: str
    method: str

    def mean_loss(self, y: Any, predicted: Any, **_: Any) -> float:
        """Mean of the loss over rows."""
        return float(np.mean(self.loss(np.asarray(y), np.asarray(predicted))))


Ask = Callable[[Task], object]


def log_loss(y: Any, p: Any) -> np.ndarray:
    """Log loss of each row, in nats, of the probability of class 1."""
    p = p[..., -1] if np.ndim(p) > np.ndim(y) else p
    return -np.log(np.where(y == 1, p, 1 - p))


def squared_error(y: Any, predicted: Any) -> np.ndarray:
    """Squared error of each row."""
    return np.square(y - predicted)


def sklearn_importance(task: Task) -> object:
    """scikit-learn: `permutation_importance`."""
    return permutation_importance(
        task.counted, task.X, task.y, scoring=task.scoring, n_repeats=REPEATS, random_state=0
    )


def sklearn_curves(task: Task) -> object:
    """scikit-learn: `partial_dependence` with ICE."""
    return [
        partial_dependence(
            task.counted,
            task.X,
            [feature],
            grid_resolution=POINTS,
            percentiles=(0, 1),
            kind="both",
            method="brute",
            response_method="auto",
        )
        for feature in task.X
    ]


def hidimstat_importance(task: Task) -> object:
    """hidimstat: `PFI`."""
    from hidimstat import PFI

    return PFI(
        task.counted,
        method=task.method,
        loss=task.mean_loss,
        n_permutations=REPEATS,
        random_state=0,
    ).fit_importance(task.X, task.y)


def fippy_importance(task: Task) -> object:
    """fippy: `Explainer.loo`, marginal."""
    from fippy import Explainer

    explainer = Explainer(task.predict, task.X, task.loss)
    return explainer.loo(task.X, task.y, "resample", distribution="marginal", n_repeats=REPEATS)


def _dalex(task: Task) -> Any:
    import dalex

    return dalex.Explainer(
        task.counted,
        task.X,
        task.y,
        predict_function=lambda _, X: task.predict(X),
        model_type="classification" if task.method == "predict_proba" else "regression",
        verbose=False,
    )


def dalex_importance(task: Task) -> object:
    """dalex: `model_parts`."""
    return _dalex(task).model_parts(
        loss_function=task.mean_loss, N=None, B=REPEATS, random_state=0, type="difference"
    )


def dalex_curves(task: Task) -> object:
    """dalex: `model_profile`."""
    return _dalex(task).model_profile(
        N=None, grid_points=POINTS, variable_splits_type="quantiles", verbose=False
    )


def effector_curves(task: Task) -> object:
    """effector: `PDP`, its inner grid set to as many points as all have."""
    import effector

    effector.helpers.NOF_INTERNAL_POINTS = POINTS

    # It passes arrays, also to a model that was fitted on a DataFrame.
    def predict(X: np.ndarray) -> np.ndarray:
        return task.predict(pd.DataFrame(X, columns=task.X.columns, copy=False))

    curves = effector.PDP(task.X.to_numpy(), predict, nof_instances="all")
    curves.fit()
    return curves


def model_diagnostics_importance(task: Task) -> object:
    """model-diagnostics: `compute_permutation_importance`."""
    from model_diagnostics.xai import compute_permutation_importance

    return compute_permutation_importance(
        task.predict,
        task.X,
        task.y,
        scoring_function=task.mean_loss,
        n_repeats=REPEATS,
        n_max=None,
        rng=0,
    )


def model_diagnostics_curves(task: Task) -> object:
    """model-diagnostics: `compute_partial_dependence`, which has no ICE."""
    from model_diagnostics.xai import compute_partial_dependence

    # By position: release 1.5 refuses every name.
    return [
        compute_partial_dependence(task.predict, task.X, position, grid=POINTS, n_max=None)
        for position in range(task.X.shape[1])
    ]


IMPORTANCE: dict[str, Ask | str] = {
    "scikit-learn": sklearn_importance,
    "hidimstat": hidimstat_importance,
    "fippy": fippy_importance,
    "dalex": dalex_importance,
    "effector": "has no permutation importance",
    "model-diagnostics": model_diagnostics_importance,
}
CURVES: dict[str, Ask | str] = {
    "scikit-learn": sklearn_curves,
    "hidimstat": "has no dependence curves",
    "fippy": "has no dependence curves",
    "dalex": dalex_curves,
    "effector": effector_curves,
    "model-diagnostics (no ICE)": model_diagnostics_curves,
}


@contextlib.contextmanager
def quiet() -> Iterator[None]:
    """Suppress progress bars and warnings of peers."""
    with (
        warnings.catch_warnings(),
        contextlib.redirect_stdout(io.StringIO()),
        contextlib.redirect_stderr(io.StringIO()),
    ):
        warnings.simplefilter("ignore")
        yield

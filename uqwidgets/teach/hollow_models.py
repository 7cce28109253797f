"""Three models of the hollow square: one doubts where it has seen no rows, two do not."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.ensemble import RandomForestRegressor
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF, ConstantKernel, WhiteKernel
from sklearn.neural_network import MLPRegressor

from uqwidgets._typing import Floats
from uqwidgets.datasets import make_hollow
from uqwidgets.explainer.explainer import Explainer
from uqwidgets.predictive import as_predictive

_ROWS = 300
# The Gaussian process of Wood et al. 2024, figures 4 and 5, with fixed hyperparameters.
_KERNEL = ConstantKernel(17.0) * RBF(2.0) + WhiteKernel(0.01)


def expected_target(X: Any) -> Floats:
    """Return (x1 + x2)^2 of each row, the target of the hollow square without noise."""
    return np.asarray(np.square(np.asarray(X, dtype=np.float64).sum(axis=1)))


def hollow_explainer() -> Explainer:
    """Return the explainer of a forest, with a Gaussian process and a network as others.

    All are fitted to the same 300 rows of `make_hollow`, which are also those of the explainer:
    they are where the models have been. The forest is a mixture of its trees with the noise of its
    out-of-bag residuals. The network predicts single numbers, with the noise of its residuals.
    """
    X, y = make_hollow(_ROWS)
    forest = RandomForestRegressor(100, min_samples_leaf=3, oob_score=True, random_state=0)
    process = GaussianProcessRegressor(_KERNEL, optimizer=None)
    # It converges: a warning would be shown now and then, as other threads change the filters.
    network = MLPRegressor(hidden_layer_sizes=(20,), solver="lbfgs", max_iter=5000, random_state=0)
    network.fit(X, y)
    noise = float(np.sqrt(np.mean(np.square(network.predict(X) - y))))
    return Explainer(
        as_predictive(forest.fit(X, y), members=True),
        X,
        y,
        name="forest",
        others={
            "Gaussian process": process.fit(X, y),
            "network": as_predictive(network, noise=noise),
        },
    )

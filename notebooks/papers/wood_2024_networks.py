"""The networks of Wood et al. 2024: Monte Carlo dropout (section B.4), Bayes by backprop (B.3)."""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import pairwise
from typing import Any, Self

import numpy as np
import torch
from scipy.optimize import minimize_scalar
from scipy.special import logsumexp, softmax
from torch import nn
from torch.nn.functional import cross_entropy, mse_loss, softplus

import uqwidgets as uq

HIDDEN = (100, 100)
# The initial standard deviation of every weight is softplus(-3), about 0.05.
INITIAL_RHO = -3.0


def standardised(values: Any, mean: Any, std: Any) -> torch.Tensor:
    """Return numbers in standard units and single precision."""
    return torch.as_tensor((np.asarray(values, dtype=float) - mean) / std, dtype=torch.float32)


def minimise(
    loss: Callable[[torch.Tensor], torch.Tensor],
    optimizer: torch.optim.Optimizer,
    n: int,
    epochs: int,
    batch_size: int,
) -> list[float]:
    """Minimise the mean loss over rows by minibatches; return the mean loss of each epoch."""
    curve = []
    for _ in range(epochs):
        total = 0.0
        for rows in torch.randperm(n).tensor_split(math.ceil(n / batch_size)):
            optimizer.zero_grad()
            value = loss(rows)
            value.backward()
            optimizer.step()
            total += len(rows) * float(value.detach())
        curve.append(total / n)
    return curve


class MonteCarloDropout:
    """A regression with dropout of 0.1, whose noise is fitted on a tenth of the rows.

    Attributes
    ----------
    precision_ : float
        Of the noise, in 1 / (units of y)^2.
    loss_curve_ : list of float
        Mean squared error of each epoch, in standard units.
    """

    def __init__(self, epochs: int = 5000, n_samples: int = 50, random_state: int = 0) -> None:
        self.epochs, self.n_samples, self.random_state = epochs, n_samples, random_state

    def fit(self, X: Any, y: Any) -> Self:
        """Train the network, and choose the precision of greatest likelihood of held-out rows."""
        X, y = np.asarray(X, dtype=float), np.asarray(y, dtype=float)
        order = np.random.default_rng(self.random_state).permutation(len(X))
        held_out, train = np.split(order, [math.ceil(len(X) / 10)])
        self.scale_X = X[train].mean(axis=0), X[train].std(axis=0)
        self.scale_y = y[train].mean(), y[train].std()
        inputs, targets = (
            standardised(X[train], *self.scale_X),
            standardised(y[train], *self.scale_y),
        )
        with torch.random.fork_rng():
            torch.manual_seed(self.random_state)
            sizes, parts = (X.shape[1], *HIDDEN), []
            for units, following in pairwise(sizes):
                parts += [nn.Linear(units, following), nn.ReLU(), nn.Dropout(0.1)]
            network = nn.Sequential(*parts, nn.Linear(sizes[-1], 1))
            self.loss_curve_ = minimise(
                lambda rows: mse_loss(network(inputs[rows])[:, 0], targets[rows]),
                torch.optim.SGD(network.parameters(), 0.1),
                len(train),
                self.epochs,
                batch_size=200,
            )
        self.members_ = uq.NetworkEnsemble(
            network, self.n_samples, noise=1.0, random_state=self.random_state
        )
        self.precision_ = fitted_precision(self._means(X[held_out]), y[held_out])
        return self

    def predict_distribution(self, X: Any) -> uq.Mixture:
        """Predictive distribution of each row."""
        means = self._means(X)
        return uq.Mixture(uq.Normal(means, np.full(means.shape, self.precision_**-0.5)))

    def _means(self, X: Any) -> Any:
        mean, std = self.scale_y
        standard = self.members_.predict_distribution(standardised(X, *self.scale_X).numpy())
        return mean + std * standard.members.loc


def fitted_precision(means: Any, y: Any) -> float:
    """Return the common precision of members of greatest likelihood (Wood et al. 2024, B.4).

    The log likelihood is sum_i log mean_m N(y_i; mean_im, 1 / precision).
    """
    squares = np.square(means - y[:, None])

    def loss(log_precision: float) -> float:
        exponents = -0.5 * np.exp(log_precision) * squares
        return -float(0.5 * log_precision + logsumexp(exponents, axis=1).mean())

    # There may be several local maxima. At each, 1 / precision is a weighted mean of squares.
    grid = np.linspace(-np.log(squares.max(axis=1).mean()), -np.log(squares.min(axis=1).mean()), 33)
    best = min(grid, key=loss)
    step = grid[1] - grid[0]
    optimum = minimize_scalar(loss, bounds=(best - step, best + step), method="bounded")
    return float(np.exp(optimum.x))


class BayesByBackprop:
    """A classification with normally distributed weights, which maximise the evidence lower bound.

    The bound is the expected log likelihood minus the divergence of the weights from their prior,
    which is normal with the standard deviation 0.5 (Blundell et al. 2015,
    arXiv:1505.05424). The batch size and the optimiser, Adam, are not in the paper.

    Attributes
    ----------
    classes_ : ndarray of shape (k,)
    loss_curve_ : list of float
        Negative bound per row of each epoch, in nats.
    """

    def __init__(self, epochs: int = 100, n_samples: int = 50, random_state: int = 0) -> None:
        self.epochs, self.n_samples, self.random_state = epochs, n_samples, random_state

    def fit(self, X: Any, y: Any) -> Self:
        """Train the distribution of the weights, and draw the members from it."""
        X = np.asarray(X, dtype=float)
        self.classes_, codes = np.unique(y, return_inverse=True)
        self.scale_X = X.mean(axis=0), X.std(axis=0)
        inputs, targets = standardised(X, *self.scale_X), torch.as_tensor(codes)
        with torch.random.fork_rng():
            torch.manual_seed(self.random_state)
            weights = GaussianWeights((X.shape[1], *HIDDEN, len(self.classes_)))

            def loss(rows: torch.Tensor) -> torch.Tensor:
                outputs = of_perceptrons(weights.draw(1), inputs[rows])[0]
                return cross_entropy(outputs, targets[rows]) + weights.divergence(0.5) / len(X)

            optimizer = torch.optim.Adam([*weights.means, *weights.rhos], 0.01)
            self.loss_curve_ = minimise(loss, optimizer, len(X), self.epochs, batch_size=32)
            with torch.no_grad():
                self.members_ = weights.draw(self.n_samples)
        return self

    def predict_distribution(self, X: Any) -> uq.Mixture:
        """Predictive distribution of each row."""
        with torch.inference_mode():
            outputs = of_perceptrons(self.members_, standardised(X, *self.scale_X))
        probabilities = softmax(outputs.numpy().astype(float), axis=-1).swapaxes(0, 1)
        return uq.Mixture(uq.Categorical(probabilities, self.classes_))


class GaussianWeights:
    """An independent normal distribution for every weight and bias of a perceptron.

    Attributes
    ----------
    means, rhos : list of Tensor of shape (inputs + 1, outputs)
        For each layer; the last row holds the biases. The standard deviations are
        log(1 + exp(rho)) (Blundell et al. 2015, section 3.2).
    """

    def __init__(self, sizes: tuple[int, ...]) -> None:
        self.means, self.rhos = [], []
        for inputs, outputs in pairwise(sizes):
            mean = (2 * torch.rand(inputs + 1, outputs) - 1) / math.sqrt(inputs)
            self.means.append(mean.requires_grad_())
            self.rhos.append(torch.full_like(mean, INITIAL_RHO).requires_grad_())

    def draw(self, n: int) -> list[torch.Tensor]:
        """Draw ``n`` sets of weights, for each layer of shape (n, inputs + 1, outputs)."""
        return [
            mean + softplus(rho) * torch.randn(n, *mean.shape)
            for mean, rho in zip(self.means, self.rhos, strict=True)
        ]

    def divergence(self, prior_std: float) -> torch.Tensor:
        """Kullback-Leibler divergence from the prior N(0, prior_std^2), in nats, in closed form."""
        total = torch.zeros(())
        for mean, rho in zip(self.means, self.rhos, strict=True):
            std = softplus(rho) / prior_std
            total = total + (0.5 * (std**2 + (mean / prior_std) ** 2 - 1) - std.log()).sum()
        return total


def of_perceptrons(weights: list[torch.Tensor], rows: torch.Tensor) -> torch.Tensor:
    """Return outputs (m, n, k) for rows (n, p) of m perceptrons with rectified units."""
    units = rows.expand(len(weights[0]), *rows.shape)
    for depth, layer in enumerate(weights):
        if depth:
            units = units.relu()
        units = torch.baddbmm(layer[:, -1:], units, layer[:, :-1])
    return units

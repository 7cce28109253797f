"""Bayes by backprop: a perceptron with a distribution of its weights."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any

import numpy.typing as npt
import torch
from torch.nn.functional import cross_entropy, softplus

from uqwidgets._typing import Floats
from uqwidgets.predictive.torch.ensemble import FixedEnsemble, Numbers, Task
from uqwidgets.predictive.torch.training import counts, initial_weights, positive, seeded, train

# Initial standard deviation of every weight: softplus(-3), about 0.05.
_INITIAL_RHO = -3.0


class BayesByBackprop(FixedEnsemble):
    """Bayes by backprop: a perceptron with normally distributed weights, read as a mixture.

    Every weight and bias has a normal prior with mean zero and an independent normal posterior,
    which maximises the evidence lower bound (ELBO): the expected log likelihood minus the
    Kullback-Leibler divergence from the prior (Blundell et al. 2015). Each step draws a batch of
    rows and one set of weights by the reparameterisation trick; the divergence, in closed form,
    is weighted by the batch's share of the rows. The defaults are those of Wood et al. 2024,
    section B.3.

    The members are drawn once, after fitting, from the seed: they are fixed networks. A row
    therefore gets the same prediction whatever the other rows are, and a change of the
    prediction after a value is replaced is due to that value alone.

    Parameters
    ----------
    n_samples : int, default=50
        Number of members m.
    hidden : sequence of int, default=(100, 100)
        Rectified units of the hidden layers.
    prior_std : float, default=0.5
        Standard deviation of the weights' prior, for features and target in standard units.
    precision : float, optional
        Of the noise of a regression, in 1 / (units of y)^2: each member is normal with the
        standard deviation 1 / sqrt(precision). By default it is fitted together with the weights,
        by the same bound.
    epochs : int, default=100
    batch_size : int, default=32
        Largest number of rows per step; Wood et al. (2024) do not give it.
    learning_rate : float, default=0.01
        Of Adam; Wood et al. (2024) do not name their optimiser. A smaller rate ends closer to the
        best bound.
    task : {"regression", "classification"}, optional
        Needed only where y holds more than two different whole numbers, which could be either.
    random_state : int, RandomState or None, default=None
        Of initial weights, batches and draws. The same seed gives the same predictions.

    Attributes
    ----------
    task_ : {"regression", "classification"}
    classes_ : ndarray of shape (k,)
        Labels of a classification.
    precision_ : float
        Of a regression.
    posterior_ : GaussianWeights
    weights_ : list of Tensor
        Those of the members, for each layer of shape (m, inputs + 1, outputs), biases last.
    loss_curve_ : list of float
        Negative ELBO per row of each epoch, in nats, the target in standard units.
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (p,)
        Where X is a DataFrame.

    Raises
    ------
    ModuleNotFoundError
        If PyTorch is not installed; it comes with the extra ``uqwidgets[torch]``.

    See Also
    --------
    MonteCarloDropout : Members by dropout instead.
    Mixture : The distribution that `predict_distribution` returns.

    References
    ----------
    Blundell et al. 2015; Wood et al. 2024, section B.3.

    Examples
    --------
    >>> import numpy as np
    >>> import uqwidgets as uq
    >>> X = np.linspace(-1.0, 1.0, 20)[:, None]
    >>> network = uq.BayesByBackprop(5, hidden=(8,), epochs=5, random_state=0).fit(X, X[:, 0] / 3)
    >>> q = network.predict_distribution(X)
    >>> type(q).__name__, q.members.loc.shape
    ('Mixture', (20, 5))
    """

    def __init__(
        self,
        n_samples: int = 50,
        *,
        hidden: Sequence[int] = (100, 100),
        prior_std: float = 0.5,
        precision: float | None = None,
        epochs: int = 100,
        batch_size: int = 32,
        learning_rate: float = 0.01,
        task: Task | None = None,
        random_state: Any = None,
    ) -> None:
        self.n_samples = n_samples
        self.hidden = hidden
        self.prior_std = prior_std
        self.precision = precision
        self.epochs = epochs
        self.batch_size = batch_size
        self.learning_rate = learning_rate
        self.task = task
        self.random_state = random_state

    def _check_settings(self) -> None:
        super()._check_settings()
        positive(self, "prior_std", "learning_rate")
        counts(self, "epochs", "batch_size")

    def _fit(self, X: Floats, y: npt.NDArray[Any]) -> None:
        generator = seeded(self.random_state)
        self._set_scales(X, y)
        sizes = (X.shape[1], *self.hidden, self.target_.n_outputs)
        self.posterior_ = GaussianWeights(sizes, generator)
        self.loss_curve_ = self._train(X, y, generator)
        with torch.no_grad():
            self.weights_ = self.posterior_.draw(self.n_samples, generator)

    def _train(self, X: Floats, y: npt.NDArray[Any], generator: torch.Generator) -> list[float]:
        inputs, targets = self.scale_.tensor(X), self.target_.tensor(y)
        parameters = list(self.posterior_.parameters())
        unit = float(self.target_.scale.std) if isinstance(self.target_, Numbers) else 1.0
        log_precision = torch.tensor(
            2 * math.log(unit) + math.log(self.precision or unit**-2), dtype=torch.float32
        )
        if self.precision is None and self.task_ == "regression":
            parameters.append(log_precision.requires_grad_())

        def loss(rows: torch.Tensor) -> Any:
            output = outputs(self.posterior_.draw(1, generator), inputs[rows])[0]
            if self.task_ == "classification":
                nll = cross_entropy(output, targets[rows])
            else:
                nll = normal_nll(output[:, 0], targets[rows], log_precision)
            return nll + self.posterior_.divergence(self.prior_std) / len(inputs)

        curve = train(
            loss,
            torch.optim.Adam(parameters, self.learning_rate),
            len(inputs),
            epochs=self.epochs,
            batch_size=self.batch_size,
            generator=generator,
        )
        if self.task_ == "regression":
            self.precision_ = self.precision or math.exp(log_precision.item()) / unit**2
        return curve

    def _members(self, rows: torch.Tensor) -> torch.Tensor:
        return outputs(self.weights_, rows)


def normal_nll(mean: torch.Tensor, y: torch.Tensor, log_precision: torch.Tensor) -> torch.Tensor:
    """Mean negative log density, in nats, under normal noise of this precision."""
    squares = log_precision.exp() * (y - mean) ** 2
    return 0.5 * (squares - log_precision + math.log(2 * math.pi)).mean()


class GaussianWeights:
    """An independent normal distribution for every weight and bias of a perceptron.

    Parameters
    ----------
    sizes : sequence of int
        Units of each layer, the features first.
    generator : torch.Generator
        Of the initial means.

    Attributes
    ----------
    means : list of Tensor of shape (inputs + 1, outputs)
        For each layer; the last row holds the biases.
    rhos : list of Tensor
        The standard deviations are log(1 + exp(rho)) (Blundell et al. 2015, section 3.2).
    """

    def __init__(self, sizes: Sequence[int], generator: torch.Generator) -> None:
        shapes = [(inputs + 1, outputs) for inputs, outputs in pairwise(sizes)]
        self.means = [initial_weights(s, s[0] - 1, generator) for s in shapes]
        self.rhos = [torch.full(s, _INITIAL_RHO, dtype=torch.float32) for s in shapes]
        for parameter in self.parameters():
            parameter.requires_grad_()

    def parameters(self) -> Iterator[torch.Tensor]:
        """All parameters that are fitted."""
        yield from self.means
        yield from self.rhos

    def draw(self, n: int, generator: torch.Generator) -> list[torch.Tensor]:
        """Draw ``n`` sets of weights, for each layer of shape (n, inputs + 1, outputs)."""
        return [
            mean + softplus(rho) * _noise((n, *mean.shape), generator)
            for mean, rho in zip(self.means, self.rhos, strict=True)
        ]

    def divergence(self, prior_std: float) -> torch.Tensor:
        """Kullback-Leibler divergence from the prior N(0, prior_std^2), in nats, in closed form."""
        total = torch.zeros(())
        for mean, rho in zip(self.means, self.rhos, strict=True):
            std = softplus(rho) / prior_std
            total = total + (0.5 * (std**2 + (mean / prior_std) ** 2 - 1) - std.log()).sum()
        return total


def outputs(weights: Sequence[torch.Tensor], rows: torch.Tensor) -> torch.Tensor:
    """Return outputs (m, n, k) for rows (n, p) of m perceptrons with weights from `draw`."""
    units = rows.expand(len(weights[0]), *rows.shape)
    for depth, layer in enumerate(weights):
        if depth:
            units = units.relu()
        units = torch.baddbmm(layer[:, -1:], units, layer[:, :-1])
    return units


def _noise(shape: Sequence[int], generator: torch.Generator) -> torch.Tensor:
    return torch.randn(shape, generator=generator, dtype=torch.float32)

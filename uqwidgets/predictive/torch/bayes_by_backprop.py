"""Bayes by backprop: a perceptron with a distribution of its weights."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy.typing as npt
import torch
from torch.nn.functional import cross_entropy

from uqwidgets._typing import Floats
from uqwidgets.predictive.torch.ensemble import FixedEnsemble
from uqwidgets.predictive.torch.targets import Numbers, Task
from uqwidgets.predictive.torch.training import positive, seeded, train
from uqwidgets.predictive.torch.variational import GaussianWeights, outputs


class BayesByBackprop(FixedEnsemble):
    """A perceptron whose weights have a distribution: a mixture over draws of them.

    Blundell et al. (2015); the defaults are those of Wood et al. 2024, section B.3. Every weight
    and bias has a normal prior with mean zero, and an independent normal posterior that maximises
    the evidence lower bound (ELBO): the expected log likelihood less the divergence from the prior.
    Each step takes a batch of rows and one draw of the weights as a function of its parameters
    (reparameterisation); the divergence in closed form counts by the batch's share of the rows.

    The members are drawn once, after fitting, from the seed: they are fixed networks. So a row
    gets the same answer whatever rows it is asked with, and what changes when a value is
    replaced is due to the value alone.

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
        standard deviation 1 / sqrt(precision). Without it, it is fitted with the weights, by
        the same bound.
    epochs : int, default=100
    batch_size : int, default=32
        The most rows of a step; Wood et al. 2024 does not give it.
    learning_rate : float, default=0.01
        Of Adam; Wood et al. (2024) do not name theirs. A smaller one ends nearer the best bound.
    task : {"regression", "classification"}, optional
        Needed only where y holds more than two different whole numbers, which could be either.
    random_state : int, RandomState or None, default=None
        Of starting weights, batches and draws. One seed always gives the same answers.

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
        positive(self, "prior_std", "epochs", "batch_size", "learning_rate")

    def _fit(self, X: Floats, y: npt.NDArray[Any]) -> None:
        generator = seeded(self.random_state)
        self._set_units(X, y)
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
            answer = outputs(self.posterior_.draw(1, generator), inputs[rows])[0]
            if self.task_ == "classification":
                nll = cross_entropy(answer, targets[rows])
            else:
                nll = normal_nll(answer[:, 0], targets[rows], log_precision)
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
    """Mean negative log density, in nats, of values with normal noise of this precision."""
    squares = log_precision.exp() * (y - mean) ** 2
    return 0.5 * (squares - log_precision + math.log(2 * math.pi)).mean()

"""Normal distributions of a network's weights, and draws from them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

import torch
from torch.nn.functional import softplus

from uqwidgets.predictive.torch.perceptron import start_weights

# Standard deviation of every weight before training, as the inverse of softplus.
_START = -3.0


class GaussianWeights:
    """An independent normal distribution for every weight and bias of a perceptron.

    Parameters
    ----------
    sizes : sequence of int
        Units of each layer, the features first.
    generator : torch.Generator
        Of the means that training starts from.

    Attributes
    ----------
    means : list of Tensor of shape (inputs + 1, outputs)
        For each layer; its last line is that of the biases.
    rhos : list of Tensor
        The standard deviations are log(1 + exp(rho)) (Blundell et al. 2015, section 3.2).
    """

    def __init__(self, sizes: Sequence[int], generator: torch.Generator) -> None:
        shapes = [(inputs + 1, outputs) for inputs, outputs in pairwise(sizes)]
        self.means = [start_weights(s, s[0] - 1, generator) for s in shapes]
        self.rhos = [torch.full(s, _START, dtype=torch.float32) for s in shapes]
        for parameter in self.parameters():
            parameter.requires_grad_()

    def parameters(self) -> Iterator[torch.Tensor]:
        """All that is fitted."""
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
    """Answer rows (n, p) by perceptrons of weights from `draw`: their outputs, (m, n, k)."""
    found = rows.expand(len(weights[0]), *rows.shape)
    for depth, layer in enumerate(weights):
        if depth:
            found = found.relu()
        found = torch.baddbmm(layer[:, -1:], found, layer[:, :-1])
    return found


def _noise(shape: Sequence[int], generator: torch.Generator) -> torch.Tensor:
    return torch.randn(shape, generator=generator, dtype=torch.float32)

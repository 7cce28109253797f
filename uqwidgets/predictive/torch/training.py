"""Networks and their training by gradient descent, reproducible from a seed."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

import torch
from sklearn.utils import check_random_state
from torch import nn

from uqwidgets._utils.options import MOST_ROWS, brief, checked_count, is_real


def seeded(random_state: Any) -> torch.Generator:
    """Return a new generator, so that PyTorch's global one is left unchanged."""
    seed = int(check_random_state(random_state).randint(2**31 - 1))
    return torch.Generator().manual_seed(seed)


def train(
    loss: Callable[[torch.Tensor], torch.Tensor],
    optimizer: torch.optim.Optimizer,
    n: int,
    *,
    epochs: int,
    batch_size: int,
    generator: torch.Generator,
) -> list[float]:
    """Minimise the mean loss over rows by minibatches; return the mean loss of each epoch.

    Parameters
    ----------
    loss : callable
        ``loss(rows)`` returns the mean loss of the rows at these positions, as a scalar tensor.
    optimizer : torch.optim.Optimizer
    n : int
        Number of rows.
    epochs, batch_size : int
    generator : torch.Generator
        Of the order of the rows.

    Raises
    ------
    ValueError
        If the loss is no longer finite.
    """
    curve = []
    # Batches of almost equal size: a batch of a single row would break batch normalisation.
    batches = math.ceil(n / batch_size)
    for epoch in range(1, epochs + 1):
        total = torch.zeros(())
        for rows in torch.randperm(n, generator=generator).tensor_split(batches):
            optimizer.zero_grad()
            value = loss(rows)
            value.backward()
            optimizer.step()
            total += len(rows) * value.detach()
        curve.append(float(total) / n)
        if not math.isfinite(curve[-1]):
            raise ValueError(
                f"training diverged: the loss is {curve[-1]} after epoch {epoch}; "
                "lower learning_rate."
            )
    return curve


def positive(estimator: Any, *names: str) -> None:
    """Raise a `ValueError` if one of these settings is not greater than zero."""
    for name in names:
        value = getattr(estimator, name)
        if not is_real(value) or not value > 0:
            raise ValueError(f"{name} must be greater than zero, not {brief(value)}.")


def counts(estimator: Any, *names: str) -> None:
    """Raise a `ValueError` if one of these settings is no whole number of at least one."""
    positive(estimator, *names)
    for name in names:
        checked_count(getattr(estimator, name), name, 1, MOST_ROWS)


def perceptron(sizes: Sequence[int], dropout: float, generator: torch.Generator) -> nn.Sequential:
    """Build the perceptron of Wood et al. 2024: all layers but the last have ReLU and dropout."""
    parts: list[nn.Module] = []
    for fan_in, fan_out in pairwise(sizes[:-1]):
        parts += [_linear(fan_in, fan_out, generator), nn.ReLU(), nn.Dropout(dropout)]
    return nn.Sequential(*parts, _linear(sizes[-2], sizes[-1], generator))


def initial_weights(shape: Sequence[int], fan_in: int, generator: torch.Generator) -> torch.Tensor:
    """Draw initial weights, uniform within the bounds that `torch.nn.Linear` uses."""
    return (2 * torch.rand(*shape, generator=generator, dtype=torch.float32) - 1) / math.sqrt(
        fan_in
    )


def _linear(fan_in: int, fan_out: int, generator: torch.Generator) -> nn.Linear:
    # The usual initialisation is skipped: it would draw from PyTorch's global generator.
    layer = nn.utils.skip_init(nn.Linear, fan_in, fan_out)
    for weights in (layer.weight, layer.bias):
        weights.data = initial_weights(weights.shape, fan_in, generator)
    return layer

"""Fitting by gradient, batch by batch, reproducibly."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import torch
from sklearn.utils import check_random_state


def seeded(random_state: Any) -> torch.Generator:
    """Return a generator of its own: PyTorch's global one belongs to others."""
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
    """Minimise the loss of rows, given by their positions, and return its mean of each epoch.

    Raises
    ------
    ValueError
        If the loss is no longer finite.
    """
    curve = []
    # Batches as equal as can be: one of a single row would break batch normalisation.
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
        if not value > 0:
            raise ValueError(f"{name} must be greater than zero, not {value!r}.")

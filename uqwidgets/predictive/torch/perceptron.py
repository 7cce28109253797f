"""The perceptron of Wood et al. 2024's experiments, started reproducibly."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise

import torch
from torch import nn


def perceptron(sizes: Sequence[int], dropout: float, generator: torch.Generator) -> nn.Sequential:
    """Layers of these sizes, rectified and followed by dropout but for the last one."""
    parts: list[nn.Module] = []
    for fan_in, fan_out in pairwise(sizes[:-1]):
        parts += [_linear(fan_in, fan_out, generator), nn.ReLU(), nn.Dropout(dropout)]
    return nn.Sequential(*parts, _linear(sizes[-2], sizes[-1], generator))


def start_weights(shape: Sequence[int], fan_in: int, generator: torch.Generator) -> torch.Tensor:
    """Draw weights that training starts from, in the range that `torch.nn.Linear` takes."""
    return (2 * torch.rand(*shape, generator=generator, dtype=torch.float32) - 1) / math.sqrt(
        fan_in
    )


def _linear(fan_in: int, fan_out: int, generator: torch.Generator) -> nn.Linear:
    # Made without the usual start, which would draw from PyTorch's global generator.
    layer = nn.utils.skip_init(nn.Linear, fan_in, fan_out)
    for weights in (layer.weight, layer.bias):
        weights.data = start_weights(weights.shape, fan_in, generator)
    return layer

"""Dropout layers whose masks are set from outside."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

import torch
from torch import nn

# Every forward pass has this many rows, padded where there are fewer. Linear algebra libraries
# choose their order of summation by the shape of the input, but a row must get the same answer to
# the last bit, whatever the other rows are. It is a multiple of the width of vector instructions.
ROWS = 32

# Called by each dropout layer with itself and its input. A context variable, so that threads do
# not share it.
Drop = Callable[[nn.Module, torch.Tensor], torch.Tensor]
_ACTIVE: ContextVar[Drop | None] = ContextVar("_ACTIVE", default=None)

_SINGLE = (nn.Dropout,)
_CHANNELS = (nn.Dropout1d, nn.Dropout2d, nn.Dropout3d)
_OTHERS = (nn.AlphaDropout, nn.FeatureAlphaDropout)


def control_dropout(module: nn.Module) -> None:
    """Register hooks on the dropout layers: only within `dropout_by` do they drop units.

    Raises
    ------
    ValueError
        If no layer drops units, or a dropout layer is of an unsupported kind.
    """
    layers = [part for part in module.modules() if isinstance(part, _SINGLE + _CHANNELS)]
    for part in module.modules():
        if isinstance(part, _OTHERS):
            raise ValueError(
                f"the module has a layer {part}, which is not supported; use Dropout, "
                "Dropout1d, Dropout2d or Dropout3d."
            )
    if not any(layer.p > 0 for layer in layers):
        raise ValueError(
            "the module has no dropout layer with p > 0, so that all its samples would be the "
            "same; use torch.nn.Dropout layers (the functional dropout cannot be found)."
        )
    for layer in layers:
        layer.register_forward_hook(_hook)


@contextmanager
def dropout_by(drop: Drop) -> Iterator[None]:
    """Let the hooked layers replace their input by ``drop(layer, input)``."""
    token = _ACTIVE.set(drop)
    try:
        yield
    finally:
        _ACTIVE.reset(token)


def draw_member_masks(members: int, generator: torch.Generator, masks: list[torch.Tensor]) -> Drop:
    """Drop units by one new mask for each member, and append the masks to ``masks``."""

    def drop(layer: nn.Module, x: torch.Tensor) -> torch.Tensor:
        masks.append(_mask(layer, (members, *x.shape[1:]), generator))
        return _by_member(x, masks[-1])

    return drop


def replay_masks(masks: Sequence[torch.Tensor]) -> Drop:
    """Drop units by these masks, in the order in which the forward pass reaches the layers."""
    remaining = iter(masks)
    return lambda _, x: _by_member(x, next(remaining))


def _mask(layer: Any, shape: Sequence[int], generator: torch.Generator) -> torch.Tensor:
    """Mask of this shape: 0 for a dropped unit, else 1 / (1 - p), which keeps the expectation."""
    if isinstance(layer, _CHANNELS):
        shape = (*shape[:2], *(1 for _ in shape[2:]))
    retained = torch.rand(shape, generator=generator, dtype=torch.float32) >= layer.p
    return retained.to(torch.float32) / max(1 - layer.p, torch.finfo(torch.float32).tiny)


def _by_member(x: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    # The rows of one member follow those of another along the first axis, so that all other layers
    # see a plain batch.
    if len(x) % (len(mask) * ROWS):
        raise ValueError(
            f"a dropout layer got an input of shape {tuple(x.shape)}; its first axis must be "
            "the rows."
        )
    return (x.unflatten(0, (len(mask), -1)) * mask[:, None]).flatten(0, 1)


def _hook(layer: nn.Module, inputs: tuple[torch.Tensor], _: torch.Tensor) -> Any:
    drop = _ACTIVE.get()
    return None if drop is None else drop(layer, inputs[0])

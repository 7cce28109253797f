"""Dropout whose masks are chosen from outside: anew for every row, or one for each member."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

import torch
from torch import nn

from uqwidgets.predictive.torch.passes import ROWS

# A layer asks what to do with its input; each thread has its own answer.
Drop = Callable[[nn.Module, torch.Tensor], torch.Tensor]
_DROP: ContextVar[Drop | None] = ContextVar("_DROP", default=None)

_SINGLE = (nn.Dropout,)
_CHANNELS = (nn.Dropout1d, nn.Dropout2d, nn.Dropout3d)
_OTHERS = (nn.AlphaDropout, nn.FeatureAlphaDropout)


def take_over(module: nn.Module) -> None:
    """Have the dropout layers of a module do as `dropping` says; otherwise they do nothing.

    Raises
    ------
    ValueError
        If there is none that drops anything, or one of another kind.
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
        layer.register_forward_hook(_do_as_told)


def set_mode(module: nn.Module, *, training: bool) -> None:
    """Set all layers but those of dropout, whose masks are ours, to training or evaluation."""
    module.train(training)
    for part in module.modules():
        if isinstance(part, _SINGLE + _CHANNELS):
            part.eval()


@contextmanager
def dropping(drop: Drop) -> Iterator[None]:
    """Let dropout layers replace their input by what ``drop(layer, input)`` returns."""
    token = _DROP.set(drop)
    try:
        yield
    finally:
        _DROP.reset(token)


def afresh(generator: torch.Generator) -> Drop:
    """Drop by a new mask for every row, as in training."""
    return lambda layer, x: x * _mask(layer, x.shape, generator)


def draw_masks(members: int, generator: torch.Generator, masks: list[torch.Tensor]) -> Drop:
    """Drop by one new mask for each member, and append these to ``masks``."""

    def drop(layer: nn.Module, x: torch.Tensor) -> torch.Tensor:
        masks.append(_mask(layer, (members, *x.shape[1:]), generator))
        return _by_member(x, masks[-1])

    return drop


def by_masks(masks: Sequence[torch.Tensor]) -> Drop:
    """Drop by masks that were drawn, in the order in which layers are passed."""
    waiting = iter(masks)
    return lambda _, x: _by_member(x, next(waiting))


def _mask(layer: Any, shape: Sequence[int], generator: torch.Generator) -> torch.Tensor:
    """Zeros, and what makes up for them: 1 / (1 - p), of this shape."""
    if isinstance(layer, _CHANNELS):
        shape = (*shape[:2], *(1 for _ in shape[2:]))
    kept = torch.rand(shape, generator=generator, dtype=torch.float32) >= layer.p
    return kept.to(torch.float32) / max(1 - layer.p, torch.finfo(torch.float32).tiny)


def _by_member(x: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    # Members lie one after another along the rows, as all other layers expect.
    if len(x) % (len(mask) * ROWS):
        raise ValueError(
            f"a dropout layer got an input of shape {tuple(x.shape)}; its first axis must be "
            "the rows."
        )
    return (x.unflatten(0, (len(mask), -1)) * mask[:, None]).flatten(0, 1)


def _do_as_told(layer: nn.Module, inputs: tuple[torch.Tensor], _: torch.Tensor) -> Any:
    drop = _DROP.get()
    return None if drop is None else drop(layer, inputs[0])

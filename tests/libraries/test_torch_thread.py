"""What a user sets in PyTorch for their thread holds where the widget calls the model."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import uqwidgets as uq

torch = pytest.importorskip("torch")


@pytest.fixture
def changed() -> Iterator[None]:
    torch.set_default_device("meta")
    torch.set_grad_enabled(False)
    torch.set_default_dtype(torch.float64)
    yield
    torch.set_default_dtype(torch.float32)
    torch.set_grad_enabled(True)
    torch.set_default_device(None)


@pytest.mark.usefixtures("changed")
def test_a_network_has_the_grad_mode_the_device_and_the_dtype_of_the_user() -> None:
    seen: list[tuple[Any, ...]] = []

    def model(X: np.ndarray) -> np.ndarray:
        new = torch.nn.Linear(2, 1)(torch.zeros(1, 2))
        seen.append((new.requires_grad, new.device.type, new.dtype))
        return X[:, 0]

    X = np.random.default_rng(0).normal(size=(40, 2))
    with uq.explore(model, X, X[:, 0], n_repeats=3) as widget:
        assert widget.wait(30)
        assert widget._frame["meta"]["error"] is None
        before = len(seen)
        # Threads share the dtype, so a message after the last cell finds the new one.
        torch.set_default_dtype(torch.float32)
        widget.n_repeats = 4
        assert widget.wait(30)
    assert set(seen[:before]) == {(False, "meta", torch.float64)}
    assert set(seen[before:]) == {(False, "meta", torch.float32)}
    assert before > 1

"""Fixtures for tests of networks."""

from __future__ import annotations

import pytest


@pytest.fixture(scope="module")
def one_thread():
    # Small networks gain nothing from more, and tests that run beside this one lose by it.
    import torch

    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)

"""Fixtures for tests of networks."""

from __future__ import annotations

import pytest


@pytest.fixture(scope="module")
def one_thread():
    # Small networks are not faster with more threads, and other tests run at the same time.
    import torch

    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)

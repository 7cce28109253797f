"""A process that ends while a network predicts on the widget's thread."""

from __future__ import annotations

import subprocess
import sys
import textwrap

import pytest

pytest.importorskip("torch")

SCRIPT = textwrap.dedent(
    """
    import numpy as np
    import torch
    import uqwidgets as uq

    torch.set_num_threads(1)
    W, V = torch.randn(200, 2000), torch.randn(2000, 2)

    def model(X):
        with torch.no_grad():
            rows = torch.tensor(np.asarray(X), dtype=torch.float32)
            return (torch.relu(rows @ W) @ V).softmax(1).numpy().astype(float)

    X = np.random.default_rng(1).normal(size=(5000, 200))
    widget = uq.explore(model, X, (X[:, 0] > 0).astype(int))
    print(widget.wait(1))
    """
)


@pytest.mark.thorough
@pytest.mark.parametrize("last", ["", "widget.close()"], ids=["open", "closed"])
def test_a_process_ends_in_order_while_a_network_predicts(last: str) -> None:
    ended = subprocess.run(
        [sys.executable, "-c", SCRIPT + last],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert ended.returncode == 0, ended.stderr
    assert ended.stdout == "False\n", "it was predicting when the process ended"

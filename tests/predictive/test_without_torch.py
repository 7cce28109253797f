"""Without PyTorch the package works, and the name that needs it says how to install it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

SCRIPT = """
import importlib.abc, sys

class Blocked(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] == "torch":
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, Blocked())
import uqwidgets as uq
from uqwidgets import *

assert uq.Explainer
try:
    uq.NetworkEnsemble
except ModuleNotFoundError as error:
    message = str(error)
assert message == (
    "NetworkEnsemble needs PyTorch, which is not installed; pip install 'uqwidgets[torch]'."
), message
"""


def test_without_torch_the_error_names_the_extra_to_install():
    run = subprocess.run(
        [sys.executable, "-c", SCRIPT],
        cwd=Path(__file__).resolve().parents[2],
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr

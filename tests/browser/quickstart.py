"""The model and data of the quickstart, from the tagged cell of its notebook."""

from __future__ import annotations

import contextlib
import io
import json
from pathlib import Path
from typing import Any

NOTEBOOK = Path(__file__).resolve().parents[2] / "notebooks" / "quickstart.ipynb"


def quickstart() -> dict[str, Any]:
    """Run the cell tagged ``model`` and return the names it defines."""
    cells = json.loads(NOTEBOOK.read_text(encoding="utf-8"))["cells"]
    (cell,) = (cell for cell in cells if "model" in cell["metadata"].get("tags", []))
    names: dict[str, Any] = {}
    with contextlib.redirect_stdout(io.StringIO()):
        exec("".join(cell["source"]), names)
    return names

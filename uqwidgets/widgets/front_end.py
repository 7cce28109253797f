"""The files of the built front end, which a widget sends to the browser."""

from __future__ import annotations

import os
from pathlib import Path

STATIC = Path(__file__).parent.parent / "static"


def bundle(name: str) -> str | Path:
    """Return a file of the built front end.

    A Path is watched for changes while one develops (``ANYWIDGET_HMR``); it keeps every
    instance alive, so everyone else gets the text.

    Raises
    ------
    ImportError
        If the front end is not built.
    """
    path = STATIC / name
    if not path.exists():
        raise ImportError(
            f"the front end ({name}) is not built; run `make build` in the source tree, or "
            "install a released wheel."
        )
    return path if os.environ.get("ANYWIDGET_HMR") else path.read_text("utf-8")

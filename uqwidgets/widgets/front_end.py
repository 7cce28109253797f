"""The built front end: its core, and the parts that a page requests when it needs them."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import traitlets as t
from ipywidgets import Widget

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


class Part(NamedTuple):
    """The code of a part as the build wrote it.

    Attributes
    ----------
    script : str
        A module whose default export is ``{build, make}``: the build that it belongs to, and a
        function from the core's modules to the part's module.
    style : str
        Its style sheet.
    """

    script: str
    style: str


def _read_parts() -> dict[str, Part]:
    files = sorted((STATIC / "parts").glob("*.js"))
    return {
        file.stem: Part(file.read_text("utf-8"), file.with_suffix(".css").read_text("utf-8"))
        for file in files
    }


# Read together with the core, so that both are of one build when the package is replaced on disk.
PARTS = _read_parts()


def answer_to(content: Any) -> dict[str, str] | None:
    """Return the answer to a page's custom message, or None where it requests no known part.

    Parameters
    ----------
    content : object
        From the browser, untrusted: ``{"part": name}``.
    """
    name = content.get("part") if isinstance(content, dict) else None
    if not isinstance(name, str) or name not in PARTS:
        return None
    return {"part": name, **PARTS[name]._asdict()}


class StoredParts(t.HasTraits):
    """The parts that draw the present results, which a saved notebook shows without a kernel.

    Without them a curve of categories would be missing there. They stay, because a reader may go
    back to that curve.
    """

    _stored_parts = t.Dict().tag(sync=True)

    @t.observe("_frame")
    def _store_parts(self, change: Mapping[str, Any]) -> None:
        name = "curveDetails"
        if name not in self._stored_parts and _has_values_apart(change["new"]):
            self._stored_parts = {**self._stored_parts, name: PARTS[name]._asdict()}


class WholeState(Widget):  # type: ignore[misc]
    """A widget whose state always has its defaults.

    `ipywidgets.embed` leaves defaults out, as most front ends know theirs. Here the front end is a
    default itself, and only Python knows those of the inputs.
    """

    def get_state(self, key: Any = None, drop_defaults: bool = False) -> Any:  # noqa: ARG002
        """Return the state of all traits, or of those that are named."""
        return super().get_state(key)


def _has_values_apart(frame: Mapping[str, Any]) -> bool:
    """Whether a curve has categories or a single value, so that no line joins its values."""
    meta = frame.get("meta", {})
    curve = meta.get("dependence")
    if not curve:
        return False
    grid = meta["cols"].get("dependence.average", {}).get("shape", ())
    return bool(curve["categorical"]) or list(grid) == [1]

"""The built front end: its core, and the parts that a page requests when it needs them."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NoReturn, Self

import traitlets as t
from ipywidgets import Layout, Widget, widget_serialization
from ipywidgets.widgets.trait_types import InstanceDict

from uqwidgets._utils.options import brief
from uqwidgets.widgets.inputs.checks import InputError
from uqwidgets.widgets.inputs.traits import SYNCED

STATIC = Path(__file__).parents[2] / "static"


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
            f"the front end ({name}) is not built; run `python hatch_build.py run build` in the "
            "source tree, or install a released wheel."
        )
    return path if os.environ.get("ANYWIDGET_HMR") else path.read_text("utf-8")


#: The code of each part as the build wrote it: its style sheet, and a module whose default export
#: is ``{build, make}``: the build that it belongs to, and a function from the core's modules to
#: the part's module. Read together with the core, so that both are of one build when the package is
#: replaced on disk.
PARTS = {
    file.stem: {
        "script": file.read_text("utf-8"),
        "style": file.with_suffix(".css").read_text("utf-8"),
    }
    for file in sorted((STATIC / "parts").glob("*.js"))
}


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
    return {"part": name, **PARTS[name]}


class StoredParts(t.HasTraits):
    """The parts that a saved notebook needs to show without a kernel what it shows now.

    Without them a curve of categories or the pins would be missing there. They stay, because a
    reader may go back to that curve.
    """

    _stored_parts = t.Dict().tag(sync=True)

    @t.observe("_frame", "pins")
    def _store_parts(self, change: Mapping[str, Any]) -> None:
        is_frame = change["name"] == "_frame"
        name = "curveDetails" if is_frame else "shelf"
        is_needed = _has_values_apart(change["new"]) if is_frame else bool(change["new"])
        if name not in self._stored_parts and is_needed:
            self._stored_parts = {**self._stored_parts, name: PARTS[name]}


class _HostTrait(t.TraitType[Any, Any]):
    """A trait of ipywidgets whose error is a sentence as those of our own."""

    must_be = ""

    def error(self, obj: Any, value: Any, error: Any = None, info: Any = None) -> NoReturn:
        """Say what the value is, and what it must be."""
        del obj, error, info
        raise InputError(f"{self.name} is {brief(value)}; it must be {self.must_be}.")


class _Layout(_HostTrait, InstanceDict):  # type: ignore[misc]
    must_be = "an ipywidgets.Layout"

    def validate(self, obj: Any, value: Any) -> Any:
        """Return a layout, also of a dict of its traits."""
        if isinstance(value, dict) and not value.keys() <= set(Layout.class_trait_names()):
            self.error(obj, value)
        try:
            return super().validate(obj, value)
        except (TypeError, t.TraitError):
            self.error(obj, value)


class _Tabbable(_HostTrait, t.Bool[Any, Any]):
    must_be = "True, False or None"


class _Tooltip(_HostTrait, t.Unicode[Any, Any]):
    must_be = "a text or None"


class WholeState(Widget):  # type: ignore[misc]
    """A widget that answers requests with frames, and whose state always has its defaults.

    `ipywidgets.embed` leaves defaults out, as most front ends know theirs. Here the front end is a
    default itself, and only Python knows those of the inputs.
    """

    _seq = t.Int(0).tag(**SYNCED)
    _stop = t.Int(0).tag(**SYNCED)
    _about = t.Dict().tag(**SYNCED)
    _frame = t.Dict().tag(**SYNCED)
    layout = _Layout(Layout).tag(sync=True, **widget_serialization)
    tabbable = _Tabbable(None, allow_none=True).tag(sync=True)
    tooltip = _Tooltip(None, allow_none=True).tag(sync=True)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __reduce__(self) -> NoReturn:
        name = type(self).__name__
        raise TypeError(
            f"a widget of class {name} cannot be pickled or copied, because it holds a live model "
            "and the connection to its page; keep its state, and make it anew where it is needed."
        )

    def __copy__(self) -> NoReturn:
        self.__reduce__()

    def __deepcopy__(self, _memo: Any) -> NoReturn:
        self.__reduce__()

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

"""Results of several models, tables or procedures in one picture."""

from uqwidgets.overlays.result import Overlay, overlay

__all__ = ["Overlay", "overlay"]

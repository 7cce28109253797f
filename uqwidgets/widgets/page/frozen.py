"""A page in the output of a cell, in a frame of its own."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from typing import Any

from uqwidgets._utils.options import brief, checked_count, is_whole
from uqwidgets.plotting.html import element

# Of the frame.
_MOST_PIXELS = 100_000


@dataclass(frozen=True)
class FrozenPage:
    """A page in the output of a cell.

    Notebooks, and pages made of them, show it in a frame of its own, whose scripts reach neither
    the document around it nor the network.

    Attributes
    ----------
    html : str
        The page.
    height : int
        Height of the frame in pixels.
    rows : str
        A sentence on what the page holds of the rows.
    title : str
        Name of the frame for screen readers.
    """

    html: str
    height: int
    rows: str
    title: str = "explorer"

    def __repr__(self) -> str:
        return f"a page of {len(self.html.encode('utf-8')) / 1e6:.2f} MB. {self.rows}"

    def _repr_html_(self) -> str:
        style = f"width: 100%; height: {self.height}px; border: 0"
        frame = element("iframe", sandbox="allow-scripts", style=style, title=self.title)
        # The scripts of a page may hold characters that no name may have.
        return frame.replace("<iframe", f'<iframe srcdoc="{escape(self.html)}"', 1)


def checked_height(height: Any) -> int:
    """Return the height of a page in the output of a cell, in pixels.

    Raises
    ------
    ValueError
        If it is no positive whole number, or too large.
    """
    if not is_whole(height) or height < 1:
        raise ValueError(
            f"height is {brief(height)}; it must be a positive whole number of pixels."
        )
    return checked_count(height, "height", 1, _MOST_PIXELS)

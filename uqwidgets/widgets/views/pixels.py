"""The shape of the picture whose pixels the features are; the page draws importance on it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from math import isqrt
from typing import ClassVar

from uqwidgets.widgets.inputs.inputs import Inputs
from uqwidgets.widgets.kernel.work import Step, Work
from uqwidgets.widgets.rows.population import Populations
from uqwidgets.widgets.views.view import Availability, Content, View

# Two numbers in a name, such as "pixel_3_4" or "r3c4", and one at its end, such as "x12".
_PLACE, _POSITION = re.compile(r"(\D*)(\d+)(\D+)(\d+)(\D*)"), re.compile(r"(.*?)(\d+)")
# Features that are only numbered are many tables; so many of them are hardly anything but pixels.
_LEAST_SIDE = 8


def rows_of_picture(names: Sequence[str]) -> int:
    """Return the number of rows of the picture whose pixels features seem to be, 0 for none.

    Either their names have a row and a column, row by row, as "pixel_0_3", or they are numbered and
    fill a square of at least 8 by 8.

    Parameters
    ----------
    names : sequence of str

    Examples
    --------
    >>> rows_of_picture([f"r{i}c{j}" for i in range(2) for j in range(3)])
    2
    >>> rows_of_picture([f"x{i}" for i in range(64)])
    8
    >>> rows_of_picture(["age", "income"])
    0
    """
    places = [_PLACE.fullmatch(name) for name in names]
    if len(names) >= 4 and all(places):
        stems = {match.group(1, 3, 5) for match in places if match}
        at = [(int(match[2]), int(match[4])) for match in places if match]
        rows, columns = (sorted({place[k] for place in at}) for k in (0, 1))
        grid = [(row, column) for row in rows for column in columns]
        return len(rows) if len(stems) == 1 and at == grid and len(rows) > 1 < len(columns) else 0
    numbered = [_POSITION.fullmatch(name) for name in names]
    side = isqrt(len(names))
    if side < _LEAST_SIDE or side**2 != len(names) or not all(numbered):
        return 0
    stems_of = {match[1] for match in numbered if match}
    at_of = [int(match[2]) for match in numbered if match]
    is_in_order = at_of == list(range(at_of[0], at_of[0] + len(names)))
    return side if len(stems_of) == 1 and is_in_order else 0


class PixelsView(View):
    """The importance of every pixel where the features are the pixels of a picture.

    The page draws the numbers of the importance view, so the content is the shape alone.
    """

    needs_model = True
    name = "pixels"
    draws = "importance"
    help = (
        "Which parts of the picture does the model need? Each square is a pixel, which is a "
        "feature; the stronger its colour, the larger its importance. A small square is a pixel "
        "whose interval contains 0: not clear from these rows.",
        "Click a pixel to see its curve. With the keyboard, the arrow keys move from pixel to "
        "pixel, and Enter picks one.",
    )
    tips: ClassVar = {
        "uq-pixel-measure": "The measure whose importance colours the pixels",
    }
    reads = ("image_rows",)

    def compute(self, inputs: Inputs, _populations: Populations) -> Content:
        """Return the shape of the picture; nothing where the features are no pixels."""
        if not inputs.image_rows:
            return Content()
        rows = inputs.image_rows
        return Content({"rows": rows, "columns": len(self.explainer.features) // rows})

    def show_cached(self, work: Work) -> Availability:
        """Show the shape, which answers no request by itself."""
        super().show_cached(work)
        return Availability(is_shown=False, is_complete=True)

    def steps(self, _work: Work) -> Iterable[Step]:
        """Return no step: the importance view evaluates what is drawn."""
        return ()

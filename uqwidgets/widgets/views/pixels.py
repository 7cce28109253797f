"""The shape of the picture whose pixels the features are; the page draws importance on it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

from uqwidgets.widgets.inputs.inputs import Inputs
from uqwidgets.widgets.kernel.work import Step, Work
from uqwidgets.widgets.rows.population import Populations
from uqwidgets.widgets.views.view import Availability, Content, View


class PixelsView(View):
    """The importance of every pixel where the features are the pixels of a picture.

    The page draws the numbers of the importance view, so the content is the shape alone.
    """

    needs_model = True
    name = "pixels"
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

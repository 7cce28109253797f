"""The static pictures of importance: lists of features, and a map where features are pixels."""

from __future__ import annotations

from collections.abc import Sequence

from uqwidgets.importance.html import importance_html
from uqwidgets.importance.pixels_html import pixels_html
from uqwidgets.importance.result import Importance
from uqwidgets.widgets.inputs.inputs import Inputs


def pictures(results: Sequence[Importance], inputs: Inputs, features: tuple[str, ...]) -> str:
    """Return the HTML of results of the same features, and of the map of the first one.

    Parameters
    ----------
    results : sequence of Importance
    inputs : Inputs
        They say whether features are pixels, and whether the view of pixels is shown.
    features : tuple of str
        All features, in the order of the table.
    """
    # Beside one another there is room for two.
    html = "".join(importance_html(*results[i : i + 2]) for i in range(0, len(results), 2))
    if results and inputs.image_rows and not inputs.grouped and inputs.shows("pixels"):
        html += pixels_html(results[0], features, inputs.image_rows)
    return html

"""A startup file of the site's kernels: an explorer is shown as the page that `freeze` makes."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from IPython.core.getipython import get_ipython
from IPython.display import HTML, display

# A page grows with the number of features that can be stressed.
N_STRESSED = 3


def show(explorer: Any) -> None:
    """Write the page of an explorer beside the site, and display it in a frame."""
    # The kernels of pages without an explorer need not import the widgets.
    from uqwidgets.widgets.inputs.inputs import is_stressable

    pages = Path(os.environ["UQWIDGETS_DOCS_PAGES"])
    pages.mkdir(parents=True, exist_ok=True)
    explorer.wait()
    table = explorer.explainer.table
    ranking = explorer.result("importance").features
    stressed = [feature for feature in ranking if is_stressable(table, feature)][:N_STRESSED]
    path = pages / f"{Path.cwd().name}-{len(list(pages.iterdir()))}.html"
    frozen = explorer.freeze(stress_features=stressed, progress=False)
    path.write_text(frozen.html, encoding="utf-8")
    root = os.path.relpath(os.environ["UQWIDGETS_DOCS"], Path.cwd())
    address = f"{root}/explorers/{path.name}"
    display(
        HTML(
            f'<iframe class="explorer" src="{address}" title="Explorer" loading="lazy"></iframe>'
            f'<p class="explorer-note">It lives without a kernel: move the slider. '
            f'<a href="{address}" target="_blank">Open it in a tab of its own.</a></p>'
        )
    )


get_ipython().display_formatter.ipython_display_formatter.for_type_by_name(
    "uqwidgets.widgets.explorer", "Explorer", show
)

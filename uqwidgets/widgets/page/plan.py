"""The plan of a page: the views that are saved, and what a reader can choose beside them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from uqwidgets.widgets.inputs.inputs import Inputs
from uqwidgets.widgets.page.assembly import PageOptions
from uqwidgets.widgets.session.session import Session
from uqwidgets.widgets.views.view import View


class Plan(NamedTuple):
    """What a page is made of.

    Attributes
    ----------
    session : Session
        Of the model of the page.
    shown : sequence of Inputs
        Of the present view, and of the pins.
    pins : sequence of dict
    options : PageOptions
    """

    session: Session
    shown: Sequence[Inputs]
    pins: Sequence[dict[str, Any]]
    options: PageOptions

    def views(self, at: int = 0) -> list[View]:
        """Return views of one's own, which one of the saved views shows."""
        inputs = self.shown[at]
        return [view.another() for view in self.session.views if view.is_read(inputs)]

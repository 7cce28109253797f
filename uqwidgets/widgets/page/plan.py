"""The plan of a page: the views that are saved, and what a reader can choose beside them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from uqwidgets.widgets.inputs.inputs import Inputs
from uqwidgets.widgets.page.assembly import PageModel, PageOptions
from uqwidgets.widgets.session.models import Models
from uqwidgets.widgets.session.session import Session


class Plan(NamedTuple):
    """What a page is made of.

    Attributes
    ----------
    models : Models
        Of the explorer.
    shown : sequence of Inputs
        Of the present view, and of the pins.
    pins : sequence of dict
    options : PageOptions
    """

    models: Models
    shown: Sequence[Inputs]
    pins: Sequence[dict[str, Any]]
    options: PageOptions

    def session(self, at: int) -> Session:
        """Return the session of one of the saved views."""
        return self.models.session(self.shown[at].shown_model)

    def page_models(self) -> list[PageModel]:
        """Return the models that the saved views show, each with views of its own."""
        names = dict.fromkeys(each.shown_model for each in self.shown)
        return [
            PageModel(
                session,
                [view.another() for view in session.views if view.is_read(self.shown[0])],
                [each for each in self.shown if each.shown_model == name],
            )
            for name, session in ((name, self.models.session(name)) for name in names)
        ]

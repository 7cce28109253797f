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
    others : sequence of Inputs
        Of the models that are in the page although no saved view shows them.
    pins : sequence of dict
    options : PageOptions
    """

    models: Models
    shown: Sequence[Inputs]
    others: Sequence[Inputs]
    pins: Sequence[dict[str, Any]]
    options: PageOptions

    def session(self, at: int) -> Session:
        """Return the session of one of the saved views."""
        return self.models.session(self.shown[at].shown_model)

    def page_models(self) -> list[PageModel]:
        """Return the models of the page, each with views of its own."""
        of_models: dict[str, list[Inputs]] = {}
        for each in (*self.shown, *self.others):
            of_models.setdefault(each.shown_model, []).append(each)
        return [
            PageModel(
                session,
                [view.another() for view in session.views if view.is_read(every[0])],
                every,
            )
            for every in of_models.values()
            for session in (self.models.session(every[0].shown_model),)
        ]

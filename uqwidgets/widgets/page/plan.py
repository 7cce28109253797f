"""The plan of a page: the views that are saved, and what a reader can choose beside them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Literal, NamedTuple

from uqwidgets._utils.options import checked_flag
from uqwidgets._utils.remarks import Remark
from uqwidgets.explainer.explainer import Explainer
from uqwidgets.explainer.others import model_names
from uqwidgets.plotting.text import listed
from uqwidgets.widgets.inputs.inputs import NO_ROWS, Inputs, inputs_of, validate
from uqwidgets.widgets.page.assembly import PageModel, PageOptions, intervals_of, stressed_of
from uqwidgets.widgets.page.cohorts import NamedRows, named_rows
from uqwidgets.widgets.page.compared import check_compared_cohorts
from uqwidgets.widgets.rows.population import PopulationBuilder
from uqwidgets.widgets.session.models import Models
from uqwidgets.widgets.session.session import Session
from uqwidgets.widgets.views import NAMES

#: What a page holds, see `Savable.save`.
Scope = Literal["shown", "all", "pictures"]
SCOPES: tuple[Scope, ...] = ("shown", "all", "pictures")


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
        models = []
        for every in of_models.values():
            session = self.models.session(every[0].shown_model)
            views = [view.another() for view in session.views if view.is_read(every[0])]
            models.append(PageModel(session, views, every))
        return models


def plan_of(
    models: Models,
    inputs: Inputs,
    pins: Sequence[dict[str, Any]],
    scope: Scope,
    cohorts: Any,
    stress_features: Any,
    intervals: Any,
    lines: int | None,
    selection: bool = False,
) -> Plan:
    """Decide what a page holds of the present view and of the pins.

    Parameters
    ----------
    models : Models
    inputs : Inputs
        Of the present view.
    pins : sequence of dict
    scope, cohorts, stress_features, intervals, lines, selection
        As for `Savable.save`.
    """
    explainer = models.explainer(inputs.shown_model)
    states = [pin["state"] for pin in pins]
    shown = [inputs, *(inputs_of(one, models.explainer(one["shown_model"])) for one in states)]
    if lines is not None:
        lines = validate("ice_lines", lines, explainer)
        shown = [replace(each, ice_lines=lines) for each in shown]
    shown, remarks = _with_rows(shown, selection)
    shown = [replace(each, feature=each.feature or shown[0].feature) for each in shown]
    check_compared_cohorts(shown)
    if scope == "shown" and stress_features is None:
        # Those of the saved views are added.
        stress_features = ()
    options = PageOptions(
        _named_rows(explainer, cohorts, shown, ["", *(pin["note"] for pin in pins)]),
        intervals_of(intervals, shown),
        stressed_of(explainer, stress_features, shown),
        sorted({each.simultaneous for each in shown}),
        remarks,
    )
    others: list[Inputs] = []
    if scope == "all":
        in_views = {each.shown_model for each in shown}
        absent = [name for name in model_names(explainer) if name not in in_views]
        others = [models.inputs(shown[0], name) for name in absent]
    if scope != "pictures":
        # Each of the saved views shows what the page holds.
        sessions = [models.session(each.shown_model) for each in (*shown, *others)]
        named = {view.name for session in sessions for view in session.views}
        is_all = scope == "all"
        every = [name for name in NAMES if is_all or any(each.shows(name) for each in shown)]
        views = () if named <= set(every) else tuple(every)
        shown = [replace(each, views=views) for each in shown]
        others = [replace(each, views=views) for each in others]
    pins = [{**pin, "state": each.plain()} for pin, each in zip(pins, shown[1:], strict=True)]
    return Plan(models, shown, others, pins, options)


def _with_rows(shown: Sequence[Inputs], is_chosen: bool) -> tuple[list[Inputs], list[Remark]]:
    """Leave the selected rows out of the saved views, unless the sender chose them.

    Returns
    -------
    shown : list of Inputs
    remarks : list of Remark
        On what the views show and the page does not hold.

    Raises
    ------
    ValueError
        If rows are chosen for a page that holds no row.
    """
    checked_flag(is_chosen, "selection")
    if is_chosen and not all(each.ice_lines for each in shown):
        raise ValueError(
            "selection is True, and with lines=0 no row is in the page; give lines, or leave the "
            "selection out."
        )
    names = ["the present view", *(f"pin {i}" for i in range(1, len(shown)))]
    selecting = [name for name, each in zip(names, shown, strict=True) if each.selection]
    changing = [name for name, each in zip(names, shown, strict=True) if each.what_if]
    if is_chosen:
        sentence = (
            f"the page predicts other values of a row along the curve that is drawn alone; "
            f"those of {listed(changing)} need the notebook"
        )
        return list(shown), [Remark("page-without-what-if", sentence)] if changing else []
    sentence = (
        f"the rows that {listed(selecting)} select{'s' if len(selecting) == 1 else ''} are not in "
        "the page; selection=True holds them"
    )
    nothing: dict[str, Any] = {"selection": NO_ROWS, "row": -1, "what_if": ()}
    remarks = [Remark("page-without-selection", sentence)] if selecting else []
    return [replace(each, **nothing) for each in shown], remarks


def _named_rows(
    explainer: Explainer, cohorts: Any, shown: Sequence[Inputs], notes: Sequence[str]
) -> list[NamedRows]:
    """Return the cohorts of a page, each of which has rows."""
    named = [NamedRows(one.name, one.conditions, one.complement) for one in shown[0].cohorts]
    named += [
        NamedRows(note, each.ice_filter, each.complement)
        for note, each in zip(notes, shown, strict=True)
    ]
    every = named_rows(cohorts, explainer, named)
    builder = PopulationBuilder(explainer)
    for one in every:
        at = Inputs(ice_filter=one.filter, complement=one.complement)
        if builder.build(at, lambda: None) is None:
            raise ValueError(f"cohort {one.name!r} has no row; choose another filter.")
    return every

"""The answer to one request: first results without a model call, then the steps of all views."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from uqwidgets._utils.remarks import Remark
from uqwidgets.widgets.inputs.conditions import notes_on_missing
from uqwidgets.widgets.inputs.inputs import NAMES, Inputs
from uqwidgets.widgets.kernel.interruptions import SupersededError
from uqwidgets.widgets.kernel.scheduler import Ticket, heartbeat
from uqwidgets.widgets.kernel.work import Work
from uqwidgets.widgets.session.pins import Pin
from uqwidgets.widgets.views.view import Content

if TYPE_CHECKING:
    from uqwidgets.widgets.session.session import Session


class WidgetRequest(NamedTuple):
    """What is to be shown.

    Attributes
    ----------
    seq : int
        Number of the request.
    inputs : Inputs
    pin : Pin or None
        The pin whose results are drawn behind the views.
    input_error : str or None
        Why values were refused.
    """

    seq: int
    inputs: Inputs
    pin: Pin | None
    input_error: str | None

    def is_again(self, before: WidgetRequest | None) -> bool:
        """Whether it is the one before with another number: to go on, or to try again."""
        return before is not None and self != before == self._replace(seq=before.seq)


class WidgetAnswer(Work):
    """The answer to one request, frame by frame.

    Parameters
    ----------
    session : Session
    request : WidgetRequest
    ticket : Ticket
    is_again : bool
        Whether the same inputs were answered before, so that what failed is tried again.
    """

    def __init__(
        self, session: Session, request: WidgetRequest, ticket: Ticket, *, is_again: bool
    ) -> None:
        models, inputs = session.models, request.inputs
        super().__init__(inputs, ticket, models.publisher.timing, session.start.since)
        self._session = session
        self._explainer = session.explainer
        self._publisher = models.publisher
        self._request = request
        self._is_again = is_again
        # Steps of the same urgency follow the order of the views.
        self._views = [view for view in session.views if view.is_read(inputs)]
        self._ghost = session.ghost if request.pin is None else models.ghost(request.pin)
        self._code = models.code(inputs)
        self.notes += models.notes(inputs)
        if request.input_error is not None:
            self.errors.append(request.input_error)
        # A text that says where the work was stopped, such as "at 3 of 10 shuffles".
        self._stopped: str | None = None
        # Number of rows that meet the filter.
        self._n_rows = len(self._explainer.table)
        # What these rows belong to, in words.
        self._in_groups: str | None = None

    def choose(self, features: Sequence[str]) -> None:
        """Pick the first of the features where none is picked, see `Work`."""
        self._publisher.choose(features)
        self.check()

    def seconds_ahead(self, besides: object = None) -> float:
        """Model time, in seconds, that the views will need, without the view ``besides``."""
        return sum(v.seconds_ahead(self.inputs) for v in self._views if v is not besides)

    def model_seconds(self) -> float:
        """Seconds in calls of the model so far."""
        return self._explainer.evaluations.model_seconds

    def run(self) -> None:
        """Show the known results, then call the model for the others, step by step.

        Raises
        ------
        SupersededError
            If a newer request came.
        """
        try:
            with heartbeat(self.beat, self.timing.heartbeat):
                for view in self._views:
                    view.forget_failures(self.inputs)
                    if self._is_again:
                        view.try_again()
                self._build_populations()
                if not self.inputs.feature and all(v.name != "importance" for v in self._views):
                    # It is not known which feature is the most important.
                    self.choose(self._explainer.features)
                self.notes += [note for view in self._views for note in view.notes(self.inputs)]
                if self._show_cached():
                    return
                self._run_steps()
        except SupersededError:
            if not self.stopped:
                raise
            self._stopped = self._stopping_place()
        self.give_up()

    def give_up(self) -> None:
        """Show the latest results, with the errors."""
        self.progress = None
        self.send(final=True)

    def _build_populations(self) -> None:
        if not self.inputs.complement:
            self.notes += notes_on_missing(self.inputs.ice_filter, self._explainer)
        rows = self.rows = self._session.populations.build(self.inputs, self.check)
        self._n_rows = 0 if rows is None else rows.selection.n_rows
        if rows is not None:
            self._in_groups = rows.in_groups
            if self.inputs.groups or self.inputs.time:
                self.notes += rows.selection.explainer.evaluations.remarks_on_rows
        if rows is not None and rows.problem is not None:
            self.notes.append(
                Remark(
                    "unreachable-means",
                    "these means cannot be had together, so importance and curves stay as they "
                    f"were: {rows.problem}",
                )
            )
        elif rows is not None and rows.projection is not None and not rows.is_reachable:
            self.notes.append(
                Remark(
                    "unreachable-tau",
                    f"{self.inputs.stress_feature} cannot be stressed to this tau "
                    f"({rows.projection.status}); importance and curves stay as they were",
                )
            )

    def _show_cached(self) -> bool:
        """Show the results that need no model call; True if these are all."""
        available = [view.show_cached(self) for view in self._views]
        if not any(view.is_shown for view in available):
            return False
        is_complete = all(view.is_complete for view in available)
        is_complete = is_complete and self._ghost.is_current(self._request.pin, self.inputs)
        seconds = 0.0 if is_complete else self.seconds_ahead()
        if seconds > self.timing.frame_interval:
            self.set_progress("results that need the model", seconds_left=seconds)
        self.send(final=is_complete)
        self.progress = None
        return is_complete

    def _run_steps(self) -> None:
        steps = [step for view in self._views for step in view.steps(self)]
        for step in sorted(steps, key=lambda step: (step.urgency, step.n_rows)):
            step.run()
        pin = self._request.pin
        if pin is not None and not self._ghost.is_current(pin, self.inputs):
            self._ghost.compute(pin, self.inputs, self.check)

    def _failures(self) -> dict[str, list[str]]:
        """Return why views lack something, with a traceback, by their names."""
        found = {view.name: list(view.failure) for view in self._views if view.failure is not None}
        drawn = {view.name: found[view.draws] for view in self._views if view.draws in found}
        return {**drawn, **found}

    def _stopping_place(self) -> str:
        places = (view.unfinished(self.inputs) for view in self._views)
        return next((place for place in places if place), "before everything was computed")

    def _compose(self, *, final: bool) -> None:
        explainer, start = self._explainer, self._session.start
        contents = {view: view.published(self) for view in self._views}
        ghost, ghost_columns = self._under()
        of_views = [r for content in contents.values() for r in content.meta.get("remarks", ())]
        notes = list(dict.fromkeys([*self.notes, *of_views]))
        self._publisher.publish(
            self._request,
            {
                "final": final,
                "ghost": ghost,
                **{
                    view.name: _described(content, is_stale=view.is_stale(self))
                    for view, content in contents.items()
                },
                "rows": self._n_rows,
                "in_groups": self._in_groups,
                "cost": {
                    "calls": explainer.model_calls - start.model_calls,
                    "rows": explainer.rows_evaluated - start.rows_evaluated,
                    "seconds": self.published - start.at,
                },
                "total": {"calls": explainer.model_calls, "rows": explainer.rows_evaluated},
                "progress": self.shown_progress,
                "stopped": self._stopped,
                "failed": any(view.failures for view in self._views),
                "failures": self._failures(),
                "error": "; ".join(dict.fromkeys(self.errors)) or None,
                "notes": notes,
                "note_codes": [note.code for note in notes],
                # The inputs that mend what a note says.
                "note_inputs": [mending_inputs(note) for note in notes],
                "code": self._code,
            },
            {
                f"{view.name}.{name}": values
                for view, content in contents.items()
                for name, values in content.columns.items()
            }
            | ghost_columns,
        )

    def _under(self) -> tuple[dict[str, Any] | None, dict[str, Any]]:
        """Return what is drawn behind the views: a pin, else what one of the views draws there."""
        if (pin := self._request.pin) is not None:
            return pin.plain(), self._ghost.columns(pin)
        each = (view.under(self.inputs) for view in self._views)
        return next((one for one in each if one is not None), (None, {}))


def mending_inputs(note: Remark) -> dict[str, Any] | None:
    """Return the inputs of the widget that mend what a note says; None where there are none."""
    inputs = {name: value for name, value in note.mends.items() if name in NAMES}
    return inputs or None


def _described(content: Content, *, is_stale: bool) -> dict[str, Any] | None:
    if not content.meta:
        return None
    # Remarks are among the notes, each once.
    return {**{k: v for k, v in content.meta.items() if k != "remarks"}, "stale": is_stale}

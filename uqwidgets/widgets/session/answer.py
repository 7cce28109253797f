"""The answer to one request: first results without a model call, then the steps of all views."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from uqwidgets._utils.remarks import Remark
from uqwidgets.explainer.explainer import Explainer
from uqwidgets.widgets.inputs.conditions import notes_on_missing
from uqwidgets.widgets.inputs.inputs import Inputs
from uqwidgets.widgets.kernel.interruptions import SupersededError
from uqwidgets.widgets.kernel.scheduler import Ticket, heartbeat
from uqwidgets.widgets.kernel.timing import Timing
from uqwidgets.widgets.kernel.work import Work
from uqwidgets.widgets.rows.population import PopulationBuilder
from uqwidgets.widgets.session.ghost import Ghost
from uqwidgets.widgets.session.pins import Pin
from uqwidgets.widgets.views.view import Content, View

#: Called with ``(meta, columns)`` of each frame.
Publish = Callable[[dict[str, Any], dict[str, Any]], None]


class Start(NamedTuple):
    """When a request began, and what the model had evaluated by then.

    Attributes
    ----------
    number : int
        Of the request.
    at : float
        By the clock of `Timing`.
    model_calls, rows_evaluated : int
    """

    number: int
    at: float
    model_calls: int
    rows_evaluated: int


class Answer:
    """The answer to one request, frame by frame.

    Parameters
    ----------
    explainer : Explainer
    views : sequence of View
        Views to update. Steps of the same urgency follow the order of the views.
    ghost : Ghost
    populations : PopulationBuilder
    inputs : Inputs
    pin : Pin or None
        The pin whose results are shown behind those of the views.
    ticket : Ticket
    timing : Timing
    publish, choose : callable
        See `Session`.
    busy_since : float
        See `Work`.
    start : Start
    is_again : bool, default=False
        Whether the same inputs were answered before, so that what failed is tried again.

    Attributes
    ----------
    errors, notes : list of str
        Sentences that the next frame shows.
    """

    def __init__(
        self,
        explainer: Explainer,
        views: Sequence[View],
        ghost: Ghost,
        populations: PopulationBuilder,
        inputs: Inputs,
        pin: Pin | None,
        ticket: Ticket,
        timing: Timing,
        publish: Publish,
        choose: Callable[[Sequence[str]], None],
        busy_since: float,
        start: Start,
        *,
        is_again: bool = False,
    ) -> None:
        self._explainer = explainer
        self._views = views
        self._ghost = ghost
        self._pin = pin
        self._populations = populations
        self._inputs = inputs
        self._publish = publish
        self._is_again = is_again
        self._work = Work(inputs, ticket, timing, views, self._compose, choose, busy_since)
        self.errors, self.notes = self._work.errors, self._work.notes
        # A text that says where the work was stopped, such as "at 3 of 10 shuffles".
        self._stopped: str | None = None
        # Number of rows that meet the filter.
        self._n_rows = len(explainer.table)
        self._start = start

    def run(self) -> None:
        """Show the known results, then call the model for the others, step by step.

        Raises
        ------
        SupersededError
            If a newer request came.
        """
        work = self._work
        try:
            with heartbeat(work.beat, work.timing.heartbeat):
                for view in self._views:
                    view.forget_failures(self._inputs)
                    if self._is_again:
                        view.try_again()
                self._build_populations()
                if not self._inputs.feature and all(v.name != "importance" for v in self._views):
                    # It is not known which feature is the most important.
                    work.choose(self._explainer.features)
                work.notes += [note for view in self._views for note in view.notes(self._inputs)]
                if self._show_cached():
                    return
                self._run_steps()
        except SupersededError:
            if not work.stopped:
                raise
            self._stopped = self._stopping_place()
        work.progress = None
        work.send(final=True)

    def give_up(self) -> None:
        """Show the latest results with the error."""
        self._work.progress = None
        self._work.send(final=True)

    def _build_populations(self) -> None:
        if not self._inputs.complement:
            self._work.notes += notes_on_missing(self._inputs.ice_filter, self._explainer)
        rows = self._populations.build(self._inputs, self._work.check)
        self._work.rows = rows
        self._n_rows = 0 if rows is None else rows.selection.n_rows
        if rows is not None and rows.problem is not None:
            self._work.notes.append(
                Remark(
                    "unreachable-means",
                    "these means cannot be had together, so importance and curves stay as they "
                    f"were: {rows.problem}",
                )
            )
        elif rows is not None and rows.projection is not None and not rows.is_reachable:
            self._work.notes.append(
                Remark(
                    "unreachable-tau",
                    f"{self._inputs.stress_feature} cannot be stressed to this tau "
                    f"({rows.projection.status}); importance and curves stay as they were",
                )
            )

    def _show_cached(self) -> bool:
        """Show the results that need no model call; True if these are all."""
        available = [view.show_cached(self._work) for view in self._views]
        if not any(view.is_shown for view in available):
            return False
        is_complete = all(view.is_complete for view in available)
        is_complete = is_complete and self._ghost.is_current(self._pin, self._inputs)
        seconds = 0.0 if is_complete else self._work.seconds_ahead()
        if seconds > self._work.timing.frame_interval:
            self._work.set_progress("results that need the model", seconds_left=seconds)
        self._work.send(final=is_complete)
        self._work.progress = None
        return is_complete

    def _run_steps(self) -> None:
        steps = [step for view in self._views for step in view.steps(self._work)]
        for step in sorted(steps, key=lambda step: (step.urgency, step.n_rows)):
            step.run()
        if self._pin is not None and not self._ghost.is_current(self._pin, self._inputs):
            self._ghost.compute(self._pin, self._inputs, self._work.check)

    def _stopping_place(self) -> str:
        places = (view.unfinished(self._inputs) for view in self._views)
        return next((place for place in places if place), "before everything was computed")

    def _compose(self, final: bool) -> None:
        explainer, work = self._explainer, self._work
        contents = {view: view.published(work) for view in self._views}
        ghost, ghost_columns = self._under()
        of_views = [r for content in contents.values() for r in content.meta.get("remarks", ())]
        notes = list(dict.fromkeys([*work.notes, *of_views]))
        self._publish(
            {
                "final": final,
                "ghost": ghost,
                **{
                    view.name: _described(content, is_stale=view.is_stale(work))
                    for view, content in contents.items()
                },
                "rows": self._n_rows,
                "cost": {
                    "calls": explainer.model_calls - self._start.model_calls,
                    "rows": explainer.rows_evaluated - self._start.rows_evaluated,
                    "seconds": work.published - self._start.at,
                },
                "total": {"calls": explainer.model_calls, "rows": explainer.rows_evaluated},
                "progress": work.shown_progress,
                "stopped": self._stopped,
                "failed": any(view.failures for view in self._views),
                "error": "; ".join(dict.fromkeys(work.errors)) or None,
                "notes": notes,
                "note_codes": [note.code for note in notes],
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
        if self._pin is not None:
            return self._pin.plain(), self._ghost.columns(self._pin)
        each = (view.under(self._inputs) for view in self._views)
        return next((one for one in each if one is not None), (None, {}))


def _described(content: Content, *, is_stale: bool) -> dict[str, Any] | None:
    if not content.meta:
        return None
    # Remarks are among the notes, each once.
    return {**{k: v for k, v in content.meta.items() if k != "remarks"}, "stale": is_stale}

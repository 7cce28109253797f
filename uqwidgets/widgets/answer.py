"""One request on its way: what is shown at once, what has to be asked, in which order."""

from __future__ import annotations

import time
from contextlib import suppress
from threading import Lock
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from uqwidgets.errors import in_one_line
from uqwidgets.evaluation import Progress, Report
from uqwidgets.explainer import Explainer
from uqwidgets.population import Population
from uqwidgets.stress.projection import Projection
from uqwidgets.widgets.heartbeat import heartbeat
from uqwidgets.widgets.inputs import Condition, Inputs
from uqwidgets.widgets.panel import Panel, Populations
from uqwidgets.widgets.scheduler import SupersededError, Ticket

if TYPE_CHECKING:
    from uqwidgets.widgets.session import Session

# Seconds that importance may cost while a control moves; the rest follows when it rests.
_AT_ONCE = 0.015
# Questions that take longer than this are answered coarsely first.
_LONG = 0.4
_BETWEEN_FRAMES = 0.3
_AT_REST = 0.15
# Rows of which all intervals under stress are found in a blink.
_BOUNDED_AT_ONCE = 20_000
_BEAT = 0.5


class Answer:
    """One request on its way.

    Parameters
    ----------
    session : Session
        Its panels are brought up to date.
    inputs : Inputs
    ticket : Ticket

    Attributes
    ----------
    errors : list of str
        Sentences that the next frame shows.
    """

    def __init__(self, session: Session, inputs: Inputs, ticket: Ticket) -> None:
        self.errors: list[str] = []
        self._session = session
        self._explainer = session.explainer
        self._inputs = inputs
        self._ticket = ticket
        self._notes: list[str] = []
        self._sending = Lock()
        self._progress: dict[str, Any] | None = None
        self._calls = self._explainer.model_calls
        self._rows = self._explainer.rows_evaluated
        self._started = self._published = time.perf_counter()
        self._projection: Projection | None = None
        self._populations: Populations | None = None

    def run(self) -> None:
        """Show what is known, then ask for the rest, panel by panel.

        Raises
        ------
        SupersededError
            If a newer request came.
        """
        try:
            self._forget_failures()
            self._populations = self._describe_rows()
            if self._at_once():
                return
            self._ask_importance()
            self._ask_dependence()
            self._session.stress.profile(self._ticket)
            self._bound_stress()
            self._refine_importance()
        except SupersededError:
            if not self._ticket.stopped:
                raise
            self._notes.append("stopped; what is finished is kept, and the next change goes on")
        self._progress = None
        self._send(final=True)

    def _forget_failures(self) -> None:
        chosen = {("dependence", self._inputs.feature)}
        for key in list(self._session.failed):
            stays = key in chosen or (key[0] == "importance" and key[1] <= self._inputs.n_repeats)
            if not stays:
                del self._session.failed[key]

    def give_up(self) -> None:
        """Show the last good panels with the error."""
        self._progress = None
        self._send(final=True)

    def _describe_rows(self) -> Populations | None:
        ex, inputs = self._explainer, self._inputs
        n = len(ex.table)
        rows = _rows(inputs.ice_filter, ex)
        if rows is not None and not rows.any():
            self.errors.append("no row meets the filter; the last rows that did are shown")
            return None
        unstressed = Population.of(n, rows=rows)
        now = unstressed
        if inputs.stress_feature:
            self._projection = self._session.stress.project(inputs.stress_feature, inputs.tau)
            weights = self._projection.weights
            if weights is None:
                self._notes.append(
                    f"{inputs.stress_feature} cannot be stressed to this tau "
                    f"({self._projection.status}); importance and curves stay as they were"
                )
                return None
            if inputs.tau:
                now = Population.of(n, weights, rows)
        stressed = (inputs.stress_feature, inputs.tau) if inputs.tau else None
        filters = inputs.ice_filter
        return Populations(now, unstressed, (stressed, filters), (filters,))

    def _at_once(self) -> bool:
        """Show what needs no model call; True if that is everything."""
        importance, dependence = self._session.importance, self._session.dependence
        feature, wanted = self._inputs.feature, self._inputs.n_repeats
        known = importance.known_repeats(wanted)
        if not known:
            return False
        summed = importance.affordable_repeats(known, _AT_ONCE)
        self._sum_importance(summed)
        drawn = bool(feature) and dependence.known(feature)
        if drawn:
            self._draw(coarse=False)
        elif feature and dependence.known(feature, coarse=True):
            self._draw(coarse=True)
        stress = self._session.stress
        if stress.complete and len(self._explainer.table) <= _BOUNDED_AT_ONCE:
            self._bound_stress()
        everything = summed == wanted and drawn and stress.complete and stress.bounded(self._inputs)
        self._send(final=everything)
        return everything

    def _ask_importance(self) -> None:
        panel, wanted = self._session.importance, self._inputs.n_repeats
        evaluations = self._explainer.evaluations
        known = panel.known_repeats(wanted)
        while known < wanted:
            step = wanted
            if evaluations.seconds(panel.questions(wanted)) > _LONG:
                step = min(wanted, max(2, 2 * known))
            if not self._ask("importance", panel.questions(step), ("importance", step)):
                return
            known = step
            self._sum_importance(panel.affordable_repeats(known, _AT_ONCE))
            self._send()
        if not self._inputs.feature and panel.meta:
            # Of fewer repeats, as many as there was time for, another feature may come first.
            self._sum_importance(wanted)
            self._session.choose(panel.top)
            self._ticket.check()

    def _ask_dependence(self) -> None:
        panel, feature = self._session.dependence, self._inputs.feature
        if not feature or panel.known(feature):
            return
        what = f"curves of {feature}"
        evaluations = self._explainer.evaluations
        if evaluations.seconds(panel.questions(feature)) > _LONG:
            first = panel.questions(feature, coarse=True)
            if not self._ask(what, first, ("dependence", feature)):
                return
            self._draw(coarse=True)
            self._send()
        if self._ask(what, panel.questions(feature), ("dependence", feature)):
            self._draw(coarse=False)
            self._send()

    def _ask(self, what: str, questions: Any, key: tuple[Any, ...]) -> bool:
        """Ask the model; False where it failed, now or before."""
        failed = self._session.failed
        if key not in failed:
            try:
                with heartbeat(self._beat, _BEAT):
                    self._explainer.evaluations.ask(questions, self._report(what))
                return True
            except ValueError as error:
                failed[key] = str(error)
            except Exception:
                raise
            except BaseException as error:  # noqa: BLE001
                # An exit or an interrupt on this thread can only be the model's own.
                failed[key] = f"the model ended the work on {what}: {in_one_line(error)}"
        self.errors.append(failed[key])
        return False

    def _beat(self) -> None:
        # The browser takes longer silence for a dead kernel.
        if time.perf_counter() - self._published > _BEAT:
            with suppress(SupersededError):
                self._send()

    def _report(self, what: str) -> Report:
        def report(progress: Progress) -> None:
            self._ticket.check()
            self._progress = {
                "what": what,
                "done": progress.rows_done,
                "total": progress.rows_total,
                "seconds_left": progress.seconds_left,
            }
            if time.perf_counter() - self._published > _BETWEEN_FRAMES:
                self._send()

        return report

    def _sum_importance(self, n_repeats: int) -> None:
        panel = self._session.importance
        if self._populations is None or panel.known_repeats(n_repeats) < n_repeats:
            return
        if panel.key != panel.wanted(self._inputs, self._populations, n_repeats):
            panel.compute(self._inputs, self._populations, n_repeats, self._ticket)

    def _bound_stress(self) -> None:
        stress = self._session.stress
        if stress.bounded(self._inputs):
            return
        if len(self._explainer.table) > _BOUNDED_AT_ONCE:
            self._ticket.rest(_AT_REST)
        stress.bound(self._inputs)

    def _refine_importance(self) -> None:
        summed = self._session.importance.meta.get("n_repeats", 0)
        if summed < self._inputs.n_repeats:
            # Summing all repeats of many rows takes a while: not while a control moves.
            self._ticket.rest(_AT_REST)
            self._sum_importance(self._inputs.n_repeats)

    def _draw(self, *, coarse: bool) -> None:
        panel = self._session.dependence
        if self._populations is None:
            return
        if panel.key != panel.wanted(self._inputs, self._populations, coarse=coarse):
            panel.compute(self._inputs, self._populations, coarse=coarse)

    def _send(self, *, final: bool = False) -> None:
        with self._sending:
            self._send_one(final)

    def _send_one(self, final: bool) -> None:
        # What a newer request will answer need not be shown; an end that was asked for must.
        if not self._ticket.stopped:
            self._ticket.check()
        session, inputs, ex = self._session, self._inputs, self._explainer
        session.stress.compute(inputs, self._projection)
        populations = self._populations
        drawn, summed = session.dependence.key, session.importance.key
        stale_sums = populations is None or summed is None or summed[0] != populations.key
        stale_curves = populations is None or drawn not in (
            session.dependence.wanted(inputs, populations, coarse=False),
            session.dependence.wanted(inputs, populations, coarse=True),
        )
        self._published = time.perf_counter()
        session.publish(
            {
                "final": final,
                "importance": _described(session.importance, stale_sums),
                "dependence": _described(session.dependence, stale_curves),
                "stress": _described(session.stress, not session.stress.complete),
                "cost": {
                    "calls": ex.model_calls - self._calls,
                    "rows": ex.rows_evaluated - self._rows,
                    "seconds": self._published - self._started,
                },
                "total": {"calls": ex.model_calls, "rows": ex.rows_evaluated},
                "progress": self._progress,
                "error": "; ".join(dict.fromkeys(self.errors)) or None,
                "notes": self._notes,
            },
            {
                **session.importance.columns,
                **session.dependence.columns,
                **session.stress.columns,
            },
        )


def _described(panel: Panel, stale: bool) -> dict[str, Any] | None:
    return {**panel.meta, "stale": stale} if panel.meta else None


def _rows(filters: tuple[Condition, ...], explainer: Explainer) -> npt.NDArray[np.bool_] | None:
    if not filters:
        return None
    met = np.ones(len(explainer.table), dtype=np.bool_)
    for condition in filters:
        met &= condition.mask(explainer)
    return met

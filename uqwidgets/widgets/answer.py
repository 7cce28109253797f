"""One request on its way: what is shown at once, what has to be asked, in which order."""

from __future__ import annotations

import time
from collections.abc import Callable
from math import ceil, floor
from threading import Lock
from typing import TYPE_CHECKING, Any

import numpy as np

from uqwidgets._utils.errors import in_one_line
from uqwidgets.evaluation.progress import Progress, ProgressCallback
from uqwidgets.inference.population import Population
from uqwidgets.stress.projection import Projection
from uqwidgets.widgets.dependence import GRID
from uqwidgets.widgets.heartbeat import heartbeat
from uqwidgets.widgets.inputs import Inputs
from uqwidgets.widgets.panel import Content, Populations
from uqwidgets.widgets.repeats import FEWEST
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
# What comes first of more is taken for the most important feature.
_REPEATS_BEFORE_CHOICE = 10
_UNITS = ((1e9, "GB"), (1e6, "MB"), (1e3, "kB"))


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
        self._ended = False
        # Of importance, when this answer began to ask for it; see `RepeatChanges.work`.
        self._work: int | None = None
        self._progress: dict[str, Any] | None = None
        self._calls = self._explainer.model_calls
        self._rows = self._explainer.rows_evaluated
        self._started = self._published = time.perf_counter()
        self._projection: Projection | None = None
        self._populations: Populations | None = None
        # How many rows meet the filter.
        self._n_rows = len(self._explainer.table)

    def run(self) -> None:
        """Show what is known, then ask for the rest, panel by panel.

        Raises
        ------
        SupersededError
            If a newer request came.
        """
        try:
            with heartbeat(self._beat, _BEAT):
                self._forget_failures()
                self._populations = self._describe_rows()
                self._say_memory()
                if self._at_once():
                    return
                self._ask()
        except SupersededError:
            if not self._ticket.stopped:
                raise
            self._notes.insert(0, self._stopped_at())
        self._progress = None
        self._send(final=True)

    def _ask(self) -> None:
        feature, target = self._inputs.feature, self._target
        long = self._seconds_left() > _LONG
        if long:
            # Progress from the first moment, and what asks the model nothing before what does.
            self._tell_importance("importance", 0)
            if len(self._explainer.table) <= _BOUNDED_AT_ONCE:
                self._profile_stress()
                self._send()
        # What was clicked comes first.
        if feature:
            self._ask_dependence()
        if long:
            # A look at every panel before what only makes intervals narrower.
            self._ask_importance(min(target, FEWEST))
        if not feature:
            if not (long and self._leads_clearly()):
                self._ask_importance(min(target, _REPEATS_BEFORE_CHOICE))
            self._choose_feature()
        if long:
            self._profile_stress()
            self._send()
        self._ask_importance(target)
        self._profile_stress()
        self._bound_stress()
        self._refine_importance()

    @property
    def _target(self) -> int:
        """How many repeats are to be known: as many as are wanted and fit in the memory."""
        return min(self._inputs.n_repeats, self._session.importance.repeats.most_repeats)

    def _say_memory(self) -> None:
        repeats, wanted = self._session.importance.repeats, self._inputs.n_repeats
        if self._target < wanted:
            limit = self._explainer.evaluations.memory_limit
            self._notes.append(
                f"importance rests on {self._target} of {wanted} repeats, for more do not fit in "
                f"memory_limit={_size(limit, floor)!r}; "
                f"memory_limit={_size(repeats.required_memory(wanted), ceil)!r} holds all"
            )

    def _stopped_at(self) -> str:
        target, panel = self._target, self._session.importance
        known = panel.known_repeats(target)
        where = "Stopped"
        if known < target:
            where = f"Stopped at {known} of {target} repeats"
        elif self._curve_missing:
            where = f"Stopped before the curve of {self._inputs.feature}"
        return f"{where}; what is finished is kept, and the next change goes on"

    @property
    def _curve_missing(self) -> bool:
        """Whether the curve that is shown is not that of the picked feature."""
        drawn = self._session.dependence.meta.get("feature")
        return drawn is not None and drawn != self._inputs.feature

    def _forget_failures(self) -> None:
        inputs = self._inputs
        chosen = ("dependence", inputs.feature, inputs.measure)
        for key in list(self._session.failed):
            stays = key == chosen or (key[0] == "importance" and key[1] <= inputs.n_repeats)
            if not stays:
                del self._session.failed[key]

    def give_up(self) -> None:
        """Show the last good panels with the error."""
        self._progress = None
        self._send(final=True)

    def _describe_rows(self) -> Populations | None:
        ex, inputs = self._explainer, self._inputs
        n = len(ex.table)
        stress = self._session.stress
        rows = self._session.rows.meeting(inputs.ice_filter, self._ticket.check)
        self._n_rows = n if rows is None else int(np.count_nonzero(rows))
        if self._n_rows == 0:
            return None
        unstressed = Population.of(n, rows=rows)
        now = unstressed
        # Without a row left out it is the population that it was.
        filters = () if rows is None else inputs.ice_filter
        stress.choose_rows(filters, unstressed.rows)
        if inputs.stress_feature:
            self._projection = stress.project(inputs.stress_feature, inputs.tau)
            weights = self._projection.weights
            if weights is None and inputs.tau:
                self._notes.append(
                    f"{inputs.stress_feature} cannot be stressed to this tau "
                    f"({self._projection.status}); importance and curves stay as they were"
                )
                return None
            if weights is not None and inputs.tau:
                now = Population.of(n, stress.spread(inputs.stress_feature, weights), rows)
        stressed = (inputs.stress_feature, inputs.tau) if inputs.tau else None
        return Populations(now, unstressed, (stressed, filters), (filters,))

    def _at_once(self) -> bool:
        """Show what needs no model call; True if that is everything."""
        importance, stress = self._session.importance, self._session.stress
        known = importance.known_repeats(self._target)
        summed = importance.affordable_repeats(known, _AT_ONCE) if known else 0
        if summed:
            self._sum_importance(summed)
        drawn = self._draw_known()
        if not summed and not drawn:
            return False
        if stress.complete and len(self._explainer.table) <= _BOUNDED_AT_ONCE:
            self._bound_stress()
        everything = (
            summed == self._target and drawn and stress.complete and stress.bounded(self._inputs)
        )
        self._send(final=everything)
        return everything

    def _draw_known(self) -> bool:
        """Draw the curve as far as the model is asked nothing; True if that is all of it."""
        inputs, panel = self._inputs, self._session.dependence
        if not inputs.feature or self._curve_key in self._session.failed:
            return False
        drawn = False

        def draw() -> None:
            nonlocal drawn
            drawn = panel.ready(inputs)
            if drawn or panel.ready(inputs, coarse=True):
                self._draw(coarse=not drawn)

        return self._attempt(self._curve_key, draw) and drawn

    def _ask_importance(self, n_repeats: int) -> None:
        panel = self._session.importance
        while (known := panel.known_repeats(n_repeats)) < n_repeats:
            step = n_repeats
            if panel.repeats.seconds(n_repeats) > _LONG:
                step = min(n_repeats, max(FEWEST, 2 * known))

            def extend(step: int = step) -> None:
                panel.repeats.extend(step, self._tell_importance)

            if not self._attempt(("importance", step), extend):
                return
            self._sum_importance(panel.affordable_repeats(step, _AT_ONCE))
            self._send()

    def _leads_clearly(self) -> bool:
        """Whether the interval of the most important feature lies above all others."""
        panel = self._session.importance
        known = panel.known_repeats(self._target)
        if known < FEWEST:
            return False
        self._sum_importance(known)
        if not panel.meta:
            return False
        low, high = (panel.content.columns[f"importance.{end}"][0] for end in ("low", "high"))
        return bool(low[panel.top] > np.delete(high, panel.top).max(initial=-np.inf))

    def _choose_feature(self) -> None:
        panel = self._session.importance
        known = panel.known_repeats(self._target)
        if not known:
            return
        # Of fewer repeats, as many as there was time for, another feature may come first.
        self._sum_importance(known)
        if panel.meta:
            self._session.choose(panel.top)
            self._ticket.check()

    @property
    def _curve_key(self) -> tuple[Any, ...]:
        return ("dependence", self._inputs.feature, self._inputs.measure)

    def _ask_dependence(self) -> None:
        panel, inputs = self._session.dependence, self._inputs
        if self._populations is None or self._curve_key in self._session.failed:
            self._attempt(self._curve_key, lambda: None)
            return
        if panel.ready(inputs):
            return
        evaluations, rows = self._explainer.evaluations, len(self._explainer.table)
        total = rows * sum(not evaluations.is_cached(q) for q in panel.questions(inputs.feature))
        before = evaluations.rows_evaluated

        def callback(_progress: Progress | None = None) -> None:
            done = min(total, evaluations.rows_evaluated - before)
            if done == total:
                self._tell(*self._drawing)
            else:
                seconds = evaluations.seconds_for(total - done) + self._seconds_left()
                self._tell(f"curve of {inputs.feature}", done, total, seconds)

        def ask() -> None:
            callback()
            if evaluations.seconds_for(total) > _LONG and not panel.ready(inputs, coarse=True):
                self._draw(coarse=True, callback=callback)
                self._send()
            self._draw(coarse=False, callback=callback)

        if self._attempt(self._curve_key, ask):
            self._send()

    def _attempt(self, key: tuple[Any, ...], work: Callable[[], None]) -> bool:
        """Do a part of the work; False where it failed, now or before."""
        failed = self._session.failed
        if key not in failed:
            try:
                work()
                return True
            except SupersededError:
                raise
            except Exception as error:  # noqa: BLE001  one panel that fails leaves the others
                said = isinstance(error, ValueError)
                failed[key] = str(error) if said else in_one_line(error)
            except BaseException as error:  # noqa: BLE001
                # An exit or an interrupt on this thread can only be the model's own.
                failed[key] = f"the model ended the work on {key[0]}: {in_one_line(error)}"
        self.errors.append(failed[key])
        return False

    def _beat(self) -> None:
        # The browser takes longer silence for a dead kernel, also while a newer request waits for
        # the end of a model call.
        with self._sending:
            if not self._ended and time.perf_counter() - self._published > _BEAT:
                self._publish(final=False)

    def _seconds_left(self) -> float:
        """Time that the model still needs for importance, and for a curve not chosen yet."""
        ex, repeats = self._explainer, self._session.importance.repeats
        ahead = 0 if self._inputs.feature else GRID * len(ex.table)
        return repeats.seconds(self._target) + ex.evaluations.seconds_for(ahead)

    def _tell_importance(self, what: str, answered: int) -> None:
        panel, target = self._session.importance, self._target
        if self._work is None:
            self._work = panel.repeats.work(target)
        done = self._work - panel.repeats.work(target) + answered
        repeats = f"{panel.known_repeats(target)} of {target} repeats"
        ahead = self._seconds_left() - panel.repeats.seconds(target)
        seconds = panel.repeats.seconds(target, answered) + ahead
        self._tell(f"{what}, {repeats}", done, self._work, seconds)

    def _tell(
        self, what: str, done: int = 0, total: int = 0, seconds_left: float | None = None
    ) -> None:
        """Say what is being done: how much of how much, or only what where that is not known."""
        self._ticket.check()
        first = self._progress is None and (seconds_left or 0.0) > _BETWEEN_FRAMES
        self._progress = _progress(what, done, total, seconds_left)
        if first or time.perf_counter() - self._published > _BETWEEN_FRAMES:
            self._send()

    def _sum_importance(self, n_repeats: int) -> None:
        panel, before = self._session.importance, self._progress
        if self._populations is None or panel.known_repeats(n_repeats) < n_repeats:
            return

        def tell(done: int, total: int) -> None:
            self._tell(f"intervals of importance, {n_repeats} repeats", done, total)

        if panel.key != panel.wanted(self._inputs, self._populations, n_repeats):
            panel.compute(self._inputs, self._populations, n_repeats, tell)
        self._progress = before

    def _profile_stress(self) -> None:
        def tell(done: int, total: int) -> None:
            if before is None:
                self._tell("stress of each feature", done, total)
            else:
                self._ticket.check()

        before = self._progress
        self._session.stress.profile(tell)

    def _bound_stress(self) -> None:
        stress = self._session.stress
        if stress.bounded(self._inputs):
            return
        if len(self._explainer.table) > _BOUNDED_AT_ONCE:
            self._ticket.rest(_AT_REST)
        self._progress = _progress(f"interval of {self._inputs.indicator} under stress")
        stress.bound(self._inputs)
        self._progress = None

    def _refine_importance(self) -> None:
        known = self._session.importance.known_repeats(self._target)
        if self._session.importance.meta.get("n_repeats", 0) < known:
            # Summing all repeats of many rows takes a while: not while a control moves.
            self._ticket.rest(_AT_REST)
            self._sum_importance(known)

    @property
    def _drawing(self) -> tuple[str]:
        measure = self._explainer.measure(self._inputs.measure)
        return (f"computing {measure.label} along {self._inputs.feature}",)

    def _draw(self, *, coarse: bool, callback: ProgressCallback | None = None) -> None:
        panel, before = self._session.dependence, self._progress
        if self._populations is None:
            return
        if panel.key != panel.wanted(self._inputs, self._populations, coarse=coarse):
            if callback is None:
                self._progress = _progress(*self._drawing)
            panel.compute(self._inputs, self._populations, coarse=coarse, callback=callback)
        self._progress = before

    def _send(self, *, final: bool = False) -> None:
        # What a newer request will answer need not be shown; an end that was asked for must.
        if not self._ticket.stopped:
            self._ticket.check()
        with self._sending:
            self._publish(final=final)

    def _publish(self, *, final: bool) -> None:
        session, inputs, ex = self._session, self._inputs, self._explainer
        if self._n_rows:  # where no row meets the filter, all panels keep what they show
            session.stress.compute(inputs, self._projection)
        populations = self._populations
        drawn, summed = session.dependence.key, session.importance.key
        stale_sums = populations is None or summed is None or summed[0] != populations.key
        stale_curves = populations is None or drawn not in (
            session.dependence.wanted(inputs, populations, coarse=False),
            session.dependence.wanted(inputs, populations, coarse=True),
        )
        dependence = session.dependence.content
        if self._ticket.stopped and self._curve_missing:
            # It was on its way out, and nothing comes in its place.
            dependence = Content()
        shown = {
            "importance": (session.importance.content, stale_sums),
            "dependence": (dependence, stale_curves),
            "stress": (
                session.stress.content,
                not (self._n_rows and session.stress.complete),
            ),
        }
        remarks = [r for content, _ in shown.values() for r in content.meta.get("remarks", ())]
        self._ended = final
        self._published = time.perf_counter()
        session.publish(
            {
                "final": final,
                **{name: _described(*of_panel) for name, of_panel in shown.items()},
                "rows": self._n_rows,
                "cost": {
                    "calls": ex.model_calls - self._calls,
                    "rows": ex.rows_evaluated - self._rows,
                    "seconds": self._published - self._started,
                },
                "total": {"calls": ex.model_calls, "rows": ex.rows_evaluated},
                "progress": self._progress,
                "error": "; ".join(dict.fromkeys(self.errors)) or None,
                "notes": list(dict.fromkeys([*self._notes, *remarks])),
            },
            {k: v for content, _ in shown.values() for k, v in content.columns.items()},
        )


def _described(content: Content, stale: bool) -> dict[str, Any] | None:
    if not content.meta:
        return None
    # Remarks are among the notes, each once.
    return {**{k: v for k, v in content.meta.items() if k != "remarks"}, "stale": stale}


def _progress(
    what: str, done: int = 0, total: int = 0, seconds_left: float | None = None
) -> dict[str, Any]:
    return {"what": what, "done": done, "total": total, "seconds_left": seconds_left}


def _size(size: float, whole: Callable[[float], int]) -> str:
    """Bytes as `memory_limit` takes them, rounded by ``whole`` to two or more digits."""
    unit = next((u for u in _UNITS if size >= 10 * u[0]), (1, "B"))
    return f"{whole(size / unit[0])}{unit[1]}"

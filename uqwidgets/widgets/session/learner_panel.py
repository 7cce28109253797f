"""The learner beside the model: a thread fits, evaluates and caches its refits."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from uqwidgets._utils.remarks import Remark
from uqwidgets.evaluation.progress import Progress
from uqwidgets.explainer.explainer import Explainer
from uqwidgets.learner import Learner
from uqwidgets.widgets.inputs.inputs import Inputs
from uqwidgets.widgets.kernel.interruptions import PausedError, SupersededError
from uqwidgets.widgets.kernel.scheduler import Scheduler, Ticket, heartbeat
from uqwidgets.widgets.session.publisher import Publisher
from uqwidgets.widgets.views.learner_part import Key, LearnerPart
from uqwidgets.widgets.views.refitted import RefitMeans, Refitted
from uqwidgets.widgets.views.view import View


class LearnerPanel:
    """The results of a learner, shown beside those of the model.

    Parameters
    ----------
    explainer : Explainer
        Of the model.
    learner : Learner
        Of the same features and classes.
    views : sequence of View
        Views of the model; each says what the learner adds to it.
    publisher : Publisher
        Of the results of the model, to which those of the learner are added.
    """

    def __init__(
        self,
        explainer: Explainer,
        learner: Learner,
        views: Sequence[View],
        publisher: Publisher,
    ) -> None:
        self._refitted = Refitted(explainer, learner)
        parts = {view.name: view.learner_part(self._refitted) for view in views}
        #: What it adds to views, by their names.
        self.parts = {name: part for name, part in parts.items() if part is not None}
        self._publisher = publisher
        self._timing = publisher.timing
        self._shown_at = 0.0
        self._scheduler = Scheduler(self._work, user=publisher.user)
        self._inputs: Inputs | None = None
        self._stopped = False
        self._progress: dict[str, Any] | None = None
        self._known: dict[Key, RefitMeans] = {}
        # Errors by key; the same request is not attempted again.
        self._failed: dict[Key, str] = {}
        self._calls_before = (0, 0)
        self._began = 0.0

    def set_request(self, inputs: Inputs) -> None:
        """Set the inputs of the results to show."""
        keys = [part.key(inputs) for part in self.parts.values()]
        self._failed = {key: why for key, why in self._failed.items() if key in keys}
        self._inputs = inputs
        self._stopped = False
        self._calls_before = self._refitted.n_evaluated
        self._began = self._timing.clock()

    def start(self) -> None:
        """Compute the requested results that are not known yet."""
        if self.pending:
            self._scheduler.request()

    def stop(self) -> None:
        """Stop the work after the current fit, which is cached."""
        self._stopped = self._missing() is not None
        self._progress = None
        self._scheduler.stop()
        if self._stopped:
            self._show()

    def wait(self, timeout: float | None = None) -> bool:
        """Wait until the work is done; False if that took longer than ``timeout`` seconds."""
        return self._scheduler.wait(timeout)

    def close(self) -> None:
        """End the work and accept no more requests."""
        self._scheduler.close()

    @property
    def pending(self) -> bool:
        """Whether requested results are still missing."""
        return not self._stopped and self._missing() is not None

    @property
    def name(self) -> str:
        """Name of the learner, with its number of refits."""
        return f"learner, mean of {len(self._refitted.learner.refits)} refits"

    @property
    def n_refits(self) -> int:
        """Number of refits that were asked for."""
        return self._refitted.learner.n_refits

    def html(self, view: str) -> str:
        """Draw the known results beside a view, without a model call; empty if there are none."""
        part, inputs = self.parts.get(view), self._inputs
        if part is None or inputs is None or part.key(inputs) not in self._known:
            return ""
        return part.html(inputs)

    def joined(
        self, meta: dict[str, Any], columns: dict[str, Any]
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """Add the known results of the learner to a frame of the model."""
        known = {name: self._beside(name, meta, columns) for name in self.parts if name in meta}
        done = next(filter(None, known.values()), None)
        calls, rows = self._refitted.n_evaluated
        calls_before, rows_before = self._calls_before
        cost, total = meta["cost"], meta["total"]
        problems = [f"the learner: {why}" for why in dict.fromkeys(self._failed.values())]
        of_thread = [note for note in self._scheduler.user.notes if note not in meta["notes"]]
        notes = [*of_thread, *notes_on_refits(known.values())]
        added = {
            "final": meta["final"] and not self.pending,
            "learner": {
                "n_refits": done.n_refits if done else self.n_refits,
                "state": self._state(),
                **{panel: averages is not None for panel, averages in known.items()},
            },
            "cost": {
                "calls": cost["calls"] + calls - calls_before,
                "rows": cost["rows"] + rows - rows_before,
                # It also makes two heartbeats differ, because hosts send only changed values.
                "seconds": max(cost["seconds"], self._shown_at - self._began),
            },
            "total": {"calls": total["calls"] + calls, "rows": total["rows"] + rows},
            "progress": meta["progress"] or self._progress,
            "stopped": meta["stopped"] or self._stopping_place(),
            "error": "; ".join(filter(None, [meta["error"], *problems])) or None,
            "notes": [*meta["notes"], *notes],
            "note_codes": [*meta["note_codes"], *(note.code for note in notes)],
            "note_inputs": [*meta["note_inputs"], *(None for _ in notes)],
        }
        beside = {
            f"learner.{panel}.{name}": getattr(averages, name)
            for panel, averages in known.items()
            if averages is not None
            for name in ("value", "low", "high")
        }
        return {**meta, **added}, {**columns, **beside}

    def _stopping_place(self) -> str | None:
        if not self._stopped:
            return None
        n_fits, total = len(self._refitted.learner.refits), self.n_refits
        if n_fits < total:
            return f"at {n_fits} of {total} fits of the learner"
        return "before all refits were evaluated"

    def _beside(
        self, view: str, meta: dict[str, Any], columns: dict[str, Any]
    ) -> RefitMeans | None:
        """Return the known results that fit what a view shows."""
        if self._inputs is None:
            return None
        prefix = f"{view}."
        own = {n.removeprefix(prefix): v for n, v in columns.items() if n.startswith(prefix)}
        return self.parts[view].beside(self._inputs, meta[view], own, self._known)

    def _missing(self) -> tuple[Key, LearnerPart] | None:
        """Return the key and the part of the next result to compute."""
        if self._inputs is None:
            return None
        for name, part in self.parts.items():
            key = part.key(self._inputs) if self._inputs.shows(name) else None
            if key is not None and key not in self._known and key not in self._failed:
                return key, part
        return None

    def _state(self) -> str:
        if self._failed:
            return "failed"
        if self._stopped:
            return "stopped"
        return "pending" if self.pending else "done"

    def _work(self, ticket: Ticket) -> None:
        try:
            with heartbeat(self._beat, self._timing.heartbeat):
                while not ticket.stopped and (missing := self._missing()) is not None:
                    assert self._inputs is not None
                    self._compute(self._inputs, missing, ticket)
                    self._progress = None
                    self._show()
        finally:
            self._progress = None

    def _compute(self, inputs: Inputs, missing: tuple[Key, LearnerPart], ticket: Ticket) -> None:
        key, part = missing
        n_refits = self.n_refits

        def callback(progress: Progress) -> None:
            # Fits are useful for every later request; a curve only while it is requested.
            moved_on = what == asking and self._missing() != missing
            if ticket.stopped or moved_on:
                raise SupersededError
            ticket.pause()
            done, total, seconds = progress.rows_done, progress.rows_total, progress.seconds_left
            if what == asking and done == total:
                self._show_progress(f"computing {inputs.measure} of the refits", 0, 0, None)
            else:
                self._show_progress(fits() if what == fitting else what, done, total, seconds)

        def fits() -> str:
            return f"{fitting}, {len(self._refitted.learner.refits)} of {n_refits} fits"

        def report(done: int, total: int) -> None:
            if ticket.stopped or self._missing() != missing:
                raise SupersededError
            ticket.pause()
            self._show_progress(
                f"computing {part.quantities(inputs)} of the refits", done, total, None
            )

        fitting, asking = "fitting the learner", "asking the refits"
        what = fitting
        try:
            if len(self._refitted.learner.refits) < n_refits:
                self._show_progress(fits(), 0, n_refits, None)
            self._refitted.fit(callback)
            what = asking
            self._known[key] = part.compute(inputs, callback, report)
        except PausedError:
            raise
        except SupersededError:
            if ticket.stopped:
                raise
        except BaseException as error:  # noqa: BLE001  any error is shown in the widget
            ticket.give_back(error)
            is_sentence = isinstance(error, (ValueError, TypeError))
            self._failed[key] = str(error) if is_sentence else f"{type(error).__name__}: {error}"

    def _show_progress(self, what: str, done: int, total: int, seconds: float | None) -> None:
        self._progress = {"what": what, "done": done, "total": total, "seconds_left": seconds}
        if self._timing.clock() - self._shown_at > self._timing.frame_interval:
            self._show()

    def _beat(self) -> None:
        # After a longer silence the browser reports that the kernel does not answer.
        if self.pending and self._timing.clock() - self._shown_at > self._timing.heartbeat:
            self._show()

    def _show(self) -> None:
        self._shown_at = self._timing.clock()
        self._publisher.publish_again()


def notes_on_refits(shown: Iterable[RefitMeans | None]) -> list[Remark]:
    """Return the remarks of results of a learner, each once.

    Remarks that begin alike, up to the first semicolon, are one note.
    """
    remarks = [remark for averages in shown if averages for remark in averages.remarks]
    ends: dict[tuple[str, str], list[str]] = {}
    for remark in dict.fromkeys(remarks):
        begin, _, end = remark.partition("; ")
        ends.setdefault((remark.code, begin), []).append(end)
    return [
        Remark(code, f"learner: {'; '.join(filter(None, (begin, *each)))}")
        for (code, begin), each in ends.items()
    ]

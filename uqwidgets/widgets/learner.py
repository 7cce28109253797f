"""The learner beside the model: its refits are made, evaluated and cached on a thread."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from uqwidgets.dependence import CurveTransform
from uqwidgets.dependence.html import dependence_html
from uqwidgets.evaluation.progress import Progress
from uqwidgets.explainer.explainer import Explainer
from uqwidgets.importance.html import importance_html
from uqwidgets.learner import Learner
from uqwidgets.widgets.inputs import Inputs
from uqwidgets.widgets.model_info import importance_measures
from uqwidgets.widgets.refitted import Averages, Refitted
from uqwidgets.widgets.scheduler import Scheduler, SupersededError, Ticket, heartbeat
from uqwidgets.widgets.timing import Timing
from uqwidgets.widgets.views.dependence import DependenceView

# Repeats of each refit; the average over all refits has many more.
_MOST_REPEATS = 5

Key = tuple[Any, ...]


class Request(NamedTuple):
    """The inputs that the results of a learner depend on; stress and filters are not among them."""

    n_refits: int
    n_repeats: int
    feature: str
    measure: str
    form: CurveTransform

    @property
    def ranking(self) -> Key:
        """Key of its importance."""
        return (self.n_refits, self.n_repeats)

    @property
    def curve(self) -> Key:
        """Key of its curve."""
        form = self.form
        return (self.n_refits, self.feature, self.measure, form.center, form.derivative)


class LearnerPanel:
    """The results of a learner, shown beside those of the model.

    Parameters
    ----------
    explainer : Explainer
        Of the model.
    learner : Learner
        Of the same features and classes.
    curves : DependenceView
        View of the model; the learner's curves have the same grid.
    publish : callable
        Called when there are new results.
    timing : Timing
    """

    def __init__(
        self,
        explainer: Explainer,
        learner: Learner,
        curves: DependenceView,
        publish: Callable[[], None],
        timing: Timing,
    ) -> None:
        self._refitted = Refitted(explainer, learner)
        self._measures = importance_measures(explainer)
        self._curves = curves
        self._publish = publish
        self._timing = timing
        self._shown_at = 0.0
        self._scheduler = Scheduler(self._work)
        self._request: Request | None = None
        self._stopped = False
        self._progress: dict[str, Any] | None = None
        self._known: dict[Key, Averages] = {}
        # Errors by key; the same request is not attempted again.
        self._failed: dict[Key, str] = {}
        self._calls_before = (0, 0)
        self._began = 0.0

    def set_request(self, inputs: Inputs) -> None:
        """Set the inputs of the results to show."""
        feature = inputs.feature
        request = Request(
            self._refitted.learner.n_refits,
            min(inputs.n_repeats, _MOST_REPEATS),
            feature,
            inputs.measure,
            self._curves.form(inputs) if feature else CurveTransform(),
        )
        stay = (request.ranking, request.curve)
        self._failed = {key: why for key, why in self._failed.items() if key in stay}
        self._request = request
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
    def importance(self) -> Averages | None:
        """Importance by the measures of the model's panel, features as in its table."""
        return self._known.get(self._request.ranking) if self._request else None

    def curve(
        self, feature: str, measure: str, *, center: bool, derivative: bool
    ) -> Averages | None:
        """Return a curve over the values of the model's grid, if it is known."""
        refits = self._refitted.learner.n_refits
        return self._known.get((refits, feature, measure, center, derivative))

    @property
    def name(self) -> str:
        """Name of the learner, with its number of refits."""
        return f"learner, mean of {len(self._refitted.learner.refits)} refits"

    def html(self, view: str) -> str:
        """Draw the known results beside a view, without a model call; empty if there are none."""
        request = self._request
        if request is None:
            return ""
        if view == "importance" and request.ranking in self._known:
            results = self._refitted.known_importance(self._measures, request.n_repeats)
            return importance_html(*results[:2]) if results else ""
        if view == "dependence" and request.curve in self._known:
            grid = self._curves.grid(request.feature)
            curve = self._refitted.known_curve(grid, request.measure, request.form)
            return dependence_html(curve) if curve else ""
        return ""

    def joined(
        self, meta: dict[str, Any], columns: dict[str, Any]
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """Add the known results of the learner to a frame of the model."""
        known = {"importance": self.importance, "dependence": self._beside(meta, columns)}
        done = next(filter(None, known.values()), None)
        calls, rows = self._refitted.n_evaluated
        calls_before, rows_before = self._calls_before
        cost, total = meta["cost"], meta["total"]
        problems = [f"the learner: {why}" for why in dict.fromkeys(self._failed.values())]
        added = {
            "final": meta["final"] and not self.pending,
            "learner": {
                "n_refits": done.n_refits if done else self._refitted.learner.n_refits,
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
            "notes": [*meta["notes"], *self._notes(known.values())],
        }
        beside = {
            f"learner.{panel}.{name}": getattr(averages, name)
            for panel, averages in known.items()
            if averages is not None
            for name in ("value", "low", "high")
        }
        return {**meta, **added}, {**columns, **beside}

    def _notes(self, shown: Iterable[Averages | None]) -> list[str]:
        """Say what each result says of itself, each once."""
        remarks = [remark for averages in shown if averages for remark in averages.remarks]
        return [f"learner: {remark}" for remark in dict.fromkeys(remarks)]

    def _stopping_place(self) -> str | None:
        if not self._stopped:
            return None
        n_fits, total = len(self._refitted.learner.refits), self._refitted.learner.n_refits
        if n_fits < total:
            return f"at {n_fits} of {total} fits of the learner"
        return "before the learner was asked in full"

    def _beside(self, meta: dict[str, Any], columns: dict[str, Any]) -> Averages | None:
        """Return the curve of the drawn feature, which may not be the requested one yet."""
        drawn = meta["dependence"]
        if drawn is None:
            return None
        curve = self.curve(
            drawn["feature"],
            drawn["measure"],
            center=drawn["center"],
            derivative=drawn["derivative"],
        )
        # The coarse first curve of the model has another grid.
        alike = curve is not None and len(curve.value) == len(columns["dependence.grid"])
        return curve if alike else None

    def _missing(self) -> Key | None:
        """Return the key of the next result to compute."""
        request = self._request
        if request is None:
            return None
        keys = [request.ranking, request.curve] if request.feature else [request.ranking]
        return next((k for k in keys if k not in self._known and k not in self._failed), None)

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
                    assert self._request is not None
                    self._compute(self._request, missing, ticket)
                    self._progress = None
                    self._show()
        finally:
            self._progress = None

    def _compute(self, request: Request, missing: Key, ticket: Ticket) -> None:
        def callback(progress: Progress) -> None:
            # Fits are useful for every later request; a curve only while it is requested.
            moved_on = what == asking and self._missing() != missing
            if ticket.stopped or moved_on:
                raise SupersededError
            done, total, seconds = progress.rows_done, progress.rows_total, progress.seconds_left
            if what == asking and done == total:
                self._show_progress(f"computing {request.measure} of the refits", 0, 0, None)
            else:
                self._show_progress(fits() if what == fitting else what, done, total, seconds)

        def fits() -> str:
            return f"{fitting}, {len(self._refitted.learner.refits)} of {request.n_refits} fits"

        def report(done: int, total: int) -> None:
            if ticket.stopped or self._missing() != missing:
                raise SupersededError
            names = " and ".join(m.name for m in self._measures)
            self._show_progress(f"computing {names} of the refits", done, total, None)

        fitting, asking = "fitting the learner", "asking the refits"
        what = fitting
        try:
            if len(self._refitted.learner.refits) < request.n_refits:
                self._show_progress(fits(), 0, request.n_refits, None)
            self._refitted.fit(callback)
            what = asking
            if missing == request.ranking:
                averages = self._refitted.importance(
                    self._measures, request.n_repeats, callback, report
                )
            else:
                grid = self._curves.grid(request.feature)
                averages = self._refitted.curve(grid, request.measure, request.form, callback)
            self._known[missing] = averages
        except SupersededError:
            if ticket.stopped:
                raise
        except BaseException as error:  # noqa: BLE001  any error is shown in the widget
            is_sentence = isinstance(error, (ValueError, TypeError))
            self._failed[missing] = (
                str(error) if is_sentence else f"{type(error).__name__}: {error}"
            )

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
        self._publish()

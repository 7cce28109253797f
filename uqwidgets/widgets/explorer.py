"""The widget: importance, dependence and stress of one fitted model, live."""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from types import TracebackType
from typing import Any, Self

import anywidget
import numpy as np
import traitlets as t

from uqwidgets.explainer import Explainer
from uqwidgets.learners import Learner
from uqwidgets.widgets.about import about, offered
from uqwidgets.widgets.base import bundle
from uqwidgets.widgets.frames import pack
from uqwidgets.widgets.inputs import NAMES, Inputs, checked, conditions
from uqwidgets.widgets.learner import LearnerPanel
from uqwidgets.widgets.scheduler import Scheduler, Ticket
from uqwidgets.widgets.session import Session
from uqwidgets.widgets.still import still

# How long showing the widget waits for something to put in its still twin.
_STILL_SECONDS = 3.0
# A server holds a small message back until the one before it is acknowledged, which takes the
# browser 40 ms. So nothing small may go ahead of a frame: neither an echo of what was received,
# nor the kernel's word that it is idle again. What handles a request waits this long for its
# first frame.
_FIRST_FRAME_SECONDS = 0.2
_SYNCED = {"sync": True, "echo_update": False}


class Explorer(anywidget.AnyWidget):
    """Importance, dependence and stress of one model, bound to live controls.

    Every control is a trait that can be read, set, observed and linked from Python. What a
    change makes necessary is computed on a worker thread, the newest wish first.

    Parameters
    ----------
    explainer : Explainer
    learner : Learner, optional
        Shown beside the model: the mean over refits with its corrected interval. It is fitted
        and asked while the rest is shown, and speaks of its own rows, whatever the stress and
        the filters.
    **inputs
        Any of the traits below.

    Attributes
    ----------
    tau : float
        Stress level in [-1, 1]; reweights importance and curves too.
    stress_feature, feature : str
        The stressed feature and the one whose curves are drawn; the most important one where
        empty.
    measure, indicator : str
        What the curves show, and what is watched over tau.
    ice_filter : list of dict
        Rows that are scored: ``{"feature", "low", "high"}``, ``{"feature", "values"}``, or
        ``{"feature": None, "values"}`` for classes of the target.
    ice_lines : int
        How many ICE lines are drawn; the averages are over all rows.
    n_repeats : int
        Permutations of each feature.
    interval : {"u-statistic", "model"}
    center, derivative : bool
        Whether each row's curve starts at zero, and whether its slope is drawn.

    Raises
    ------
    TypeError
        For an argument that does not exist.
    ValueError
        For a value that an input cannot have.
    """

    _esm = bundle("index.js")
    _css = bundle("styles.css")

    tau = t.Float(0.0).tag(**_SYNCED)
    stress_feature = t.Unicode("").tag(**_SYNCED)
    feature = t.Unicode("").tag(**_SYNCED)
    measure = t.Unicode("").tag(**_SYNCED)
    indicator = t.Unicode("").tag(**_SYNCED)
    ice_filter = t.List(t.Dict()).tag(**_SYNCED)
    ice_lines = t.Int(100).tag(**_SYNCED)
    n_repeats = t.Int(10).tag(**_SYNCED)
    interval = t.Unicode("u-statistic").tag(**_SYNCED)
    center = t.Bool(False).tag(**_SYNCED)
    derivative = t.Bool(False).tag(**_SYNCED)

    _seq = t.Int(0).tag(**_SYNCED)
    _stop = t.Int(0).tag(**_SYNCED)
    _about = t.Dict().tag(**_SYNCED)
    _frame = t.Dict().tag(**_SYNCED)

    def __init__(
        self, explainer: Explainer, *, learner: Learner | None = None, **inputs: Any
    ) -> None:
        # First of all: a widget that fails below is closed all the same.
        self._scheduler = Scheduler(self._work)
        self._learner: LearnerPanel | None = None
        _check_arguments(explainer, learner, inputs)
        self.explainer = explainer
        self._lock = threading.RLock()
        self._complaint: str | None = None
        self._receiving = False
        self._shown = threading.Event()
        inputs.setdefault("measure", offered(explainer)[0].name)
        inputs.setdefault("indicator", next(iter(explainer.indicators)))
        self._session = Session(
            explainer, self._publish, self._choose, learner, self._publish_again
        )
        self._learner = self._session.learner
        self._answering: tuple[int, Inputs] | None = None
        # What was published last of the model; two threads publish.
        self._published: tuple[int, Inputs, dict[str, Any], dict[str, Any]] | None = None
        self._publishing = threading.RLock()
        super().__init__(_about=about(explainer), **inputs)
        self.observe(self._input_changed, names=list(NAMES))
        self._scheduler.request()

    def wait(self, timeout: float | None = None) -> bool:
        """Wait until what is shown is complete.

        Parameters
        ----------
        timeout : float, optional
            Seconds.

        Returns
        -------
        bool
            False if it took longer.
        """
        ends = None if timeout is None else time.monotonic() + timeout
        if not self._scheduler.wait(timeout):
            return False
        if self._learner is None:
            return True
        return self._learner.wait(None if ends is None else max(0.0, ends - time.monotonic()))

    def close(self) -> None:
        """Stop working and free what the widget holds, here and in the browser."""
        self._scheduler.close()
        if self._learner is not None:
            self._learner.close()
        super().close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def set_state(self, sync_data: Mapping[str, Any]) -> None:
        """Take what the browser sends, as far as it may be; answer it in any case."""
        accepted, refused = self._sifted(sync_data)
        with self._lock:
            self._complaint = "; ".join(refused.values()) or None
            self._receiving = True
            try:
                super().set_state(accepted)
            finally:
                self._receiving = False
        for name in refused:
            self.send_state(name)
        if "_stop" in accepted:
            self._scheduler.stop()
            if self._learner is not None:
                self._learner.stop()
        if refused or "_seq" in accepted or any(name in accepted for name in NAMES):
            self._shown.clear()
            self._scheduler.request()
            if "_seq" in accepted:  # from a client that sends one request at a time
                self._shown.wait(_FIRST_FRAME_SECONDS)

    def _repr_mimebundle_(self, **kwargs: Any) -> Any:
        shown = super()._repr_mimebundle_(**kwargs)
        self.wait(_STILL_SECONDS)
        data = shown[0] if isinstance(shown, tuple) else shown
        if data is not None:
            data["text/html"] = still(self._session, self._inputs())
        return shown

    def _sifted(self, sync_data: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, str]]:
        accepted: dict[str, Any] = {}
        refused: dict[str, str] = {}
        for name, value in sync_data.items():
            if name in NAMES:
                try:
                    accepted[name] = checked(name, value, self.explainer)
                except ValueError as error:
                    refused[name] = str(error)
            elif name in ("_seq", "_stop"):
                if isinstance(value, int) and 0 <= value < 2**53:
                    accepted[name] = value
            elif name not in ("_about", "_frame", "_esm", "_css"):
                accepted[name] = value
        return accepted, refused

    @t.validate(*NAMES)
    def _validated(self, proposal: Any) -> Any:
        return checked(proposal["trait"].name, proposal["value"], self.explainer)

    def _input_changed(self, _change: Any) -> None:
        # Several traits set together tell of themselves one by one: the first asks for all.
        with self._lock:
            answering = self._answering
            if not self._receiving and (answering is None or answering[1] != self._inputs()):
                self._scheduler.request()

    def _inputs(self) -> Inputs:
        values = {name: getattr(self, name) for name in NAMES}
        values["ice_filter"] = conditions(self.ice_filter, self.explainer)
        return Inputs(**values)

    def _work(self, ticket: Ticket) -> None:
        with self._lock:
            self._answering = (self._seq, self._inputs())
            complaint, self._complaint = self._complaint, None
        self._session.answer(self._answering[1], ticket, complaint)

    def _publish(self, meta: dict[str, Any], columns: dict[str, Any]) -> None:
        assert self._answering is not None
        with self._publishing:
            self._published = (*self._answering, meta, columns)
            self._publish_again()
        self._shown.set()

    def _publish_again(self) -> None:
        """Publish what was last shown of the model, with what is now known of the learner."""
        with self._publishing:
            if self._published is None:
                return
            seq, inputs, meta, columns = self._published
            if self._learner is not None:
                meta, columns = self._learner.joined(meta, columns)
            self._frame = pack(seq, inputs.plain(), meta, columns)

    def _choose(self, top: int) -> None:
        name = self.explainer.features[top]
        with self._lock, self.hold_trait_notifications():
            if not self.feature:
                self.feature = name
            if not self.stress_feature and name in self._session.stress.features:
                self.stress_feature = name


def explore(
    model: Any,
    X: Any = None,
    y: Any = None,
    *,
    learner: Learner | None = None,
    feature_groups: Mapping[str, Sequence[str]] | None = None,
    random_state: int | np.random.RandomState | None = 0,
    memory_limit: int | str = "1GiB",
    **inputs: Any,
) -> Explorer:
    """Show what drives a fitted model's predictions, errors and confidence, in one widget.

    Parameters
    ----------
    model : object, callable or Explainer
        A fitted model, see `as_predictive`; or an `Explainer`, which holds X and y already.
    X : DataFrame or array-like of shape (n, p)
        Rows to explain, best ones the model was not fitted on.
    y : array-like of shape (n,)
        Their true target.
    learner : Learner, optional
        Shown beside the model: the mean over refits of the procedure, with its interval.
    feature_groups : mapping of str to sequence of str, optional
        Features that move together, by the name of their group; see `Explainer`.
    random_state : int, RandomState or None, default=0
        Of the donors that are drawn.
    memory_limit : int or str, default="1GiB"
        How much of the model's answers may be kept.
    **inputs
        Where the controls begin, such as ``feature="age"``, ``measure="entropy"`` or ``tau=0.5``:
        ``tau``, ``stress_feature``, ``feature``, ``measure``, ``indicator``, ``ice_filter``,
        ``ice_lines``, ``n_repeats``, ``interval``, ``center``, ``derivative``; see `Explorer`.

    Returns
    -------
    Explorer
        The widget; its controls are traits that can be read, set and observed.

    Raises
    ------
    TypeError
        For an argument that does not exist, or an Explainer beside X, y or how to make one.
    ValueError
        If X, y and the model do not fit each other, or an input cannot have its value.
    """
    if isinstance(model, Explainer):
        if X is not None or y is not None or feature_groups is not None:
            raise TypeError(
                "explore got an Explainer, which holds X, y and feature_groups already; leave "
                "them out, or pass the model itself."
            )
        return Explorer(model, learner=learner, **inputs)
    if X is None or y is None:
        raise TypeError("explore needs the rows and their target: uq.explore(model, X, y).")
    explainer = Explainer(
        model,
        X,
        y,
        feature_groups=feature_groups,
        random_state=random_state,
        memory_limit=memory_limit,
    )
    return Explorer(explainer, learner=learner, **inputs)


def _check_arguments(explainer: Any, learner: Any, inputs: Mapping[str, Any]) -> None:
    if not isinstance(explainer, Explainer):
        raise TypeError(
            f"Explorer got {type(explainer).__name__}; pass an Explainer, or use "
            "uq.explore(model, X, y)."
        )
    if learner is not None and not isinstance(learner, Learner):
        raise TypeError(
            f"learner is {type(learner).__name__}; pass a Learner: uq.Learner(estimator, X, y)."
        )
    for name in inputs:
        if name not in (*NAMES, "layout"):
            near = get_close_matches(name, NAMES, n=1)
            hint = f"did you mean {near[0]!r}?" if near else f"there are {', '.join(NAMES)}."
            raise TypeError(f"Explorer has no argument {name!r}; {hint}")

"""A widget whose inputs are checked, requested and answered."""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Unpack

import traitlets as t

from uqwidgets._utils.forking import renew_after_fork
from uqwidgets.explainer.explainer import Explainer
from uqwidgets.explainer.others import explainer_of
from uqwidgets.learner import Learner
from uqwidgets.widgets.inputs.checks import InputError
from uqwidgets.widgets.inputs.inputs import (
    NAMES,
    READERS,
    AnyValue,
    Inputs,
    in_dependence,
    trait_value,
    validate,
    views_of_layout,
)
from uqwidgets.widgets.inputs.traits import SYNCED, InputTraits
from uqwidgets.widgets.kernel.lifetime import close_with_its_comm, free_hidden, hide, show
from uqwidgets.widgets.kernel.scheduler import Scheduler, Ticket
from uqwidgets.widgets.kernel.timing import Timing
from uqwidgets.widgets.kernel.user_thread import UserThread
from uqwidgets.widgets.picture.boxes import watch_cells
from uqwidgets.widgets.picture.notebook_picture import NotebookOutput, NotebookPicture
from uqwidgets.widgets.picture.static_picture import static_picture
from uqwidgets.widgets.rows.described import own_weights
from uqwidgets.widgets.session.answer import WidgetRequest
from uqwidgets.widgets.session.learner_panel import LearnerPanel
from uqwidgets.widgets.session.models import Models
from uqwidgets.widgets.session.pins import ghost_of, initial_traits, validate_pins
from uqwidgets.widgets.session.publisher import Publisher
from uqwidgets.widgets.session.session import Session, check_arguments

if TYPE_CHECKING:
    from uqwidgets.widgets.inputs.types import InputArguments


class Requesting(InputTraits, NotebookOutput):
    """A widget with the inputs of an explorer, which are checked, requested and answered."""

    _timing: ClassVar[Timing] = Timing()

    # An integer and not None, so that hosts count the views.
    _view_count = t.Int(0).tag(**SYNCED)
    _over_tau = t.Dict().tag(**SYNCED)  # shows any tau without a frame
    pins: AnyValue = AnyValue([]).tag(sync=True)
    # Identifies the output that the front end hides.
    _picture = t.Unicode("").tag(**SYNCED)

    # Whether no page shows it, so that nothing is computed.
    _paused = False
    # Set to stop the computation of a page.
    _page_stop: threading.Event | None = None

    def __init__(
        self,
        explainer: Explainer,
        *,
        learner: Learner | None = None,
        state: Mapping[str, Any] | None = None,
        title: str | None = None,
        weights: Any = None,
        **inputs: Unpack[InputArguments],
    ) -> None:
        # These come before anything can fail, because a widget that fails below is closed, too.
        self._user = UserThread()
        self._scheduler = Scheduler(self._work, self._follow_tau, self._user)
        self._notebook_picture = NotebookPicture(self._request_picture)
        self._publisher = Publisher(self, self._timing, self._user)
        self._learner: LearnerPanel | None = None
        self._own_layout: Any = None
        self.renew_locks()
        renew_after_fork(self)
        free_hidden()
        watch_cells()
        check_arguments(explainer, learner, title, inputs)
        weights = own_weights(weights, explainer)
        first = explainer_of(explainer, "")
        self._models = Models(first, self._publisher, learner, title, weights)
        if (names := views_of_layout(inputs.get("layout"))) is not None:
            inputs["views"] = names
            del inputs["layout"]
        # Why values of the browser's last message were refused.
        self._input_error: str | None = None
        # What was given for the inputs that are lists, as they were checked.
        self._lists: dict[str, tuple[Any, ...]] = dict.fromkeys(READERS, ())
        traits = initial_traits(explainer, state, inputs)
        self._learner = self._models.session("").learner
        self._requested: WidgetRequest | None = None
        self._answered: WidgetRequest | None = None
        self._picture_due = self._again_due = False
        about = self._models.session(traits["shown_model"]).about
        super().__init__(_about=about, _picture=self._notebook_picture.id, **traits)
        if "layout" not in inputs:
            self._own_layout = self.layout
        close_with_its_comm(self)
        # The pin that the views show as their ghost.
        self._pin = ghost_of(self.pins, explainer)
        self.observe(self._model_changed, names="shown_model")
        self.observe(self._input_changed, names=list(NAMES))
        self.observe(self._update_pin, names="pins")
        self.observe(self._pages_changed, names="_view_count")
        self._request()

    def renew_locks(self) -> None:
        """Make new locks in a forked process, where the threads that held them do not exist."""
        # Observers run while it is held, so the worker thread never takes it.
        self._message_lock = threading.RLock()
        # The thread that handles a message and runs its observers.
        self._message_thread: int | None = None
        self._request_lock = threading.RLock()

    @property
    def explainer(self) -> Explainer:
        """The explainer of the model that is shown."""
        # Traits are validated together: a name that no model has is refused by its own check.
        name = self.shown_model
        is_known = isinstance(name, str) and self._models.has(name)
        return self._models.explainer(name if is_known else "")

    @property
    def _session(self) -> Session:
        return self._models.session(self.explainer.name)

    def __repr__(self) -> str:
        p, inputs = len(self.explainer.features), self._inputs()[0]
        size = in_dependence(self.explainer, inputs.groups, inputs.time).table.size
        return f"{type(self).__name__}({self.explainer.name}, {size}, {p:,} features)"

    def wait(self, timeout: float | None = None) -> bool:
        """Wait until all results of the current inputs are shown.

        Parameters
        ----------
        timeout : float, optional
            Seconds.

        Returns
        -------
        bool
            False if it took longer.

        Raises
        ------
        RuntimeError
            If an observer of ``_frame`` calls it: the work would wait for that observer.

        Examples
        --------
        >>> import uqwidgets as uq
        >>> with uq.explore(lambda X: X[:, 0], [[0.0], [1.0]]) as widget:
        ...     widget.wait(60)
        True
        """
        if self._publisher.is_in_observer:
            raise RuntimeError(
                "wait() was called by an observer of _frame and would wait for that observer; call "
                "it in observers of the inputs, or after them."
            )
        if self._paused:
            self._resume()
        ends = None if timeout is None else time.monotonic() + timeout
        if not self._scheduler.wait(timeout):
            return False
        if self._learner is None:
            return True
        return self._learner.wait(None if ends is None else max(0.0, ends - time.monotonic()))

    # The inputs.

    @t.validate(*NAMES)
    def _validated(self, proposal: Any) -> Any:
        name, value = proposal["trait"].name, proposal["value"]
        try:
            return trait_value(name, validate(name, value, self.explainer), self.explainer)
        except ValueError as error:
            raise InputError(str(error)) from None

    @t.validate("pins")
    def _validate_pins(self, proposal: Any) -> list[dict[str, Any]]:
        try:
            return validate_pins(proposal["value"], self.explainer)
        except ValueError as error:
            raise InputError(str(error)) from None

    def _inputs(self) -> tuple[Inputs, str | None]:
        """Return the inputs, and the error of a list that was changed in place."""
        problem = None
        for name, read in READERS.items():
            try:
                self._lists[name] = read(getattr(self, name), self.explainer)
            except ValueError as error:
                problem = f"{error} The previous {name} stays in use until {name} is set again."
        values = {name: getattr(self, name) for name in NAMES}
        return Inputs.of(values, self._lists), problem

    def _input_changed(self, _change: Any) -> None:
        if self._message_thread != threading.get_ident():
            self._input_error = None
        self._request()

    def _update_pin(self, change: Any) -> None:
        pin = ghost_of(change["new"], self.explainer)
        if pin != self._pin:
            self._pin = pin
            self._request()

    def _model_changed(self, change: Any) -> None:
        """Describe the shown model to the page, and change the inputs that it cannot have."""
        self.set_trait("_about", self._session.about)
        self._session.over_tau.send_again()
        changes = self._models.change(self.trait_values(), change["old"], change["new"])
        with self.hold_trait_notifications():
            for one in changes:
                self.set_trait(one.name, one.value)

    def _pages_changed(self, change: Any) -> None:
        """Stop the work when no page shows the widget any more, until one does again."""
        if change["new"] > 0:
            show(self)
            if self._paused:
                self._resume()
        else:
            hide(self)
            self._paused = True
            self._stop_work()

    def _resume(self) -> None:
        self._paused = False
        with self._request_lock:
            self._requested = None
            self._request()

    # Requests and their answers.

    def _request(self) -> None:
        """Request an answer to the current inputs, unless it was requested already.

        Traits that are set together notify one after the other; the first request covers all.
        """
        with self._request_lock:
            inputs, problem = self._inputs()
            input_error = "; ".join(filter(None, (self._input_error, problem))) or None
            request = WidgetRequest(self._seq, inputs, self._pin, input_error)
            if request != self._requested:
                self._requested = request
                self._publisher.callback_error = None
                self._notebook_picture.cancel()
                self._scheduler.request()

    def _request_again(self) -> None:
        """Request what follows the answer again."""
        with self._request_lock:
            self._again_due = True
            self._scheduler.request()

    def _work(self, ticket: Ticket) -> None:
        with self._request_lock:
            assert self._requested is not None
            request = self._requested
            picture_due, again_due = self._picture_due, self._again_due
            self._picture_due = self._again_due = False
        session = self._models.session(request.inputs.shown_model)
        if again_due and request == self._answered:
            if picture_due:
                picture = static_picture(session, request.inputs, ticket.check)
                self._notebook_picture.replace(picture)
            return
        session.answer(request, ticket, is_again=request.is_again(self._answered))
        self._answered = request

    def _follow_tau(self, ticket: Ticket) -> None:
        if (request := self._answered) is None or request != self._requested:
            return
        session = self._models.session(request.inputs.shown_model)
        frames = session.over_tau_frames(request, ticket)
        with self._publisher.showing_errors("the work on other levels of tau"):
            for frame in frames:
                with self._publisher.reporting_errors("an observer of _over_tau"):
                    self._over_tau = frame

    def _stop_work(self) -> None:
        if self._page_stop is not None:
            self._page_stop.set()
        self._scheduler.stop()
        if self._learner is not None:
            self._learner.stop()

    def _draw_picture(self) -> str:
        """Draw the static picture of the results that are ready within a few seconds."""
        if not self._publisher.is_in_observer:
            self.wait(self._timing.picture)
        return static_picture(self._session, self._inputs()[0])

    def _request_picture(self) -> None:
        with self._request_lock:
            self._picture_due = True
            self._request_again()

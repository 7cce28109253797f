"""Publishes frames to the page, and reports errors of observers and of the connection."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from uqwidgets._utils.errors import in_one_line
from uqwidgets._utils.forking import renew_after_fork
from uqwidgets.widgets.inputs.inputs import first_stressed
from uqwidgets.widgets.kernel.frames import pack
from uqwidgets.widgets.kernel.interruptions import SupersededError
from uqwidgets.widgets.kernel.scheduler import report_uncaught
from uqwidgets.widgets.kernel.timing import Timing
from uqwidgets.widgets.kernel.user_thread import UserThread
from uqwidgets.widgets.session.answer import WidgetRequest

if TYPE_CHECKING:
    from uqwidgets.widgets.session.learner_panel import LearnerPanel
    from uqwidgets.widgets.session.requesting import Requesting


class Publisher:
    """Packs results into frames and sends them.

    Two threads publish: the worker of the model, and that of the learner.

    Parameters
    ----------
    widget : Requesting
        An error of its observers is reported and shown.
    timing : Timing
    user : UserThread

    Attributes
    ----------
    callback_error : str or None
        Latest error of an observer, of the connection, or of what follows an answer.
    learner : LearnerPanel or None
        The panel whose results are added to every frame.
    shown : Event
        Set whenever a frame of the model was sent.
    """

    def __init__(self, widget: Requesting, timing: Timing, user: UserThread) -> None:
        self.timing = timing
        self.user = user
        self.callback_error: str | None = None
        self.learner: LearnerPanel | None = None
        self._widget = widget
        # The latest results of the model.
        self._latest: tuple[WidgetRequest, dict[str, Any], dict[str, Any]] | None = None
        self.renew_locks()
        renew_after_fork(self)

    def renew_locks(self) -> None:
        """Make new locks in a forked process, where the threads that held them do not exist."""
        self.shown = threading.Event()
        # Held while observers of a frame run.
        self._publish_lock = threading.RLock()
        self._publishing_thread: int | None = None

    @property
    def is_in_observer(self) -> bool:
        """Whether the calling thread is running an observer of a frame."""
        return self._publishing_thread == threading.get_ident()

    def publish(
        self, request: WidgetRequest, meta: dict[str, Any], columns: dict[str, Any]
    ) -> None:
        """Send a frame of the model.

        Parameters
        ----------
        request : WidgetRequest
            That it answers.
        meta, columns : dict
            See `uqwidgets.widgets.kernel.frames.pack`.
        """
        with self._publish_lock:
            self._latest = (request, meta, columns)
            self.publish_again()
        self.shown.set()

    def publish_again(self) -> None:
        """Send the latest results of the model again, with the current ones of the learner."""
        with self._publish_lock:
            if self._latest is None:
                return
            request, meta, columns = self._latest
            if self.learner is not None:
                meta, columns = self.learner.joined(meta, columns)
            for _ in range(2):  # a second time if an observer failed, with its error
                callback_error = self.callback_error
                error = "; ".join(filter(None, (meta["error"], callback_error))) or None
                inputs = request.inputs.plain()
                frame = pack(request.seq, inputs, {**meta, "error": error}, columns)
                outer, self._publishing_thread = self._publishing_thread, threading.get_ident()
                try:
                    with self.reporting_errors("an observer of _frame"):
                        self._widget._frame = frame
                finally:
                    self._publishing_thread = outer
                if self.callback_error == callback_error:
                    break
            if meta["final"]:
                self._widget._notebook_picture.draw_at_rest()

    def choose(self, features: Sequence[str]) -> None:
        """Set the picked features of the widget where they are empty.

        Parameters
        ----------
        features : sequence of str
            The most important first.
        """
        stressed = first_stressed(self._widget.explainer.table, features)
        # The feature is set last: its observers may wait for the answer to both.
        for trait, name in (("stress_feature", stressed), ("feature", features[0])):
            if name and not getattr(self._widget, trait):
                with self.reporting_errors(f"an observer of {trait}"):
                    setattr(self._widget, trait, name)

    @contextmanager
    def reporting_errors(self, what: str) -> Iterator[None]:
        """Catch the error of an observer or of the connection, and show it in the next frame.

        Parameters
        ----------
        what : str
            What is called, such as "an observer".
        """
        try:
            yield
        except BaseException as error:
            is_new = self._note(what, error)
            # An interrupt of the main thread is not caught.
            if threading.current_thread() is threading.main_thread() and not isinstance(
                error, Exception
            ):
                raise
            if is_new:
                report_uncaught(error)

    @contextmanager
    def showing_errors(self, what: str) -> Iterator[None]:
        """Show the error of work after the answer, for which the page would wait without a word.

        Parameters
        ----------
        what : str
            What is done, such as "the work".
        """
        try:
            yield
        except SupersededError:
            raise
        except BaseException as error:
            self._note(what, error)
            self.publish_again()
            raise

    def _note(self, what: str, error: BaseException) -> bool:
        """Have the next frame show an error; return whether it is not that of the frame before."""
        before, self.callback_error = self.callback_error, f"{what} raised {in_one_line(error)}"
        return self.callback_error != before

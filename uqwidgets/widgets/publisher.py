"""What the page is sent: one frame after another, whatever somebody else's code does on the way."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from uqwidgets._utils.errors import in_one_line
from uqwidgets._utils.forking import renew_after_fork
from uqwidgets.widgets.frames import pack
from uqwidgets.widgets.inputs import Inputs
from uqwidgets.widgets.learner import LearnerPanel
from uqwidgets.widgets.scheduler import report_uncaught


class Publisher:
    """Packs what is to be shown into frames and hands them over.

    Two threads publish: the one that works on the model, and the learner's.

    Parameters
    ----------
    send : callable
        Called with each frame; what its observers raise is reported and shown.
    at_rest : callable
        Called after each frame that is the last one of its request.

    Attributes
    ----------
    trouble : str or None
        What somebody else's code raised that the widget called: observers, the connection.
    learner : LearnerPanel or None
        Its part is added to every frame.
    shown : Event
        Set whenever a frame of the model was sent.
    """

    def __init__(self, send: Callable[[dict[str, Any]], None], at_rest: Callable[[], None]) -> None:
        self.trouble: str | None = None
        self.learner: LearnerPanel | None = None
        self._send = send
        self._at_rest = at_rest
        self._answering: tuple[int, Inputs, dict[str, Any]] | None = None
        # What was published last of the model.
        self._latest: tuple[int, Inputs, dict[str, Any], dict[str, Any]] | None = None
        self.renew_locks()
        renew_after_fork(self)

    def renew_locks(self) -> None:
        """Free what a thread that does not exist in a forked process held."""
        self.shown = threading.Event()
        # Observers run while it is held: the worker must get on without them.
        self._publishing = threading.RLock()
        self._publishing_thread: int | None = None

    @property
    def is_in_observer(self) -> bool:
        """Whether the calling thread is one on which observers of a frame run."""
        return self._publishing_thread == threading.get_ident()

    def begin(self, seq: int, inputs: Inputs, beside: dict[str, Any]) -> None:
        """Set what is the same in all frames that answer the next request.

        Parameters
        ----------
        seq : int
            Number of the request.
        inputs : Inputs
        beside : dict
            Plain values that follow from the request alone.
        """
        self._answering = (seq, inputs, beside)

    def publish(self, meta: dict[str, Any], columns: dict[str, Any]) -> None:
        """Send a frame of the model.

        Parameters
        ----------
        meta, columns : dict
            See `uqwidgets.widgets.frames.pack`.
        """
        assert self._answering is not None
        with self._publishing:
            seq, inputs, beside = self._answering
            self._latest = (seq, inputs, {**meta, **beside}, columns)
            self.publish_again()
        self.shown.set()

    def publish_again(self) -> None:
        """Send what was last shown of the model, with what is now known of the learner."""
        with self._publishing:
            if self._latest is None:
                return
            seq, inputs, meta, columns = self._latest
            if self.learner is not None:
                meta, columns = self.learner.joined(meta, columns)
            for _ in range(2):  # once more to say that somebody else's code failed on it
                trouble = self.trouble
                error = "; ".join(filter(None, (meta["error"], trouble))) or None
                frame = pack(seq, inputs.plain(), {**meta, "error": error}, columns)
                former, self._publishing_thread = self._publishing_thread, threading.get_ident()
                try:
                    with self.surviving("an observer of _frame"):
                        self._send(frame)
                finally:
                    self._publishing_thread = former
                if self.trouble == trouble:
                    break
            if meta["final"]:
                self._at_rest()

    @contextmanager
    def surviving(self, what: str) -> Iterator[None]:
        """Report what somebody else's code raises, say it in the next frame, and go on.

        Parameters
        ----------
        what : str
            Whose code it is, such as "an observer".
        """
        try:
            yield
        except BaseException as error:
            trouble = f"{what} raised {in_one_line(error)}"
            repeated, self.trouble = trouble == self.trouble, trouble
            # An interrupt is meant for whoever runs on the main thread.
            if threading.current_thread() is threading.main_thread() and not isinstance(
                error, Exception
            ):
                raise
            if not repeated:
                report_uncaught(error)

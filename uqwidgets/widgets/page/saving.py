"""Saving a page: what was written, the work in the background, and its progress."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tqdm.auto import tqdm

from uqwidgets._utils.errors import first_line, in_one_line
from uqwidgets.widgets.kernel.scheduler import heartbeat
from uqwidgets.widgets.page.assembly import Steps
from uqwidgets.widgets.page.price import Price

# Seconds between two movements of the bar, and the share of the work after which it waits for the
# end.
_BEAT, _MOST = 0.25, 0.99
_BAR = "{desc}: {percentage:3.0f}%|{bar}| {elapsed}<{remaining}{postfix}"
#: What is raised when a page is stopped.
STOPPED = "the page was stopped before it was complete; none is written."


@dataclass(frozen=True)
class SavedPage:
    """A page that was written.

    Attributes
    ----------
    path : Path
        Of a page that the browser downloads, the name alone.
    nbytes : int
    rows : str
        A sentence on what the page holds of the rows.
    sha256 : str
        Of all that the page says, which it shows at its foot, so that a reader can see that the
        numbers are yours. The answers of readers do not change it. Of a page of pictures, it is
        that of the file.
    """

    path: Path
    nbytes: int
    rows: str
    sha256: str

    def __repr__(self) -> str:
        size = f"{self.nbytes / 1e6:.2f} MB"
        return f"{self.path}: {size}, SHA-256 {self.sha256[:8]}. {self.rows}"


class SavingPage:
    """A page that is saved in the background, see `Explorer.save` with ``wait=False``.

    Attributes
    ----------
    done : bool
        Whether the work has ended: the page is written, stopped, or could not be written.
    result : SavedPage or None
        The page that was written.
    error : str or None
        Why none was written, in one sentence.
    share : float
        How much of the work is done, from 0 to 1.

    Examples
    --------
    >>> import tempfile
    >>> import numpy as np
    >>> import uqwidgets as uq
    >>> X = np.random.default_rng(0).normal(size=(50, 2))
    >>> explainer = uq.Explainer(lambda X: X[:, 0], X, X[:, 0])
    >>> with uq.Explorer(explainer) as explorer, tempfile.TemporaryDirectory() as folder:
    ...     saving = explorer.save(f"{folder}/review.html", lines=0, progress=False, wait=False)
    ...     saved = saving.wait()
    >>> saving.done, saved.path.name
    (True, 'review.html')
    """

    def __init__(self, path: Path, stopping: threading.Event) -> None:
        self.path = path
        self.result: SavedPage | None = None
        self.error: str | None = None
        self.share = 0.0
        self._stopping = stopping
        self._ended = threading.Event()
        self._failure: BaseException | None = None

    def __repr__(self) -> str:
        if self.result is not None:
            return repr(self.result)
        return f"{self.path}: {self.error or f'{self.share:.0%} done'}"

    @property
    def done(self) -> bool:
        """Whether the work has ended."""
        return self._ended.is_set()

    def wait(self, timeout: float | None = None) -> SavedPage:
        """Wait for the page.

        Parameters
        ----------
        timeout : float, optional
            Seconds.

        Returns
        -------
        SavedPage

        Raises
        ------
        TimeoutError
            If it takes longer.
        Exception
            What `Explorer.save` raises.
        """
        if not self._ended.wait(timeout):
            raise TimeoutError(
                f"the page is not complete after {timeout:g} s; wait longer, or stop() it."
            )
        if self.result is None:
            assert self._failure is not None
            raise self._failure
        return self.result

    def stop(self) -> None:
        """Stop the work, unless the page is written already; a former file stays."""
        self._stopping.set()

    def run(self, work: Callable[[], SavedPage]) -> None:
        """Do the work; its error is kept."""
        try:
            self.result = work()
            self.share = 1.0
        except BaseException as error:  # noqa: BLE001  whoever waits gets it
            self._failure = error
            is_sentence = isinstance(error, (ValueError, RuntimeError, OSError))
            self.error = first_line(error) if is_sentence else in_one_line(error)
        finally:
            self._ended.set()


@contextmanager
def reporting(
    price: Price | None,
    stopping: threading.Event,
    tell: Callable[[float, str], None],
    *,
    is_shown: bool,
) -> Iterator[Steps]:
    """Report the progress of a page, and end its work when it is stopped.

    The bar also moves while a step lasts, by the time that the step is expected to take.

    Parameters
    ----------
    price : Price or None
        What the work is expected to take; None if each step takes as long as the others.
    stopping : Event
        Set to stop the work.
    tell : callable
        Called often with the share of the work that is done, and the name of the present step.
    is_shown : bool
        Whether to show a bar.
    """
    progress = _Progress(price)
    label = "page" if price is None else f"page, {price}"
    bar = tqdm(desc=label, total=1.0, bar_format=_BAR, disable=not is_shown)

    def show() -> None:
        bar.n = progress.share
        bar.set_postfix_str(progress.what)
        tell(progress.share, progress.what)

    def report(what: str, done: int, total: int) -> None:
        if stopping.is_set():
            raise RuntimeError(STOPPED)
        progress.note(what, done, total)

    try:
        with heartbeat(show, _BEAT):
            yield Steps(report)
        if stopping.is_set():
            raise RuntimeError(STOPPED)
        progress.end()
        show()
    finally:
        bar.close()


class _Progress:
    """The share of the work that is done, by the seconds that its steps are expected to take."""

    def __init__(self, price: Price | None) -> None:
        self.what = ""
        self._price = price
        self._step: tuple[str, int] | None = None
        self._n_steps = 1
        # Expected seconds of the steps that have ended, and when the present one began.
        self._before, self._began = 0.0, time.monotonic()
        self._share = 0.0

    def note(self, what: str, number: int, n_steps: int) -> None:
        """Note the present step."""
        self._n_steps = n_steps
        if (what, number) == self._step:
            return
        if self._step is not None:
            self._before += self._expected
        self.what, self._step, self._began = what, (what, number), time.monotonic()

    def end(self) -> None:
        """Note that all is done."""
        self._share = 1.0

    @property
    def share(self) -> float:
        """From 0 to 1; it never goes back."""
        if self._step is not None:
            # A step that takes longer than expected comes ever closer to its end.
            spent = (time.monotonic() - self._began) / self._expected
            now = self._before - self._expected * math.expm1(-spent)
            whole = self._n_steps if self._price is None else self._price.seconds
            self._share = max(self._share, min(now / max(whole, now), _MOST))
        return self._share

    @property
    def _expected(self) -> float:
        return 1.0 if self._price is None else self._price.of_step(self.what)

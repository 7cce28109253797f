"""Saving an explorer as a page: one file that works without a kernel."""

from __future__ import annotations

import math
import re
import threading
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import replace
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Any, Literal, overload

from uqwidgets._utils.choices import one_of
from uqwidgets._utils.errors import first_line
from uqwidgets._utils.options import checked_flag, checked_jobs
from uqwidgets._utils.writing import whole_file
from uqwidgets.widgets.inputs.inputs import NO_ROWS
from uqwidgets.widgets.kernel.scheduler import widget_thread
from uqwidgets.widgets.page.assembly import (
    Page,
    Steps,
    assemble,
)
from uqwidgets.widgets.page.document import document
from uqwidgets.widgets.page.frozen import FrozenPage, checked_height
from uqwidgets.widgets.page.plain import REVIEW, plain_page
from uqwidgets.widgets.page.plan import SCOPES, Plan, Scope, plan_of
from uqwidgets.widgets.page.price import (
    Measured,
    PagePrice,
    counts_of,
    duration,
    measured,
    price_of,
)
from uqwidgets.widgets.page.processes import Processes
from uqwidgets.widgets.page.review import Review, review, reviewed_views, with_picture
from uqwidgets.widgets.page.saving import STOPPED, SavedPage, SavingPage, reporting
from uqwidgets.widgets.picture.static_picture import static_picture
from uqwidgets.widgets.session.price import MOST_SECONDS
from uqwidgets.widgets.session.requesting import Requesting


def _warn(plan: Plan) -> None:
    """Say what the saved views show and the page does not hold."""
    for remark in plan.options.remarks:
        warnings.warn(remark, UserWarning, stacklevel=4)


class Savable(Requesting):
    """Pages of an explorer."""

    # What was measured for a price, with what it is of.
    _known: tuple[Any, Measured] | None = None

    @overload
    def save(
        self,
        path: str | Path | None = None,
        *,
        scope: str = "shown",
        title: str | None = None,
        author: str | None = None,
        note: str | None = None,
        cohorts: Mapping[str, Any] | str | None = None,
        stress_features: Sequence[str] | None = None,
        intervals: Sequence[str] = (),
        lines: int | None = None,
        selection: bool = False,
        n_jobs: int | None = None,
        progress: bool = True,
        wait: Literal[True] = True,
    ) -> SavedPage: ...

    @overload
    def save(
        self,
        path: str | Path | None = None,
        *,
        scope: str = "shown",
        title: str | None = None,
        author: str | None = None,
        note: str | None = None,
        cohorts: Mapping[str, Any] | str | None = None,
        stress_features: Sequence[str] | None = None,
        intervals: Sequence[str] = (),
        lines: int | None = None,
        selection: bool = False,
        n_jobs: int | None = None,
        progress: bool = True,
        wait: Literal[False],
    ) -> SavingPage: ...

    def save(
        self,
        path: str | Path | None = None,
        *,
        scope: str = "shown",
        title: str | None = None,
        author: str | None = None,
        note: str | None = None,
        cohorts: Mapping[str, Any] | str | None = None,
        stress_features: Sequence[str] | None = None,
        intervals: Sequence[str] = (),
        lines: int | None = None,
        selection: bool = False,
        n_jobs: int | None = None,
        progress: bool = True,
        wait: bool = True,
    ) -> SavedPage | SavingPage:
        """Write a page in which the explorer lives without a kernel.

        It is one HTML file that loads nothing from elsewhere, with what was pinned and what is on
        the screen. Every feature, measure and indicator can be chosen in it, and every level of tau
        of the features that these views stress. The model is called for curves that are not known
        yet; the bar says before how long that takes, see `page_price`.

        At tau = 0, and in the present view and the pins, the numbers are those of the explorer. At
        the other levels of the slider, 0.05 apart, they are rounded to within 0.1 % of their axis,
        ends of intervals to within 0.4 %, and bars of histograms to within 1 %.

        Parameters
        ----------
        path : str or Path, optional
            Replaced as a whole if it exists. Without it, the browser that shows the explorer
            downloads the page.
        scope : {"shown", "all", "pictures"}, default="shown"
            What the page holds. ``"shown"`` are the views that the explorer or one of its pins
            shows, ``"all"`` every view, and every feature can be stressed. ``"pictures"`` is a page
            without a script, for mail that lets none through: pictures and tables of the present
            view and of the pins.
        title, author, note : str, optional
            Texts of its head. By default the title names the model.
        cohorts : dict or "classes", optional
            Rows that a reader can choose, by name: a list of conditions as in ``ice_filter``, one
            condition, or a class; ``"classes"`` are all classes of the target. The explorer's own
            cohorts, and the filters of the present view and of the pins, are added. Each makes the
            page as much larger as all rows do.
        stress_features : list of str, optional
            Features that can be stressed in the page, beside those of the saved views; by default
            the scope decides.
        intervals : list of str, optional
            Kinds of intervals of importance beside those of the present view and of the pins.
        lines : int, optional
            Number of rows whose curves are drawn; by default ``ice_lines``. With 0, no row is in
            the page.
        selection : bool, default=False
            Whether the page has the rows that the present view and the pins select, with their
            values and cards, the first 100 of each view. Without them, a warning names the views
            that select rows.
        n_jobs : int, optional
            Number of processes, with this one: the others compute importance at all levels of tau,
            which takes longest, from copies of arrays, and never call the model. -1 for as many as
            there are cores, 1 for no other process. By default there is a second one where it
            saves time.
        progress : bool, default=True
            Whether to show a progress bar.
        wait : bool, default=True
            If False, the page is saved in the background, while the notebook and the explorer stay
            usable. It is the page of the views at the time of the call.

        Returns
        -------
        SavedPage or SavingPage
            The size of the page, and what it holds of the rows. If ``wait`` is False, an object
            that has these when the page is written, and can stop the work.

        Raises
        ------
        ValueError
            If an argument is not valid, a cohort has no rows, rows are selected for a page without
            lines, the learner is still fitting, or no page shows the explorer that could download.
        RuntimeError
            If the explorer is closed, another page is being saved, or somebody pressed Stop.
        OSError
            If the file cannot be written; a former one stays.

        See Also
        --------
        freeze : The same page in the output of a cell.
        page_price : How long a page takes, and how large it is.

        Examples
        --------
        >>> import tempfile
        >>> import numpy as np
        >>> import uqwidgets as uq
        >>> X = np.random.default_rng(0).normal(size=(50, 2))
        >>> explainer = uq.Explainer(lambda X: X[:, 0], X, X[:, 0])
        >>> with uq.Explorer(explainer) as explorer, tempfile.TemporaryDirectory() as folder:
        ...     saved = explorer.save(f"{folder}/review.html", lines=0, progress=False)
        >>> saved.rows[:16]
        'It holds no row:'
        """
        head = {"author": author, "note": note}
        options = (cohorts, stress_features, intervals, lines, selection)
        saving = self._saved(path, scope, title, head, options, n_jobs, progress, wait=wait)
        return saving.wait() if wait else saving

    def page_price(
        self,
        *,
        cohorts: Mapping[str, Any] | str | None = None,
        stress_features: Sequence[str] | None = None,
        intervals: Sequence[str] = (),
        lines: int | None = None,
    ) -> PagePrice:
        """Estimate how long a page takes, and how large it is, within a factor of two.

        A few contents are computed for it, which takes a second or so. A model is called only for
        its first predictions, if it was never shown.

        Parameters
        ----------
        cohorts, stress_features, intervals, lines
            As for `save`.

        Returns
        -------
        PagePrice
            Of each scope of `save`.

        Raises
        ------
        ValueError, RuntimeError
            As `save` does.

        See Also
        --------
        save : The page as a file.

        Examples
        --------
        >>> import numpy as np
        >>> import uqwidgets as uq
        >>> X = np.random.default_rng(0).normal(size=(50, 2))
        >>> explainer = uq.Explainer(lambda X: X[:, 0], X, X[:, 0])
        >>> with uq.Explorer(explainer) as explorer:
        ...     price = explorer.page_price()
        >>> price.shown.nbytes < price.all.nbytes
        True
        """
        self._check_savable()
        self.wait()
        options = (cohorts, stress_features, intervals, lines)
        whole, shown = (self._plan(scope, *options) for scope in ("all", "shown"))
        known = self._measured(whole, lambda: None)
        counts = counts_of(shown)
        return PagePrice(
            shown=price_of(counts, known),
            all=price_of(counts_of(whole), known),
            pictures=price_of(counts, known, is_plain=True),
        )

    def freeze(
        self,
        *,
        height: int = 900,
        scope: str = "shown",
        cohorts: Mapping[str, Any] | str | None = None,
        stress_features: Sequence[str] | None = None,
        intervals: Sequence[str] = (),
        lines: int | None = None,
        selection: bool = False,
        n_jobs: int | None = None,
        progress: bool = True,
    ) -> FrozenPage:
        """Return the page of `save`, without the review, as the output of a cell.

        A notebook keeps it with the cell, so that it lives without a kernel wherever the notebook
        is shown with its scripts: in ``nbconvert --to html``, Quarto, Sphinx, or reopened.

        Parameters
        ----------
        height : int, default=900
            Height of its frame in pixels.
        scope : {"shown", "all"}, default="shown"
            As for `save`.
        cohorts, stress_features, intervals, lines, selection, n_jobs, progress
            As for `save`.

        Returns
        -------
        FrozenPage

        Raises
        ------
        ValueError, RuntimeError
            As `save` does, or if the height is not a positive whole number.

        See Also
        --------
        save : The page as a file.

        Examples
        --------
        >>> import numpy as np
        >>> import uqwidgets as uq
        >>> X = np.random.default_rng(0).normal(size=(50, 2))
        >>> explainer = uq.Explainer(lambda X: X[:, 0], X, X[:, 0])
        >>> with uq.Explorer(explainer) as explorer:
        ...     frozen = explorer.freeze(lines=0, progress=False)
        >>> frozen.rows[:16]
        'It holds no row:'
        """
        height, chosen = checked_height(height), one_of(SCOPES[:2], scope, "scope")
        n_jobs = checked_jobs(n_jobs)
        self._check_savable()
        self.wait()
        plan = self._plan(chosen, cohorts, stress_features, intervals, lines, selection)
        _warn(plan)
        with self._saving() as stopping, self._working(plan, chosen, stopping, progress) as steps:
            page, picture, _ = self._page(plan, n_jobs, steps)
        whole = document(page.chunks, title=self._title(None), picture=picture)
        return FrozenPage(whole.text, height, page.rows)

    def _saved(
        self,
        path: str | Path | None,
        scope: str,
        title: str | None,
        head: Mapping[str, str | None],
        options: tuple[Any, ...],
        n_jobs: int | None = None,
        progress: bool = False,
        *,
        wait: bool = False,
        request: str = "",
    ) -> SavingPage:
        """Save a page, in the background or before it returns.

        Parameters
        ----------
        path, scope, title, n_jobs, progress, wait
            As for `save`.
        head : mapping
            Texts of the head of the page.
        options : tuple
            What `_plan` gets beside the scope.
        request : str, optional
            Identifies the request of the browser, which may not take longer than an hour.
        """
        chosen, n_jobs = one_of(SCOPES, scope, "scope"), checked_jobs(n_jobs)
        checked_flag(progress, "progress")
        checked_flag(wait, "wait")
        self._check_savable()
        if wait:
            self.wait()
        # The feature of the first answer may be missing still.
        plan = self._plan(chosen, *options) if wait or self.feature else None
        if plan is not None and not request:
            _warn(plan)
        named = self._title(title)
        with ExitStack() as stack:
            stopping = stack.enter_context(self._saving())
            write: Callable[[str], int]
            if path is None:
                target, write = self._file_name(named), partial(self._download, named, request)
            else:
                # This comes first: it says what is wrong with a path.
                write = stack.enter_context(whole_file(path))
                target = Path(path)
            saving = SavingPage(target, stopping)

            def work() -> SavedPage:
                self.wait()
                at = plan or self._plan(chosen, *options)
                most = MOST_SECONDS if request else math.inf
                with self._working(at, chosen, stopping, progress, saving, most) as steps:
                    text, rows, digest = self._text(at, chosen, n_jobs, steps, named, head)
                return SavedPage(target, write(text), rows, digest)

            until_end = stack.pop_all()

        def run() -> None:
            def whole() -> SavedPage:
                with until_end:
                    return work()

            saving.run(whole)
            result = saving.result
            self._tell(error=saving.error, saved=None if result is None else repr(result))

        if wait:
            run()
        else:
            self._in_background(run)
        return saving

    def _text(
        self,
        plan: Plan,
        scope: Scope,
        n_jobs: int | None,
        steps: Steps,
        title: str,
        head: Mapping[str, str | None],
    ) -> tuple[str, str, str]:
        """Return the HTML of a page, a sentence on what it holds of the rows, and its SHA-256."""
        author, note = head.get("author"), head.get("note")
        if scope == "pictures":
            text, rows = plain_page(plan, steps, title=title, author=author, note=note)
            return text, rows, sha256(text.encode()).hexdigest()
        page, picture, reviewed = self._page(plan, n_jobs, steps)
        whole = document(
            page.chunks, title=title, author=author, note=note, picture=picture, review=reviewed
        )
        return whole.text, page.rows, whole.sha256

    def _plan(self, scope: Scope, *options: Any) -> Plan:
        """Decide what a page holds of the present view and of the pins, see `plan_of`."""
        return plan_of(self._models, self._inputs()[0], list(self.pins), scope, *options)

    def _page(self, plan: Plan, n_jobs: int | None, steps: Steps) -> tuple[Page, str, Review]:
        """Compute a page, its static picture and its review."""
        with Processes(n_jobs) as processes:
            page_when_finished = assemble(
                plan.page_models(), plan.options, plan.pins, steps, processes
            )
            picture = static_picture(plan.session(0), plan.shown[0])
            steps.next(REVIEW)

            def check() -> None:
                steps.next("")

            models, notes = plan.models, [pin["note"] for pin in plan.pins]
            shown, *pins = reviewed_views(models, plan.shown, notes, check)
            pins = [with_picture(models, pin, check) for pin in pins]
            reviewed = review(models, [shown, *pins], plan.options.intervals)
            # Other processes had all this time.
            page = page_when_finished()
        return page, picture, reviewed

    def _title(self, title: str | None) -> str:
        return title or f"What drives {self._session.title or self.explainer.name}"

    def _check_savable(self) -> None:
        if self.comm is None:
            raise RuntimeError("the explorer is closed; save its page before, or make it anew.")
        if self._learner is not None and self._learner.pending:
            raise ValueError(
                "the learner is still fitting; wait() until it is done, or press Stop, and save "
                "then."
            )

    @contextmanager
    def _undisturbed(self) -> Iterator[None]:
        """Let what is worked out for other levels of tau wait, for it would slow the page down."""
        is_left = self._scheduler.interrupt()
        try:
            yield
        finally:
            if is_left:
                self._request_again()

    @contextmanager
    def _saving(self) -> Iterator[threading.Event]:
        """Make one page at a time; the event stops it."""
        with self._request_lock:
            if self._page_stop is not None:
                raise RuntimeError("another page is being saved; wait for it, or stop it.")
            stopping = self._page_stop = threading.Event()
        try:
            yield stopping
        finally:
            self._page_stop = None

    @contextmanager
    def _working(
        self,
        plan: Plan,
        scope: Scope,
        stopping: threading.Event,
        progress: bool,
        saving: SavingPage | None = None,
        most_seconds: float = math.inf,
    ) -> Iterator[Steps]:
        """Report the price and then the progress of a page."""

        def tell(share: float, what: str) -> None:
            if saving is not None:
                saving.share = share
            self._tell(share=share, what=what)

        def check() -> None:
            if stopping.is_set():
                raise RuntimeError(STOPPED)

        price = None
        with self._undisturbed():
            if progress or self._view_count:
                known, is_plain = self._measured(plan, check), scope == "pictures"
                price = price_of(counts_of(plan), known, is_plain=is_plain)
                if price.seconds > most_seconds:
                    raise ValueError(
                        f"this page would take {duration(price.seconds)}, and a browser may ask "
                        "for one hour; choose less, or save it in Python."
                    )
            with reporting(price, stopping, tell, is_shown=progress) as steps:
                yield steps

    def _measured(self, plan: Plan, check: Callable[[], None]) -> Measured:
        """Measure what contents take, unless that is known of the same table and view."""
        inputs = replace(plan.shown[0], views=(), tau=0.0, selection=NO_ROWS)
        key = (plan.session(0), inputs, tuple(plan.options.intervals))
        if self._known is None or self._known[0] != key or not self._known[1].covers(plan):
            self._known = (key, measured(plan, check))
        return self._known[1]

    # The page in the browser.

    def _file_name(self, title: str) -> Path:
        letters = re.sub(r"[^\w.-]+", "-", title).strip("-.")
        return Path(f"{letters[:80] or 'page'}.html")

    def _download(self, title: str, request: str, text: str) -> int:
        """Have the browser download a page."""
        if not self._view_count:
            raise ValueError("no page shows the explorer; show it, or name a file.")
        self._tell(id=request, name=str(self._file_name(title)), text=text)
        return len(text.encode())

    def _tell(self, **content: Any) -> None:
        """Tell the browser about a page that is being saved."""
        if self._view_count and self.comm is not None:
            with self._publisher.reporting_errors("sending to the browser"):
                self.send({"page": content})

    def _answer_page(self, content: Any) -> bool:
        """Answer a custom message of the browser about a page; False if it is about none.

        Parameters
        ----------
        content : object
            Untrusted: ``{"page": "price" or "stop"}``, or ``{"page": scope, "id": text}``.
        """
        message = content.get("page") if isinstance(content, dict) else None
        if not isinstance(message, str):
            return False
        if message == "stop":
            if self._page_stop is not None:
                self._page_stop.set()
        elif message == "price":
            self._in_background(self._tell_price)
        else:
            number = str(content.get("id"))[:64]
            try:
                one_of(SCOPES, message, "scope")
                self._saved(None, message, None, {}, (None, None, (), None), request=number)
            except (ValueError, RuntimeError, OSError) as error:
                self._tell(error=first_line(error))
        return True

    def _tell_price(self) -> None:
        try:
            price = self.page_price()
        except Exception as error:  # noqa: BLE001  whatever the model raises
            self._tell(error=first_line(error))
        else:
            self._tell(price={scope: repr(getattr(price, scope)) for scope in SCOPES})

    def _in_background(self, run: Callable[[], None]) -> None:
        """Run on a thread of its own, or here where none can be started."""
        if self._user.refusal is None:
            with suppress(RuntimeError):
                widget_thread(partial(self._user.state().run, run), "uqwidgets-page").start()
                return
        run()

"""Saving an explorer as a page: one file that works without a kernel."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from html import escape
from pathlib import Path
from typing import Any

from tqdm.auto import tqdm

from uqwidgets._utils.options import brief, checked_count, checked_jobs, is_whole
from uqwidgets._utils.writing import whole_file
from uqwidgets.plotting.html import element
from uqwidgets.widgets.inputs.inputs import NO_ROWS, Inputs, inputs_of, validate
from uqwidgets.widgets.page.assembly import (
    Page,
    PageModel,
    PageOptions,
    Steps,
    assemble,
    intervals_of,
    stressed_of,
)
from uqwidgets.widgets.page.cohorts import NamedRows, named_rows
from uqwidgets.widgets.page.compared import check_compared_cohorts
from uqwidgets.widgets.page.document import document
from uqwidgets.widgets.page.processes import Processes
from uqwidgets.widgets.page.review import Review, review
from uqwidgets.widgets.picture.static_picture import static_picture
from uqwidgets.widgets.rows.population import PopulationBuilder
from uqwidgets.widgets.session.requesting import Requesting
from uqwidgets.widgets.views import NAMES

# Of the frame of a page in the output of a cell.
_MOST_PIXELS = 100_000


@dataclass(frozen=True)
class SavedPage:
    """A page that was written.

    Attributes
    ----------
    path : Path
    nbytes : int
    rows : str
        A sentence on what the page holds of the rows.
    sha256 : str
        Of all that the page says, which it shows at its foot, so that a reader can see that the
        numbers are yours. The answers of readers do not change it.
    """

    path: Path
    nbytes: int
    rows: str
    sha256: str

    def __repr__(self) -> str:
        size = f"{self.nbytes / 1e6:.2f} MB"
        return f"{self.path}: {size}, SHA-256 {self.sha256[:8]}. {self.rows}"


@dataclass(frozen=True)
class FrozenPage:
    """A page in the output of a cell.

    Notebooks, and pages made of them, show it in a frame of its own, whose scripts reach neither
    the document around it nor the network.

    Attributes
    ----------
    html : str
        The page.
    height : int
        Height of the frame in pixels.
    rows : str
        A sentence on what the page holds of the rows.
    title : str
        Name of the frame for screen readers.
    """

    html: str
    height: int
    rows: str
    title: str = "explorer"

    def __repr__(self) -> str:
        return f"a page of {len(self.html.encode('utf-8')) / 1e6:.2f} MB. {self.rows}"

    def _repr_html_(self) -> str:
        style = f"width: 100%; height: {self.height}px; border: 0"
        frame = element("iframe", sandbox="allow-scripts", style=style, title=self.title)
        # The scripts of a page may hold characters that no name may have.
        return frame.replace("<iframe", f'<iframe srcdoc="{escape(self.html)}"', 1)


def checked_height(height: Any) -> int:
    """Return the height of a page in the output of a cell, in pixels.

    Raises
    ------
    ValueError
        If it is no positive whole number, or too large.
    """
    if not is_whole(height) or height < 1:
        raise ValueError(
            f"height is {brief(height)}; it must be a positive whole number of pixels."
        )
    return checked_count(height, "height", 1, _MOST_PIXELS)


class Savable(Requesting):
    """Pages of an explorer."""

    def save(
        self,
        path: str | Path,
        *,
        title: str | None = None,
        author: str | None = None,
        note: str | None = None,
        cohorts: Mapping[str, Any] | str | None = None,
        stress_features: Sequence[str] | None = None,
        intervals: Sequence[str] = (),
        lines: int | None = None,
        n_jobs: int | None = None,
        progress: bool = True,
    ) -> SavedPage:
        """Write a page in which the explorer lives without a kernel.

        It is one HTML file that loads nothing from elsewhere. Every feature, stressed feature,
        measure, indicator and level of tau can be chosen in it. The model is called for curves
        that are not known yet. At tau = 0, and in the present view and the pins, the numbers are
        those of the explorer. At the other levels of the slider, 0.05 apart, they are rounded to
        within 0.1 % of their axis, ends of intervals to within 0.4 %, and bars of histograms to
        within 1 %.

        Parameters
        ----------
        path : str or Path
            Replaced as a whole if it exists.
        title, author, note : str, optional
            Texts of its head. By default the title names the model.
        cohorts : dict or "classes", optional
            Rows that a reader can choose, by name: a list of conditions as in ``ice_filter``, one
            condition, or a class; ``"classes"`` are all classes of the target. The explorer's own
            cohorts, and the filters of the present view and of the pins, are added. Each makes the
            page as much larger as all rows do.
        stress_features : list of str, optional
            Features that can be stressed in the page; all if not given.
        intervals : list of str, optional
            Kinds of intervals of importance beside those of the present view and of the pins.
        lines : int, optional
            Number of rows whose curves are drawn; by default ``ice_lines``. With 0, no row is in
            the page.
        n_jobs : int, optional
            Number of processes, with this one: the others compute importance at all levels of tau,
            which takes longest, from copies of arrays, and never call the model. -1 for as many as
            there are cores, 1 for no other process. By default there is a second one where it
            saves time.
        progress : bool, default=True
            Whether to show a progress bar.

        Returns
        -------
        SavedPage
            Its size, and what it holds of the rows.

        Raises
        ------
        ValueError
            If an argument is not valid, a cohort has no rows, or the learner is still fitting.
        RuntimeError
            If the explorer is closed, or somebody pressed Stop in it.
        OSError
            If the file cannot be written; a former one stays.

        See Also
        --------
        freeze : The same page in the output of a cell.

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
        with whole_file(path) as write:
            page, picture, review = self._page(
                cohorts, stress_features, intervals, lines, n_jobs, progress
            )
            whole = document(
                page.chunks,
                title=self._title(title),
                author=author,
                note=note,
                picture=picture,
                review=review,
            )
            nbytes = write(whole.text)
        return SavedPage(Path(path), nbytes, page.rows, whole.sha256)

    def freeze(
        self,
        *,
        height: int = 900,
        cohorts: Mapping[str, Any] | str | None = None,
        stress_features: Sequence[str] | None = None,
        intervals: Sequence[str] = (),
        lines: int | None = None,
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
        cohorts, stress_features, intervals, lines, n_jobs, progress
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
        height = checked_height(height)
        page, picture, _ = self._page(cohorts, stress_features, intervals, lines, n_jobs, progress)
        whole = document(page.chunks, title=self._title(None), picture=picture)
        return FrozenPage(whole.text, height, page.rows)

    def _page(
        self,
        cohorts: Any,
        stress_features: Any,
        intervals: Any,
        lines: int | None,
        n_jobs: int | None,
        progress: bool,
    ) -> tuple[Page, str, Review]:
        """Compute a page, its static picture and its review."""
        self._check_savable()
        n_jobs = checked_jobs(n_jobs)
        self.wait()
        pins = list(self.pins)
        states = [pin["state"] for pin in pins]
        shown = [
            self._inputs()[0],
            *(inputs_of(one, self._models.explainer(one["shown_model"])) for one in states),
        ]
        if lines is not None:
            lines = validate("ice_lines", lines, self.explainer)
            shown = [replace(each, ice_lines=lines) for each in shown]
        # Without lines, nothing of a single row is in the page.
        nothing: dict[str, Any] = {"selection": NO_ROWS, "row": -1, "what_if": ()}
        shown = [each if each.ice_lines else replace(each, **nothing) for each in shown]
        shown = [replace(each, feature=each.feature or shown[0].feature) for each in shown]
        check_compared_cohorts(shown)
        options = PageOptions(
            self._named_rows(cohorts, shown, pins),
            intervals_of(intervals, shown),
            stressed_of(self.explainer, stress_features, shown),
        )
        models = self._page_models(shown)
        shown = [replace(each, views=models[0].shown[0].views) for each in shown]
        pins = [{**pin, "state": each.plain()} for pin, each in zip(pins, shown[1:], strict=True)]
        with (
            self._undisturbed(),
            self._reporting(progress) as steps,
            Processes(n_jobs) as processes,
        ):
            page_when_finished = assemble(models, options, pins, steps, processes)
            picture = static_picture(self._session, shown[0])
            steps.next("review")
            reviewed = review(
                self._models,
                shown,
                [pin["note"] for pin in pins],
                options.intervals,
                lambda: steps.next(""),
            )
            # Other processes had all this time.
            page = page_when_finished()
        return page, picture, reviewed

    def _page_models(self, shown: Sequence[Inputs]) -> list[PageModel]:
        """Return the models that the explorer and the pins show, with the views that they show.

        Parameters
        ----------
        shown : sequence of Inputs
            Of the present view, and of the pins.
        """
        sessions = {each.shown_model: self._models.session(each.shown_model) for each in shown}
        named = {view.name for session in sessions.values() for view in session.views}
        every = tuple(name for name in NAMES if any(each.shows(name) for each in shown))
        views = () if named <= set(every) else every
        shown = [replace(each, views=views) for each in shown]
        return [
            PageModel(
                session,
                [view.another() for view in session.views if view.is_read(shown[0])],
                [each for each in shown if each.shown_model == name],
            )
            for name, session in sessions.items()
        ]

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

    def _named_rows(
        self, cohorts: Any, shown: Sequence[Inputs], pins: Sequence[dict[str, Any]]
    ) -> list[NamedRows]:
        notes = ["", *(pin["note"] for pin in pins)]
        named = [NamedRows(one.name, one.conditions, one.complement) for one in shown[0].cohorts]
        named += [
            NamedRows(note, each.ice_filter, each.complement)
            for note, each in zip(notes, shown, strict=True)
        ]
        every = named_rows(cohorts, self.explainer, named)
        builder = PopulationBuilder(self.explainer)
        for one in every:
            at = Inputs(ice_filter=one.filter, complement=one.complement)
            if builder.build(at, lambda: None) is None:
                raise ValueError(f"cohort {one.name!r} has no row; choose another filter.")
        return every

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
    def _reporting(self, is_shown: bool) -> Iterator[Steps]:
        """Show a progress bar, and stop the work when Stop is pressed."""
        stop = self._page_stop = threading.Event()
        bar = tqdm(desc="page", unit=" views", disable=not is_shown)

        def report(what: str, done: int, total: int) -> None:
            if stop.is_set():
                raise RuntimeError("the page was stopped before it was complete; none is written.")
            if done != bar.n or total != bar.total:
                bar.total = total
                bar.set_postfix_str(what, refresh=False)
                bar.update(done - bar.n)

        try:
            yield Steps(report)
        finally:
            bar.close()
            self._page_stop = None

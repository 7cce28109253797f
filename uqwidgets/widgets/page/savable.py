"""Saving an explorer as a page: one file that works without a kernel."""

from __future__ import annotations

import threading
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from html import escape
from pathlib import Path
from typing import Any

from tqdm.auto import tqdm

from uqwidgets._utils.options import brief, checked_count, checked_flag, checked_jobs, is_whole
from uqwidgets._utils.remarks import Remark
from uqwidgets._utils.writing import whole_file
from uqwidgets.plotting.html import element
from uqwidgets.plotting.text import listed
from uqwidgets.widgets.inputs.inputs import NO_ROWS, Inputs, inputs_of, validate
from uqwidgets.widgets.page.assembly import (
    Page,
    PageOptions,
    Steps,
    assemble,
    intervals_of,
    stressed_of,
)
from uqwidgets.widgets.page.cohorts import NamedRows, named_rows
from uqwidgets.widgets.page.document import document
from uqwidgets.widgets.page.processes import Processes
from uqwidgets.widgets.page.review import Review, review
from uqwidgets.widgets.picture.static_picture import static_picture
from uqwidgets.widgets.rows.population import PopulationBuilder
from uqwidgets.widgets.session.requesting import Requesting

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
    """

    path: Path
    nbytes: int
    rows: str

    def __repr__(self) -> str:
        return f"{self.path}: {self.nbytes / 1e6:.2f} MB. {self.rows}"


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


def _with_rows(shown: Sequence[Inputs], is_chosen: bool) -> tuple[list[Inputs], list[Remark]]:
    """Leave the selected rows out of the saved views, unless the sender chose them.

    Returns
    -------
    shown : list of Inputs
    remarks : list of Remark
        On what the views show and the page does not hold.

    Raises
    ------
    ValueError
        If rows are chosen for a page that holds no row.
    """
    checked_flag(is_chosen, "selection")
    if is_chosen and not all(each.ice_lines for each in shown):
        raise ValueError(
            "selection is True, and with lines=0 no row is in the page; give lines, or leave the "
            "selection out."
        )
    names = ["the present view", *(f"pin {i}" for i in range(1, len(shown)))]
    selecting = [name for name, each in zip(names, shown, strict=True) if each.selection]
    changing = [name for name, each in zip(names, shown, strict=True) if each.what_if]
    if is_chosen:
        sentence = (
            f"the page predicts other values of a row along the curve that is drawn alone; "
            f"those of {listed(changing)} need the notebook"
        )
        return list(shown), [Remark("page-without-what-if", sentence)] if changing else []
    sentence = (
        f"the rows that {listed(selecting)} select{'s' if len(selecting) == 1 else ''} are not in "
        "the page; selection=True holds them"
    )
    nothing: dict[str, Any] = {"selection": NO_ROWS, "row": -1, "what_if": ()}
    remarks = [Remark("page-without-selection", sentence)] if selecting else []
    return [replace(each, **nothing) for each in shown], remarks


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
        selection: bool = False,
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

        Returns
        -------
        SavedPage
            Its size, and what it holds of the rows.

        Raises
        ------
        ValueError
            If an argument is not valid, a cohort has no rows, rows are selected for a page without
            lines, or the learner is still fitting.
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
                cohorts, stress_features, intervals, lines, selection, n_jobs, progress
            )
            text = document(
                page.chunks,
                title=self._title(title),
                author=author,
                note=note,
                picture=picture,
                review=review,
            )
            nbytes = write(text)
        return SavedPage(Path(path), nbytes, page.rows)

    def freeze(
        self,
        *,
        height: int = 900,
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
        height = checked_height(height)
        page, picture, _ = self._page(
            cohorts, stress_features, intervals, lines, selection, n_jobs, progress
        )
        text = document(page.chunks, title=self._title(None), picture=picture)
        return FrozenPage(text, height, page.rows)

    def _page(
        self,
        cohorts: Any,
        stress_features: Any,
        intervals: Any,
        lines: int | None,
        selection: bool,
        n_jobs: int | None,
        progress: bool,
    ) -> tuple[Page, str, Review]:
        """Compute a page, its static picture and its review."""
        self._check_savable()
        n_jobs = checked_jobs(n_jobs)
        self.wait()
        inputs = self._inputs()[0]
        # A page holds one model.
        pins = [pin for pin in self.pins if pin["state"]["shown_model"] == inputs.shown_model]
        shown = [inputs, *(inputs_of(pin["state"], self.explainer) for pin in pins)]
        if lines is not None:
            lines = validate("ice_lines", lines, self.explainer)
            shown = [replace(each, ice_lines=lines) for each in shown]
        shown, remarks = _with_rows(shown, selection)
        for remark in remarks:
            warnings.warn(remark, UserWarning, stacklevel=3)
        if not all(each.feature for each in shown):
            shown = [replace(each, feature=each.feature or inputs.feature) for each in shown]
        # The page holds the views that the explorer or one of its pins shows.
        named = [view.name for view in self._session.views]
        every = tuple(name for name in named if any(each.shows(name) for each in shown))
        shown = [replace(each, views=() if len(every) == len(named) else every) for each in shown]
        views = [view for view in self._session.views if view.is_read(shown[0])]
        options = PageOptions(
            self._named_rows(cohorts, shown, pins),
            intervals_of(intervals, shown),
            stressed_of(self.explainer, stress_features, shown),
            remarks,
        )
        pins = [{**pin, "state": each.plain()} for pin, each in zip(pins, shown[1:], strict=True)]
        with (
            self._undisturbed(),
            self._reporting(progress) as steps,
            Processes(n_jobs) as processes,
        ):
            page_when_finished = assemble(
                self._session,
                [view.another() for view in views],
                options,
                shown[0],
                pins,
                shown[1:],
                steps,
                processes,
            )
            picture = static_picture(self._session, shown[0])
            steps.next("review")
            reviewed = review(
                self._session,
                [view.another() for view in views],
                shown,
                [pin["note"] for pin in pins],
                options.intervals,
                lambda: steps.next(""),
            )
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

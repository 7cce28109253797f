"""Saved pages of lessons: every state that can be enumerated, in one file without a kernel."""

from __future__ import annotations

import json
import threading
import zlib
from abc import abstractmethod
from base64 import b64encode
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, cast

from tqdm.auto import tqdm

from uqwidgets._utils.writing import whole_file
from uqwidgets.plotting.html import Markup, element, words
from uqwidgets.widgets.kernel.frames import pack, plain
from uqwidgets.widgets.page.document import document
from uqwidgets.widgets.page.frozen import FrozenPage, checked_height
from uqwidgets.widgets.page.saving import SavedPage
from uqwidgets.widgets.page.seal import Sealed

if TYPE_CHECKING:
    from uqwidgets.teach.lesson import Lesson, LessonAnswer

#: Features that a learner can pick in a page; each needs answers of its own.
MOST_FEATURES_OF_PAGE = 8

State = Mapping[str, Any]


class SavableLesson:
    """Pages of a lesson.

    Attributes
    ----------
    rows_in_page : str
        What a page holds of the rows.
    """

    # Defined by Lesson.
    title: ClassVar[str]
    _computing: threading.RLock
    _answer: Callable[[], LessonAnswer]
    _describe: Callable[[], dict[str, Any]]

    rows_in_page: ClassVar[str] = "It holds no row."

    # Inputs of the state that a page is computed for, and the thread that computes it.
    _elsewhere: State | None = None
    _elsewhere_thread: int = 0

    @abstractmethod
    def _page_states(self) -> Iterator[State]:
        """Yield the states of a page, each with the inputs that its answer depends on."""

    def _page_facts(self) -> dict[str, Any]:
        """Return what differs from `_facts` in a page; ``"note"`` says what needs a kernel."""
        return {}

    def _page_answer(self) -> LessonAnswer:
        """Compute what a page shows in the present state."""
        return self._answer()

    @contextmanager
    def _in_state(self, state: State) -> Iterator[None]:
        """Compute for another state than that of the inputs; nobody else notices."""
        with self._computing:
            self._elsewhere, self._elsewhere_thread = state, threading.get_ident()
            try:
                yield
            finally:
                self._elsewhere = None

    def save(
        self,
        path: str | Path,
        *,
        title: str | None = None,
        note: str | None = None,
        progress: bool = True,
    ) -> SavedPage:
        """Write the lesson as a page that works without a kernel.

        It is one HTML file that loads nothing from elsewhere. It opens in the present state, and
        holds the answer to everything that can be chosen; what needs a kernel is disabled, and a
        sentence says so.

        Parameters
        ----------
        path : str or Path
            Replaced as a whole if it exists.
        title, note : str, optional
            Texts of its head. By default the title is that of the lesson.
        progress : bool, default=True
            Whether to show a progress bar.

        Returns
        -------
        SavedPage
            Its size, and what it holds of the rows.

        Raises
        ------
        OSError
            If the file cannot be written; a former one stays.

        See Also
        --------
        freeze : The same page in the output of a cell.
        uqwidgets.teach.save : A page of several lessons.

        Examples
        --------
        >>> import tempfile
        >>> import numpy as np
        >>> import uqwidgets as uq
        >>> X = np.random.default_rng(0).normal(size=(50, 2))
        >>> explainer = uq.Explainer(lambda X: (X[:, 0], np.ones(len(X))), X, X[:, 0])
        >>> lesson = uq.teach.GuessTheRanking(explainer)
        >>> with lesson, tempfile.TemporaryDirectory() as folder:
        ...     saved = lesson.save(f"{folder}/lesson.html", progress=False)
        >>> saved.rows
        'It holds no row.'
        """
        lesson = cast("Lesson", self)
        return save(path, [lesson], title=title or self.title, note=note, progress=progress)

    def freeze(self, *, height: int = 900, progress: bool = True) -> FrozenPage:
        """Return the page of `save` as the output of a cell.

        Parameters
        ----------
        height : int, default=900
            Height of its frame in pixels.
        progress : bool, default=True
            Whether to show a progress bar.

        Returns
        -------
        FrozenPage

        Raises
        ------
        ValueError
            If the height is not a positive whole number.

        See Also
        --------
        save : The page as a file.

        Examples
        --------
        >>> import numpy as np
        >>> import uqwidgets as uq
        >>> X = np.random.default_rng(0).normal(size=(50, 2))
        >>> explainer = uq.Explainer(lambda X: (X[:, 0], np.ones(len(X))), X, X[:, 0])
        >>> with uq.teach.GuessTheRanking(explainer) as lesson:
        ...     lesson.freeze(progress=False).rows
        'It holds no row.'
        """
        height = checked_height(height)
        lesson = cast("Lesson", self)
        whole = _document([lesson], self.title, None, progress)
        return FrozenPage(whole.text, height, self.rows_in_page, self.title)


def save(
    path: str | Path,
    lessons: Sequence[Lesson],
    *,
    title: str = "Lessons",
    note: str | None = None,
    progress: bool = True,
) -> SavedPage:
    """Write lessons as one page that works without a kernel.

    It is one HTML file that loads nothing from elsewhere: for whoever's kernel fails in a workshop.

    Parameters
    ----------
    path : str or Path
        Replaced as a whole if it exists.
    lessons : sequence of lessons
        In the order of the page. Where one computes, the page waits for it.
    title, note : str, optional
        Texts of its head.
    progress : bool, default=True
        Whether to show a progress bar.

    Returns
    -------
    SavedPage
        Its size, and what it holds of the rows.

    Raises
    ------
    ValueError
        If there is no lesson.
    TypeError
        If one of them is no lesson.
    OSError
        If the file cannot be written; a former one stays.

    See Also
    --------
    WhatTheBarCovers.save : A page of one lesson.

    Examples
    --------
    >>> import tempfile
    >>> import numpy as np
    >>> import uqwidgets as uq
    >>> X = np.random.default_rng(0).normal(size=(50, 2))
    >>> explainer = uq.Explainer(lambda X: (X[:, 0], np.ones(len(X))), X, X[:, 0])
    >>> one = uq.teach.GuessTheRanking(explainer)
    >>> with one, tempfile.TemporaryDirectory() as folder:
    ...     saved = uq.teach.save(f"{folder}/lessons.html", [one], progress=False)
    >>> saved.path.name
    'lessons.html'
    """
    for lesson in lessons:
        if not isinstance(lesson, SavableLesson):
            raise TypeError(f"lessons hold a {type(lesson).__name__}; pass widgets of uq.teach.")
    if not lessons:
        raise ValueError("there is no lesson to save; pass widgets of uq.teach.")
    with whole_file(path) as write:
        whole = _document(lessons, title, note, progress)
        nbytes = write(whole.text)
    rows = " ".join(dict.fromkeys(lesson.rows_in_page for lesson in lessons))
    return SavedPage(Path(path), nbytes, rows, whole.sha256)


def _document(lessons: Sequence[Lesson], title: str, note: str | None, progress: bool) -> Sealed:
    """Return a page of lessons."""
    store = _Store()
    with tqdm(desc="lessons", unit=" states", disable=not progress) as bar:
        index = [store.add(lesson, bar.update) for lesson in lessons]
    still = [element("p", words("This page needs JavaScript."))]
    for lesson in lessons:
        question = str(lesson._describe()["question"])
        still += [element("h2", words(lesson.title)), element("p", words(question))]
    return document(
        store.deflated(index),
        title=title,
        note=note,
        picture=Markup("".join(still)),
        front_end="lessons",
    )


class _Store:
    """Answers of lessons, in which equal sentences, columns and answers are stored once."""

    def __init__(self) -> None:
        self._texts: dict[str, int] = {}
        self._columns: dict[bytes, int] = {}
        self._described: list[dict[str, Any]] = []
        self._bytes: list[bytes] = []
        self._size = 0
        self._answers: dict[str, int] = {}

    def add(self, lesson: Lesson, report: Callable[[], object]) -> dict[str, Any]:
        """Compute all states of a lesson; return its entry in the index."""
        groups: dict[tuple[str, ...], list[Any]] = {}
        for state in lesson._page_states():
            with lesson._in_state(state):
                answer = self._answer(lesson._page_answer())
            groups.setdefault(tuple(state), []).append([*plain(list(state.values())), answer])
            report()
        return {
            "about": plain({**lesson._describe(), **lesson._page_facts()}),
            "inputs": plain(lesson.state),
            "groups": [{"names": list(names), "states": of} for names, of in groups.items()],
        }

    def _answer(self, answer: LessonAnswer) -> int:
        frame = pack(0, {}, answer.meta, answer.columns)
        described = frame["meta"].pop("cols")
        stored = {
            "meta": frame["meta"],
            "cols": {name: self._column(described[name], of) for name, of in frame["cols"].items()},
            "explanation": [self._sentence(text) for text in answer.explanation],
        }
        text = json.dumps(stored, separators=(",", ":"))
        return self._answers.setdefault(text, len(self._answers))

    def _sentence(self, text: str) -> int:
        return self._texts.setdefault(text, len(self._texts))

    def _column(self, described: dict[str, Any], data: bytes) -> int:
        key = json.dumps(described).encode() + data
        if key not in self._columns:
            self._columns[key] = len(self._described)
            self._described.append({**described, "at": self._size, "nbytes": len(data)})
            self._bytes.append(data)
            self._size += len(data)
        return self._columns[key]

    def deflated(self, lessons: list[dict[str, Any]]) -> dict[str, str]:
        """Return the index and the bytes of all columns, deflated, as text."""
        answers = ",".join(self._answers)
        rest = {"lessons": lessons, "texts": list(self._texts), "columns": self._described}
        text = json.dumps(plain(rest), separators=(",", ":"))
        index = f'{text[:-1]},"answers":[{answers}]}}'
        chunks = {"": index.encode(), "columns": b"".join(self._bytes)}
        return {name: b64encode(zlib.compress(data, 9)).decode() for name, data in chunks.items()}


def features_of_page(features: Sequence[str], shown: str) -> tuple[str, ...]:
    """Return the features that a learner can pick in a page."""
    chosen = list(features[:MOST_FEATURES_OF_PAGE])
    if shown not in chosen:
        chosen[-1] = shown
    return tuple(chosen)


def facts_on_features(features: Sequence[str], chosen: Sequence[str]) -> dict[str, Any]:
    """Return which features a learner cannot pick in a page, and a sentence on them."""
    left = [name for name in features if name not in chosen]
    if not left:
        return {}
    others = "The other feature needs" if len(left) == 1 else f"The other {len(left)} features need"
    note = f"{others} the notebook: this page holds {len(chosen)}."
    return {"unavailable": left, "note": note}

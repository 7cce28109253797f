"""Reading of reviews: the answers of readers, and what they answered to, from saved pages."""

from __future__ import annotations

import base64
import json
import re
import zlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, overload

import pandas as pd

from uqwidgets._utils.options import brief
from uqwidgets.plotting.html import panel, table, words
from uqwidgets.plotting.text import counted
from uqwidgets.widgets.page.seal import (
    ANSWERS,
    DamagedError,
    Element,
    answers_of,
    checked,
    parsed,
)

#: Verdicts that a page offers.
VERDICTS = ("approved", "approved with conditions", "rejected")

# Of a file, and of its index when it is inflated.
_MOST_BYTES = 256_000_000
_WHOLE = re.compile(r"-?\d+")


@dataclass(frozen=True)
class ReviewedPin:
    """A pin of a page, and what a reader says of it.

    Attributes
    ----------
    note : str
        The author's.
    state : dict
        Inputs of the view; ``explorer.state = pin.state`` shows it.
    comment : str
        The reader's.
    """

    note: str
    state: dict[str, Any]
    comment: str


@dataclass(frozen=True, repr=False)
class SavedReview:
    """The review in a page that is whole.

    Attributes
    ----------
    path : Path
    title : str
        Of the page.
    verdict : str
        "approved", "approved with conditions" or "rejected"; "" if there is none.
    reviewer : str
        The name that the reader gave.
    date : str
        The day of the download with answers, as 2026-01-31.
    comment : str
        On the whole page.
    pins : tuple of ReviewedPin
    provenance : dict
        What the page says of its models, data, computation and versions: texts by their names, in
        groups such as "Data".
    frames : dict of str to DataFrame
        The tables of the page by the view and the name of each, such as "Pin 1, Importance: nll".
    sha256 : str
        Of all that the author says, as in `SavedPage`; the answers do not change it.
    """

    path: Path
    title: str
    verdict: str
    reviewer: str
    date: str
    comment: str
    pins: tuple[ReviewedPin, ...]
    provenance: dict[str, dict[str, str]]
    frames: dict[str, pd.DataFrame] = field(compare=False)
    sha256: str

    @property
    def frame(self) -> pd.DataFrame:
        """The pins, one in a row."""
        columns = ["pin", "note", "comment"]
        lines = [(i, pin.note, pin.comment) for i, pin in enumerate(self.pins, 1)]
        return pd.DataFrame(lines, columns=columns)

    def __repr__(self) -> str:
        lines = [f"{self.title}: {self._summary}"]
        lines += [f"comment: {self.comment}"] if self.comment else []
        lines += [
            f"pin {i}, {pin.note or 'without a note'}: {pin.comment or 'no comment'}"
            for i, pin in enumerate(self.pins, 1)
        ]
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        """Return a table of the pins, which needs neither a kernel nor the network."""
        lines = [[str(i), pin.note, pin.comment] for i, pin in enumerate(self.pins, 1)]
        pins = table("pin", ["pin", "note", "comment"], lines)
        notes = [f"Comment: {self.comment}"] if self.comment else []
        return panel(self.title, self._summary, words(""), notes, pins)

    @property
    def _summary(self) -> str:
        verdict = self.verdict or "no verdict"
        by = f" by {self.reviewer}" if self.reviewer else ""
        on = f" on {self.date}" if self.date else ""
        contents = f"{counted(len(self.pins), 'pin')}, {counted(len(self.frames), 'table')}"
        return f"{verdict}{by}{on}. {contents}, SHA-256 {self.sha256[:8]}."


@overload
def read_review(path: str | Path) -> SavedReview: ...


@overload
def read_review(path: list[Any] | tuple[Any, ...]) -> list[SavedReview]: ...


def read_review(
    path: str | Path | list[Any] | tuple[Any, ...],
) -> SavedReview | list[SavedReview]:
    """Read the review in a saved page: what a reader answered, and to what.

    The page is read as data: no script of it runs, and no expression is evaluated. Its seal shows
    that it is whole, and that its numbers are those that were saved; whose they are, its
    ``sha256`` shows to those who know that of `SavedPage`.

    Parameters
    ----------
    path : str, Path, or a list of them
        Pages of ``explorer.save``, as they were saved or downloaded with answers; at most 256 MB.

    Returns
    -------
    SavedReview
        A list of them for a list of paths.

    Raises
    ------
    ValueError
        If a file is damaged, or is no page with a review.
    TypeError
        If a path is neither a text nor a Path.
    OSError
        If a file cannot be read.

    See Also
    --------
    Explorer.save : Writes such a page.

    Examples
    --------
    >>> import tempfile
    >>> import numpy as np
    >>> import uqwidgets as uq
    >>> X = np.random.default_rng(0).normal(size=(50, 2))
    >>> explainer = uq.Explainer(lambda X: X[:, 0], X, X[:, 0])
    >>> with uq.Explorer(explainer) as explorer, tempfile.TemporaryDirectory() as folder:
    ...     explorer.pin("the first feature is all")
    ...     saved = explorer.save(f"{folder}/review.html", lines=0, progress=False)
    ...     review = uq.read_review(saved.path)
    >>> review.pins[0].note, review.verdict, review.sha256 == saved.sha256
    ('the first feature is all', '', True)
    >>> review.frames["Pin 1, Importance: squared_error"]["feature"].tolist()
    ['x0', 'x1']
    >>> review.provenance["Data"]["rows"]
    '50'
    """
    if isinstance(path, (str, Path)):
        return _read(Path(path))
    if isinstance(path, (list, tuple)) and all(isinstance(one, (str, Path)) for one in path):
        return [_read(Path(one)) for one in path]
    raise TypeError(f"path is {brief(path)}; pass the name of a saved page, or a list of names.")


def _read(path: Path) -> SavedReview:
    page = _page(path)
    try:
        return _review(path, page, checked(page))
    except DamagedError as damage:
        size = "" if damage.nbytes is None else f" (it should have {damage.nbytes:,} bytes)"
        raise ValueError(f"{path} is damaged{size}; ask for it again.") from None
    # What else a seal of another program may enclose.
    except (LookupError, TypeError, ValueError, AttributeError, RecursionError, zlib.error):
        raise ValueError(_foreign(path)) from None


def _review(path: Path, page: Element, digest: str) -> SavedReview:
    page.first("script", id=ANSWERS)
    answers = answers_of(page)
    comments = answers.get("pins")
    comments = comments if isinstance(comments, list) else []
    pins = _index(page)["pins"]
    verdict = _text(answers.get("verdict"))
    return SavedReview(
        path=path,
        title=page.first("title").text,
        verdict=verdict if verdict in VERDICTS else "",
        reviewer=_text(answers.get("reviewer")),
        date=_text(answers.get("date")),
        comment=_text(answers.get("comment")),
        pins=tuple(
            ReviewedPin(str(pin["note"]), dict(pin["state"]), _text(comment))
            for pin, comment in zip(pins, [*comments, *[""] * len(pins)], strict=False)
        ),
        provenance={
            facts.first("caption").text: _facts(facts)
            for facts in page.find("table", **{"class": "uq-facts"})
        },
        frames=_frames(page),
        sha256=digest,
    )


def _page(path: Path) -> Element:
    """Return the elements of a file.

    Raises
    ------
    ValueError
        If it is no page, or too large.
    OSError
        If it cannot be read; the sentence says why.
    """
    try:
        if path.is_dir():
            raise IsADirectoryError(f"{path} is a folder; give the name of a page in it.")
        with path.open("rb") as file:
            content = file.read(_MOST_BYTES + 1)
    except ValueError as error:
        raise ValueError(f"path is {str(path)!r}, which cannot name a file ({error}).") from None
    except FileNotFoundError:
        raise FileNotFoundError(f"{path} does not exist; give the name of a saved page.") from None
    except OSError as error:
        if error.errno is None:
            raise
        why = (error.strerror or str(error)).lower()
        raise type(error)(f"{path} cannot be read ({why}).") from error
    if len(content) > _MOST_BYTES:
        raise ValueError(f"{path} has more than {_MOST_BYTES:,} bytes, which no saved page has.")
    try:
        return parsed(content.decode("utf-8-sig", "replace"))
    except DamagedError:
        raise ValueError(_foreign(path)) from None


def _foreign(path: Path) -> str:
    return f"{path} is no page with a review that explorer.save wrote; pass one of these."


def _index(page: Element) -> dict[str, Any]:
    """Return the index of the store."""
    chunks = json.loads(page.first("script", id="uq-store").text)
    inflater = zlib.decompressobj()
    index = inflater.decompress(base64.b64decode(chunks[""]), _MOST_BYTES)
    return dict(json.loads(index))


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _facts(facts: Element) -> dict[str, str]:
    lines = ([cell.text for cell in _children(line)] for line in facts.find("tr"))
    return dict(lines)


def _frames(page: Element) -> dict[str, pd.DataFrame]:
    """Return the tables of a page; numbers have all their digits."""
    frames = {}
    for article in page.find("article"):
        view = article.first("h3").text.partition(":")[0]
        for details in article.find("details"):
            for one in details.find("table"):
                frames[f"{view}, {details.attributes.get('data-table', '')}"] = _frame(one)
    return frames


def _frame(of: Element) -> pd.DataFrame:
    head, *lines = (_children(line) for line in of.find("tr"))
    columns = zip(*lines, strict=True) if lines else ((),) * len(head)
    return pd.DataFrame(
        {name.text: _column(cells) for name, cells in zip(head, columns, strict=True)}
    )


def _column(cells: Sequence[Element]) -> list[Any]:
    """Return the values of a column: bools, whole numbers, floats, or texts and None."""
    exact = [cell.attributes.get("data-value") for cell in cells]
    if all(value is not None and _WHOLE.fullmatch(value) for value in exact):
        return [int(value or 0) for value in exact]
    return [_value(cell, value) for cell, value in zip(cells, exact, strict=True)]


def _value(cell: Element, exact: str | None) -> object:
    if exact is None:
        return cell.text or None
    if exact in ("True", "False"):
        return exact == "True"
    return float(exact or "nan")


def _children(element: Element) -> list[Element]:
    return [child for child in element.children if isinstance(child, Element)]

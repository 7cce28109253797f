"""The seal of a page: its size and its hash, by which its script and its readers know it is whole.

A page is hashed as a browser reads it, since no script reads the bytes of its own file: tags with
their depth and attributes, and texts. `js/src/page/seal.ts` does the same.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from html.parser import HTMLParser
from typing import Any

from uqwidgets.plotting.html import Markup, element

#: What a page holds beside what its sender says: sentences on its size, seal and answers.
SENTENCES = TOP, MIDDLE, END = "uq-top", "uq-middle", "uq-end"
SEAL, ANSWERS = "uq-seal", "uq-answers"
_OWN_BUT_SEAL = (*SENTENCES, ANSWERS)
_OWN = (*_OWN_BUT_SEAL, SEAL)
# Elements of ours that have no end tag.
_VOID = ("meta", "img")
# Elements in one another; a page of ours has fewer than thirty.
_MOST_DEEP = 200
_SPACE = " \t\n\f\r"
# Between the parts of what is hashed; no page can hold it.
_BETWEEN = "\0"


class DamagedError(ValueError):
    """A page that is not as it was written.

    Attributes
    ----------
    nbytes : int or None
        The size that it should have, if that is known.
    """

    def __init__(self, nbytes: int | None = None) -> None:
        super().__init__(nbytes)
        self.nbytes = nbytes


@dataclass
class Element:
    """An element of a page, with its texts and elements in their order."""

    tag: str
    attributes: dict[str, str] = field(default_factory=dict)
    children: list[Element | str] = field(default_factory=list)

    def elements(self) -> Iterator[Element]:
        """Yield this element and all within it, in their order."""
        yield self
        for child in self.children:
            if isinstance(child, Element):
                yield from child.elements()

    def find(self, tag: str, **attributes: str) -> Iterator[Element]:
        """Yield the elements of a tag that have these attributes; ``_`` stands for ``-``."""
        own = {name.replace("_", "-"): value for name, value in attributes.items()}.items()
        return (e for e in self.elements() if e.tag == tag and own <= e.attributes.items())

    def first(self, tag: str, **attributes: str) -> Element:
        """Return the first of what `find` yields.

        Raises
        ------
        LookupError
            If there is none.
        """
        for one in self.find(tag, **attributes):
            return one
        raise LookupError(tag)

    @property
    def text(self) -> str:
        """All text in it."""
        return "".join(c if isinstance(c, str) else c.text for c in self.children)


def parsed(html: str) -> Element:
    """Return the elements of a page; nothing in it is evaluated.

    Raises
    ------
    DamagedError
        If elements are nested as no page of ours nests them.
    """
    parser = _Parser()
    parser.feed(re.sub("\r\n?", "\n", html))
    parser.close()
    return parser.root


class _Parser(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.root = Element("")
        self._open = [self.root]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_startendtag(tag, attrs)
        if tag not in _VOID:
            if len(self._open) > _MOST_DEEP:
                raise DamagedError
            child = self._open[-1].children[-1]
            assert isinstance(child, Element)
            self._open.append(child)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        attributes = {name: value or "" for name, value in reversed(attrs)}
        self._open[-1].children.append(Element(tag, dict(reversed(attributes.items()))))

    def handle_endtag(self, tag: str) -> None:
        for depth in range(len(self._open) - 1, 0, -1):
            if self._open[depth].tag == tag:
                del self._open[depth:]
                return

    def handle_data(self, data: str) -> None:
        self._open[-1].children.append(data)


@dataclass(frozen=True)
class Sealed:
    """A page that is whole.

    Attributes
    ----------
    text : str
    sha256 : str
        Of all that its sender says. The answers of readers do not change it.
    """

    text: str
    sha256: str


def sealed(head: str, look: str, body: str, answers: Markup) -> Sealed:
    """Return a page with its seal.

    Parameters
    ----------
    head : str
        The HTML up to the beginning of the body.
    look : str
        Title and style.
    body : str
        The script, and all that follows.
    answers : Markup
        The element of the answers of readers, or nothing.

    Notes
    -----
    Sentences on the size stand before all that can be cut, before the script and the picture, and
    at the end; the script removes them when it has found the page whole. Where it does not run,
    one of them is left after any cut or edit. Hence the style, too, is in the body.
    """
    page = parsed(head + look + body)
    names = sorted({"id", "class", *(n for e in page.elements() for n in e.attributes)})
    digest = _digest_of_sender(page, names)
    nbytes = 0
    while True:
        top, middle, end = _sentences(nbytes)
        own = parsed(f"<body>{top}{middle}{answers}{end}</body>")
        seal: dict[str, Any] = {"bytes": nbytes, "page": digest, "attributes": names}
        seal["sum"] = _digest_of_rest(own, seal)
        written = json.dumps(seal, separators=(",", ":"))
        of_seal = f'<script type="application/json" id="{SEAL}">{written}</script>\n'
        text = "".join([head, top, of_seal, look, middle, body, answers, end])
        # The number itself has digits.
        if (size := len(text.encode("utf-8"))) == nbytes:
            return Sealed(text, digest)
        nbytes = size


def checked(page: Element) -> str:
    """Return the hash of a page of `parsed` that is whole.

    Raises
    ------
    DamagedError
        If it is not.
    LookupError
        If it has no seal at all.
    """
    if not any(e.attributes.get("id") in _OWN for e in page.elements()):
        raise LookupError(SEAL)
    try:
        seal = json.loads(page.first("script", id=SEAL).text)
        names, digest = seal["attributes"], seal["page"]
        is_whole = (
            seal["sum"] == _digest_of_rest(page, seal)
            and digest == _digest_of_sender(page, names)
            and str(answers_of(page).get("page", digest)) == digest
        )
    except (ValueError, TypeError, LookupError, AttributeError, RecursionError):
        is_whole, seal = False, {}
    if not is_whole:
        raise DamagedError(_stated_size(page, seal))
    return str(digest)


def answers_of(page: Element) -> dict[str, Any]:
    """Return the answers of a reader as they are stored, {} if there are none."""
    stored = next(page.find("script", id=ANSWERS), None)
    answers = json.loads(stored.text) if stored else {}
    if not isinstance(answers, dict):
        raise ValueError("answers are no object")
    return answers


def _stated_size(page: Element, seal: dict[str, Any]) -> int | None:
    """Return the size that two places of a damaged page state."""
    stated = [seal.get("bytes") if isinstance(seal, dict) else None]
    stated += [
        int(digits)
        for e in page.find("b", **{"class": "uq-bytes"})
        if (digits := e.text.replace(",", "")).isdecimal() and len(digits) < 16
    ]
    return next((n for n in stated if isinstance(n, int) and stated.count(n) > 1), None)


def _sentences(nbytes: int) -> list[Markup]:
    """Return what stands on a page until its script has found it whole."""
    size = element("b", Markup(f"{nbytes:,}"), **{"class": "uq-bytes"})
    texts = (
        f"This file should have {size} bytes. If it has not, it is damaged: ask for it again.",
        f"This is a still picture: scripts do not run here, or this file of {size} bytes is "
        "damaged.",
        f"The file of {size} bytes ends here.",
    )
    # Nothing follows the end tag of the last one.
    return [
        Markup(element("p", Markup(text), id=name) + ("" if name == END else "\n"))
        for name, text in zip(SENTENCES, texts, strict=True)
    ]


def _digest_of_sender(page: Element, names: Iterable[str]) -> str:
    """Return the hash of all that the sender says: policy, title, style, script, review, store."""
    policies = page.find("meta", http_equiv="Content-Security-Policy")
    policy = next((e.attributes.get("content", "") for e in policies), "")
    rest = _canonical((e for e in _body(page) if not _is_own(e)), frozenset(names))
    return _digest([policy, *rest])


def _digest_of_rest(page: Element, seal: dict[str, Any]) -> str:
    """Return the hash of the seal, of the sentences on the size, and of the answers."""
    facts = [seal["bytes"], seal["page"], seal["attributes"]]
    own = (e for e in _body(page) if _is_own(e, _OWN_BUT_SEAL))
    return _digest(
        [json.dumps(facts, separators=(",", ":")), *_canonical(own, frozenset(seal["attributes"]))]
    )


def _digest(parts: Iterable[str]) -> str:
    return sha256(_BETWEEN.join(parts).encode("utf-8", "surrogatepass")).hexdigest()


def _body(page: Element) -> Iterator[Element | str]:
    """Yield what stands in the body, but not space, and not the elements that follow the end."""
    is_after = False
    for child in next(page.find("body"), Element("body")).children:
        if isinstance(child, str):
            if child.strip(_SPACE):
                yield child
        elif not is_after:
            yield child
            is_after = child.attributes.get("id") == END


def _is_own(child: Element | str, names: Sequence[str] = _OWN) -> bool:
    return isinstance(child, Element) and child.attributes.get("id") in names


def _canonical(
    children: Iterable[Element | str], names: frozenset[str], depth: int = 0
) -> Iterator[str]:
    """Yield tags with their depth, attributes of these names, and texts.

    Other attributes are those that extensions of browsers add.
    """
    text = ""
    for child in children:
        if isinstance(child, str):
            text += child
            continue
        if text:
            yield text
        text = ""
        yield f"<{depth}{child.tag}"
        for name, value in child.attributes.items():
            if name in names:
                yield f"{name}={value}"
        yield from _canonical(child.children, names, depth + 1)
    if text:
        yield text

"""Read the tables, pictures and words of the static HTML of a result."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import numpy as np

ALLOWED = {
    *("div", "strong", "small", "p", "details", "summary"),
    *("table", "thead", "tbody", "tr", "th", "td"),
    *("svg", "path", "line", "circle", "rect", "text", "img"),
}

IN_TABLES = ("td", "th", "tr", "thead", "tbody")
# Elements that the start of another one ends.
IMPLIED = {
    **dict.fromkeys(("td", "th"), ("td", "th")),
    "tr": ("td", "th", "tr"),
    "tbody": ("td", "th", "tr", "thead"),
}


class StaticHtml(HTMLParser):
    """Tags, tables (lists of lines of cells) and text of a piece of HTML.

    Within tables, end tags may be left out where HTML implies them.

    Raises
    ------
    AssertionError
        If a tag is not closed in order, or is none of those that static HTML uses.
    """

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.tables: list[list[list[str]]] = []
        self.texts: list[str] = []
        self._open: list[str] = []
        self.feed(html)
        self.close()
        assert self._open == []

    def handle_starttag(self, tag, attrs):
        assert tag in ALLOWED, tag
        self.tags.append((tag, dict(attrs)))
        if tag == "img":  # an img has no end tag
            return
        self._end(IMPLIED.get(tag, ()))
        self._open.append(tag)
        if tag == "table":
            self.tables.append([])
        if tag == "tr":
            self.tables[-1].append([])

    def handle_endtag(self, tag):
        if tag == "table":
            self._end(IN_TABLES)
        assert self._open.pop() == tag

    def _end(self, tags):
        while self._open and self._open[-1] in tags:
            self._open.pop()

    def handle_data(self, data):
        self.texts.append(data)
        if self._open and self._open[-1] in ("th", "td"):
            self.tables[-1][-1].append(data)

    def all(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.tags if name == tag]

    @property
    def text(self) -> str:
        return " ".join(self.texts)


def numbers(line: list[str]) -> list[float]:
    """Return the cells of a table's line after the first as numbers."""
    return [float(cell.replace("\N{MINUS SIGN}", "-").replace(",", "")) for cell in line[1:]]


def points(d: str) -> tuple[np.ndarray, np.ndarray]:
    """Coordinates of a path of straight lines."""
    pairs = np.array([[float(v) for v in pair.split()] for pair in re.findall(r"[\d.]+ [\d.]+", d)])
    return pairs[:, 0], pairs[:, 1]

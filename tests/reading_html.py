"""Reads what a still shows: its tables, its pictures, its words."""

from __future__ import annotations

from html.parser import HTMLParser

ALLOWED = {
    *("div", "strong", "small", "p", "details", "summary"),
    *("table", "thead", "tbody", "tr", "th", "td"),
    *("svg", "path", "line", "circle", "rect", "text", "img"),
}


class Still(HTMLParser):
    """Tags, tables (lists of lines of cells) and text of a piece of HTML.

    Raises
    ------
    AssertionError
        If a tag is not closed where it should be, or a still has no use for it.
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
        if tag == "img":  # has no end tag
            return
        self._open.append(tag)
        if tag == "table":
            self.tables.append([])
        if tag == "tr":
            self.tables[-1].append([])

    def handle_endtag(self, tag):
        assert self._open.pop() == tag

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
    """Cells of a table after the first, as numbers."""
    return [float(cell.replace("\N{MINUS SIGN}", "-").replace(",", "")) for cell in line[1:]]

"""Find the resources that a browser would load to show a page."""

from __future__ import annotations

import re
from html.parser import HTMLParser

# Attributes that make a browser load something; `href` does so on <link>, but not on <a>.
LOADING = {"src", "srcset", "poster", "data", "background", "xlink:href"}
OUTSIDE = re.compile(r"""(?:url\(|@import)\s*["']?\s*((?:https?:)?//[^"')\s]+)""", re.IGNORECASE)


class _References(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.references: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            value = (value or "").strip()
            loads = name in LOADING or (name == "href" and tag in ("link", "image", "use"))
            if loads and not value.startswith(("data:", "#")):
                self.references.append(f"<{tag} {name}={value!r}>")
            if name == "style":
                self.references += OUTSIDE.findall(value)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)

    def handle_data(self, data: str) -> None:
        if self.lasttag == "style":
            self.references += OUTSIDE.findall(data)
        if self.lasttag == "script" and self.cdata_elem == "script" and data.strip():
            self.references.append("a script, which may load anything")


def outside_references(page: str) -> list[str]:
    """Return everything in an HTML page that a browser would load from elsewhere.

    Links to follow are not included. Scripts are, because their text does not show what they load.
    """
    parser = _References()
    parser.feed(page)
    parser.close()
    return parser.references

"""Check a site of HTML pages: it loads nothing from other servers, and its own links work."""

from __future__ import annotations

import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

from offline import LOADING


class _Links(HTMLParser):
    """What a page loads, where its links go, and the anchors that it has."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.loaded: set[str] = set()
        self.followed: set[str] = set()
        self.anchors: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = {name: value or "" for name, value in attrs}
        self.anchors |= {values[name] for name in ("id", "name") if name in values}
        loads = values.get("rel") != "canonical" and tag in ("link", "image", "use")
        for name, value in values.items():
            if name in LOADING or (name == "href" and loads):
                self.loaded.add(value)
            elif name == "href":
                self.followed.add(value)


def mistakes(site: Path) -> list[str]:
    """Return a sentence for each reference of a site that is wrong.

    Two folders are not read. The pages in ``explorers`` are checked where they are made, and run
    within a policy that lets them load nothing; ``_static`` holds templates of the theme.
    """
    pages = {
        path.resolve(): _Links(path.read_text(encoding="utf-8"))
        for path in sorted(site.rglob("*.html"))
        if path.relative_to(site).parts[0] not in ("explorers", "_static")
    }
    return [
        f"{page.relative_to(site.resolve())}: {mistake}"
        for page, links in pages.items()
        for mistake in (*_outside(links), *_dead(page, links, pages))
    ]


def _outside(links: _Links) -> list[str]:
    return [
        f"it loads {address} from elsewhere."
        for address in sorted(links.loaded)
        if urlsplit(address).netloc
    ]


def _dead(page: Path, links: _Links, pages: dict[Path, _Links]) -> list[str]:
    sentences = []
    for address in sorted(links.loaded | links.followed):
        parts = urlsplit(address)
        if parts.scheme or parts.netloc:
            continue
        target = (page.parent / unquote(parts.path)).resolve() if parts.path else page
        anchor = unquote(parts.fragment)
        if not target.exists():
            sentences.append(f"{address} leads to no file.")
        elif anchor and target in pages and anchor not in pages[target].anchors:
            sentences.append(f"{address} leads to no place in its page.")
    return sentences


if __name__ == "__main__":
    sys.exit("\n".join(mistakes(Path(sys.argv[1]))) or 0)

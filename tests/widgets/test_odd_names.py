"""Pictures and pages of explorers in which everything has a name that is unlike a word."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from urllib.parse import unquote
from xml.etree import ElementTree

import pytest

from named import explorer_named

# Unicode's control characters and noncharacters, in names that differ.
CODES = [
    *(code for code in range(0xA0) if code < 0x20 or code > 0x7E),
    *range(0xFDD0, 0xFDF0),
    *(plane << 16 | last for plane in range(17) for last in (0xFFFE, 0xFFFF)),
]
ODD = [f"a{''.join(map(chr, CODES[start::4]))}z" for start in range(4)]
# Characters that neither HTML nor XML may hold.
REFUSED = re.compile("[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")


class Attributes(HTMLParser):
    """The sources of the images of a page, and its data."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.sources: list[str] = []
        self.feed(html)

    def handle_starttag(self, tag, attrs):
        self.sources += [dict(attrs)["src"]] if tag == "img" else []


@pytest.fixture(scope="module")
def odd():
    with explorer_named(ODD, title=ODD[0], feature=ODD[0], stress_feature=ODD[1]) as explorer:
        yield explorer


def test_the_picture_of_a_notebook_is_well_formed(odd):
    html = odd._picture_html()
    assert "There is no picture" not in html
    assert not REFUSED.search(html)
    sources = Attributes(html).sources
    assert len(sources) > 3
    for source in sources:
        ElementTree.fromstring(unquote(source.removeprefix("data:image/svg+xml,")))


def test_a_saved_page_holds_the_names_and_nothing_that_html_refuses(odd, tmp_path):
    odd.pin(ODD[2])
    path = tmp_path / "page.html"
    odd.save(path, title=ODD[0], author=ODD[1], note=ODD[2], lines=2, progress=False)
    html = path.read_text(encoding="utf-8")
    assert not REFUSED.search(html)
    pictures = re.findall(
        r"<svg.*?</svg>", html.split("<header>")[1].split("<script")[0], re.DOTALL
    )
    assert len(pictures) > 3
    for picture in pictures:
        ElementTree.fromstring(picture)

"""The layout of the static picture, and an HTML page of it."""

from __future__ import annotations

from pathlib import Path

from uqwidgets._utils.writing import whole_file
from uqwidgets.plotting.html import Markup, element, words

# Nothing is loaded and no script runs, whatever the names in the data contain.
_POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"

# `Canvas` and `CanvasText` are the reader's own: dark where they like it dark.
_STYLE = """
:root { color-scheme: light dark; }
body { font: 15px/1.5 system-ui, sans-serif; color: CanvasText; background: Canvas;
  max-width: 84rem; margin: 2rem auto; padding: 0 1.5rem; }
table { border-collapse: collapse; font-size: 13px; }
thead { border-bottom: 1px solid; }
tbody th { font-weight: normal; }
summary { cursor: pointer; }
@media print {
  body { margin: 0; padding: 0; font-size: 11px; }
  table { font-size: 9px; }
  td, th { padding: 0 3px !important; }
  svg, tr { break-inside: avoid; }
  details::details-content { content-visibility: visible; }
}
"""


def learner_html(name: str, html: str) -> str:
    """Put a title above the picture of a learner; empty if there is no picture.

    Parameters
    ----------
    name : str
        Such as "learner, mean of 15 refits".
    html : str
    """
    return element("div", words(f"The same by the {name}:")) + html if html else ""


def layout_html(overview: str, details: str, *, heading: str, message: str | None = None) -> str:
    """Lay out the static pictures as the explorer lays out its views.

    Parameters
    ----------
    overview, details : str
        HTML of the left column, which compares all features, and of the right one, which shows
        what becomes of one of them; empty where there is nothing.
    heading : str
    message : str, optional
        What the reader should know before anything else, such as an error.

    Returns
    -------
    str
        HTML for within a page; see `page_text`.
    """
    parts = [element("div", element("strong", words(heading)), style="font-size:1.2em")]
    if message:
        parts.append(element("p", words(message), role="note"))
    columns = [
        element("div", Markup(html), style="flex:1 1 540px;min-width:0")
        for html in (overview, details)
        if html
    ]
    if not columns and not message:
        parts.append(element("p", words("Nothing has been computed yet.")))
    style = "display:flex;flex-wrap:wrap;gap:12px 32px"
    return element("div", *parts, element("div", *columns, style=style))


def page_text(body: str, title: str, style: str = "") -> str:
    """Return the text of one HTML page that needs nothing else, neither a network nor scripts.

    Parameters
    ----------
    body : str
        HTML, from `layout_html`.
    title : str
        Of the page; shown by the browser.
    style : str, optional
        Further rules of its style.
    """
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">\n'
        f"{element('title', words(title))}\n<style>{_STYLE}{style}</style>\n</head>\n"
        f"<body>\n{element('main', Markup(body))}\n</body>\n</html>\n"
    )


def save_page(path: str | Path, body: str, title: str) -> None:
    """Write a page, see `page_text`.

    Parameters
    ----------
    path : str or Path
        Replaced if it exists.
    body, title : str
    """
    with whole_file(path) as write:
        write(page_text(body, title))

"""The HTML of a page: one file that loads nothing and runs nothing but its own script."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Mapping
from datetime import date
from hashlib import sha256

from uqwidgets.plotting.html import Markup, element, words
from uqwidgets.widgets.kernel.front_end import STATIC
from uqwidgets.widgets.page.review import Review, folded
from uqwidgets.widgets.page.seal import ANSWERS, Sealed, sealed

# `Canvas` and `CanvasText` are the colours of the reader's browser, dark in its dark mode.
_STYLE = """
:root { color-scheme: light dark; }
body { font: 15px/1.5 system-ui, sans-serif; color: CanvasText; background: Canvas;
  max-width: 90rem; margin: 0.7rem auto; padding: 0 clamp(0.6rem, 1.2vw, 1.5rem); }
body > header { display: flex; flex-wrap: wrap; align-items: baseline; gap: 0 1.2rem;
  margin-bottom: 0.4rem; }
body > header > * { min-width: 0; max-width: 100%; overflow-wrap: anywhere; }
body > header h1 { font-size: 1.2em; line-height: 1.3; margin: 0; }
.uq-folded { max-width: 50rem; white-space: pre-line; }
.uq-folded[open] .uq-start, .uq-folded:not([open]) .uq-opened { display: none; }
table { border-collapse: collapse; }
#uq-still table, .uq-still table { font-size: 13px; }
thead { border-bottom: 1px solid; }
tbody th { font-weight: normal; }
summary { cursor: pointer; }
@media print {
  body { margin: 0; padding: 0; font-size: 11px; max-width: none; }
  .uq-folded::details-content { display: block; content-visibility: visible; }
  .uq-folded summary { display: none; }
  svg, tr { break-inside: avoid; }
}
"""
# Copies of the pictures for notebooks that remove SVG.
_COPY = re.compile(r'<img hidden="" src="data:image/svg\+xml;base64,[^>]*>')
_INLINE = re.compile(r' style="([^"]*)"')


def document(
    chunks: Mapping[str, str],
    *,
    title: str,
    author: str | None = None,
    note: str | None = None,
    picture: str = "",
    review: Review | None = None,
    front_end: str = "page",
) -> Sealed:
    """Return the page with its seal.

    Parameters
    ----------
    chunks : mapping of str to str
        From `Store.deflated`.
    title, author, note : str
        Texts of its head.
    picture : str, optional
        HTML that is shown until the script has opened the page, and where none runs.
    review : Review, optional
        With it, the page has a date and takes answers.
    front_end : str, default="page"
        Name of the script and the style of the page.
    """
    script = (STATIC / f"{front_end}.js").read_text("utf-8")
    classes: dict[str, str] = {}
    picture = _without_inline_styles(picture, classes)
    after = _without_inline_styles(review.after, classes) if review else ""
    rules = "".join(
        f":is(#uq-still, .uq-still) .{name}{{{style}}}\n" for style, name in classes.items()
    )
    style = f"{_STYLE}{(STATIC / f'{front_end}.css').read_text('utf-8')}{rules}"
    policy = "; ".join(
        [
            "default-src 'none'",
            f"script-src {_hash(script)}",
            f"style-src {_hash(style)}",
            "img-src data:",
            "base-uri 'none'",
            "form-action 'none'",
        ]
    )
    head = [element("h1", words(title))]
    head += [folded(author, "Author")] if author else []
    if review is not None:
        today = date.today().isoformat()
        head.append(element("time", words(today), datetime=today))
    head += [folded(note, "Note")] if note else []
    still = element("div", Markup(picture), id="uq-still")
    top = [
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n',
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n',
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n</head>\n<body>\n',
    ]
    look = f"{element('title', words(title))}\n<style>{style}</style>\n"
    # The script comes early: it says so if the page ends before its end.
    parts = [
        f'<script type="module">{script}</script>\n',
        f"{element('header', *head)}\n",
        f"{review.before}\n" if review else "",
        f"{element('main', still, id='uq-page')}\n",
        f"{after}\n",
        f'<script type="application/json" id="uq-store">{_in_script(chunks)}</script>\n',
    ]
    answers = f'<script type="application/json" id="{ANSWERS}">{{}}</script>\n' if review else ""
    return sealed("".join(top), look, "".join(parts), Markup(answers))


def front_end_bytes() -> int:
    """Return the bytes of the script and the style of a page."""
    return sum((STATIC / f"page.{kind}").stat().st_size for kind in ("js", "css"))


def without_copies(picture: str) -> str:
    """Return HTML without the copies of its pictures for notebooks that remove SVG."""
    return _COPY.sub("", picture)


def _in_script(value: object) -> str:
    """Write a value as JSON that no name can end: ``</script>`` needs a ``<``."""
    return json.dumps(value, separators=(",", ":")).replace("<", "\\u003c")


def _hash(text: str) -> str:
    digest = base64.b64encode(sha256(text.encode("utf-8")).digest()).decode("ascii")
    return f"'sha256-{digest}'"


def _without_inline_styles(html: str, classes: dict[str, str]) -> str:
    """Replace inline styles, which the policy forbids, by classes; `classes` names them."""

    def named(match: re.Match[str]) -> str:
        name = classes.setdefault(match.group(1), f"uq-s{len(classes)}")
        return f' class="{name}"'

    return _INLINE.sub(named, without_copies(html))

"""HTML in which text from the data is always escaped, and the panel that all results share."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from typing import NewType

from uqwidgets._utils.remarks import Remark
from uqwidgets.plotting.text import counted, listed, number

# Only `words` and `element` make Markup: the type checker refuses any other text in a page.
Markup = NewType("Markup", str)

# Elements that have neither children nor an end tag.
_VOID = ("img",)

# All characters but those of XML 1.0, section 2.2; and those that change the direction of the text
# after a name.
_INVALID = re.compile(
    "[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]|[\u202a-\u202e\u2066-\u2069]"
)

# Longer tables and lists are searched rather than read, which a DataFrame does better.
MOST_LINES = 50
MOST_NOTES = 8
MOST_NAMES = 12


def words(text: str) -> Markup:
    """Return text as escaped markup, shown character by character."""
    return Markup(escape(_valid(text)))


def element(tag: str, *children: Markup, **attributes: str | float | None) -> Markup:
    """Return an element; ``font_size=11`` stands for ``font-size="11"``, None for no attribute."""
    shown = "".join(
        f' {name.replace("_", "-")}="{escape(_valid(_plain(value)))}"'
        for name, value in attributes.items()
        if value is not None
    )
    if tag in _VOID:
        return Markup(f"<{tag}{shown}>")
    return Markup(f"<{tag}{shown}>{''.join(children)}</{tag}>")


def panel(title: str, summary: str, picture: Markup, notes: Sequence[str], data: Markup) -> Markup:
    """Arrange one result: title, summary, picture, notes in small print, table."""
    small = [
        element(
            "div",
            element("small", words(note), title=note.code if isinstance(note, Remark) else None),
            style="margin:2px 0;opacity:.8",
        )
        for note in _first(notes)
    ]
    return element(
        "div",
        element("div", element("strong", words(title))),
        element("div", words(summary), style="margin:2px 0 8px;max-width:44em"),
        picture,
        *small,
        data,
        style="margin:4px 0 12px",
    )


def table(noun: str, header: Sequence[str], lines: Iterable[Sequence[str | float]]) -> Markup:
    """Return a folded table, of the first lines only where there are many.

    Parameters
    ----------
    noun : str
        Name of what a line stands for, in the singular.
    header : sequence of str
    lines : iterable of sequences of str or float
        The first entry of each names it; numbers are shown with four digits.
    """
    lines = list(lines)
    shown = [
        [entry if isinstance(entry, str) else number(float(entry), 4) for entry in line]
        for line in lines[:MOST_LINES]
    ]
    title = f"Table of {counted(len(lines), noun)}"
    if len(lines) > len(shown):
        left_out = len(lines) - len(shown)
        title = f"Table of the first {counted(len(shown), noun)} ({left_out:,} more are left out)"
    head = element("tr", *(_cell("th", text, first, "col") for first, text in _marked(header)))
    body = [
        element(
            "tr",
            *(_cell("th" if first else "td", text, first, "row") for first, text in _marked(line)),
        )
        for line in shown
    ]
    # Hosts that remove styles keep the attribute `align`.
    return element(
        "details",
        element("summary", words(title)),
        element(
            "div",
            element(
                "table",
                element("thead", head),
                element("tbody", *body),
                cellpadding=3,
                style="text-align:right;white-space:nowrap;font-variant-numeric:tabular-nums",
            ),
            style="overflow-x:auto",
        ),
        style="margin-top:6px",
    )


def subject_html(
    title: str, facts: Mapping[str, str], questions: Mapping[str, str], names: tuple[str, ...] = ()
) -> str:
    """Show the facts of an object that computes results, and the calls that it offers.

    Parameters
    ----------
    title : str
    facts : mapping of str to str
        For example "rows" to "1,000".
    questions : mapping of str to str
        The question that each call answers, by call.
    names : tuple of str
        Names of the features; none where they are not known without a call of the model.

    Returns
    -------
    str
    """
    summary = "; ".join(f"{name}: {value}" for name, value in facts.items())
    shown = list(names[:MOST_NAMES])
    if len(names) > len(shown):
        shown.append(f"{len(names) - len(shown):,} more")
    lines = [[call, question] for call, question in questions.items()]
    return panel(
        title,
        f"{summary}.",
        Markup(""),
        [f"Features: {listed(shown)}."] if shown else [],
        table("question", ["call", "answers"], lines),
    )


def _valid(text: str) -> str:
    """Replace what XML cannot hold, and what reorders the text around a name."""
    return _INVALID.sub("\N{REPLACEMENT CHARACTER}", text)


def _first(notes: Sequence[str]) -> list[str]:
    shown = list(notes[:MOST_NOTES])
    if len(notes) > len(shown):
        shown.append(f"{counted(len(notes) - len(shown), 'more remark')} in the result.")
    return shown


def _marked(texts: Sequence[str]) -> list[tuple[bool, str]]:
    return [(position == 0, text) for position, text in enumerate(texts)]


def _cell(tag: str, text: str, first: bool, scope: str) -> Markup:
    if tag == "td":
        return element(tag, words(text))
    # The table aligns its cells, but not those of titles. The words of short names stay together.
    align = "left" if first else "right"
    wrap = None if first and len(text) <= 40 else "white-space:normal"
    return element(tag, words(text), scope=scope, align=align, style=wrap)


def _plain(value: str | float) -> str:
    if isinstance(value, str):
        return value
    # A tenth of a pixel is finer than any screen.
    return f"{round(value, 1) + 0.0:g}"

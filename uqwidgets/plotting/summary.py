"""An explainer or a learner without a kernel: what it is, and what can be asked of it."""

from __future__ import annotations

from collections.abc import Mapping

from uqwidgets.plotting.html import Markup, panel, table
from uqwidgets.plotting.text import listed

_MOST_NAMES = 12


def subject_html(
    title: str, facts: Mapping[str, str], questions: Mapping[str, str], names: tuple[str, ...]
) -> str:
    """Show what an object is about and how to go on with it.

    Parameters
    ----------
    title : str
    facts : mapping of str to str
        Such as "rows" to "1,000".
    questions : mapping of str to str
        Calls, and the question that each answers.
    names : tuple of str
        Of the features.

    Returns
    -------
    str
    """
    summary = "; ".join(f"{name}: {value}" for name, value in facts.items())
    shown = list(names[:_MOST_NAMES])
    if len(names) > len(shown):
        shown.append(f"{len(names) - len(shown):,} more")
    lines = [[call, question] for call, question in questions.items()]
    return panel(
        title,
        f"{summary}.",
        Markup(""),
        [f"Features: {listed(shown)}."],
        table("question", ["call", "answers"], lines),
    )

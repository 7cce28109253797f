"""Names that are chosen from a few, and what to say of one that does not exist."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import get_close_matches
from typing import TypeVar

Name = TypeVar("Name", bound=str)


def unknown(what: str, name: object, known: list[str]) -> str:
    """One sentence for a name that does not exist, with the nearest ones that do."""
    near = get_close_matches(str(name), known, n=3, cutoff=0.5) or known[:12]
    more = ", ..." if len(near) == 12 and len(known) > 12 else ""
    return f"there is no {what} {name!r}; did you mean {', '.join(repr(k) for k in near)}{more}?"


def one_of(known: Sequence[Name], name: object, what: str) -> Name:
    """Return the name, which is one of those that exist.

    Raises
    ------
    ValueError
        If it is not.
    """
    for one in known:
        if name == one:
            return one
    raise ValueError(unknown(what, name, list(known)))

"""What to say of a name that does not exist."""

from __future__ import annotations

from difflib import get_close_matches


def unknown(what: str, name: object, known: list[str]) -> str:
    """One sentence for a name that does not exist, with the nearest ones that do."""
    near = get_close_matches(str(name), known, n=3, cutoff=0.5) or known[:12]
    more = ", ..." if len(near) == 12 and len(known) > 12 else ""
    return f"there is no {what} {name!r}; did you mean {', '.join(repr(k) for k in near)}{more}?"

"""Names that must be one of a list, and the error for one that is not."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from difflib import get_close_matches
from typing import Any, TypeVar

Name = TypeVar("Name", bound=str)


def unknown(what: str, name: object, known: list[str], where: str = "") -> str:
    """Return the sentence for a name that does not exist, with the most similar ones that do.

    Parameters
    ----------
    what : str
        Such as "category".
    name : object
    known : list of str
        The names that exist.
    where : str
        Text after the name, such as "of 'region'".
    """
    missing = f"there is no {what} {name!r}{where and ' '}{where}"
    if not known:
        return f"{missing}, because there is none at all."
    near = get_close_matches(str(name), known, n=3, cutoff=0.5) or known[:12]
    more = ", ..." if len(near) == 12 and len(known) > 12 else ""
    return f"{missing}; did you mean {', '.join(repr(k) for k in near)}{more}?"


def as_names(names: Any, what: str = "features") -> list[Any]:
    """Return one name, or several in any container, as a list without duplicates.

    Parameters
    ----------
    names : str, int or iterable
        Such as a list, a pandas Index or Series, or an array.
    what : str
        What they are names of, for the error.

    Raises
    ------
    ValueError
        If there is none.
    """
    is_one = isinstance(names, (str, bytes, int)) or not isinstance(names, Iterable)
    result = [names] if is_one else list(dict.fromkeys(names))
    if not result:
        raise ValueError(f"{what} is empty; name at least one.")
    return result


def named_entries(entries: Any, what: str) -> list[Any]:
    """Return entries as `as_names` does; those of a dict as pairs of a name and an entry.

    Raises
    ------
    ValueError
        If there is none.
    """
    return as_names(entries.items() if isinstance(entries, Mapping) else entries, what)


def one_of(known: Sequence[Name], name: object, what: str, where: str = "") -> Name:
    """Return the name, which is one of those that exist.

    Raises
    ------
    ValueError
        If it is not.
    """
    for one in known:
        if name == one:
            return one
    raise ValueError(unknown(what, name, list(known), where))

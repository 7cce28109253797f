"""Names that must be one of a list, and the error for one that is not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from difflib import get_close_matches
from numbers import Number
from typing import Any, NamedTuple, TypeVar

import numpy as np

from uqwidgets._utils.options import brief

Name = TypeVar("Name", bound=str)

# The most similar names are looked for letter by letter.
_MOST_CHARACTERS = 200


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
    missing = f"there is no {what} {brief(name)}{where and ' '}{where}"
    if not known:
        return f"{missing}, because there is none at all."
    near = get_close_matches(str(name)[:_MOST_CHARACTERS], known, n=3, cutoff=0.5) or known[:12]
    more = ", ..." if len(near) == 12 and len(known) > 12 else ""
    return f"{missing}; did you mean {', '.join(repr(k) for k in near)}{more}?"


def as_names(names: Any, what: str = "features", *, may_be_empty: bool = False) -> list[Any]:
    """Return one name, or several in any ordered container, as a list.

    Parameters
    ----------
    names : str, int or iterable
        Such as a list, a generator, a pandas Index or Series, or an array.
    what : str
        What they are names of, for the error.
    may_be_empty : bool
        Whether there may be no name.

    Raises
    ------
    ValueError
        If there is none, one comes twice or is itself a container, or they have no order.
    """
    has_no_order = isinstance(names, (Mapping, set, frozenset))
    if has_no_order or (hasattr(names, "ndim") and np.ndim(names) != 1 and np.size(names) != 1):
        raise ValueError(f"{what} is {brief(names)}; pass a list of names.")
    is_one = isinstance(names, (str, bytes, int)) or not isinstance(names, Iterable)
    result = [names] if is_one else list(names)
    if not result:
        if may_be_empty:
            return []
        raise ValueError(f"{what} is empty; name at least one.")
    try:
        # The name of a column is its text.
        counts = Counter(str(one) if isinstance(one, (str, Number)) else one for one in result)
    except TypeError:
        raise ValueError(f"{what} is {brief(result)}; each entry must be a name.") from None
    twice, most = counts.most_common(1)[0]
    if most > 1:
        raise ValueError(f"{what} names {brief(twice)} twice; name each once.")
    return result


class Named(NamedTuple):
    """An entry of a dict, such as a scorer with the name that the user gives it."""

    name: str
    entry: object


def as_entries(entries: Any, what: str) -> list[Any]:
    """Return names and objects as a list, those of a dict as `Named`.

    Parameters
    ----------
    entries : object, iterable or mapping
        As of `as_names`, or a mapping of names to objects.
    what : str

    Raises
    ------
    ValueError
        If there is none.
    """
    if not isinstance(entries, Mapping):
        return as_names(entries, what)
    return as_names([Named(str(name), entry) for name, entry in entries.items()], what)


def one_of(known: Sequence[Name], name: object, what: str, where: str = "") -> Name:
    """Return the name, which is one of those that exist.

    Raises
    ------
    ValueError
        If it is not.
    """
    for one in known:
        if isinstance(name, str) and name == one:
            return one
    raise ValueError(unknown(what, name, list(known), where))

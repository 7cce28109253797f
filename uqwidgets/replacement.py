"""How the values that replace a feature's own are drawn."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from typing import Any, Literal, NamedTuple, get_args

import numpy as np
import numpy.typing as npt

from uqwidgets.names import one_of

Scheme = Literal["permutation", "ablation", "conditional"]
SCHEMES: tuple[Scheme, ...] = get_args(Scheme)


# Named tuples, for they are keys of everything that is remembered and theirs are quick to hash.
class Original(NamedTuple):
    """No replacement: the rows as they are."""


class Drawn(NamedTuple):
    """Values of other rows in the place of a row's own: one repeat for the features in ``columns``.

    ``permutation`` shuffles the column; ``ablation`` draws from it with replacement (002, eq. 9);
    ``conditional`` shuffles within the subgroups that the other features make of the rows.
    """

    columns: tuple[int, ...]
    scheme: Scheme
    repeat: int
    seed: int


class Constant(NamedTuple):
    """The same values in every row: a point of a dependence curve's grid."""

    columns: tuple[int, ...]
    values: tuple[Any, ...]


Replacement = Original | Drawn | Constant


def drawn_donors(
    scheme: Scheme,
    stream: tuple[int, ...],
    seed: int,
    repeats: int | range,
    subgroups: npt.NDArray[np.intp],
) -> npt.NDArray[np.intp]:
    """Position of the row that each row takes its values from, one line per repeat.

    Every repeat of every feature has a draw of its own, made from ``seed``, its ``stream`` and
    its number alone: asking for fewer features or for other repeats changes nothing, and no
    repeat has to be drawn to get at a later one.

    Parameters
    ----------
    scheme : {"permutation", "ablation", "conditional"}
    stream : tuple of int
        Tells the draws of a feature from those of others (see `stream_of`).
    seed : int
    repeats : int or range of length K
        How many repeats, from the first; or which.
    subgroups : ndarray of shape (n,)
        Which subgroup each row is in; only ``conditional`` minds.

    Returns
    -------
    ndarray of shape (K, n)
    """
    n = len(subgroups)
    numbers = range(repeats) if isinstance(repeats, int) else repeats
    donors = np.empty((len(numbers), n), dtype=np.intp)
    members = np.argsort(subgroups, kind="stable") if scheme == "conditional" else None
    for line, number in zip(donors, numbers, strict=True):
        sequence = np.random.SeedSequence(seed, spawn_key=(*stream, number))
        generator = np.random.Generator(np.random.PCG64(sequence))
        if scheme == "ablation":
            line[:] = generator.integers(n, size=n)
            continue
        shuffled = generator.permutation(n)
        if members is not None:
            # Shuffled rows and rows in their order, both sorted by subgroup, face each other.
            line[members] = shuffled[np.argsort(subgroups[shuffled], kind="stable")]
        else:
            line[:] = shuffled
    return donors


def stream_of(features: Iterable[str]) -> tuple[int, ...]:
    """Key of the draws of some features that move together.

    It comes of their names, for where a column stands in a table must not change its importance.
    """
    # Of a lone surrogate, which is no text that can be encoded, the number is taken all the same.
    names = b"\0".join(sorted(name.encode("utf-8", "surrogatepass") for name in features))
    digest = hashlib.sha256(names).digest()[:16]
    return tuple(np.frombuffer(digest, dtype="<u4").tolist())


def checked_scheme(replacement: str) -> Scheme:
    """Return the scheme of this name.

    Raises
    ------
    ValueError
        If there is none.
    """
    return one_of(SCHEMES, replacement, "replacement")

"""How the values that replace a feature's own are drawn."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from typing import Any, Literal, NamedTuple, get_args

import numpy as np
import numpy.typing as npt

from uqwidgets._utils.choices import one_of
from uqwidgets.evaluation.distinct import kind_of

Scheme = Literal["permutation", "ablation", "conditional"]
SCHEMES: tuple[Scheme, ...] = get_args(Scheme)


# Named tuples, for they are keys of everything that is remembered and theirs are quick to hash.
class Original(NamedTuple):
    """No replacement: the rows as they are."""


class Drawn(NamedTuple):
    """Values of other rows in the place of a row's own: one repeat for the features in ``columns``.

    ``permutation`` shuffles the column; ``ablation`` draws from it with replacement
    (Merrick 2019, eq. 9);
    ``conditional`` shuffles within the subgroups that the other features make of the rows.
    """

    columns: tuple[int, ...]
    scheme: Scheme
    repeat: int
    seed: int


class Constant(NamedTuple):
    """The same values in every row: a point of a dependence curve's grid.

    Values of different types are not equal, as 1 and True are to Python: a model may tell them
    apart.
    """

    columns: tuple[int, ...]
    values: tuple[Any, ...]

    def __eq__(self, other: object) -> bool:
        return tuple.__eq__(self, other) is True and all(
            one is two or kind_of(one) is kind_of(two)
            for one, two in zip(self.values, other.values, strict=True)  # type: ignore[attr-defined]
        )

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return tuple.__hash__(self)


Replacement = Original | Drawn | Constant


def drawn_donors(
    scheme: Scheme,
    stream: tuple[int, ...],
    seed: int,
    n_repeats: int,
    subgroups: npt.NDArray[np.intp],
    first: int = 0,
) -> npt.NDArray[np.intp]:
    """Position of the row that each row takes its values from, shape (n_repeats, n).

    Every repeat of every feature has a draw of its own, made from ``seed``, its ``stream`` and
    its number alone: asking for fewer features or for other repeats changes nothing, and no
    repeat has to be drawn to get at a later one.

    Parameters
    ----------
    scheme : {"permutation", "ablation", "conditional"}
    stream : tuple of int
        Tells the draws of a feature from those of others (see `stream_of`).
    seed, n_repeats : int
    subgroups : ndarray of shape (n,)
        Which subgroup each row is in; only ``conditional`` minds.
    first : int, default=0
        Number of the first of these repeats.
    """
    n = len(subgroups)
    donors = np.empty((n_repeats, n), dtype=np.intp)
    members = np.argsort(subgroups, kind="stable") if scheme == "conditional" else None
    for number, line in enumerate(donors, first):
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

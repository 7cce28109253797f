"""How the values that replace a feature's own are drawn."""

from __future__ import annotations

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
    columns: tuple[int, ...],
    seed: int,
    n_repeats: int,
    subgroups: npt.NDArray[np.intp],
) -> npt.NDArray[np.intp]:
    """Position of the row that each row takes its values from, shape (n_repeats, n).

    Every feature has draws of its own, made from ``seed`` and its column alone, so that asking
    for fewer features changes nothing; more repeats begin with the same ones.

    Parameters
    ----------
    scheme : {"permutation", "ablation", "conditional"}
    columns : tuple of int
    seed, n_repeats : int
    subgroups : ndarray of shape (n,)
        Which subgroup each row is in; only ``conditional`` minds.
    """
    n = len(subgroups)
    stream = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=columns))
    if scheme == "ablation":
        return stream.integers(n, size=(n_repeats, n))
    shuffled = np.tile(np.arange(n), (n_repeats, 1))
    stream.permuted(shuffled, axis=1, out=shuffled)
    if scheme == "permutation":
        return shuffled
    # Shuffled rows and rows in their order, both sorted by subgroup, face each other.
    members = np.argsort(subgroups, kind="stable")
    facing = np.argsort(subgroups[shuffled], axis=1, kind="stable")
    donors = np.empty_like(shuffled)
    donors[:, members] = np.take_along_axis(shuffled, facing, axis=1)
    return donors


def checked_scheme(replacement: str) -> Scheme:
    """Return the scheme of this name.

    Raises
    ------
    ValueError
        If there is none.
    """
    return one_of(SCHEMES, replacement, "replacement")

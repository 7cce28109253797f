"""Donors: the rows whose values replace a row's own, and the subgroups they are drawn within."""

from __future__ import annotations

import hashlib
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from sklearn.tree import DecisionTreeRegressor

from uqwidgets._typing import Floats, Positions
from uqwidgets.evaluation.cache import Cache
from uqwidgets.evaluation.distinct import distinct
from uqwidgets.evaluation.random_streams import random_streams
from uqwidgets.evaluation.replacement import Drawn, Scheme
from uqwidgets.evaluation.residuals import ResidualSampler, residual_sampler
from uqwidgets.evaluation.table import Table

# A smaller subgroup offers too few values to draw from.
_MIN_SUBGROUP_ROWS = 20
_MAX_SUBGROUPS = 32
# The squares of larger numbers may overflow.
_LARGE = 1e100

# Columns, scheme and seed of a series of draws.
_Key = tuple[tuple[int, ...], Scheme, int]


class Donors:
    """Donors of every draw, which are drawn when they are needed and cached while there is room.

    Parameters
    ----------
    table : Table
    cache : Cache
    """

    def __init__(self, table: Table, cache: Cache[Any]) -> None:
        self._table = table
        self._cache = cache
        self._subgroups: dict[tuple[int, ...], Subgroups] = {}
        self._samplers: dict[tuple[int, ...], ResidualSampler] = {}
        # The latest draws, with the number of the first of them.
        self._latest: tuple[_Key | None, int, Positions] = None, 0, np.empty((0, 0), dtype=np.intp)
        self._expected: dict[_Key, int] = {}

    def of_repeats(
        self, columns: tuple[int, ...], scheme: Scheme, seed: int, n_repeats: int
    ) -> Positions:
        """Donors of the first draws for some columns, shape (n_repeats, n)."""
        key = donors_key(columns, scheme, seed)
        cached = self._cache.array(key)
        n_cached = 0 if cached is None else len(cached)
        if cached is not None and n_repeats <= n_cached:
            return cached[:n_repeats].astype(np.intp, copy=False)
        donors = self._draw(columns, scheme, seed, n_cached, n_repeats)
        if cached is not None:
            donors = np.concatenate([cached, donors])
        if self.repeats_fit(len(donors)):
            self._cache.put(key, donors)
        return donors

    def expect(self, drawn: Iterable[Drawn]) -> None:
        """Announce draws that `of` will return, so that all of one feature are drawn together."""
        self._expected = {}
        for columns, scheme, repeat, seed in drawn:
            key = columns, scheme, seed
            self._expected[key] = max(self._expected.get(key, 0), repeat + 1)

    def of(self, drawn: Drawn) -> Positions:
        """Donors of one draw, shape (n,)."""
        columns, scheme, repeat, seed = drawn
        key = columns, scheme, seed
        cached = self._cache.array(donors_key(*key))
        if cached is not None and repeat < len(cached):
            return np.asarray(cached[repeat], dtype=np.intp)
        # The rows of one draw may be evaluated in many batches, one after the other.
        latest, first, donors = self._latest
        if latest != key or not 0 <= repeat - first < len(donors):
            n_repeats = self._expected.get(key, 0)
            if repeat + 1 < n_repeats and self.repeats_fit(n_repeats):
                first, donors = 0, self.of_repeats(*key, n_repeats)
            else:
                stop = max(n_repeats, repeat + 1)
                while stop > repeat + 1 and not self.repeats_fit(stop - repeat):
                    stop -= 1
                # Released first, so that the former draws and these are not in memory together.
                self._latest = None, 0, np.empty((0, 0), dtype=np.intp)
                del donors
                first, donors = repeat, self._draw(*key, repeat, stop)
            self._latest = key, first, donors
        return np.asarray(donors[repeat - first])

    def of_several(self, drawn: Sequence[Drawn]) -> Positions:
        """Donors of successive draws of one feature, shape (len(drawn), n)."""
        lines = [self.of(one) for one in drawn]
        latest, first, donors = self._latest
        columns, scheme, repeat, seed = drawn[0]
        start, stop = repeat - first, repeat - first + len(drawn)
        if latest == (columns, scheme, seed) and start >= 0 and stop <= len(donors):
            return donors[start:stop]  # no copy
        return np.stack(lines) if len(lines) > 1 else lines[0][None]

    def repeats_fit(self, n_repeats: int) -> bool:
        """Whether the donors and the changes of this many repeats of a feature fit in memory."""
        return self._cache.has_room(n_repeats * len(self._table) * 16)

    def subgroups(self, columns: tuple[int, ...], scheme: Scheme) -> Subgroups:
        """Subgroups within which values of some columns move; all rows unless conditional."""
        key = columns if scheme == "conditional" else ()
        if key not in self._subgroups:
            self._subgroups[key] = subgroups_of(self._table, key)
        return self._subgroups[key]

    def sampler(self, columns: tuple[int, ...]) -> ResidualSampler:
        """Return the model of a feature given all others, with the residuals of the rows."""
        if columns not in self._samplers:
            self._samplers[columns] = residual_sampler(self._table, columns)
        return self._samplers[columns]

    def _draw(
        self, columns: tuple[int, ...], scheme: Scheme, seed: int, first: int, stop: int
    ) -> Positions:
        stream = stream_of(self._table.features[column] for column in columns)
        if scheme == "permutation of groups":
            groups = self._table.row_groups
            assert groups is not None
            one = np.zeros(len(groups), dtype=np.intp)
            of_groups = drawn_donors("permutation", stream, seed, stop - first, one, first)
            return groups.first_rows[of_groups[:, groups.codes]]
        if scheme == "residuals":
            one = np.zeros(len(self._table), dtype=np.intp)
            donors = drawn_donors("permutation", stream, seed, stop - first, one, first)
            return self.sampler(columns).rows_of(donors)
        codes = self.subgroups(columns, scheme).codes
        return drawn_donors(scheme, stream, seed, stop - first, codes, first)


def donors_key(columns: tuple[int, ...], scheme: Scheme, seed: int) -> Hashable:
    """Return the key of the donors of a series of draws in the cache."""
    return ("donors", columns, scheme, seed)


def drawn_donors(
    scheme: Scheme,
    stream: tuple[int, ...],
    seed: int,
    n_repeats: int,
    subgroups: Positions,
    first: int = 0,
) -> Positions:
    """Position of the row that each row takes its values from, shape (n_repeats, n).

    Every repeat of every feature has its own random stream, which depends on ``seed``, ``stream``
    and the number of the repeat alone. So a draw does not depend on which other features and
    repeats are drawn, and a later repeat can be drawn without the earlier ones.

    Parameters
    ----------
    scheme : {"permutation", "ablation", "conditional"}
    stream : tuple of int
        Key of the feature's random stream (see `stream_of`).
    seed, n_repeats : int
    subgroups : ndarray of shape (n,)
        Which subgroup each row is in; only ``conditional`` uses it.
    first : int, default=0
        Number of the first of these repeats.
    """
    n = len(subgroups)
    donors = np.arange(n)[None].repeat(n_repeats, axis=0)
    members = np.argsort(subgroups, kind="stable") if scheme == "conditional" else None
    generators = random_streams(seed, stream, first, first + n_repeats)
    for line, generator in zip(donors, generators, strict=True):
        if scheme == "ablation":
            line[:] = generator.integers(n, size=n)
            continue
        generator.shuffle(line)
        if members is not None:
            shuffled = line.copy()
            # Both sides are sorted by subgroup, so each row meets a shuffled row of its subgroup.
            line[members] = shuffled[np.argsort(subgroups[shuffled], kind="stable")]
    return donors


def stream_of(features: Iterable[str]) -> tuple[int, ...]:
    """Key of the random stream of some features that move together.

    The key is a hash of their names, because the position of a column in the table must not
    change its importance.
    """
    # A lone surrogate cannot be encoded as UTF-8; "surrogatepass" encodes its code point.
    names = b"\0".join(sorted(name.encode("utf-8", "surrogatepass") for name in features))
    digest = hashlib.sha256(names).digest()[:16]
    return tuple(np.frombuffer(digest, dtype="<u4").tolist())


@dataclass(frozen=True, eq=False)
class Subgroups:
    """A partition of the rows, within which a feature's values may move.

    Attributes
    ----------
    codes : ndarray of shape (n,)
        Which subgroup each row is in, from 0.
    separation : float
        Share of the feature's variance that lies between the subgroups (R2): 1 if the subgroup
        determines the feature, 0 if it has no information about it. For a categorical feature, the
        variance is that of the indicators of its categories.
    """

    codes: Positions
    separation: float

    @property
    def sizes(self) -> Positions:
        """Number of rows in each subgroup, shape (g,)."""
        return np.bincount(self.codes)


def subgroups_of(table: Table, columns: tuple[int, ...]) -> Subgroups:
    """Leaves of a regression tree that predicts some features from all the others.

    Within a leaf the features are about independent of the others, as far as the tree can see,
    so values exchanged within a leaf make plausible rows (Wood et al. 2024, section 2.3; Molnar
    et al. 2024). The tree has at most 32 leaves of at least 20 rows.

    Parameters
    ----------
    table : Table
    columns : tuple of int
        Positions of the features that move; none for a single subgroup of all rows.
    """
    n = len(table)
    # Sorted by name: among equally good splits a tree takes the first column, and the order of the
    # table's columns must not change the result.
    others = sorted(name for j, name in enumerate(table.features) if j not in columns)
    if not columns or not others:
        return Subgroups(np.zeros(n, dtype=np.intp), 0.0)
    moving = sorted(table.features[column] for column in columns)
    responses = np.hstack([_responses(table, name) for name in moving])
    predictors = np.column_stack([_predictor(table, name) for name in others])
    tree = DecisionTreeRegressor(
        max_leaf_nodes=_MAX_SUBGROUPS,
        min_samples_leaf=min(_MIN_SUBGROUP_ROWS, max(1, n // 2)),
        random_state=0,
    ).fit(predictors, responses)
    codes = np.unique(tree.apply(predictors), return_inverse=True)[1]
    means = np.stack([np.bincount(codes, column) for column in responses.T]) / np.bincount(codes)
    total = _sum_of_squares(responses)
    within = float(np.square(responses - means[:, codes].T).sum())
    return Subgroups(codes, 1 - within / total if total else 0.0)


def _responses(table: Table, feature: str) -> Floats:
    """Return what the tree predicts: the standardised number, or an indicator per category."""
    if table.kind(feature) == "categorical":
        values, codes = distinct(table.column(feature))
        columns = np.eye(len(values))[codes]
    else:
        numbers = table.numbers(feature)
        finite = np.isfinite(numbers)
        largest = np.abs(numbers[finite]).max(initial=0.0)
        if largest > _LARGE:
            numbers = numbers / largest
        mean = numbers[finite].mean() if finite.any() else 0.0
        columns = np.where(finite, numbers, mean)[:, None]
    scale = np.sqrt(_sum_of_squares(columns) / len(columns))
    return np.asarray((columns - columns.mean(axis=0)) / (scale or 1.0))


def _predictor(table: Table, feature: str) -> Floats:
    """Numbers that a tree can split: categories as codes, missing values as NaN."""
    if table.kind(feature) == "numeric":
        # scikit-learn's trees hold their predictors in single precision, and add them up.
        limit = float(np.finfo(np.float32).max) / (2 * len(table))
        return np.clip(table.numbers(feature), -limit, limit)
    codes, _ = pd.factorize(table.column(feature), sort=False)
    return np.where(codes < 0, np.nan, codes).astype(np.float64)


def _sum_of_squares(values: Floats) -> float:
    """Sum of squared deviations from the column means."""
    return float(np.square(values - values.mean(axis=0)).sum())

"""The search for slices: the ranges and categories in which a measure is highest.

Sums of the measure over all bins of a feature, or of a pair of features, give those over all their
ranges, so that every row is read once for each feature and for each pair.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations

import numpy as np
from sklearn.tree import DecisionTreeRegressor

from uqwidgets._typing import Floats, Positions
from uqwidgets.inference.population import Population
from uqwidgets.slices.bins import Bins, Mask

# Of so many features, those with the highest single slices, all pairs are searched.
MOST_PAIRED = 50
# So many candidates with the highest sums are looked at one by one.
_LOOKED_AT = 100
# A slice that explains no more of the measure than this, in standard errors, is left out.
_LEAST_SCORE = 2.0
# The leaves of the tree, and the rows that it is grown from.
_LEAVES, _ROWS_OF_TREE = 8, 20_000
# Slices of rows that agree to this share are the same one in other words.
SAME_ROWS = 0.8


@dataclass(frozen=True, eq=False)
class Candidate:
    """Rows that are in chosen bins of one feature or of several.

    Attributes
    ----------
    parts : tuple of (int, ndarray of bool)
        The position of each feature, and which of its bins.
    """

    parts: tuple[tuple[int, Mask], ...]

    def mask(self, bins: Sequence[Bins], rows: Positions | slice = slice(None)) -> Mask:
        """Return which rows are in it."""
        met = [np.append(chosen, False)[bins[j].codes[rows]] for j, chosen in self.parts]
        return np.asarray(np.logical_and.reduce(met))

    @property
    def features(self) -> tuple[int, ...]:
        """Positions of its features."""
        return tuple(j for j, _ in self.parts)


@dataclass(frozen=True, eq=False)
class Search:
    """The rows in which slices are searched for.

    Parameters
    ----------
    bins : sequence of Bins
        Of every feature.
    values : ndarray of shape (n,)
        The measure.
    population : Population
        Of these n rows.
    rows : ndarray of shape (n,)
        Their positions in the codes of the bins.
    least : int
        Rows of the smallest slice; the largest has half of the weight.
    max_features : int
        Features of a slice, 1 or 2.
    """

    bins: Sequence[Bins]
    values: Floats
    population: Population
    rows: Positions
    least: int
    max_features: int

    def best(self, number: int) -> tuple[list[tuple[Candidate, list[Candidate]]], int]:
        """Return the slices that explain most of the measure, and how many were compared.

        The first is the one with the highest mean, in standard errors beyond what the highest of
        as many candidates of its kind reaches without any difference. Its excess is then removed
        from its rows before the next is chosen, so that a slice is not found again in other words.

        Parameters
        ----------
        number : int
            Of slices, at most.

        Returns
        -------
        list of (Candidate, list of Candidate)
            Each slice, and others of nearly the same rows.
        n_compared : int
        """
        found, compared = self._singles()
        of_size = [0, compared, 0]
        if self.max_features > 1:
            pairs, of_size[2] = self._pairs()
            found += pairs + self._leaves()
        if not found:
            return [], sum(of_size)
        masks = np.array([each.mask(self.bins, self.rows) for each in found])
        usual = np.flatnonzero([self._is_allowed(mask) for mask in masks])
        found, masks = [found[j] for j in usual], masks[usual]
        penalty = np.array([math.sqrt(2 * math.log(of_size[len(e.parts)] + 1)) for e in found])
        best: list[tuple[Candidate, list[Candidate]]] = []
        residuals = self._centred.copy()
        left = np.ones(len(found), dtype=np.bool_)
        while left.any() and len(best) < number:
            scores = np.where(left, self._scores(masks, residuals), -np.inf)
            if not (scores > _LEAST_SCORE).any():
                break
            chosen = int(np.argmax(np.where(scores > _LEAST_SCORE, scores - penalty, -np.inf)))
            mask = masks[chosen]
            same = np.flatnonzero(left & (_agreement(masks, mask) >= SAME_ROWS))
            left[same] = False
            best.append((found[chosen], [found[j] for j in same if j != chosen]))
            weights = self._weights[mask]
            residuals[mask] -= weights * (residuals[mask].sum() / weights.sum())
        return best, sum(of_size)

    @cached_property
    def _weights(self) -> Floats:
        return self.population.scored

    @cached_property
    def _centred(self) -> Floats:
        """The measure minus its mean, times the weight, shape (n,)."""
        w = self._weights
        return np.asarray(w * (self.values - w @ self.values / w.sum()))

    def _scores(self, masks: Mask, residuals: Floats) -> Floats:
        """Return the sum over each slice in standard errors."""
        if self.population.groups is None:
            squared = np.square(self._weights)
            variance = _sums(masks, squared) * (residuals @ residuals / squared.sum())
        else:
            of_units = (self.population.of_units(mask * residuals) for mask in masks)
            variance = np.array([units @ units for units in of_units])
        with np.errstate(invalid="ignore", divide="ignore"):
            scores = _sums(masks, residuals) / np.sqrt(variance)
        return np.where(variance > 0, scores, 0.0)

    def _is_allowed(self, mask: Mask) -> bool:
        return bool(
            np.count_nonzero(mask) >= self.least
            and self._weights[mask].sum() <= self._weights.sum() / 2
        )

    def _singles(self) -> tuple[list[Candidate], int]:
        """Return the highest ranges and categories of one feature, and how many there are."""
        candidates = [
            Candidate(((j, piece),)) for j, pieces in enumerate(self._pieces) for piece in pieces
        ]
        scores = np.concatenate([np.empty(0), *self._alone])
        return [candidates[k] for k in _largest(scores)], int(np.isfinite(scores).sum())

    @cached_property
    def _pieces(self) -> list[Mask]:
        """Which unions of the bins of each feature are candidates."""
        return [_pieces(np.eye(len(bins), dtype=np.bool_), bins.n_ordered) for bins in self.bins]

    @cached_property
    def _alone(self) -> list[Floats]:
        """The standardised sums over these unions."""
        return [
            self._standardised(bins.codes[self.rows], pieces)
            for bins, pieces in zip(self.bins, self._pieces, strict=True)
        ]

    def _standardised(self, codes: Positions, pieces: Mask) -> Floats:
        """Return a standardised sum of the measure over each union of bins; -inf if not allowed."""
        k = pieces.shape[1]
        sums, weights, counts = (
            pieces * 1.0 @ np.bincount(codes, each, minlength=k + 1)[:k]
            for each in (self._centred, self._weights, np.ones(len(codes)))
        )
        return self._of_sums(sums, weights, counts)

    def _of_sums(self, sums: Floats, weights: Floats, counts: Floats) -> Floats:
        share = weights / self._weights.sum()
        is_allowed = (counts >= self.least) & (share <= 0.5)
        spread = np.sqrt(np.where(is_allowed, share * (1 - share), 1.0))
        return np.where(is_allowed, sums / spread, -np.inf)

    def _pairs(self) -> tuple[list[Candidate], int]:
        """Return the highest pairs of ranges or categories, each higher than both of its parts."""
        highest = np.array([scores.max(initial=-np.inf) for scores in self._alone])
        paired = np.sort(_largest(highest, MOST_PAIRED)).tolist()
        coarse = {j: self.bins[j].coarse() for j in paired}
        pieces = {
            j: _pieces(np.eye(len(held), dtype=np.bool_), _n_ordered(self.bins[j], held))
            for j, (_, held) in coarse.items()
        }
        # Up to 81 cells have a number of one byte.
        codes = {j: of[self.rows].astype(np.uint8) for j, (of, _) in coarse.items()}
        alone = {j: self._standardised(codes[j], pieces[j]) for j in paired}
        n_compared, ones = 0, np.ones(len(self.rows))
        found: list[tuple[float, int, int, int, int]] = []
        for a, b in combinations(paired, 2):
            rows_a, rows_b = pieces[a] * 1.0, pieces[b] * 1.0
            if not (rows_a.size and rows_b.size):
                continue
            width = rows_b.shape[1] + 1
            cells = (codes[a] * np.uint8(width) + codes[b]).astype(np.intp)
            size = (rows_a.shape[1] + 1) * width
            tables = (
                np.bincount(cells, each, minlength=size).reshape(-1, width)[:-1, :-1]
                for each in (self._centred, self._weights, ones)
            )
            scores = self._of_sums(*(rows_a @ table @ rows_b.T for table in tables))
            n_compared += int(np.isfinite(scores).sum())
            scores[scores <= np.maximum.outer(alone[a], alone[b])] = -np.inf
            flat = _largest(scores.ravel(), 5)
            found += [(float(scores.flat[k]), a, b, *divmod(int(k), scores.shape[1])) for k in flat]
        best = sorted(found, reverse=True)[:_LOOKED_AT]
        candidates = []
        for _, a, b, at_a, at_b in best:
            parts = [(a, pieces[a][at_a]), (b, pieces[b][at_b])]
            fine = [(j, np.logical_or.reduce(np.array(coarse[j][1])[of])) for j, of in parts]
            candidates.append(Candidate(tuple(fine)))
        return candidates, n_compared

    def _leaves(self) -> list[Candidate]:
        """Return the leaves of a tree on the measure, whose splits need not be those of a grid.

        Categories are in the order of their means, so that a leaf may have several.
        """
        step = max(1, len(self.rows) // _ROWS_OF_TREE)
        rows, values, w = self.rows[::step], self.values[::step], self._weights[::step]
        ranks = [self._ranks(bins) for bins in self.bins]
        columns = np.column_stack(
            [rank[bins.codes[rows]] for rank, bins in zip(ranks, self.bins, strict=True)]
        ).astype(np.float32)
        tree = (
            DecisionTreeRegressor(
                max_depth=self.max_features,
                max_leaf_nodes=_LEAVES,
                min_samples_leaf=max(1, self.least // step),
                random_state=0,
            )
            .fit(columns, values, w)
            .tree_
        )
        candidates: list[Candidate] = []
        nodes: list[tuple[int, dict[int, tuple[float, float]]]] = [(0, {})]
        while nodes:
            node, limits = nodes.pop()
            if tree.children_left[node] < 0:
                parts = [
                    (j, (ranks[j][:-1] > low) & (ranks[j][:-1] <= high))
                    for j, (low, high) in limits.items()
                ]
                if parts:
                    candidates.append(Candidate(tuple(parts)))
                continue
            j, cut = int(tree.feature[node]), float(tree.threshold[node])
            low, high = limits.get(j, (-np.inf, np.inf))
            nodes += [
                (tree.children_left[node], {**limits, j: (low, min(high, cut))}),
                (tree.children_right[node], {**limits, j: (max(low, cut), high)}),
            ]
        return candidates

    def _ranks(self, bins: Bins) -> Floats:
        """Return the place of each bin in the order of a tree; that of rows in none is first."""
        codes = bins.codes[self.rows]
        size = len(bins) + 1
        sums, weights = (np.bincount(codes, each, size) for each in (self._centred, self._weights))
        with np.errstate(invalid="ignore"):
            means = np.where(weights > 0, sums / weights, -np.inf)
        ranks = np.arange(size, dtype=np.float64)
        alone = np.arange(bins.n_ordered, len(bins))
        ranks[alone[np.argsort(means[alone], kind="stable")]] = alone
        ranks[-1] = -1.0
        return ranks


def _n_ordered(bins: Bins, held: list[Mask]) -> int:
    return sum(bool(each[: bins.n_ordered].any()) for each in held)


def _pieces(single: Mask, n_ordered: int) -> Mask:
    """Return the runs of neighbouring bins, but not all of them, and the bins that stand alone."""
    k = len(single)
    ends = np.arange(k)
    runs = [
        (ends >= first) & (ends <= last)
        for first in range(n_ordered)
        for last in range(first, n_ordered)
        if last - first + 1 < n_ordered or k > n_ordered
    ]
    pieces = [*runs, *single[n_ordered:]]
    return np.array(pieces, dtype=np.bool_).reshape(len(pieces), k)


def _largest(scores: Floats, number: int = _LOOKED_AT) -> Positions:
    """Return the positions of the largest finite scores, the largest first."""
    order = np.arange(len(scores))
    if len(scores) > number:
        order = np.argpartition(-scores, number)[:number]
    order = order[np.isfinite(scores[order])]
    return np.asarray(order[np.argsort(-scores[order], kind="stable")], dtype=np.intp)


def _sums(masks: Mask, values: Floats) -> Floats:
    """Return the sum of some values over each slice; a product of matrices would copy the masks."""
    return np.array([values[mask].sum() for mask in masks])


def _agreement(masks: Mask, mask: Mask) -> Floats:
    """Return the share of the rows in either of two slices that are in both (Jaccard)."""
    both = (masks & mask).sum(axis=1)
    return np.asarray(both / (masks.sum(axis=1) + mask.sum() - both))

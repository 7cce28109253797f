"""A sample of the rows as scored, with the donors that the draws for all rows give them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from uqwidgets._typing import Floats, Positions
from uqwidgets.inference.drawn_pairs import mean_change
from uqwidgets.inference.influence import Change
from uqwidgets.inference.population import Population


@dataclass(frozen=True, eq=False)
class SampledRows:
    """Pairs of a sampled row and its donor, and the rows that occur in them.

    A sample is scored whose donors come from all rows, so importance is that of all rows; what
    the rows outside of the sample contribute as scored rows is unknown. Rows that occur in no
    pair have no influence and are left out.

    Attributes
    ----------
    members : ndarray of shape (u,)
        Positions in the table of the rows that occur, ascending.
    population : Population
        Of these rows; a sampled row is scored if the whole population scores it.
    """

    members: Positions
    population: Population
    _donors: Positions
    _places: Positions
    _strata: npt.NDArray[Any] | None
    _share: float

    @classmethod
    def of(
        cls,
        rows: Positions,
        donors: Positions,
        population: Population,
        strata: npt.NDArray[Any] | None,
    ) -> SampledRows | None:
        """Return the sample, None if none of its rows is scored with a positive weight.

        Parameters
        ----------
        rows : ndarray of shape (m,)
            Positions of the sampled rows in the table.
        donors : ndarray of shape (K, m)
            Positions of the donors of each.
        population : Population
            Of all n rows.
        strata : ndarray of shape (n,) or None
            Code of each row, by which the sample is stratified.
        """
        n = len(population.weights)
        occurs = np.zeros(n, dtype=np.bool_)
        occurs[rows] = occurs[donors] = True
        members = np.flatnonzero(occurs)
        place_of = np.empty(n, dtype=np.intp)
        place_of[members] = np.arange(len(members))
        places = place_of[rows]
        scored = np.zeros(len(members))
        scored[places] = population.scored[rows]
        chosen = np.flatnonzero(scored)
        if len(chosen) == 0:
            return None
        local = np.broadcast_to(np.arange(len(members)), (len(donors), len(members))).copy()
        local[:, places] = place_of[donors]
        return cls(
            members,
            replace(population.among(members), scored=scored, rows=chosen),
            local,
            places,
            None if strata is None else strata[members],
            len(rows) / n,
        )

    def mean_change(
        self, changes: Floats, original: Floats, subgroups: Positions | None = None
    ) -> Change:
        r"""Return the mean change over the pairs, see `uqwidgets.inference.mean_change`.

        With strata, the sample has the shares of the classes of all n rows, so that the error
        between classes is that of n rows and only the error within classes that of the sample's m
        rows (Cochran 1977, section 5.6). The mean of the influences of
        scored rows in each class is multiplied by :math:`\sqrt{m / n}` accordingly.

        Parameters
        ----------
        changes : ndarray of shape (K, m)
            In the order of the sampled rows.
        original : ndarray of shape (n,)
            The measure of every row of the table without replacement.
        subgroups : ndarray of shape (n,), optional
            Subgroup of every row of the table, within which donors are drawn.
        """
        lines = np.zeros(self._donors.shape)
        lines[:, self._places] = changes
        change = mean_change(
            lines,
            self._donors,
            original[self.members],
            self.population,
            None if subgroups is None else subgroups[self.members],
        )
        if self._strata is None:
            return change
        places = self.population.positions
        codes, influence = self._strata[places], change.influence_scored.copy()
        counts = np.bincount(codes)
        means = np.bincount(codes, influence[places]) / np.maximum(counts, 1)
        influence[places] -= (1 - np.sqrt(self._share)) * means[codes]
        return replace(change, influence_scored=influence)

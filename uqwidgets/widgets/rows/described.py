"""Rows with weights at tau = 0: weights of the user, and means that are held."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property, partial
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from uqwidgets._typing import Floats
from uqwidgets.evaluation.table import Table
from uqwidgets.explainer.explainer import Explainer
from uqwidgets.inference.population import checked_weights
from uqwidgets.plotting.text import number
from uqwidgets.stress.columns import StressedColumn
from uqwidgets.stress.constrained.entropic import ConstrainedProjection, project
from uqwidgets.stress.influence import StressedRows
from uqwidgets.stress.projection import Projection
from uqwidgets.widgets.inputs.held import Held, mean_or_share


def own_weights(weights: Any, explainer: Explainer) -> Floats | None:
    """Return the weights of the user as an array (n,) of mean 1; None for equal ones.

    Raises
    ------
    ValueError
        As `checked_weights`.
    """
    if weights is None:
        return None
    return checked_weights(getattr(weights, "weights", weights), len(explainer.table), "weights")


class Reached(NamedTuple):
    """The projection of the described rows at one level of tau.

    Attributes
    ----------
    projection : Projection
        Its weights are of the chosen rows, of mean 1.
    mean : float
        Of the stressed column at tau = 0.
    explain : callable or None
        Says why there are no weights, in one sentence.
    """

    projection: Projection
    mean: float
    explain: Callable[[], str] | None

    @property
    def problem(self) -> str | None:
        """Why there are no weights; a search for the reason takes longer than the projection."""
        return None if self.explain is None else self.explain()


class DescribedRows:
    """The chosen rows with their weights at tau = 0.

    Among all weights with the held means, these are the closest to the user's weights, or to equal
    ones (Bachoc et al. 2023, theorem 2.2). A level of tau adds the mean of the stressed feature to
    the same projection.

    Parameters
    ----------
    table : Table
    rows : ndarray of shape (m,) or None
        Positions of the chosen rows; None for all.
    weights : ndarray of shape (n,) or None
        Weights of the user, of mean 1, of all rows of the table; None for equal ones.
    held : sequence of Held

    Attributes
    ----------
    own : ndarray of shape (n,) or None
        ``weights``.
    groups : RowGroups or None
        Of the chosen rows.
    words : str
        What decides the weights at tau = 0: "your weights, mean of x1 held at 0.3".
    """

    def __init__(
        self,
        table: Table,
        rows: npt.NDArray[np.intp] | None,
        weights: Floats | None,
        held: Sequence[Held],
    ) -> None:
        self._n = len(table)
        self._rows: slice | npt.NDArray[np.intp] = slice(None) if rows is None else rows
        groups = table.row_groups
        self.groups = groups if groups is None or rows is None else groups.among(rows)
        self.own = weights
        self._base = np.ones(self._n)[self._rows] if weights is None else weights[self._rows]
        self._columns = [one.column(table)[self._rows] for one in held]
        self._goals = [one.value for one in held]
        self._names = [one.name for one in held]
        words = [] if weights is None else ["your weights"]
        words += [
            f"{mean_or_share(one.feature, one.category)} held at {number(one.value)}"
            for one in held
        ]
        self.words = ", ".join(words)

    @cached_property
    def start(self) -> tuple[Floats | None, str | None]:
        """Weights of the chosen rows at tau = 0, of mean 1; or the reason why there are none."""
        if not self._columns:
            total = self._base.sum()
            if total == 0:
                return None, "all chosen rows have weight 0; choose other rows or weights."
            return self._base * (len(self._base) / total), None
        projection = self._projected([], [], [])
        if isinstance(projection, str):
            return None, projection
        return projection.weights, None if projection.weights is not None else projection.message

    def at(self, stressed: StressedColumn, tau: float) -> Reached:
        """Project the rows at a level of tau.

        Parameters
        ----------
        stressed : StressedColumn
            Rows without a value of it are in no mean of it, and their weights are free.
        tau : float
        """
        nothing = Projection(None, np.nan, np.nan, "infeasible")
        start, problem = self.start
        if start is None:
            return Reached(nothing, np.nan, partial(str, problem))
        values, present = self._own_values(stressed)

        def mean_of(weights: Floats) -> float:
            total = float(weights @ present)
            return float(weights @ values) / total if total else np.nan

        mean, anchors = mean_of(start), stressed.column.anchors
        if not tau:
            return Reached(Projection(start, mean, mean, "ok"), mean, None)
        end = anchors.low if tau < 0 else anchors.high
        target = (1.0 - abs(tau)) * mean + abs(tau) * end
        if (end - mean) * tau <= 0:
            why = (
                f"the mean of {stressed.name!r} already lies beyond what this side of tau moves it "
                "to; use the other side."
            )
            beyond = Projection(None, target, np.nan, "beyond quantile")
            return Reached(beyond, mean, partial(str, why))
        moved = "share" if anchors.kind == "share" else "mean"
        column, goal, name = values, target, f"{moved} of {stressed.name!r}"
        if not present.all():
            # The rows with a value have the target as their mean, whatever their weights add up to.
            column, goal = (values - target) * present, 0.0
            name = f"distance of the {name} from {target:.6g}"
        solved = self._projected([column], [goal], [name])
        if isinstance(solved, str):
            return Reached(
                Projection(None, target, np.nan, "infeasible"), mean, partial(str, solved)
            )
        if solved.weights is None:
            not_reached = Projection(None, target, np.nan, solved.status)
            # A page says it of all levels beyond this one.
            return Reached(not_reached, mean, lambda: f"at τ = {tau:g}, {solved.message}")
        reached = Projection(solved.weights, target, mean_of(solved.weights), solved.status)
        return Reached(reached, mean, None)

    def calibrated(
        self, stressed: StressedColumn, tau: float, projection: Projection
    ) -> StressedRows:
        """Return the rows with the influence of each, for intervals at a level of tau.

        The goal at tau lies between the mean at tau = 0 and the anchor, which are estimated from
        the same rows. Weights of the user and held means are fixed.

        Parameters
        ----------
        stressed : StressedColumn
        tau : float
        projection : Projection
            From `at`, with weights.
        """
        start, _ = self.start
        assert start is not None
        assert projection.weights is not None
        n, n_held = len(start), len(self._columns)
        held = np.reshape(self._columns, (n_held, n)) - np.reshape(self._goals, (n_held, 1))
        at_start = StressedRows(start, held, np.zeros_like(held), self.groups)
        if not tau:
            return at_start
        values, present = self._own_values(stressed)
        share = float(start @ present)
        mean = float(start @ values) / share
        of_mean = sum(at_start.parts((values - mean) * present * (n / share)))
        of_anchor = np.zeros(self._n)
        positions = slice(None) if stressed.positions is None else stressed.positions
        of_anchor[positions] = stressed.column.end_influences[tau > 0]
        of_anchor *= n / float(present.sum())
        of_target = (1 - abs(tau)) * of_mean + abs(tau) * of_anchor[self._rows]
        moved = (values - projection.target) * present
        part = float(projection.weights @ present) / n
        goals = np.vstack([np.zeros_like(held), of_target * part])
        return StressedRows(projection.weights, np.vstack([held, moved]), goals, self.groups)

    def chosen(self, values: Floats) -> Floats:
        """Return the values (n,) of the chosen rows."""
        return values[self._rows]

    def expand(self, weights: Floats) -> Floats:
        """Weights of all rows; those that are not chosen keep weight 1, or the user's weight."""
        everywhere = np.ones(self._n) if self.own is None else self.own.copy()
        everywhere[self._rows] = weights
        return everywhere

    def _own_values(self, stressed: StressedColumn) -> tuple[Floats, Floats]:
        """Values of the chosen rows, 0 where there is none, and 1 where there is one."""
        values, present = np.zeros(self._n), np.zeros(self._n)
        positions = slice(None) if stressed.positions is None else stressed.positions
        values[positions], present[positions] = stressed.column.values, 1.0
        return values[self._rows], present[self._rows]

    def _projected(
        self, columns: Sequence[Floats], goals: Sequence[float], names: Sequence[str]
    ) -> ConstrainedProjection | str:
        """Return the projection on these means and the held ones, or what is wrong with them."""
        phi = np.column_stack([*self._columns, *columns])
        try:
            return project(
                phi,
                [*self._goals, *goals],
                sample_weight=self._base,
                names=[*self._names, *names],
            )
        except ValueError as error:
            return str(error)

"""The rows that a request is about: those that meet its filter, weighted by its stress."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from itertools import repeat
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from uqwidgets._typing import Floats
from uqwidgets.explainer.explainer import Explainer
from uqwidgets.inference.groups import RowGroups
from uqwidgets.inference.population import Population
from uqwidgets.plotting.result import Result
from uqwidgets.stress.columns import StressedColumn, stressed_column
from uqwidgets.stress.projection import Projection
from uqwidgets.stress.result import Stress
from uqwidgets.widgets.inputs.conditions import Condition
from uqwidgets.widgets.inputs.inputs import Inputs, in_dependence, is_stressable
from uqwidgets.widgets.rows.described import DescribedRows

#: Value, lower and upper end of indicators by their names.
Intervals: TypeAlias = dict[str, tuple[float, float, float]]

# Rows without a value of the stressed feature keep their weight.
MISSING = "keep"
_MOST_SELECTIONS = 4


class FilteredRows:
    """Rows that meet all conditions of a filter.

    The rows of each condition are cached as long as it is part of the filter, one bit per row. So
    only a condition that changed is evaluated, and none while something else moves.

    Parameters
    ----------
    explainer : Explainer
    """

    def __init__(self, explainer: Explainer) -> None:
        self._explainer = explainer
        self._met: dict[Condition, npt.NDArray[np.uint8]] = {}
        self._last: tuple[tuple[Condition, ...], npt.NDArray[np.bool_] | None] = ((), None)

    def chosen(self, inputs: Inputs, check: Callable[[], None]) -> npt.NDArray[np.bool_] | None:
        """Rows of a request, shape (n,): those that meet its filter, or all others; None for all.

        Without conditions there are no others.
        """
        met = self.meeting(inputs.ice_filter, check)
        if not inputs.complement or not inputs.ice_filter:
            return met
        return np.zeros(len(self._explainer.table), dtype=np.bool_) if met is None else ~met

    def meeting(
        self, conditions: tuple[Condition, ...], check: Callable[[], None]
    ) -> npt.NDArray[np.bool_] | None:
        """Rows that meet them all, shape (n,); None where every row does.

        Parameters
        ----------
        conditions : tuple of Condition
        check : callable
            Called before each condition that is not cached; raise from it to stop. Conditions
            that were evaluated by then stay cached.
        """
        if conditions == self._last[0]:
            return self._last[1]
        # A local name, for the picture of the widget may be drawn on another thread meanwhile.
        masks = self._met
        for condition in dict.fromkeys(conditions):
            if condition not in masks:
                check()
                masks[condition] = np.packbits(condition.mask(self._explainer))
        self._met = masks = {condition: masks[condition] for condition in conditions}
        met = None
        if conditions:
            bits = np.bitwise_and.reduce(list(masks.values()))
            met = np.unpackbits(bits, count=len(self._explainer.table)).astype(np.bool_)
            met = None if met.all() else met
        self._last = (conditions, met)
        return met


@dataclass(frozen=True, eq=False)
class Selection:
    """Rows that meet a filter; views cache by it what they computed of these rows.

    Attributes
    ----------
    explainer : Explainer
        With the groups of rows of these inputs.
    rows : ndarray of shape (m,) or None
        Positions; None for all rows.
    n_rows : int
        Number of these rows.
    tail, anchor
        What tau = -1 and 1 stand for, see `uqwidgets.Explainer.stress`.
    profiles : dict of str to Stress
        Every indicator over tau by feature, see `uqwidgets.widgets.over_tau.stress_profiles`.
    bounded : dict of (str, str or None) to Stress
        Profiles with intervals by feature and category.
    exact : dict of (str, str or None, float) to dict
        Intervals at other levels of tau, see `uqwidgets.widgets.over_tau.stress_profiles`.
    lines : dict of str to (int, dict)
        By indicator, how many features have a profile, and what is drawn of them.
    described : DescribedRows or None
        The weights that describe tau = 0; None where all rows count the same.
    """

    explainer: Explainer
    rows: npt.NDArray[np.intp] | None
    n_rows: int
    tail: float
    anchor: str
    _columns: dict[tuple[str, str | None], StressedColumn | None] = field(default_factory=dict)
    profiles: dict[str, Stress] = field(default_factory=dict)
    bounded: dict[tuple[str, str | None], Stress] = field(default_factory=dict)
    exact: dict[tuple[str, str | None, float], Intervals] = field(default_factory=dict)
    lines: dict[str, tuple[int, dict[str, npt.NDArray[Any]]]] = field(default_factory=dict)
    described: DescribedRows | None = None

    @property
    def options(self) -> dict[str, Any]:
        """Arguments of the methods of `Explainer` that stress these rows."""
        return {
            "tail": self.tail,
            "anchor": self.anchor,
            "missing": MISSING,
            "rows": self.rows,
        }

    @cached_property
    def stressable(self) -> tuple[str, ...]:
        """Features that can be stressed because they have a value in some of these rows."""
        ex = self.explainer
        return tuple(f for f in ex.features if is_stressable(ex.table, f) and self.has_value(f))

    @cached_property
    def groups(self) -> RowGroups | None:
        """The groups of these rows; None if each row is independent of all others."""
        groups = self.explainer.table.row_groups
        return groups if groups is None or self.rows is None else groups.among(self.rows)

    @property
    def is_profiled(self) -> bool:
        """Whether the profiles of all features are known."""
        return len(self.profiles) == len(self.stressable)

    def column(self, feature: str, category: str | None) -> StressedColumn | None:
        """Return a column of these rows, compressed once; None where no row has a value of it.

        Parameters
        ----------
        feature : str
        category : str or None
            Text of the category whose share is moved; None for a numeric feature.
        """
        key = (feature, category)
        if key not in self._columns:
            column = None
            if self.has_value(feature) and (category is None or self._has(feature, category)):
                column = stressed_column(self.explainer.table, feature, category, **self.options)
            self._columns[key] = column
        return self._columns[key]

    def has_value(self, feature: str) -> bool:
        """Whether a feature has a value in some of these rows."""
        table = self.explainer.table
        if table.kind(feature) == "categorical":
            present = table.column(feature).notna().to_numpy()
        elif self.rows is None:
            return not np.isnan(table.span(feature).low)
        else:
            present = np.isfinite(table.numbers(feature))
        return bool((present if self.rows is None else present[self.rows]).any())

    def _has(self, feature: str, category: str) -> bool:
        mask = self.explainer.table.labels(feature).mask([category])
        return bool((mask if self.rows is None else mask[self.rows]).any())


@dataclass(frozen=True, eq=False)
class Populations:
    """The rows as they are stressed now, and the same rows unstressed.

    Attributes
    ----------
    now, unstressed : Population
        One object where tau is 0 or no weights reach the target.
    key : tuple
        Identifies the rows with their weights.
    rows_key : tuple
        Identifies the rows alone.
    selection : Selection
    category : str or None
        The category whose share is moved; None for a numeric feature.
    projection : Projection or None
        Of the stressed feature; None where none is chosen.
    is_reachable : bool
        Whether there are weights that reach the target of tau.
    problem : str or None
        Why there are none, where the targets are those of several constraints.
    """

    now: Population
    unstressed: Population
    key: tuple[Any, ...]
    rows_key: tuple[Any, ...]
    selection: Selection
    category: str | None
    projection: Projection | None
    is_reachable: bool
    problem: str | None = None

    @property
    def in_groups(self) -> str | None:
        """The groups of the rows in words, such as "30 patients"; None if rows are independent."""
        count = self.unstressed.group_count
        return None if count is None else str(count)

    def remarked(self, result: Result, explainer: Explainer) -> Result:
        """Return a result with the remarks on these groups, in place of the explainer's own."""
        own = self.selection.explainer.evaluations.remarks_on_rows
        other = explainer.evaluations.remarks_on_rows
        of_class: Any = result  # all results are dataclasses
        if own == other or "remarks" not in {one.name for one in fields(of_class)}:
            return result
        rest = [remark for remark in result.remarks if remark not in (*own, *other)]
        remarked: Result = replace(of_class, remarks=(*rest, *own))
        return remarked

    def reached(self, inputs: Inputs) -> Population:
        """Return the rows as they are stressed now.

        Raises
        ------
        ValueError
            If there are no weights that reach the target of tau.
        """
        if self.is_reachable:
            return self.now
        if self.problem is not None:
            raise ValueError(self.problem)
        assert self.projection is not None
        raise ValueError(
            f"{inputs.stress_feature} cannot be stressed to tau {inputs.tau:g} "
            f"({self.projection.status}); choose a level nearer to 0."
        )


class PopulationBuilder:
    """Builds the populations of one request after another.

    Parameters
    ----------
    explainer : Explainer
    weights : ndarray of shape (n,), optional
        Of mean 1; they describe tau = 0.

    Attributes
    ----------
    filtered : FilteredRows
    """

    #: Names of the inputs that decide rows and weights.
    reads = (
        "tau",
        "stress_feature",
        "stress_category",
        "anchor",
        "tail",
        "ice_filter",
        "complement",
        "held",
        "groups",
        "time",
    )

    def __init__(self, explainer: Explainer, weights: Floats | None = None) -> None:
        self._explainer = explainer
        self._weights = weights
        self.filtered = FilteredRows(explainer)
        # The latest filters, so that going back to one recomputes nothing.
        self._selections: dict[tuple[Any, ...], Selection] = {}
        self._most_frequent: dict[str, str] = {}
        # By the names of the columns of the groups and of time.
        self._grouped: dict[tuple[str, str], Explainer] = {("", ""): explainer}

    @property
    def n_rows(self) -> int:
        """Number of all rows, whatever the filter."""
        return len(self._explainer.table)

    def build(self, inputs: Inputs, check: Callable[[], None]) -> Populations | None:
        """Build the populations of a request, None where no row meets its filter.

        Parameters
        ----------
        inputs : Inputs
        check : callable
            See `FilteredRows.meeting`.
        """
        return next(self.at_levels(inputs, [inputs.tau], check), None)

    def at_levels(
        self, inputs: Inputs, taus: Sequence[float], check: Callable[[], None]
    ) -> Iterator[Populations]:
        """Yield the populations of several levels, whose weights are solved for together.

        Nothing is yielded where no row meets the filter.

        Parameters
        ----------
        inputs : Inputs
            Their own tau has no effect.
        taus : sequence of float
        check : callable
            See `FilteredRows.meeting`.
        """
        n = len(self._explainer.table)
        mask = self.filtered.chosen(inputs, check)
        if mask is not None and not mask.any():
            return
        groups = self.in_groups(inputs).table.row_groups
        unstressed = Population.of(n, rows=mask, groups=groups)
        # A filter that leaves out no row selects the same population as no filter.
        filters = () if mask is None else (*inputs.ice_filter, inputs.complement)
        rows_key = (filters, inputs.groups, inputs.time)
        selection = self._selection(filters, unstressed.rows, inputs)
        feature, category = inputs.stress_feature, self.category(inputs)
        if selection.described is not None:
            for tau in taus:
                at = replace(inputs, tau=tau)
                yield self._described(at, mask, selection, selection.described, filters)
            return
        every: Iterator[tuple[Population, Projection | None]] = repeat((unstressed, None))
        column = selection.column(feature, category) if feature else None
        if column is not None:
            every = iter(column.populations(unstressed, np.array(taus, dtype=np.float64)))
        elif feature:
            every = repeat((unstressed, Projection(None, np.nan, np.nan, "no value")))
        for tau, (now, projection) in zip(taus, every, strict=False):
            is_reachable = projection is None or projection.weights is not None or not tau
            stress = (feature, category, tau, inputs.anchor, inputs.tail) if tau else None
            yield Populations(
                now,
                unstressed,
                (stress, *rows_key),
                rows_key,
                selection,
                category,
                projection,
                is_reachable,
            )

    def _described(
        self,
        inputs: Inputs,
        mask: npt.NDArray[np.bool_] | None,
        selection: Selection,
        described: DescribedRows,
        filters: tuple[Any, ...],
    ) -> Populations:
        """Build the populations of rows with weights at tau = 0."""
        n, tau = len(self._explainer.table), inputs.tau
        feature, category = inputs.stress_feature, self.category(inputs)

        def population(weights: Floats) -> Population:
            return Population.of(n, described.expand(weights), mask, groups)

        groups = selection.explainer.table.row_groups
        equal = Population.of(n, rows=mask, groups=groups)
        start, problem = described.start
        now = unstressed = equal if start is None else population(start)
        projection = None
        if feature:
            column = selection.column(feature, category)
            if column is None:
                projection = Projection(None, np.nan, np.nan, "no value")
                problem = f"{feature!r} has no value in these rows." if tau else problem
            else:
                reached = described.at(column, tau)
                projection, problem = reached.projection, reached.problem
                if projection.weights is not None and tau:
                    now = population(projection.weights)
        stress = (feature, category, tau, inputs.anchor, inputs.tail) if tau else None
        rows_key = (filters, inputs.held, inputs.groups, inputs.time)
        return Populations(
            now,
            unstressed,
            (stress, *rows_key),
            rows_key,
            selection,
            category,
            projection,
            problem is None,
            problem,
        )

    def rows_key(self, inputs: Inputs) -> tuple[Any, ...]:
        """Identify what decides rows and weights apart from tau."""
        return tuple(getattr(inputs, name) for name in self.reads if name != "tau")

    def in_groups(self, inputs: Inputs) -> Explainer:
        """Return the explainer with the groups and the order of rows that the inputs name."""
        key = inputs.groups, inputs.time
        if key not in self._grouped:
            self._grouped[key] = in_dependence(self._explainer, *key)
        return self._grouped[key]

    def category(self, inputs: Inputs) -> str | None:
        """Category whose share is moved: the picked one, or the most frequent of the feature."""
        feature, table = inputs.stress_feature, self._explainer.table
        if not feature or table.kind(feature) == "numeric":
            return None
        if inputs.stress_category in table.labels(feature).texts:
            return inputs.stress_category
        if feature not in self._most_frequent:
            counts = {t: table.labels(feature).mask([t]).sum() for t in table.labels(feature).texts}
            self._most_frequent[feature] = max(counts, key=lambda text: counts[text])
        return self._most_frequent[feature]

    def _selection(
        self,
        conditions: tuple[Any, ...],
        rows: npt.NDArray[np.intp] | None,
        inputs: Inputs,
    ) -> Selection:
        rows_in = inputs.groups, inputs.time
        key = (conditions, inputs.tail, inputs.anchor, inputs.held, rows_in)
        # A local name, for a result may be computed on another thread meanwhile.
        selections: dict[tuple[Any, ...], Selection] = dict(self._selections)
        selection = selections.pop(key, None)
        if selection is None:
            explainer = self.in_groups(inputs)
            n = len(explainer.table) if rows is None else len(rows)
            described = None
            if inputs.held or self._weights is not None:
                described = DescribedRows(explainer.table, rows, self._weights, inputs.held)
            selection = Selection(
                explainer, rows, n, inputs.tail, inputs.anchor, described=described
            )
        selections[key] = selection
        while len(selections) > _MOST_SELECTIONS:
            del selections[next(iter(selections))]
        self._selections = selections
        return selection

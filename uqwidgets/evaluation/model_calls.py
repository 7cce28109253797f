"""Calls of the model, counted and timed, with errors that name the replaced feature."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pandas as pd

from uqwidgets._utils.errors import ModelError, in_one_line
from uqwidgets._utils.thread_state import errors_of_user
from uqwidgets.evaluation.batch import RowBlock
from uqwidgets.evaluation.batch_size import BatchSizer
from uqwidgets.evaluation.dataframes import to_pandas, way_out
from uqwidgets.evaluation.table import Table
from uqwidgets.plotting.text import counted, few, listed
from uqwidgets.predictive import Distribution, Predictive
from uqwidgets.predictive.distributions import InvalidRowError

# Largest batch: 65,536 rows or 2 M cells, whichever is more rows. The allocator returns larger
# buffers to the operating system, and page faults on fresh memory cost several times the copy.
_MAX_ROWS, _MAX_CELLS = 1 << 16, 1 << 21
# Most missing features that an error names.
_MAX_NAMED = 5

_LOG = logging.getLogger(__name__)


class ModelCalls:
    """Calls of the model: counts, times, and errors that name what was replaced.

    Parameters
    ----------
    predictive : Predictive
    table : Table
    memory_limit : int
        In bytes. A batch takes at most one sixteenth, because a model may allocate as much again
        several times.

    Attributes
    ----------
    made, rows : int
        Calls so far, and the rows in them.
    seconds : float
        Time of these calls.
    pace : BatchSizer
        Learns from every call how many rows the next should have.
    """

    def __init__(self, predictive: Predictive, table: Table, memory_limit: int) -> None:
        self.made = 0
        self.rows = 0
        self.seconds = 0.0
        features = max(1, len(table.features))
        most_rows = memory_limit // (16 * 8 * features)
        self.pace = BatchSizer(min(most_rows, max(_MAX_ROWS, _MAX_CELLS // features)))
        self._predictive = predictive
        self._table = table

    def evaluate(
        self, blocks: Sequence[RowBlock], model: Callable[[Any], Distribution] | None = None
    ) -> Distribution:
        """Evaluate the rows of all blocks in one call.

        Parameters
        ----------
        blocks : sequence of RowBlock
        model : callable, optional
            What is called with the rows; by default the model's distribution.

        Raises
        ------
        ModelError
            If the model fails; the sentence names the row or the replaced feature.
        """
        rows = sum(len(b.rows) for b in blocks)
        X = self._table.stacked(blocks)
        self.made += 1
        self.rows += rows
        started = time.perf_counter()
        try:
            with errors_of_user():
                distribution = (model or self._predictive)(X)
        except InvalidRowError as error:
            where = self.where(blocks, error.row)
            raise ModelError(f"the model's {error.problem} {where}{error.advice}.") from error
        except Exception as error:
            name = self._name(blocks[0])
            rows_of = f"rows with {name} replaced" if name else "the rows of X"
            raise ModelError(
                f"the model failed while {rows_of} were evaluated: {in_one_line(error)}{way_out(X)}"
                f" (call {self.made} of the model, {counted(rows, 'row')}, {self._columns()})"
            ) from error
        seconds = time.perf_counter() - started
        self.seconds += seconds
        self.pace.observe(rows, seconds)
        _LOG.debug("call %d of the model: %d rows in %.3g s", self.made, rows, seconds)
        return distribution

    def _columns(self) -> str:
        names = few(list(self._table.features))
        return f"{'columns' if len(self._table.features) > 1 else 'column'} {listed(names)}"

    def where(self, blocks: Sequence[RowBlock], row: int) -> str:
        """Describe a row of a batch: its row of X, what is replaced and what is missing in it."""
        for block in blocks:
            if row < len(block.rows):
                name = self._name(block)
                place = f"in row {block.rows[row]} of X"
                replaced = f", with {name} replaced" if name else ""
                return f"{place}{replaced}{self._missing(block.cut(row, row + 1))}"
            row -= len(block.rows)
        return f"in row {row} of the block"

    def _missing(self, row: RowBlock) -> str:
        """Name the features that are missing in a single row, as the model saw it."""
        missing = np.flatnonzero(
            pd.DataFrame(to_pandas(self._table.stacked([row]))).isna().to_numpy()[0]
        )
        names = [repr(self._table.features[column]) for column in missing[:_MAX_NAMED]]
        if not names:
            return ""
        more = len(missing) - len(names)
        listed = ", ".join(names) + (f" and {more} more" if more else "")
        return f", where {listed} {'is' if len(missing) == 1 else 'are'} missing"

    def _name(self, block: RowBlock) -> str:
        return ", ".join(repr(self._table.features[column]) for column in block.columns)

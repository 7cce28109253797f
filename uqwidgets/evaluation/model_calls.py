"""Blocks of rows, put to the model."""

from __future__ import annotations

import time
from collections.abc import Sequence

import numpy as np
import pandas as pd

from uqwidgets._utils.errors import ModelError, in_one_line
from uqwidgets.evaluation.batch import RowBlock
from uqwidgets.evaluation.batch_size import BatchSizer
from uqwidgets.evaluation.table import Table
from uqwidgets.predictive import Distribution, Predictive
from uqwidgets.predictive.distributions import InvalidRowError

# Rows or numbers of a block, whichever are more. Memory for more is not to be had again as soon
# as it was let go, and new memory costs several times what it takes to write rows into it.
_BLOCK_ROWS, _BLOCK_NUMBERS = 1 << 16, 1 << 21
# Missing features that a sentence names.
_NAMED = 5


class ModelCalls:
    """ModelCalls of the model: what they cost, and what is said where one fails.

    Parameters
    ----------
    predictive : Predictive
    table : Table
    memory_limit : int
        Bytes of which a sixteenth may be a block: a model may well make as many numbers again.

    Attributes
    ----------
    made, rows : int
        ModelCalls so far, and rows that were asked in them.
    pace : BatchSizer
        What was learned of the time they take.
    """

    def __init__(self, predictive: Predictive, table: Table, memory_limit: int) -> None:
        self.made = 0
        self.rows = 0
        features = max(1, len(table.features))
        fitting = memory_limit // (16 * 8 * features)
        self.pace = BatchSizer(min(fitting, max(_BLOCK_ROWS, _BLOCK_NUMBERS // features)))
        self._predictive = predictive
        self._table = table

    def ask(self, segments: Sequence[RowBlock]) -> Distribution:
        """Ask about the rows of all segments in one call.

        Raises
        ------
        ModelError
            If the model fails; the sentence says on what.
        """
        rows = sum(len(s.rows) for s in segments)
        X = self._table.stacked(segments)
        self.made += 1
        self.rows += rows
        started = time.perf_counter()
        try:
            answer = self._predictive(X)
        except InvalidRowError as error:
            where = self.where(segments, error.row)
            raise ModelError(f"the model's {error.problem} {where}.") from error
        except Exception as error:
            name = self._name(segments[0])
            asked = f"rows with {name} replaced" if name else "the rows of X"
            raise ModelError(
                f"the model failed while {asked} were asked: {in_one_line(error)}"
            ) from error
        self.pace.observe(rows, time.perf_counter() - started)
        return answer

    def where(self, segments: Sequence[RowBlock], row: int) -> str:
        """Say which row of X a row of stacked segments is, what is replaced and missing in it."""
        for segment in segments:
            if row < len(segment.rows):
                name = self._name(segment)
                place = f"in row {segment.rows[row]} of X"
                replaced = f", with {name} replaced" if name else ""
                return f"{place}{replaced}{self._missing(segment.cut(row, row + 1))}"
            row -= len(segment.rows)
        return f"in row {row} of the block"

    def _missing(self, row: RowBlock) -> str:
        """Say which features have no value in a single row, as the model saw it."""
        missing = np.flatnonzero(pd.DataFrame(self._table.stacked([row])).isna().to_numpy()[0])
        names = [repr(self._table.features[column]) for column in missing[:_NAMED]]
        if not names:
            return ""
        more = len(missing) - len(names)
        listed = ", ".join(names) + (f" and {more} more" if more else "")
        return f", where {listed} {'is' if len(missing) == 1 else 'are'} missing"

    def _name(self, segment: RowBlock) -> str:
        return ", ".join(repr(self._table.features[column]) for column in segment.columns)

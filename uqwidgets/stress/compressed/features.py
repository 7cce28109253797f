"""The stressed columns of a feature, compressed with the outputs of indicators."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from uqwidgets._typing import Floats
from uqwidgets.stress.columns import StressedColumn
from uqwidgets.stress.compressed.compression import Compressed, compress


@dataclass(frozen=True, eq=False)
class CompressedColumn:
    """A stressed column, compressed with the outputs of some indicators.

    Attributes
    ----------
    name : str
        See `StressedColumn`.
    compressed : Compressed
        Of the rows with a value.
    n_unmoved : int
        Number of rows without a value that keep weight 1.
    means_of_unmoved : ndarray of shape (q,)
        Mean of every output over these rows; NaN if there are none.
    """

    name: str
    compressed: Compressed
    n_unmoved: int
    means_of_unmoved: Floats


class CompressedFeature(NamedTuple):
    """All stressed columns of a feature, compressed, so that further levels need no row.

    Attributes
    ----------
    columns : tuple of CompressedColumn
        One, or one for each category.
    remarks : tuple of str
        On rows and categories that are left out.
    """

    columns: tuple[CompressedColumn, ...]
    remarks: tuple[str, ...]

    @classmethod
    def of(
        cls, columns: Iterable[StressedColumn], outputs: Floats, remarks: tuple[str, ...]
    ) -> CompressedFeature:
        """Compress the stressed columns of a feature with outputs of shape (n, q)."""
        return cls(tuple(_compressed(column, outputs) for column in columns), remarks)

    @property
    def nbytes(self) -> int:
        """Bytes held."""
        return sum(column.compressed.nbytes for column in self.columns)


def _compressed(stressed: StressedColumn, outputs: Floats) -> CompressedColumn:
    anchors, n_unmoved = stressed.column.anchors, len(stressed.unmoved)
    of_rows = outputs if stressed.positions is None else outputs[stressed.positions]
    return CompressedColumn(
        stressed.name,
        compress(stressed.column.values, of_rows, anchors.low, anchors.high),
        n_unmoved,
        outputs[stressed.unmoved].mean(axis=0) if n_unmoved else np.full(outputs.shape[1], np.nan),
    )

"""The stressed columns of a feature, compressed with the outputs of indicators."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from uqwidgets._typing import Floats
from uqwidgets._utils.remarks import Remark
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
    remarks : tuple of Remark
        On rows and categories that are left out.
    """

    columns: tuple[CompressedColumn, ...]
    remarks: tuple[Remark, ...]

    @classmethod
    def of(
        cls,
        columns: Iterable[StressedColumn],
        outputs: Sequence[Floats],
        remarks: tuple[Remark, ...],
    ) -> CompressedFeature:
        """Compress the stressed columns of a feature with q outputs of shape (n,)."""
        return cls(tuple(_compressed(column, outputs) for column in columns), remarks)

    @property
    def nbytes(self) -> int:
        """Bytes held."""
        return sum(column.compressed.nbytes for column in self.columns)


def _compressed(stressed: StressedColumn, outputs: Sequence[Floats]) -> CompressedColumn:
    anchors, unmoved = stressed.column.anchors, stressed.unmoved
    means = [output[unmoved].mean() if len(unmoved) else np.nan for output in outputs]
    return CompressedColumn(
        stressed.name,
        compress(stressed.column.values, outputs, anchors.low, anchors.high, stressed.positions),
        len(unmoved),
        np.array(means),
    )

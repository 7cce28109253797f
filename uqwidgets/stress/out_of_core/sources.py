"""Sources of batches of rows, and sums over all batches."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Protocol, Self, TypeVar

import pandas as pd

from uqwidgets._utils.options import brief

# Rows of a Parquet file in memory at a time.
_PARQUET_ROWS = 1 << 17


class Addable(Protocol):
    """A value with a sum: of the same type, and independent of the order but for rounding."""

    def __add__(self, other: Self, /) -> Self: ...


T = TypeVar("T", bound=Addable)
BatchFunction = Callable[[pd.DataFrame], T]


class Source(Protocol):
    """Batches of rows over which several passes can be made."""

    def total(self, work: BatchFunction[T]) -> T | None:
        """Sum of ``work(batch)`` over the batches that have rows; None where no batch has any."""


def source_of(batches: Any) -> Source:
    """Wrap batches of any accepted kind as a source.

    Parameters
    ----------
    batches : DataFrame, sequence of DataFrame, callable, path, sequence of path, or Dask DataFrame
        A callable is called without arguments for each pass and returns an iterator that starts
        with the first batch. Paths are those of Parquet files or of directories of them, which
        are read in pieces. Partitions of a Dask DataFrame are processed where they are, on the
        cluster of the current `dask.distributed.Client` if there is one.

    Raises
    ------
    TypeError
        If the batches are of no accepted kind.
    """
    if isinstance(batches, pd.DataFrame):
        return _Local(lambda: [batches])
    if hasattr(batches, "to_delayed") and hasattr(batches, "map_partitions"):
        return _Dask(batches)
    if callable(batches):
        return _Local(batches)
    if isinstance(batches, (str, Path)):
        return _Local(partial(_parquet, [batches]))
    if isinstance(batches, Sequence):
        if all(isinstance(b, pd.DataFrame) for b in batches):
            return _Local(lambda: batches)
        if all(isinstance(b, (str, Path)) for b in batches):
            return _Local(partial(_parquet, batches))
    if isinstance(batches, Iterator):
        raise TypeError(
            "an iterator of batches can be read only once, but they are read several times; "
            "pass the function that makes it."
        )
    raise TypeError(
        f"batches is of type {type(batches).__name__}; pass DataFrames, a function that returns "
        "an iterator of them, paths of Parquet files, or a Dask DataFrame."
    )


class _Local:
    def __init__(self, batches: Callable[[], Iterable[pd.DataFrame]]) -> None:
        self._batches = batches
        # Rows of each batch in the first pass.
        self._sizes: list[int] | None = None

    def total(self, work: BatchFunction[T]) -> T | None:
        total, sizes = None, []
        batches = self._batches()
        if not isinstance(batches, Iterable):
            raise TypeError(
                f"the function of batches returns an object of type {type(batches).__name__}; it "
                "must return an iterator of DataFrames."
            )
        for batch in batches:
            if not isinstance(batch, pd.DataFrame):
                raise TypeError(
                    f"a batch is of type {type(batch).__name__}; it must be a DataFrame."
                )
            sizes.append(len(batch))
            self._check(sizes, len(sizes))
            total = _sum(total, _apply(work, batch))
        if self._sizes is None:
            self._sizes = sizes
        self._check(sizes, len(self._sizes))
        return total

    def _check(self, sizes: list[int], count: int) -> None:
        """Raise a ValueError if the first batches have other sizes than in the first pass."""
        if self._sizes is not None and sizes != self._sizes[:count]:
            raise ValueError(
                f"the first {count} batches have {sum(sizes):,} rows, and had "
                f"{sum(self._sizes[:count]):,} in an earlier pass; batches are gone through "
                "several times, and must be the same each time."
            )


@dataclass(frozen=True)
class _Dask:
    frame: Any

    def total(self, work: BatchFunction[T]) -> T | None:
        from dask.delayed import delayed

        parts = [delayed(_apply, pure=False)(work, part) for part in self.frame.to_delayed()]
        while len(parts) > 1:  # a tree of pairs, so that each sum is computed where its parts are
            pairs = [parts[k : k + 2] for k in range(0, len(parts), 2)]
            parts = [delayed(_sum, pure=False)(*p) if len(p) == 2 else p[0] for p in pairs]
        total: T | None = parts[0].compute()
        return total


def _apply(work: BatchFunction[T], batch: pd.DataFrame) -> T | None:
    return work(batch) if len(batch) else None


def _sum(one: T | None, other: T | None) -> T | None:
    if one is None or other is None:
        return other if one is None else one
    return one + other


def _parquet(paths: Sequence[str | Path]) -> Iterator[pd.DataFrame]:
    try:
        from pyarrow.dataset import dataset
    except ImportError:
        raise ImportError(
            "reading Parquet needs pyarrow, which the extra dask brings: "
            "pip install 'uqwidgets[dask]'."
        ) from None
    for path in paths:
        try:
            rows = dataset(str(path), format="parquet")
        except FileNotFoundError:
            raise FileNotFoundError(
                f"there is no file or folder {brief(str(path))}; pass paths of Parquet files, or "
                "DataFrames."
            ) from None
        for piece in rows.to_batches(batch_size=_PARQUET_ROWS):
            yield piece.to_pandas()

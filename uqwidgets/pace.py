"""How many rows to hand a model at once."""

from __future__ import annotations

# Long enough that the cost of a call hardly shows, short enough that a wish to stop is heard.
SECONDS_PER_BLOCK = 0.1
# A model whose every call costs much gets longer blocks: its overhead stays below an eighth.
OVERHEAD_SHARE = 8
# What a first step may take at worst.
SECONDS_PER_STEP = 1.0
# Memory may grow faster than rows (a Gaussian process), so size is felt for step by step.
FIRST_ROWS = 4096
GROWTH = 32


class Pace:
    """Learns a model's cost, ``overhead + rows * seconds_per_row``, from the calls it makes.

    Parameters
    ----------
    most_rows : int
        Rows that fit in the memory set aside for one block.
    """

    def __init__(self, most_rows: int) -> None:
        self._most = max(1, most_rows)
        self._smallest: tuple[int, float] | None = None
        self._latest: tuple[int, float] | None = None
        self._largest = 0

    def observe(self, rows: int, seconds: float) -> None:
        """Learn from one call."""
        if self._smallest is None or (rows, seconds) < self._smallest:
            self._smallest = (rows, seconds)
        self._latest = (rows, seconds)
        self._largest = max(self._largest, rows)

    def cost(self) -> tuple[float, float]:
        """Overhead of a call and time of a row, in seconds."""
        assert self._smallest is not None
        assert self._latest is not None
        (few, quick), (many, slow) = self._smallest, self._latest
        if many >= 4 * few and slow > quick:
            per_row = (slow - quick) / (many - few)
            return max(0.0, quick - per_row * few), per_row
        return 0.0, max(slow / many, 1e-9)

    def rows(self, waiting: int) -> int:
        """Rows of the next block, of those that are waiting."""
        if self._latest is None:
            return min(waiting, FIRST_ROWS, self._most)
        overhead, per_row = self.cost()
        aim = max(SECONDS_PER_BLOCK, OVERHEAD_SHARE * overhead)
        if self._latest == self._smallest:
            # One size seen: its time may be all overhead or none, and only a step tells.
            aim = SECONDS_PER_STEP
        wished = int((aim - overhead) / per_row)
        block = max(1, min(wished, GROWTH * self._largest, self._most))
        # A small rest would pay the overhead once more for little.
        return waiting if waiting <= min(1.5 * block, self._most) else block

    def seconds(self, rows: int) -> float:
        """Time that this many rows will take."""
        overhead, per_row = self.cost()
        return rows * per_row + overhead * max(1.0, rows / self.rows(rows))

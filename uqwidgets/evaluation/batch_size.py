"""How many rows to hand a model at once."""

from __future__ import annotations

# Long enough that the cost of a call hardly shows, short enough that a wish to stop is heard.
SECONDS_PER_BLOCK = 0.1
# A model whose every call costs much gets longer blocks: its overhead stays below an eighth, or
# below a sixteenth where that takes no longer than a step into the unknown may.
OVERHEAD_SHARE = 8
# What a step into the unknown may take at worst.
SECONDS_PER_STEP = 1.0
# A first look at few rows: whether the model takes them at all shows at once, and the next call
# is so much larger that the two tell what a call costs from what a row costs.
FIRST_SHARE = 16
FIRST_ROWS = (8, 256)
# Memory may grow faster than rows (a Gaussian process), so until then size is felt for.
GROWTH = 32
# By how much the times of two calls of one size may differ.
JITTER = 0.1


class BatchSizer:
    """Learns a model's cost, ``overhead + rows * seconds_per_row``, from the calls it makes.

    Parameters
    ----------
    most_rows : int
        Rows that fit in the memory set aside for one block.
    """

    def __init__(self, most_rows: int) -> None:
        self._most = max(1, most_rows)
        self._smallest: tuple[int, float] | None = None
        self._largest: tuple[int, float] | None = None
        self._latest: tuple[int, float] | None = None

    def observe(self, rows: int, seconds: float) -> None:
        """Learn from one call."""
        if self._smallest is None or (rows, seconds) < self._smallest:
            self._smallest = (rows, seconds)
        if self._largest is None or rows >= self._largest[0]:
            self._largest = (rows, seconds)
        self._latest = (rows, seconds)

    def cost(self) -> tuple[float, float]:
        """Overhead of a call and time of a row, in seconds."""
        quick, few, slow, many = self._compared()
        if not few:
            return 0.0, max(slow / many, 1e-9)
        per_row = max((slow - quick) / (many - few), 1e-9)
        return max(0.0, quick - per_row * few), per_row

    def rows(self, waiting: int) -> int:
        """Rows of the next block, of those that are waiting."""
        if self._smallest is None or self._largest is None or self._latest is None:
            least, most = FIRST_ROWS
            first = min(max(waiting // FIRST_SHARE, least), most)
            return min(first if waiting >= 8 * least else waiting, self._most)
        many, slow = self._latest
        one_size = self._smallest[0] == self._largest[0]
        overhead, per_row = self.cost()
        dear = OVERHEAD_SHARE * overhead
        step = many + int((max(SECONDS_PER_STEP, dear) - slow) / self._dearest_row())
        if one_size:
            # Its time may be all overhead or none.
            block = min(step, GROWTH * many)
        else:
            aim = max(SECONDS_PER_BLOCK, dear, min(2 * dear, SECONDS_PER_STEP))
            block = min(step, int((aim - overhead) / per_row))
        block = max(1, min(block, self._most))
        # A small rest would pay the overhead once more for little.
        return waiting if waiting <= min(1.5 * block, self._most) else block

    def _dearest_row(self) -> float:
        """Most that a row more than last time may take, in seconds."""
        quick, few, slow, many = self._compared()
        return max((slow - (1 - JITTER) * quick) / (many - few), 1e-9)

    def _compared(self) -> tuple[float, int, float, int]:
        """Seconds and rows of two calls that tell overhead from rows; or of none, and the last."""
        assert self._smallest is not None
        assert self._largest is not None
        assert self._latest is not None
        few, quick = self._smallest
        # A small block is told from a larger one of before: alone, its time may be all overhead.
        many, slow = self._latest if self._latest[0] >= 4 * few else self._largest
        # A first call may be slow for reasons of its own, such as what has to be imported.
        if many < 4 * few or quick > (1 + JITTER) * slow:
            many, slow = self._latest
            return 0.0, 0, slow, many
        return min(quick, slow), few, slow, many

    def seconds(self, rows: int) -> float:
        """Time that this many rows will take."""
        overhead, per_row = self.cost()
        return rows * per_row + overhead * max(1.0, rows / self.rows(rows))

"""Batch sizes: how many rows to evaluate in one call of the model."""

from __future__ import annotations

# Long enough to hide the overhead of a call, short enough to react to a request to stop.
SECONDS_PER_BLOCK = 0.1
# Models with a large overhead per call get longer blocks: the overhead is at most one eighth of a
# block, or one sixteenth if that takes no longer than SECONDS_PER_STEP.
OVERHEAD_SHARE = 8
# Longest block, by a pessimistic estimate, before its cost is known.
SECONDS_PER_STEP = 1.0
# The first call has few rows: it shows at once whether the model accepts them, and the next call
# is so much larger that the two separate the overhead of a call from the time of a row.
FIRST_SHARE = 16
FIRST_ROWS = (8, 256)
# Memory may grow faster than rows (Gaussian processes), so block sizes grow at most by this factor
# until there are calls of two sizes.
GROWTH = 32
# Two calls separate the overhead from the time of a row if one has so many times the other's rows.
SEPARATE = 4
# Relative difference between the times of two calls of one size.
JITTER = 0.1
# A call of many rows was held up by something else if fewer rows then take less than this share of
# what they would take at its pace.
CONTRADICTION = 0.5


class BatchSizer:
    """Learns a model's cost, ``overhead + rows * seconds_per_row``, from the calls it makes.

    Parameters
    ----------
    most_rows : int
        Rows that fit in the memory reserved for one block.
    """

    def __init__(self, most_rows: int) -> None:
        self._most = max(1, most_rows)
        self._smallest: tuple[int, float] | None = None
        self._largest: tuple[int, float] | None = None
        self._latest: tuple[int, float] | None = None

    def observe(self, rows: int, seconds: float) -> None:
        """Learn from one call."""
        if self._contradicts_largest(rows, seconds):
            # Otherwise one call that stalled would make all later blocks tiny.
            self._largest = None
        if self._smallest is None or (rows, seconds) < self._smallest:
            self._smallest = (rows, seconds)
        if self._largest is None or rows >= self._largest[0]:
            self._largest = (rows, seconds)
        self._latest = (rows, seconds)

    def cost(self) -> tuple[float, float]:
        """Return the overhead of a call and the time of a row, in seconds."""
        quick, few, slow, many = self._compared()
        if not few:
            return 0.0, max(slow / many, 1e-9)
        per_row = max((slow - quick) / (many - few), 1e-9)
        return max(0.0, quick - per_row * few), per_row

    def rows(self, waiting: int) -> int:
        """Return the number of rows of the next block, given the number that is waiting."""
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
            # The time of calls of one size may be all overhead, or contain none. Another size
            # separates them: a larger one, or a smaller one where a larger one may take long.
            block = min(step, GROWTH * many) if step >= SEPARATE * many else many // SEPARATE
        else:
            aim = max(SECONDS_PER_BLOCK, dear, min(2 * dear, SECONDS_PER_STEP))
            block = min(step, int((aim - overhead) / per_row))
        block = max(1, min(block, self._most))
        # A small remainder joins the block rather than pay the overhead of another call.
        return waiting if waiting <= min(1.5 * block, self._most) else block

    def _contradicts_largest(self, rows: int, seconds: float) -> bool:
        """Whether a call was so short that the largest call does not show what a row costs."""
        if self._smallest is None or self._largest is None:
            return False
        (few, quick), (many, slow) = self._smallest, self._largest
        if not few < many:
            return False
        per_row = (slow - min(quick, slow)) / (many - few)
        return seconds < CONTRADICTION * rows * per_row

    def _dearest_row(self) -> float:
        """Return an upper bound for the time of each further row, in seconds."""
        quick, few, slow, many = self._compared()
        return max((slow - (1 - JITTER) * quick) / (many - few), 1e-9)

    def _compared(self) -> tuple[float, int, float, int]:
        """Return seconds and rows of a small and a large call, whose difference is time of rows.

        If no two calls differ enough, the small one is 0 seconds for 0 rows.
        """
        assert self._smallest is not None
        assert self._largest is not None
        assert self._latest is not None
        few, quick = self._smallest
        # The latest block is compared if it is much larger than the smallest. One that is not may
        # be all overhead, so then the largest block is compared instead.
        many, slow = self._latest if self._latest[0] >= SEPARATE * few else self._largest
        # The first call may be slow for other reasons, such as imports.
        if many < SEPARATE * few or quick > (1 + JITTER) * slow:
            many, slow = self._latest
            return 0.0, 0, slow, many
        return min(quick, slow), few, slow, many

    def seconds(self, rows: int) -> float:
        """Return the estimated time of so many rows, in seconds."""
        overhead, per_row = self.cost()
        return rows * per_row + overhead * max(1.0, rows / self.rows(rows))

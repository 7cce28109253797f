"""Batch sizes: how many rows to evaluate in one call of the model."""

from __future__ import annotations

import math
from typing import NamedTuple

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
# The first call may take so many seconds longer than others, because threads start in it.
SECONDS_TO_START = 0.1
# A long block of more rows than the most efficient one has too many if each row takes so many times
# as long, for example because its memory is new in every call.
INEFFICIENT = 1.5
# The limit is then at most this share of its rows, and grows slowly with each block near it, so
# that few blocks have too many rows.
LIMIT_SHARE, LIMIT_GROWTH = 0.7, 1.02


class _Call(NamedTuple):
    rows: int
    seconds: float


class BatchSizer:
    """Learns a model's cost, ``overhead + rows * seconds_per_row``, from the calls it makes.

    Parameters
    ----------
    most_rows : int
        Rows that fit in the memory reserved for one block.
    """

    def __init__(self, most_rows: int) -> None:
        self._most = max(1, most_rows)
        self._limit = float(self._most)
        self._smallest: _Call | None = None
        self._smallest_later: _Call | None = None
        self._largest: _Call | None = None
        self._latest: _Call | None = None
        self._most_efficient: _Call | None = None
        self._counts_first = True

    def observe(self, rows: int, seconds: float) -> None:
        """Learn from one call."""
        call = _Call(rows, seconds)
        if self._contradicts_largest(call):
            # Otherwise one call that stalled would make all later blocks tiny.
            self._largest = None
        if self._largest is None or rows >= self._largest.rows:
            self._largest = call
        self._compare_smallest(call, self._largest)
        self._compare_most_efficient(call)
        self._latest = call

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
        overhead, _ = cost = self.cost()
        longest = max(SECONDS_PER_STEP, OVERHEAD_SHARE * overhead)
        step = many + int((longest - slow) / self._dearest_row())
        if self._smallest.rows == self._largest.rows:
            # The time of calls of one size may be all overhead, or contain none. Another size
            # separates them: a larger one, or a smaller one where a larger one may take long.
            block = min(step, GROWTH * many) if step >= SEPARATE * many else many // SEPARATE
        else:
            enough = max(_efficient(self._cautious_cost()), self._fewest_to_separate())
            block = min(step, _efficient(cost), enough)
        block = max(1, min(block, self._most, int(self._limit)))
        # A small remainder joins the block rather than pay the overhead of another call.
        return waiting if waiting <= min(1.5 * block, self._most) else block

    def seconds(self, rows: int) -> float:
        """Return the estimated time of so many rows, in seconds."""
        overhead, per_row = self.cost()
        return rows * per_row + overhead * max(1.0, rows / self.rows(rows))

    def seconds_if_first_was_slow(self, rows: int) -> float:
        """Return the estimated time of so many rows if threads started in the first call."""
        overhead, per_row = self._cautious_cost()
        return overhead + rows * per_row

    def _compare_smallest(self, call: _Call, largest: _Call) -> None:
        """Keep the call of the fewest rows, without the first call once two others separate."""
        if self._smallest is None:
            self._smallest = call
            return
        self._smallest = min(self._smallest, call)
        self._smallest_later = min(self._smallest_later or call, call)
        if self._counts_first and largest.rows >= SEPARATE * self._smallest_later.rows:
            self._smallest, self._counts_first = self._smallest_later, False

    def _compare_most_efficient(self, call: _Call) -> None:
        """Keep the call whose rows were quickest, and limit blocks to a size near its size."""
        best = self._most_efficient
        if best is None or call.seconds * best.rows <= best.seconds * call.rows:
            self._most_efficient = best = call
        slowness = call.seconds * best.rows / max(best.seconds * call.rows, 1e-12)
        if call.rows > best.rows and call.seconds > SECONDS_PER_BLOCK and slowness > INEFFICIENT:
            self._limit = min(math.sqrt(best.rows * call.rows), LIMIT_SHARE * call.rows)
            self._largest = best
        elif call.rows * LIMIT_GROWTH > self._limit:
            self._limit *= LIMIT_GROWTH

    def _contradicts_largest(self, call: _Call) -> bool:
        """Whether a call was so short that the largest call does not show what a row costs."""
        if self._smallest is None or self._largest is None:
            return False
        (few, quick), (many, slow) = self._smallest, self._largest
        if not few < many:
            return False
        per_row = (slow - min(quick, slow)) / (many - few)
        return call.seconds < CONTRADICTION * call.rows * per_row

    def _cautious_cost(self) -> tuple[float, float]:
        """Return the cost as it is if threads started in the first call.

        What the first call took was then no overhead, and what the others took was due to their
        rows. It equals the cost as soon as two other calls separate the two.
        """
        overhead, per_row = self.cost()
        quick, few, slow, many = self._compared()
        if not self._counts_first or not few:
            return overhead, per_row
        certain = max(quick - SECONDS_TO_START, 0.0)
        return min(overhead, certain), max(per_row, (slow - certain) / many)

    def _fewest_to_separate(self) -> int:
        """Return how many rows separate overhead and time of a row without the first call."""
        if not self._counts_first or self._smallest_later is None:
            return 0
        return SEPARATE * self._smallest_later.rows

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
        many, slow = self._latest if self._latest.rows >= SEPARATE * few else self._largest
        # The first call may be slow for other reasons, such as imports.
        if many < SEPARATE * few or quick > (1 + JITTER) * slow:
            many, slow = self._latest
            return 0.0, 0, slow, many
        return min(quick, slow), few, slow, many


def _efficient(cost: tuple[float, float]) -> int:
    """Return how many rows make a block in which the overhead is a small part."""
    overhead, per_row = cost
    dear = OVERHEAD_SHARE * overhead
    aim = max(SECONDS_PER_BLOCK, dear, min(2 * dear, SECONDS_PER_STEP))
    return int((aim - overhead) / per_row)

"""Batch sizes: how many rows to evaluate in one call of the model."""

from __future__ import annotations

from collections import deque
from itertools import combinations
from statistics import median
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

# Long enough to hide the overhead of a call, short enough to react to a request to stop.
SECONDS_PER_BLOCK = 0.1
# Models with a large overhead per call get longer blocks: the overhead is at most one eighth of a
# block, or one sixteenth if that takes no longer than SECONDS_PER_STEP.
OVERHEAD_SHARE = 8
# Longest block, by a pessimistic estimate, before its cost is known.
SECONDS_PER_STEP = 1.0
# Share of the overhead that the pessimistic estimate takes for certain if no call was delayed.
CERTAIN = 0.9
# The first call has few rows: it shows at once whether the model accepts them, and the next call
# is so much larger that the two separate the overhead of a call from the time of a row.
FIRST_SHARE = 16
FIRST_ROWS = (8, 256)
# Memory may grow faster than rows (Gaussian processes), so block sizes grow at most by this factor
# until there are calls of two sizes.
GROWTH = 32
# Two calls separate the overhead from the time of a row if one has so many times the other's rows.
SEPARATE = 4
# The first call may take so many seconds longer than others, because threads start in it.
SECONDS_TO_START = 0.1
# The quickest of so many calls of about one size was not delayed.
REMEMBERED = 4
# Sizes that were not called for so many calls are forgotten, but for the smallest: they may have
# been delayed, or the model may be slower now.
FORGOTTEN = 16
# A model is as much slower now as in the median of so many calls.
RECENT = 5


class _Call(NamedTuple):
    rows: int
    seconds: float
    number: int


class _Cost(NamedTuple):
    overhead: float
    per_row: float

    def seconds(self, rows: float) -> float:
        return self.overhead + rows * self.per_row

    def efficient_rows(self) -> int:
        """Return how many rows make a block in which the overhead is a small part."""
        dear = OVERHEAD_SHARE * self.overhead
        aim = max(SECONDS_PER_BLOCK, dear, min(2 * dear, SECONDS_PER_STEP))
        return int((aim - self.overhead) / self.per_row)


class BatchSizer:
    """Learns a model's cost, ``overhead + rows * seconds_per_row``, from the calls it makes.

    Other work on the machine delays calls, and nothing makes them quicker. The cost is therefore
    a line below all calls, so that delayed ones do not change it, times the slowness of the
    latest calls.

    Parameters
    ----------
    most_rows : int
        Rows that fit in the memory reserved for one block.
    """

    def __init__(self, most_rows: int) -> None:
        self._most = max(1, most_rows)
        self._first: _Call | None = None
        self._latest: _Call | None = None
        # The calls after the first, by the logarithm of their size, and the smallest of them.
        self._later: dict[int, deque[_Call]] = {}
        self._smallest: _Call | None = None
        self._slowness: deque[float] = deque(maxlen=RECENT)
        # The calls that show the cost.
        self._known: list[_Call] = []
        # Their lowest line, which is the cost without the slowness of the latest calls.
        self._line = _Cost(0.0, 0.0)

    def observe(self, rows: int, seconds: float) -> None:
        """Learn from one call."""
        number = 0 if self._latest is None else self._latest.number + 1
        call = self._latest = _Call(rows, max(seconds, 1e-9), number)
        if number == 0:
            self._first = call
        else:
            self._smallest = min(self._smallest or call, call)
            self._later.setdefault(_size(call), deque(maxlen=REMEMBERED)).append(call)
        self._forget(call)
        self._known = self._calls_that_show_cost()
        if _separate(self._known):
            self._line = _lowest_line(self._known)
        else:
            self._line = _Cost(0.0, call.seconds / rows)
        self._slowness.append(call.seconds / max(self._line.seconds(rows), 1e-12))

    def cost(self) -> _Cost:
        """Return the overhead of a call and the time of a row, in seconds."""
        slowness = median(self._slowness or [1.0])
        return _Cost(self._line.overhead * slowness, max(self._line.per_row * slowness, 1e-9))

    def rows(self, waiting: int) -> int:
        """Return the number of rows of the next block, given the number that is waiting."""
        if self._latest is None:
            least, most = FIRST_ROWS
            first = min(max(waiting // FIRST_SHARE, least), most)
            return min(first if waiting >= 8 * least else waiting, self._most)
        many, slow, _ = self._latest
        overhead = min(self._line.overhead, slow)
        longest = max(SECONDS_PER_STEP, OVERHEAD_SHARE * overhead)
        certain = CERTAIN * overhead / max(self._slowness)
        step = int(many * (longest - certain) / (slow - certain))
        if _separate(self._known):
            cautious = self._cost_if_first_was_slow().efficient_rows()
            enough = max(cautious, self._fewest_to_separate())
            block = min(step, self.cost().efficient_rows(), enough)
        elif self._first is not None and step >= SEPARATE * many:
            # The time of calls of one size may be all overhead, or contain none. Another size
            # separates them: a larger one, or a smaller one where a larger one may take long or
            # larger ones were slow before.
            block = min(step, GROWTH * many)
        else:
            block = many // SEPARATE or SEPARATE * many
        block = max(1, min(block, self._most))
        # A small remainder joins the block rather than pay the overhead of another call.
        return waiting if waiting <= min(1.5 * block, self._most) else block

    def seconds(self, rows: int) -> float:
        """Return the estimated time of so many rows, in seconds."""
        if rows <= 0:
            return 0.0
        overhead, per_row = self.cost()
        return rows * per_row + overhead * max(1.0, rows / self.rows(rows))

    def most_seconds(self, rows: int) -> float:
        """Return a pessimistic estimate of the time of so many rows, in seconds.

        It is the time if threads started in the first call, and if all calls are as slow as the
        slowest of the latest ones.
        """
        if rows <= 0:
            return 0.0
        slowest = max(self._slowness, default=1.0) / median(self._slowness or [1.0])
        seconds = max(self.seconds(rows), self._cost_if_first_was_slow().seconds(rows))
        return seconds * slowest

    def _forget(self, latest: _Call) -> None:
        """Forget sizes that were not called for long, and a first call of more rows than now."""
        oldest = latest.number - FORGOTTEN
        self._later = {s: calls for s, calls in self._later.items() if calls[-1].number >= oldest}
        if self._first is not None and oldest > 0 and _size(self._first) > _size(latest):
            self._first = None

    def _calls_that_show_cost(self) -> list[_Call]:
        """Return the quickest call of each size, and the first call until others separate."""
        later = [min(calls, key=lambda call: call.seconds) for calls in self._later.values()]
        if self._smallest is not None:
            later.append(self._smallest)
        if self._first is None or _separate(later):
            return later
        return [self._first, *later]

    def _cost_if_first_was_slow(self) -> _Cost:
        """Return the cost as it is if threads started in the first call.

        What the first call took was then no overhead, and what the others took was due to their
        rows. It equals the cost as soon as two other calls separate the two.
        """
        if self._first is None or self._first not in self._known or self._smallest is None:
            return self.cost()
        certain = max(self._first.seconds - SECONDS_TO_START, 0.0)
        largest = max(self._known)
        overhead, per_row = self.cost()
        per_row = max(per_row, (largest.seconds - certain) / largest.rows)
        return _Cost(min(overhead, certain), per_row)

    def _fewest_to_separate(self) -> int:
        """Return how many rows separate overhead and time of a row without the first call."""
        if self._first not in self._known or self._smallest is None:
            return 0
        return SEPARATE * self._smallest.rows


def _size(call: _Call) -> int:
    return call.rows.bit_length()


def _separate(calls: Sequence[_Call]) -> bool:
    """Whether the calls separate the overhead of a call from the time of a row."""
    sizes = [call.rows for call in calls]
    return bool(sizes) and max(sizes) >= SEPARATE * min(sizes)


def _lowest_line(calls: Sequence[_Call]) -> _Cost:
    """Return the line below all calls that explains the largest share of their times."""
    steepest = min(call.seconds / call.rows for call in calls)
    slopes = [0.0, steepest]
    for one, other in combinations(calls, 2):
        if one.rows != other.rows:
            slope = (one.seconds - other.seconds) / (one.rows - other.rows)
            slopes.append(min(max(slope, 0.0), steepest))
    lines = [_Cost(min(c.seconds - slope * c.rows for c in calls), slope) for slope in slopes]
    return max(lines, key=lambda line: sum(line.seconds(c.rows) / c.seconds for c in calls))

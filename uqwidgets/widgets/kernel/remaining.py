"""The time that work still takes, from estimates that are corrected by how long it took so far."""

from __future__ import annotations

import re

# Seconds of the model for which an estimate is believed as it is, and its largest correction.
_BELIEVED, _MOST = 0.1, 50.0
# A later end moves by this share of the difference, unless twice the time is left.
_SMOOTHED = 0.2


class Remaining:
    """When work will have ended.

    An estimate knows the calls of the model and not all that is computed from them, so with many
    features and a quick model it is far too small. What counts is the rate over the whole work: the
    seconds that passed, per second in the model. A step that says how much of it is done, and not
    how long it takes, goes on at its own rate.
    """

    def __init__(self) -> None:
        self._began: tuple[float, float] | None = None
        self._estimate: float | None = None
        self._step = ""
        self._step_began = (0.0, 0)
        self._ends = float("inf")

    def ends(
        self,
        now: float,
        in_model: float,
        what: str,
        done: int,
        total: int,
        estimate: float | None,
    ) -> float:
        """Return when all work will have ended, by the clock; infinite where that is not known.

        Parameters
        ----------
        now : float
            By the clock, in seconds.
        in_model : float
            Seconds in calls of the model so far.
        what : str
            What is being done; steps that differ in numbers alone are one.
        done, total : int
            How much of this step.
        estimate : float or None
            Seconds that the model takes for all the work from now on, as far as it is known.
        """
        found = self._found(now, in_model, what, done, total, estimate)
        if self._ends < found < now + 2 * (self._ends - now):
            found = self._ends + _SMOOTHED * (found - self._ends)
        self._ends = found
        return found

    def _found(
        self,
        now: float,
        in_model: float,
        what: str,
        done: int,
        total: int,
        estimate: float | None,
    ) -> float:
        if self._began is None:
            self._began = now, in_model
        if estimate is not None:
            self._step, self._estimate = "", estimate
            return now + self._corrected(now, in_model)
        step = re.sub(r"\d", "", what)
        if step != self._step:
            self._step, self._step_began = step, (now, done)
        began, first = self._step_began
        known = 0.0 if self._estimate is None else self._corrected(now, in_model)
        if total and done > first:
            return now + known + (now - began) / (done - first) * (total - done)
        return now + known if self._estimate is not None else float("inf")

    def _corrected(self, now: float, in_model: float) -> float:
        assert self._began is not None
        assert self._estimate is not None
        passed, called = now - self._began[0], in_model - self._began[1]
        rate = (_BELIEVED + passed) / (_BELIEVED + called)
        return self._estimate * min(max(rate, 1.0), _MOST)

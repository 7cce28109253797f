"""How long a widget waits and works before it shows something, in one object."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Timing:
    """Limits that decide when something is shown; all times are in seconds.

    Tests pass limits of their own, so that no result depends on the speed of the machine.

    Attributes
    ----------
    summing : float
        Time that the sums of importance may take while a control moves; the remaining repeats
        follow when it rests.
    long_work : float
        Work that takes longer is split: a coarse result is shown first.
    frame_interval : float
        Pause between two frames that show progress only.
    rest : float
        A control that did not move for this time rests.
    before_following : float
        A complete answer rests for this time before everything that depends on tau is computed for
        all levels.
    heartbeat : float
        Silence after which the last frame is sent again; the browser takes longer silence for a
        dead kernel.
    picture : float
        How long showing the widget waits for a first result to draw in its static picture.
    first_frame : float
        How long the handler of a message waits for the first frame of its answer, see
        `Explorer.set_state`.
    n_rows_at_once : int
        Rows up to which all intervals under stress are computed without waiting for a rest.
    clock : callable
        Returns the time.
    """

    summing: float = 0.015
    long_work: float = 0.4
    frame_interval: float = 0.3
    rest: float = 0.15
    before_following: float = 0.05
    heartbeat: float = 0.5
    picture: float = 3.0
    first_frame: float = 0.2
    n_rows_at_once: int = 20_000
    clock: Callable[[], float] = time.perf_counter

"""Errors that end the work on a request, whose finished results are kept."""

from __future__ import annotations


class SupersededError(Exception):
    """A newer request came, or the work was stopped."""


class PausedError(SupersededError):
    """The work shares its thread with the event loop, and goes on later from what is cached.

    Parameters
    ----------
    seconds : float
        After which it may go on.
    """

    def __init__(self, seconds: float = 0.0) -> None:
        super().__init__(seconds)
        self.seconds = seconds

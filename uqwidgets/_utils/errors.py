"""What is said where somebody else's code fails."""

from __future__ import annotations


class ModelError(ValueError):
    """The model raised, or answered with something that is no distribution of its rows."""


def in_one_line(error: BaseException) -> str:
    """Name an error, with the first line of what it says."""
    return f"{type(error).__name__}: {first_line(error)}".removesuffix(": ")


def first_line(error: BaseException) -> str:
    """First line of what an error says; empty where it says nothing."""
    return next(iter(str(error).splitlines()), "")


# What to do about a write that numpy refuses.
IN_PLACE = "it writes into the model's answers, which other results need too; let it copy them."


def is_write(error: object) -> bool:
    """Whether an error says that something wrote into an array that must not change."""
    return isinstance(error, ValueError) and "read-only" in str(error)

"""How results show themselves as text."""

from __future__ import annotations

import pandas as pd


def in_unit(unit: str) -> str:
    """Return a unit as it follows a name, or nothing."""
    return f" in {unit}" if unit else ""


# What is done once, to every row alike.
_LEFT_OUT = {
    "refit": "fitted anew without it",
    "mean": "set to its mean",
    "median": "set to its median",
    "mode": "set to its most frequent value",
    "constant": "set to one value",
}


def replaced(replacement: str, n_repeats: int | str) -> str:
    """Return how values were replaced."""
    if replacement in _LEFT_OUT:
        return _LEFT_OUT[replacement]
    repeats = "every donor" if n_repeats == "all" else f"{n_repeats} repeats"
    return f"{replacement}, {repeats}"


def over_refits(n_refits: int) -> str:
    """Return what follows a description of a learner's result, or nothing of one model's."""
    return f", mean over {n_refits} refits" if n_refits else ""


def lines(head: str, frame: pd.DataFrame, remarks: tuple[str, ...]) -> str:
    """Return a heading, a table of at most twelve lines, and remarks."""
    table = frame.to_string(index=False, max_rows=12, float_format=lambda v: f"{v:.4g}")
    return "\n".join([head, table, *(f"note: {r}" for r in remarks)])

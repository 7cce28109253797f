"""The text representation of results."""

from __future__ import annotations

import pandas as pd


def in_unit(unit: str) -> str:
    """Return " in <unit>", or nothing without a unit."""
    return f" in {unit}" if unit else ""


# Replacements that treat every row alike and need no repeats.
_WITHOUT_REPEATS = {
    "refit": "fitted anew without it",
    "mean": "set to its mean",
    "median": "set to its median",
    "mode": "set to its most frequent value",
    "constant": "set to one value",
}


def replaced(replacement: str, n_repeats: int | str) -> str:
    """Return a description of the replacement and its repeats."""
    if replacement in _WITHOUT_REPEATS:
        return _WITHOUT_REPEATS[replacement]
    repeats = "every donor" if n_repeats == "all" else f"{n_repeats} repeats"
    return f"{replacement}, {repeats}"


def over_refits(n_refits: int) -> str:
    """Return ", mean over <n> refits" for a learner, or nothing for one model."""
    return f", mean over {n_refits} refits" if n_refits else ""


def lines(head: str, frame: pd.DataFrame, remarks: tuple[str, ...]) -> str:
    """Return a heading, a table of at most twelve lines, and remarks."""
    table = frame.to_string(index=False, max_rows=12, float_format=lambda v: f"{v:.4g}")
    return "\n".join([head, table, *(f"note: {r}" for r in remarks)])

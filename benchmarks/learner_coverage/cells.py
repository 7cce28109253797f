"""Repetitions of one setting, stored on disk so that a later run continues where one stopped."""

from __future__ import annotations

import time
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from benchmarks.learner_coverage.procedures import PROCEDURES
from benchmarks.learner_coverage.processes import PROCESSES
from benchmarks.learner_coverage.refits import Summary, fresh_estimate, summary

SAVED_EVERY = 60.0  # seconds


@dataclass(frozen=True)
class Setting:
    """A row of the paper's tables."""

    process: str
    procedure: str
    n: int

    def __str__(self) -> str:
        return f"{self.process} {self.procedure} {self.n}"


@dataclass(frozen=True)
class Truth:
    """Mean over fits on fresh rows, with the error of that mean: arrays (q,)."""

    mean: np.ndarray
    error: np.ndarray


def repetitions(setting: Setting, scheme: str, number: int, store: Path | None = None) -> Summary:
    """Summaries of that many tables, stacked along the first axis."""
    process, fit = PROCESSES[setting.process], PROCEDURES[setting.procedure]

    def one(rng: np.random.Generator) -> Summary:
        return summary(process, fit, setting.n, scheme, rng)

    return _accumulated(f"{setting} {scheme}", number, one, store)


def truth(setting: Setting, fits: int, store: Path | None = None) -> Truth:
    """Find the expected estimate over data sets of this size (Molnar et al. 2023, section 8)."""
    process, fit = PROCESSES[setting.process], PROCEDURES[setting.procedure]

    def one(rng: np.random.Generator) -> Summary:
        return {"estimates": fresh_estimate(process, fit, setting.n, rng)}

    drawn = _accumulated(f"{setting} truth", fits, one, store)["estimates"]
    return Truth(drawn.mean(axis=0), drawn.std(axis=0, ddof=1) / np.sqrt(fits))


def _accumulated(
    name: str, number: int, one: Callable[[np.random.Generator], Summary], store: Path | None
) -> Summary:
    """Compute the repetitions that are not stored yet; every repetition has its own seed."""
    path = None if store is None else store / f"{name.replace(' ', '_')}.npz"
    stored: Summary = {}
    if path is not None and path.exists():
        with np.load(path) as file:
            stored = {key: file[key] for key in file.files}
    have = len(next(iter(stored.values()))) if stored else 0
    new: list[Summary] = []
    saved = started = time.perf_counter()
    for k in range(have, number):
        new.append(one(np.random.default_rng([zlib.crc32(name.encode()), k])))
        if path is not None and (k == number - 1 or time.perf_counter() - saved > SAVED_EVERY):
            stored, new = _joined(stored, new), []
            _save(path, stored)
            saved = time.perf_counter()
            print(f"{name}: {k + 1} of {number}, {saved - started:.0f} s", flush=True)
    if new:
        stored = _joined(stored, new)
    return {key: values[:number] for key, values in stored.items()}


def _joined(stored: Summary, new: list[Summary]) -> Summary:
    stacked = {key: np.stack([one[key] for one in new]) for key in new[0]}
    return (
        {key: np.concatenate([stored[key], stacked[key]]) for key in stored} if stored else stacked
    )


def _save(path: Path, stored: Summary) -> None:
    # Write another file and rename it, so that an interrupted run leaves a complete file.
    aside = path.with_suffix(".part.npz")
    np.savez(aside, **stored)
    aside.replace(path)

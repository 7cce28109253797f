"""Coverage of a learner's intervals, by simulation.

Tables 1 and 2 of Molnar et al. 2023, and other intervals.

    python -m benchmarks.coverage                   print benchmarks/coverage.md; hours
    python -m benchmarks.coverage --write           write it
    python -m benchmarks.coverage --quick           a few cells of 100 tables; a minute

Repetitions are stored in build/coverage and reused: a stopped run continues, one that asks
for more makes only the new ones. Each has its own seed.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator
from pathlib import Path

from threadpoolctl import threadpool_limits

from benchmarks.learner_coverage.cells import Setting
from benchmarks.learner_coverage.kinds import section
from benchmarks.learner_coverage.methods import OFFERED, PAPER
from benchmarks.learner_coverage.printed import COLUMNS, PRINTED
from benchmarks.learner_coverage.prose import BETTER, ELSEWHERE, HEAD, TRIED
from benchmarks.learner_coverage.report import BEST, elsewhere, improved, reproduced, tried
from benchmarks.learner_coverage.scores import KINDS, Score, Study

RESULTS = Path(__file__).with_suffix(".md")
STORE = Path("build/coverage")
QUICK = (Setting("linear", "lm", 100), Setting("non-linear", "tree", 100))


def quick(tables: int = 100, fits: int = 2000) -> Iterator[tuple[Setting, str, str, Score, float]]:
    """Yield setting, kind, column, score and printed coverage of a few cells.

    The offered interval comes last in each, with nominal coverage for a printed one.
    """
    for setting in QUICK:
        study = Study(setting, tables, fits)
        for kind in KINDS:
            for column in COLUMNS:
                study_score = study.score(PAPER[column], kind)
                yield setting, kind, column, study_score, PRINTED[kind][setting][column]
            yield setting, kind, BEST[kind], study.score(OFFERED[BEST[kind]], kind), 0.95


def pages(options: argparse.Namespace) -> Iterator[str]:
    """Yield the whole report, line by line."""
    drawn = {
        procedure: (options.forest_tables, options.forest_fits)
        if procedure == "rf"
        else (options.tables, options.fits)
        for procedure in ("lm", "tree", "rf")
    }
    studies = [Study(row, *drawn[row.procedure], options.store) for row in PRINTED["PD"]]
    others = [
        Study(Setting("correlated", procedure, n), *drawn[procedure], options.store)
        for procedure in ("lm", "tree")
        for n in (100, 400)
    ]
    yield HEAD.format(**vars(options))
    for kind in KINDS:
        yield from reproduced(studies, kind)
    yield BETTER
    for kind in KINDS:
        yield from improved(studies, kind)
    yield TRIED
    yield from tried(studies)
    yield ELSEWHERE
    yield from elsewhere(others)
    kinds = options.store / "kinds"
    kinds.mkdir(exist_ok=True)
    yield from section(kinds)


def main() -> None:
    """Print or write the tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="a few cells of 100 tables")
    parser.add_argument("--write", action="store_true", help=f"write {RESULTS.name}")
    parser.add_argument("--tables", type=int, default=1000)
    parser.add_argument("--forest-tables", type=int, default=200)
    parser.add_argument("--fits", type=int, default=10_000, help="for the truth")
    parser.add_argument("--forest-fits", type=int, default=2000)
    parser.add_argument("--store", type=Path, default=STORE)
    options = parser.parse_args()
    # Tables are small: a second thread of the linear algebra would only wait for the first.
    with threadpool_limits(1):
        if options.quick:
            _print_quick()
            return
        options.store.mkdir(parents=True, exist_ok=True)
        text = "\n".join(pages(options))
    if options.write:
        RESULTS.write_text(text, encoding="utf-8")
    else:
        print(text)


def _print_quick() -> None:
    started = time.perf_counter()
    for setting, kind, column, score, printed in quick():
        print(
            f"{setting!s:22} {kind:3} {column:16} {score.coverage:.2f} "
            f"+- {score.error:.2f} (printed {printed:.2f}), width {score.ratio:.2f}"
        )
    print(f"{time.perf_counter() - started:.0f} s")


if __name__ == "__main__":
    main()

"""The report: our tables beside the printed ones, and intervals with better coverage."""

from __future__ import annotations

from collections.abc import Iterator

from scipy.special import ndtri

from benchmarks.learner_coverage.methods import LEVEL, OFFERED, PAPER, TRIED
from benchmarks.learner_coverage.printed import COLUMNS, PRINTED, TOLERANCE
from benchmarks.learner_coverage.scores import KINDS, Score, Study

BEST = {"PD": "group jackknife", "PFI": "row effects"}
NAMES = {"PD": "Table 1: partial dependence", "PFI": "Table 2: importance"}
REQUIRED, WIDEST = 0.93, 1.5


def reproduced(studies: list[Study], kind: str) -> Iterator[str]:
    """Yield the lines of one of the paper's tables, the printed figures in brackets."""
    yield f"### {NAMES[kind]}\n"
    yield _line("dgp", "model", "n", *COLUMNS)
    yield _line(*["---"] * 2, *["---:"] * 6)
    apart: dict[str, float] = {}
    errors = []
    for study in studies:
        row, printed = study.setting, PRINTED[kind][study.setting]
        scores = [study.score(PAPER[column], kind) for column in COLUMNS]
        shown = [
            f"{score.coverage:.3f} ({printed[column]:.2f})"
            for score, column in zip(scores, COLUMNS, strict=True)
        ]
        yield _line(row.process, row.procedure, str(row.n), *shown)
        errors += [score.error for score in scores]
        differences = [
            abs(score.coverage - printed[column])
            for score, column in zip(scores, COLUMNS, strict=True)
        ]
        apart[row.procedure] = max(apart.get(row.procedure, 0.0), *differences)
    largest = ", ".join(
        f"{apart[name]:.3f} for {name} (allowed {allowed})"
        for name, allowed in TOLERANCE.items()
        if name in apart
    )
    yield f"\nLargest difference from a printed figure: {largest}."
    yield f"Standard errors of the coverages: {min(errors):.4f} to {max(errors):.4f}.\n"


def improved(studies: list[Study], kind: str) -> Iterator[str]:
    """Yield the lines of the offered interval, beside the corrected one of the bootstrap."""
    yield f"### {NAMES[kind]}, {BEST[kind]}\n"
    heads = ("coverage", "(s.e.)", "width", "to ideal", "needed", "boot*", "width")
    yield _line("dgp", "model", "n", *heads)
    yield _line(*["---"] * 2, *["---:"] * 8)
    scores = []
    for study in studies:
        row = study.setting
        best, usual = study.score(OFFERED[BEST[kind]], kind), study.score(PAPER["boot*"], kind)
        ideal = study.score(PAPER["ideal"], kind).width
        needed = ndtri((1 + REQUIRED) / 2) / ndtri((1 + LEVEL) / 2) * best.least
        yield _line(
            row.process,
            row.procedure,
            str(row.n),
            f"{best.coverage:.3f}",
            f"({best.error:.3f})",
            f"{best.ratio:.2f}",
            f"{best.width / ideal:.2f}",
            f"{needed / ideal:.2f}",
            f"{usual.coverage:.3f}",
            f"{usual.ratio:.2f}",
        )
        scores.append(best)
    least = min(score.coverage for score in scores)
    widest = max(score.ratio for score in scores)
    yield (
        f"\nLeast coverage {least:.3f} (required {REQUIRED}), "
        f"greatest width {widest:.2f} ({WIDEST}).\n"
    )


def tried(studies: list[Study]) -> Iterator[str]:
    """Yield one line for every interval: its lowest coverage and its largest width."""
    heads = [f"{kind} {what}" for kind in KINDS for what in ("least coverage", "width")]
    yield _line("interval", *heads)
    yield _line("---", *["---:"] * 4)
    for name, method in TRIED.items():
        shown = []
        for kind in KINDS:
            scores: list[tuple[Score, str]] = [
                (study.score(method, kind), str(study.setting)) for study in studies
            ]
            least, where = min(scores, key=lambda one: one[0].coverage)
            widest, wide = max(scores, key=lambda one: one[0].ratio)
            shown += [f"{least.coverage:.3f} ({where})", f"{widest.ratio:.2f} ({wide})"]
        yield _line(name, *shown)
    yield ""


def elsewhere(studies: list[Study]) -> Iterator[str]:
    """Yield the coverage of each feature's importance, and of curves, in other processes."""
    yield _line("model", "n", "PD", "width", "PFI by feature", "width", "PFI boot*", "width")
    yield _line("---", *["---:"] * 7)
    for study in studies:
        curve = study.score(OFFERED[BEST["PD"]], "PD")
        best, usual = (study.score(m, "PFI") for m in (OFFERED[BEST["PFI"]], PAPER["boot*"]))
        yield _line(
            study.setting.procedure,
            str(study.setting.n),
            f"{curve.coverage:.3f}",
            f"{curve.ratio:.2f}",
            " ".join(f"{share:.2f}" for share in best.by_quantity),
            f"{best.ratio:.2f}",
            " ".join(f"{share:.2f}" for share in usual.by_quantity),
            f"{usual.ratio:.2f}",
        )
    yield ""


def _line(*columns: str) -> str:
    return f"| {' | '.join(columns)} |"

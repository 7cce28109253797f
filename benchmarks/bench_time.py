"""Coverage of intervals of rows in an order: means of blocks beside a HAC variance, by simulation.

Rows are first-order autoregressions in a feature and in the error, as in `bench_groups`. Each
quantity has the interval of ``time=``, from blocks of consecutive rows with the quantiles of t and
the corrections of the package (Ibragimov and Müller 2010), and intervals of the same influences
with a heteroskedasticity and autocorrelation consistent variance: the kernel of Bartlett with a
bandwidth of a fixed share b of the rows, or that of Andrews 1991, each with the critical values for
fixed b (Kiefer and Vogelsang 2005, table 1). In brackets, the mean width over that of blocks.

    python benchmarks/bench_time.py [runs] [out.md]      (default 400 runs; minutes)
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np

import uqwidgets as uq
from benchmarks.bench_groups import SPURIOUS, in_order, model
from uqwidgets.importance import Settings
from uqwidgets.importance.permutation import mean_changes
from uqwidgets.stress.columns import stressed_columns

SIZES, CORRELATIONS, TAU = (200, 1000), (0.0, 0.5, 0.8), 0.5
SHARES = (0.05, 0.1, 0.2)
METHODS = ("`time=`", *(f"HAC, b = {b:g}" for b in SHARES), "HAC, Andrews")
QUANTITIES = ("squared error", "importance of a", f"squared error at tau {TAU:g}")
VARIANCE = 2 + SPURIOUS**2
TRUTH = (VARIANCE, 2.0, VARIANCE)


def critical(b: float) -> float:
    """97.5 % quantile for fixed b, kernel of Bartlett (Kiefer and Vogelsang 2005, table 1)."""
    return 1.96 + 2.9694 * b + 0.416 * b**2 - 0.5324 * b**3


def hac_error(influences: np.ndarray, bandwidth: float) -> float:
    """Return the standard error of a sum of influences in order, by the kernel of Bartlett."""
    variance = float(influences @ influences)
    for lag in range(1, min(len(influences), int(np.ceil(bandwidth)))):
        weight = 1 - lag / bandwidth
        variance += 2 * weight * float(influences[lag:] @ influences[:-lag])
    return float(np.sqrt(max(variance, 0.0)))


def andrews(influences: np.ndarray) -> float:
    """Bandwidth for the kernel of Bartlett by an autoregression (Andrews 1991, eq. 6.2)."""
    rho = float(influences[1:] @ influences[:-1] / (influences[:-1] @ influences[:-1]))
    rho = min(max(rho, -0.97), 0.97)
    alpha = 4 * rho**2 / ((1 - rho) ** 2 * (1 + rho) ** 2)
    return max(1.0, 1.1447 * float(np.cbrt(alpha * len(influences))))


def quantities(explainer: uq.Explainer) -> Iterator[tuple[float, float, float, np.ndarray]]:
    """Yield estimate, ends of the interval of blocks, and influences whose sum is the error."""
    n = len(explainer.table)
    errors = explainer.evaluations.original_values(explainer.measure("squared_error"))
    scores = explainer.scores(["squared_error"])
    yield scores.value[0], scores.low[0], scores.high[0], (errors - errors.mean()) / n
    options = {"n_repeats": 10}
    result = explainer.importance("squared_error", ["a"], **options)
    settings = Settings(n_repeats=10, seed=explainer.seed)
    (change,) = mean_changes(
        explainer.evaluations,
        explainer.measure("squared_error"),
        ["a"],
        explainer.table.population(None, None),
        settings,
    )
    influences = (change.influence_scored + change.influence_donor) / n
    yield result.importance[0], result.low[0], result.high[0], influences
    stress = explainer.stress(["a"], ["squared_error"], taus=[TAU], level=0.95)
    at = int(np.flatnonzero(stress.taus == TAU)[0])
    ends = (of["squared_error"][0, at] for of in (stress.values, stress.low, stress.high))
    (column,) = stressed_columns(explainer.table, "a", 0.05, "quantile", "error", None)
    rows = column.stressed_rows(TAU, column.column.project(TAU).weights)
    yield *map(float, ends), sum(rows.parts(errors)) / n


def held(n: int, phi: float, seed: int) -> np.ndarray:
    """Return whether each method holds each truth, and its width: (methods, quantities, 2)."""
    X, y, of, _ = in_order(n, phi)(np.random.default_rng(seed))
    explainer = uq.Explainer(model, X, y, time=of)
    results = np.empty((len(METHODS), len(QUANTITIES), 2))
    for k, (value, low, high, influences) in enumerate(quantities(explainer)):
        ends = [(low, high)]
        for bandwidth in (*(b * n for b in SHARES), andrews(influences)):
            half = critical(bandwidth / n) * hac_error(influences, bandwidth)
            ends.append((value - half, value + half))
        for m, (start, stop) in enumerate(ends):
            results[m, k] = start <= TRUTH[k] <= stop, stop - start
    return results


def table(runs: int) -> Iterator[str]:
    """Yield the lines of the table."""
    yield "| rows | correlation | quantity | " + " | ".join(METHODS) + " |"
    yield "|---:|---:|---|" + "---:|" * len(METHODS)
    for n in SIZES:
        for phi in CORRELATIONS:
            means = np.mean([held(n, phi, seed) for seed in range(runs)], axis=0)
            for k, quantity in enumerate(QUANTITIES):
                cells = [
                    f"{share:.2f}".lstrip("0")
                    + ("" if m == 0 else f" ({width / means[0, k, 1]:.2f})")
                    for m, (share, width) in enumerate(means[:, k])
                ]
                yield f"| {n} | {phi:g} | {quantity} | {' | '.join(cells)} |"


def main() -> None:
    """Print the table, and write it where a file is named."""
    runs, lines = int(sys.argv[1]) if len(sys.argv) > 1 else 400, []
    started = time.perf_counter()
    for line in table(runs):
        print(line, flush=True)
        lines.append(line)
    print(f"{time.perf_counter() - started:.0f} s")
    if len(sys.argv) > 2:
        head = (
            "# Rows in an order: blocks beside a HAC variance\n\nMade by `python -m "
            f"benchmarks.bench_time {runs}`, which says what was simulated: the share of {runs} "
            "nominal 95 % intervals that contained the true value and, in brackets, the mean width "
            "relative to that of `time=`; the standard error of a share of .95 is "
            f"{np.sqrt(0.95 * 0.05 / runs):.3f}.\n\n"
        )
        Path(sys.argv[2]).write_text(head + "\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()

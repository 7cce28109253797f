"""Coverage of nominal 95 % intervals of means of losses, by simulation.

Each table has n losses of independent rows: squared errors of a model whose errors are normal, or
whose errors have a bias, are exponential, or have five degrees of freedom; absolute errors, and the
negative log-likelihood of a normal prediction. Every interval is computed as the plain interval of
t with n - 1 degrees of freedom, and with the degrees of freedom of Satterthwaite 1946 and the
correction of Hall 1992, as curves and scores have it (`uqwidgets.inference.mean_intervals`). The
last column is the share of tables with the remark ``heavy-tails``.

    python benchmarks/bench_means.py [runs] [out.md]      (default 20000 runs; a minute)
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
from scipy import stats

from uqwidgets.inference.mean_intervals import have_heavy_tails, mean_intervals
from uqwidgets.inference.population import Population

SIZES = (30, 50, 200, 400, 1000, 3000)
Draw = Callable[[np.random.Generator, tuple[int, int]], np.ndarray]
HALF_LOG = np.log(2 * np.pi) / 2
# What draws losses, and their mean in the population.
LOSSES: dict[str, tuple[Draw, float]] = {
    "squared error, normal": (lambda rng, size: rng.normal(size=size) ** 2, 1.0),
    "squared error, biased": (lambda rng, size: (1 + rng.normal(size=size)) ** 2, 2.0),
    "squared error, t5": (lambda rng, size: rng.standard_t(5, size=size) ** 2, 5 / 3),
    "squared error, t4": (lambda rng, size: rng.standard_t(4, size=size) ** 2, 2.0),
    "squared error, t3": (lambda rng, size: rng.standard_t(3, size=size) ** 2, 3.0),
    "squared error, exponential": (lambda rng, size: (rng.exponential(size=size) - 1) ** 2, 1.0),
    "absolute error, normal": (lambda rng, size: np.abs(rng.normal(size=size)), np.sqrt(2 / np.pi)),
    "absolute error, t3": (
        lambda rng, size: np.abs(rng.standard_t(3, size=size)),
        2 * np.sqrt(3) / np.pi,
    ),
    "nll, normal": (lambda rng, size: HALF_LOG + rng.normal(size=size) ** 2 / 2, HALF_LOG + 0.5),
    "exponential": (lambda rng, size: rng.exponential(size=size), 1.0),
}
_TOGETHER = 1000


def shares(draw: Draw, truth: float, n: int, runs: int) -> np.ndarray:
    """Return the shares of intervals below, around and above the truth, the mean width, and tails.

    The first line is of the plain interval, the second of the corrected one. The last number is the
    share of tables with heavy tails.
    """
    rng = np.random.default_rng(n)
    sums = np.zeros((2, 5))
    for _ in range(runs // _TOGETHER):
        means = mean_intervals(draw(rng, (_TOGETHER, n)), Population.of(n))
        half = stats.t.ppf(0.975, n - 1) * means.error
        for k, (low, high) in enumerate(
            ((means.estimate - half, means.estimate + half), means.at(0.95))
        ):
            held = (low <= truth) & (truth <= high)
            sums[k] += (
                (high < truth).mean(),
                held.mean(),
                (low > truth).mean(),
                np.mean(high - low),
                have_heavy_tails(means.df, n).mean(),
            )
    return sums / (runs // _TOGETHER)


def table(runs: int) -> Iterator[str]:
    """Yield the lines of the table."""
    yield (
        "| losses | rows | plain t: covers | too low | too high | corrected: covers | too low | "
        "too high | times as wide | remark |"
    )
    yield "|---|---:|" + "---:|" * 8
    for name, (draw, truth) in LOSSES.items():
        for n in SIZES:
            plain, corrected = shares(draw, truth, n, runs)
            cells = [
                f"{share:.3f}".lstrip("0")
                for below, held, above, *_ in (plain, corrected)
                for share in (held, below, above)
            ]
            cells += [f"{corrected[3] / plain[3]:.2f}", f"{corrected[4]:.3f}".lstrip("0")]
            yield f"| {name} | {n} | {' | '.join(cells)} |"


def main() -> None:
    """Print the table, and write it where a file is named."""
    runs, lines = int(sys.argv[1]) if len(sys.argv) > 1 else 20_000, []
    started = time.perf_counter()
    for line in table(runs):
        print(line, flush=True)
        lines.append(line)
    print(f"{time.perf_counter() - started:.0f} s")
    if len(sys.argv) > 2:
        head = (
            "# Coverage of intervals of mean losses\n\nMade by `python benchmarks/bench_means.py "
            f"{runs}`, which says what was simulated: the share of {runs} nominal 95 % intervals "
            "that contained the mean loss of the population, and of those that were below it or "
            "above; the last column is the share of tables with the remark `heavy-tails`. The "
            f"standard error of a share of .95 is {np.sqrt(0.95 * 0.05 / runs):.4f}.\n\n"
        )
        Path(sys.argv[2]).write_text(head + "\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()

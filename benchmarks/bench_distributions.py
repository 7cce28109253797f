"""Entropy and nll of every kind of distribution, per 100,000 rows, beside other libraries.

The ratio is their time divided by ours on the same numbers; the difference is the largest one
between their numbers and ours. Slow functions run on fewer rows, and their time is scaled up.
NGBoost and skpro are included if they are installed.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from importlib.util import find_spec

import numpy as np
import pandas as pd
from scipy import integrate, stats
from scipy.special import logsumexp

import uqwidgets as uq
from uqwidgets.predictive import Mixture, Quantiles

PER = 100_000
RNG = np.random.default_rng(0)

Work = Callable[[int], object]


def seconds(work: Work, rows: int) -> tuple[float, np.ndarray]:
    """Least processor time of some runs on the first rows, for 100,000, and the numbers."""
    times = []
    while len(times) < 3 or (sum(times) < 0.3 and len(times) < 20):
        start = time.process_time()
        computed = work(rows)
        times.append(time.process_time() - start)
        if times[0] > 3:
            break
    return min(times) * PER / rows, np.asarray(computed, dtype=np.float64).reshape(-1)


def compare(name: str, ours: Work, rows: int, **theirs: tuple[Work, int]) -> None:
    """Print our time, and the ratio and the difference of every other."""
    own, numbers = seconds(ours, rows)
    print(f"{name:42s} {1e3 * own:9.2f} ms", end="")
    for other, (work, fewer) in theirs.items():
        took, computed = seconds(work, fewer)
        apart = np.abs(computed - numbers[: len(computed)]).max()
        print(f"   {other} x{took / own:.3g} (differs by {apart:.0e})", end="")
    print(flush=True)


def categorical(k: int) -> None:
    """Probabilities of ``k`` classes."""
    p = RNG.dirichlet(np.ones(k), size=PER)
    labels = np.array([f"class {c}" for c in range(k)])
    codes = RNG.integers(k, size=PER)
    compare(
        f"categorical, {k} classes: entropy",
        lambda n: uq.Categorical(p[:n], labels).entropy(),
        PER,
        scipy=(lambda n: stats.entropy(p[:n], axis=1), PER),
    )
    compare(
        f"categorical, {k} classes: nll",
        lambda n: -uq.Categorical(p[:n], labels).log_prob_of_codes(codes[:n]),
        PER,
        scipy=(lambda n: -stats.multinomial.logpmf(np.eye(k)[codes[:n]], 1, p[:n]), PER),
    )


def normal() -> None:
    """One normal distribution per row."""
    mean, std, y = RNG.normal(size=PER), RNG.uniform(0.5, 2, size=PER), RNG.normal(size=PER)

    def ours(n: int) -> uq.Normal:
        return uq.Normal(mean[:n], std[:n])

    entropy = {"scipy": (lambda n: stats.norm(mean[:n], std[:n]).entropy(), PER)}
    nll = {"scipy": (lambda n: -stats.norm(mean[:n], std[:n]).logpdf(y[:n]), PER)}
    if find_spec("ngboost"):
        from ngboost.distns import Normal as NGBoostNormal

        parameters = np.stack([mean, np.log(std)])
        entropy["NGBoost"] = (lambda n: NGBoostNormal(parameters[:, :n]).entropy(), PER)
        nll["NGBoost"] = (lambda n: -NGBoostNormal(parameters[:, :n]).logpdf(y[:n]), PER)
    if find_spec("skpro"):
        from skpro.distributions import Normal as SkproNormal

        columns = mean[:, None], std[:, None], pd.DataFrame({0: y})
        nll["skpro"] = (
            lambda n: -SkproNormal(columns[0][:n], columns[1][:n]).log_pdf(columns[2][:n]),
            PER,
        )
    compare("normal: entropy", lambda n: ours(n).entropy(), PER, **entropy)
    compare("normal: nll", lambda n: -ours(n).log_prob(y[:n]), PER, **nll)
    compare("normal: crps", lambda n: ours(n).crps(y[:n]), PER)


def normal_mixture(name: str, loc: np.ndarray, scale: np.ndarray, rows: int = 5_000) -> None:
    """As many normal distributions per row as there are columns."""
    m = loc.shape[1]
    weights, y = np.full(m, 1 / m), RNG.normal(size=len(loc))
    name = f"{m} normals, {name}"

    def ours(n: int) -> Mixture:
        return Mixture(uq.Normal(loc[:n], scale[:n]), weights)

    def scipys(n: int, what: Callable[[stats.Mixture, float], float]) -> list[float]:
        computed = []
        for mean, std, at in zip(loc[:n], scale[:n], y[:n], strict=True):
            members = [stats.Normal(mu=a, sigma=b) for a, b in zip(mean, std, strict=True)]
            computed.append(what(stats.Mixture(members, weights=weights), at))
        return computed

    def integrated(n: int) -> list[float]:
        """Entropy by adaptive quadrature of a density that is written out, row by row."""
        computed = []
        for mean, std in zip(loc[:n], scale[:n], strict=True):

            def integrand(x: float, mean: np.ndarray = mean, std: np.ndarray = std) -> float:
                log_q = logsumexp(-0.5 * ((x - mean) / std) ** 2 - np.log(std), b=weights)
                log_q -= 0.5 * np.log(2 * np.pi)
                return float(-np.exp(log_q) * log_q)

            ends = (mean - 9 * std).min(), (mean + 9 * std).max()
            computed.append(integrate.quad(integrand, *ends, points=np.sort(mean), limit=5000)[0])
        return computed

    entropy = {"quad": (integrated, 5)}
    nll = {}
    if hasattr(stats, "Mixture"):
        entropy["scipy"] = (lambda n: scipys(n, lambda q, _: q.entropy()), 5)
        nll["scipy"] = (lambda n: scipys(n, lambda q, at: -q.logpdf(at)), 5)
    if find_spec("skpro"):
        from skpro.distributions import NormalMixture

        nll["skpro"] = (
            lambda n: (
                -NormalMixture(
                    np.tile(weights, (n, 1)), loc[:n, :, None], scale[:n, :, None]
                ).log_pdf(pd.DataFrame({0: y[:n]}))
            ),
            rows,
        )
    compare(f"{name}: entropy", lambda n: ours(n).entropy(), rows, **entropy)
    compare(f"{name}: entropy by moments", lambda n: ours(n).entropy("moments"), rows)
    compare(f"{name}: nll", lambda n: -ours(n).log_prob(y[:n]), rows, **nll)
    compare(f"{name}: crps", lambda n: ours(n).crps(y[:n]), rows)
    compare(f"{name}: interval", lambda n: np.concatenate(ours(n).interval(0.9)), rows)
    took, _ = seconds(lambda n: ours(n).entropy(), rows)
    print(f"{'':42s} {60 * PER / took:,.0f} rows of entropy per minute")


def categorical_mixture(m: int, k: int, rows: int = 20_000) -> None:
    """Members that give probabilities."""
    p = RNG.dirichlet(np.ones(k), size=(rows, m))
    codes = RNG.integers(k, size=rows)

    def ours(n: int) -> Mixture:
        return Mixture(uq.Categorical(p[:n], np.arange(k)))

    name = f"{m} members of {k} classes"
    compare(
        f"{name}: entropy",
        lambda n: ours(n).entropy(),
        rows,
        scipy=(lambda n: stats.entropy(p[:n].mean(axis=1), axis=1), rows),
    )
    compare(
        f"{name}: epistemic",
        lambda n: ours(n).epistemic(),
        rows,
        scipy=(
            lambda n: (
                stats.entropy(p[:n].mean(axis=1), axis=1)
                - stats.entropy(p[:n], axis=2).mean(axis=1)
            ),
            rows,
        ),
    )
    compare(f"{name}: nll", lambda n: -ours(n).log_prob_of_codes(codes[:n]), rows)


def quantiles(q: int) -> None:
    """Predicted quantiles."""
    levels = np.linspace(0.05, 0.95, q)
    values = np.sort(RNG.normal(size=(PER, q)), axis=1)
    y = RNG.normal(size=PER)
    compare(f"{q} quantiles: entropy", lambda n: Quantiles(levels, values[:n]).entropy(), PER)
    compare(f"{q} quantiles: nll", lambda n: -Quantiles(levels, values[:n]).log_prob(y[:n]), PER)
    compare(f"{q} quantiles: crps", lambda n: Quantiles(levels, values[:n]).crps(y[:n]), PER)


def main() -> None:
    """Run every size."""
    print("per 100,000 rows, making and checking the distribution included")
    categorical(2)
    categorical(10)
    normal()
    shape = 5_000, 50
    normal_mixture("overlapping", RNG.normal(size=shape), RNG.uniform(0.5, 1.5, size=shape))
    normal_mixture(
        "scales 1:1000",
        RNG.normal(size=shape),
        10 ** RNG.uniform(-3, 0, size=shape),
    )
    apart = RNG.permuted(np.tile(100.0 * np.arange(shape[1]), (shape[0], 1)), axis=1)
    normal_mixture("100 sd apart", apart, np.ones(shape))
    categorical_mixture(50, 3)
    quantiles(19)


if __name__ == "__main__":
    main()

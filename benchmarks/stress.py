"""Stress of every feature compared with table 2 of Bachoc et al. 2023 and its authors' package.

The package, ethik, does not run on current pandas. Where UQ_ETHIK_PYTHON names a Python that has
it, every size is run there too, after ours. Times are processor times, the minimum of some
rounds; the indicator is the share of each predicted class, with 21 levels, or 3 for images.
"""

from __future__ import annotations

import itertools
import os
import subprocess
import time
import tracemalloc
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pandas as pd

import uqwidgets as uq
from uqwidgets.stress.compressed.compression import compress
from uqwidgets.stress.compressed.levels import levels

ETHIK = """
import sys, time, warnings
import numpy as np, pandas as pd
from ethik import ClassificationExplainer
warnings.simplefilter("ignore")
with np.load(sys.argv[1]) as saved:
    X, labels, taus = saved["X"], saved["labels"], int(saved["taus"])
X = pd.DataFrame(X, columns=[f"x{j}" for j in range(X.shape[1])])
if labels.max() == 1:
    predicted = pd.Series(labels == 1, name="one")
else:
    predicted = pd.DataFrame({f"class {k}": labels == k for k in range(labels.max() + 1)})
explainer = ClassificationExplainer(n_taus=taus, verbose=False)
start = time.process_time()
explainer.explain_influence(X, predicted)
print(time.process_time() - start)
"""


@dataclass(frozen=True)
class Size:
    """A table to stress.

    Attributes
    ----------
    n, p : int
    paper : float or None
        Seconds in table 2 of Bachoc et al. 2023.
    images : bool
        Whether the columns are pixels, with ten classes.
    """

    n: int
    p: int
    paper: float | None
    images: bool = False

    @property
    def taus(self) -> int:
        """Number of levels."""
        return 3 if self.images else 21


SIZES = [
    Size(10**4, 10, 0.76),
    Size(10**4, 100, 7.79),
    Size(10**4, 1000, 82.5),
    Size(10**5, 10, 7.93),
    Size(10**6, 10, 86.0),
    Size(10**4, 784, None, images=True),
]


def probabilities(classes: int, X: np.ndarray) -> np.ndarray:
    """Return the probabilities of a very fast model, shape (n, classes)."""
    scores = np.asarray(X, dtype=np.float64)[:, :classes]
    if classes == 2:
        scores = np.column_stack([np.zeros(len(X)), scores[:, 0]])
    shares = np.exp(scores - scores.max(axis=1, keepdims=True))
    return shares / shares.sum(axis=1, keepdims=True)


def made(size: Size) -> tuple[np.ndarray, np.ndarray, uq.Explainer]:
    """Return features, predicted labels, and an explainer that knows the model's answers."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(size.n, size.p))
    if size.images:
        X = np.where(X > 0.8, np.floor(X * 80).clip(0, 255), 0.0)
    classes = 10 if size.images else 2
    labels = probabilities(classes, X).argmax(axis=1)
    model = uq.as_predictive(partial(probabilities, classes), classes=np.arange(classes))
    frame = pd.DataFrame(X, columns=[f"x{j}" for j in range(size.p)])
    return X, labels, uq.Explainer(model, frame, labels)


def seconds(work: Callable[[], object], rounds: int) -> float:
    """Processor time of the fastest round."""
    times = []
    for _ in range(rounds):
        start = time.process_time()
        work()
        times.append(time.process_time() - start)
    return min(times)


def peak(work: Callable[[], object]) -> int:
    """Return the peak of allocated bytes."""
    tracemalloc.start()
    work()
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return most


def ethik_seconds(size: Size, X: np.ndarray, labels: np.ndarray, python: str) -> float:
    """Processor time of ethik on the same table."""
    with TemporaryDirectory() as folder:
        path = Path(folder, "table.npz")
        np.savez(path, X=X, labels=labels, taus=size.taus)
        run = subprocess.run(
            [python, "-c", ETHIK, str(path)], capture_output=True, text=True, check=True
        )
    return float(run.stdout)


def compare(size: Size, python: str | None) -> None:
    """Print one line: ours, the paper's, and ethik's."""
    X, labels, explainer = made(size)
    shares = [name for name in explainer.indicators if name.startswith("share:")]
    indicators = shares if size.images else shares[1:]
    # Another tail each time, because an explainer compresses a column once.
    tails = itertools.count(0.05, 1e-6)

    def work() -> None:
        explainer.stress(indicators=indicators, taus=size.taus, tail=next(tails))

    ours = seconds(work, 1 if size.n * size.p > 5 * 10**6 else 3)
    memory = peak(work) / X.nbytes
    paper = "" if size.paper is None else f"{size.paper:8.2f}"
    theirs = ""
    if python is not None:
        peer = ethik_seconds(size, X, labels, python)
        theirs = f"{peer:8.2f}  {peer / ours:6.0f} x"
    cell = ours / (size.n * size.p) * 1e9
    print(
        f"{size.n:>9,} x {size.p:<5}{ours:8.3f}  {cell:9.0f}  {memory:9.2f}  {paper:>8}  {theirs}"
    )


def one_more_level() -> None:
    """Print the time of a further level of tau with a compressed column."""
    taus = np.array([0.37])
    for n in (10**4, 10**5, 10**6):
        values = np.random.default_rng(0).normal(size=n)
        outputs = [(values > 0.3).astype(np.float64)]
        compressed = compress(values, outputs, *np.quantile(values, [0.05, 0.95]))
        levels(compressed, taus)
        cost = seconds(lambda c=compressed: [levels(c, taus).means for _ in range(100)], 3) / 100
        _, _, explainer = made(Size(n, 10, None))
        results = (explainer.stress(["x3"], taus=[tau]) for tau in np.linspace(0.1, 0.9, 100))
        call = partial(next, results)
        first, further = seconds(call, 1), seconds(call, 20)
        print(
            f"{n:>9,} rows: {len(compressed.occupied):4} nodes, {cost * 1e3:.2f} ms; "
            f"Explainer.stress of a feature {first * 1e3:.1f} ms, then {further * 1e3:.1f} ms for "
            f"another level, 1 / {first / further:.0f}"
        )


def from_batches() -> None:
    """Print how batches compare with the same rows at once."""
    size = Size(10**6, 10, None)
    X, labels, explainer = made(size)
    frame = pd.DataFrame(X, columns=list(explainer.features)).assign(label=labels)

    def batches() -> list[pd.DataFrame]:
        return [frame[k : k + 50_000] for k in range(0, size.n, 50_000)]

    work = partial(
        uq.stress_batches, explainer.predictive, batches, "label", indicators=["share:1"]
    )
    at_once = explainer.stress(indicators=["share:1"])
    result = work()
    error = np.nanmax(np.abs(result.values["share:1"] - at_once.values["share:1"]))
    print(
        f"20 batches of 50,000 rows x 10: {seconds(work, 1):.2f} s with the model's answers, "
        f"memory {peak(work) / frame[:50_000].memory_usage().sum():.1f} x a batch, "
        f"farthest from all rows at once {error:.0e}"
    )


def main() -> None:
    """Run all sizes."""
    python = os.environ.get("UQ_ETHIK_PYTHON")
    print("     rows x features    s   ns per cell  memory/data  paper, s  ethik, s (ratio)")
    for size in SIZES:
        compare(size, python)
    print("one more level")
    one_more_level()
    from_batches()


if __name__ == "__main__":
    main()

"""Scores that are expected in another table: how often their intervals hold the true one.

    python -m benchmarks.bench_expected               print the table; some minutes
    python -m benchmarks.bench_expected --tables 1000 with smaller errors

The rows at hand are normal. In the other table the first two columns have other means, and in some
designs all have another spread. The loss depends on x by a square and a sine, and has exponential
noise; its dependence is the same in both tables. Beside the intervals is what importance weighting
by a classifier gives: a logistic regression on the columns and their squares, whose odds weight the
rows, and the interval of t for a weighted mean (Shimodaira 2000).
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator

import numpy as np
from sklearn.linear_model import LogisticRegression
from threadpoolctl import threadpool_limits

from uqwidgets._typing import Floats
from uqwidgets.another_table import TowardsTable
from uqwidgets.another_table.moments import moments_of
from uqwidgets.evaluation.table import Table
from uqwidgets.inference import half_width, mean_over_rows
from uqwidgets.inference.moments import bounds_of_moments, moments_of_influences
from uqwidgets.inference.population import Population, effective_sample_size
from uqwidgets.predictive import as_predictive

LEVEL = 0.95
_MODEL = as_predictive(lambda X: np.zeros(len(X)))
# Rows here and there, columns, the shift of the first two in standard deviations, and the spread.
DESIGNS = (
    (300, 300, 2, 0.5, 1.0),
    (300, 300, 2, 1.0, 1.0),
    (1000, 1000, 5, 0.5, 1.0),
    (1000, 500, 10, 0.5, 0.8),
    (1000, 1000, 30, 0.3, 1.0),
    (3000, 1000, 5, 1.0, 1.0),
    (5000, 5000, 10, 0.5, 1.0),
)


def losses(X: Floats, rng: np.random.Generator) -> Floats:
    """Return the loss of each row."""
    noise = rng.exponential(size=len(X))
    return 1 + 0.5 * X[:, 0] + 0.3 * X[:, 0] ** 2 + 0.3 * np.sin(2 * X[:, 1]) + noise


def there(m: int, p: int, shift: float, spread: float, rng: np.random.Generator) -> Floats:
    """Return rows of the other table."""
    X = spread * rng.normal(size=(m, p))
    X[:, :2] += shift
    return X


def ours(X: Floats, new: Floats, loss: Floats) -> tuple[float, float, float]:
    """Return both ends of the interval, and the effective rows."""
    table, other = Table(X, None, _MODEL), Table(new, None, _MODEL)
    moments = moments_of(table, other, table.features, squares=True)
    at = TowardsTable.of(moments, np.ones(len(X)), np.ones(len(new)), None, None)
    value = float(at.weights @ loss / at.weights.sum())
    influences = np.concatenate(at.influences(loss - value))
    ess = effective_sample_size(at.weights)
    _, low, high = bounds_of_moments(moments_of_influences(value, influences, ess - 1), LEVEL)
    return float(low), float(high), ess


def by_classifier(X: Floats, new: Floats, loss: Floats) -> tuple[float, float]:
    """Return both ends of the interval with weights by a classifier."""
    both = np.concatenate([X, new])
    label = np.repeat([0, 1], [len(X), len(new)])
    columns = np.column_stack([both, np.square(both)])
    p = LogisticRegression(max_iter=1000).fit(columns, label).predict_proba(columns[: len(X)])
    population = Population.of(len(X), p[:, 1] / p[:, 0])
    mean, error = mean_over_rows(loss[None], population)
    half = half_width(error, LEVEL, population)
    return float(mean[0] - half[0]), float(mean[0] + half[0])


def table(tables: int) -> Iterator[str]:
    """Yield the lines of the table."""
    yield "rows  there  columns  shift  spread  eff. rows  held  width  by classifier  width"
    for n, m, p, shift, spread in DESIGNS:
        rng = np.random.default_rng(99)
        truth = losses(there(400_000, p, shift, spread, rng), rng).mean()
        lines = []
        for seed in range(tables):
            rng = np.random.default_rng(seed)
            X, new = rng.normal(size=(n, p)), there(m, p, shift, spread, rng)
            loss = losses(X, rng)
            low, high, ess = ours(X, new, loss)
            ends = by_classifier(X, new, loss)
            held = low <= truth <= high, ends[0] <= truth <= ends[1]
            lines.append([ess, held[0], high - low, held[1], ends[1] - ends[0]])
        ess, held_here, width, held_there, other = np.mean(lines, axis=0)
        design = f"{n:4,}  {m:5,}  {p:7}  {shift:5}  {spread:6}"
        here = f"{ess:9.0f}  {held_here:.3f} {width:5.2f}"
        yield f"{design}  {here}  {held_there:13.3f} {other:6.2f}"


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tables", type=int, default=300)
    options = parser.parse_args()
    with threadpool_limits(1):
        for line in table(options.tables):
            print(line, flush=True)

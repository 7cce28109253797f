"""The verdict on a calibration names the direction, and is seldom wrong on calibrated models."""

from __future__ import annotations

import numpy as np
import pytest

import uqwidgets as uq

ROWS = 2000


def of_numbers(std: float) -> str:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(ROWS, 1))
    y = X[:, 0] + rng.normal(size=ROWS)
    return uq.Explainer(lambda X: (X[:, 0], np.full(len(X), std)), X, y).calibration().verdict


def of_classes(factor: float, shift: float = 0.0, seed: int = 0, rows: int = ROWS) -> str:
    """The verdict on log-odds that are the true ones times a factor, plus a shift."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rows, 1))
    y = rng.random(rows) < 1 / (1 + np.exp(-2 * X[:, 0]))

    def model(X: np.ndarray) -> np.ndarray:
        p = 1 / (1 + np.exp(-2 * factor * X[:, 0] - shift))
        return np.column_stack([1 - p, p])

    return uq.Explainer(uq.as_predictive(model, classes=[False, True]), X, y).calibration().verdict


@pytest.mark.parametrize(
    ("std", "kind"), [(0.5, "too sure"), (2.0, "too cautious"), (1.0, "calibrated, as far as")]
)
def test_the_verdict_on_numbers_is_that_of_the_90_percent_intervals(std: float, kind: str) -> None:
    verdict = of_numbers(std)
    assert verdict.startswith(kind)
    assert verdict.endswith("of the rows lie inside the 90% intervals")


@pytest.mark.parametrize(
    ("factor", "shift", "kind"),
    [
        (3.0, 0.0, "too sure"),
        (0.3, 0.0, "too cautious"),
        (1.0, 1.0, "too high"),
        (1.0, -1.0, "too low"),
    ],
)
def test_the_verdict_on_classes_names_the_direction(factor: float, shift: float, kind: str) -> None:
    verdict = of_classes(factor, shift)
    assert verdict.startswith(f"{kind}: of what is predicted with ")
    assert verdict.endswith("of 10 bins miss)")


def test_a_calibrated_model_is_seldom_found_wrong() -> None:
    verdicts = [of_classes(1.0, seed=seed, rows=500) for seed in range(60)]
    wrong = [verdict for verdict in verdicts if not verdict.startswith("calibrated")]
    # At most 5 % of models, with two standard errors.
    assert len(wrong) <= 6

"""Result objects with chosen numbers, made without a model."""

from __future__ import annotations

import numpy as np

from uqwidgets.dependence.result import Dependence
from uqwidgets.dependence.surface_result import Surface
from uqwidgets.explainer.comparison.result import Difference
from uqwidgets.importance.diagnosis import diagnose
from uqwidgets.importance.redundancy_result import Redundancy
from uqwidgets.importance.result import Importance
from uqwidgets.performance.result import Calibration, CalibrationAlong, Confusion, Scores
from uqwidgets.stress.constrained.result import Reweighting
from uqwidgets.stress.importance_result import ImportanceOverTau
from uqwidgets.stress.result import Stress

HOSTILE = "<img src=x onerror=alert(1)>"


def importance(features=("b", "a", "c"), values=(0.5, 0.25, -0.125), width=0.0625, **changes):
    values = np.array(values, dtype=float)
    fields = {
        "measure": "nll",
        "label": "likelihood loss",
        "unit": "nats",
        "features": tuple(features),
        "importance": values,
        "std_error": np.full(len(values), width / 2),
        "low": values - width,
        "high": values + width,
        "per_row": np.zeros((len(values), 7)),
        "repeats": np.zeros((len(values), 3)),
        "baseline": 0.75,
        "compare": "difference",
        "replacement": "permutation",
        "reference": "t",
        "n_repeats": 3,
        "interval": "u-statistic",
        "level": 0.95,
        "seed": 0,
        "rows": None,
        "weighted": False,
        "ess": 7.0,
    }
    return Importance(**(fields | changes))


def diagnosis(
    features=("b", "a", "c"),
    nll=(0.5, 0.25, 0.0),
    entropy=(0.125, 0.0, 0.25),
    redundancy=None,
    **changes,
):
    """Make a diagnosis of two importances whose intervals reach 0.01 to both sides."""
    pair = ((nll, "nll"), (entropy, "entropy"))
    both = (importance(features, v, 0.01, measure=name, **changes) for v, name in pair)
    return diagnose(*both, redundancy=redundancy)


def difference(**changes):
    """Make a comparison of two importances, whose difference has half the width."""
    fields = {
        "names": ("one", "two"),
        "first": importance(),
        "second": importance(("a", "b", "c"), (0.5, 0.25, 0.0)),
        "difference": importance(("b", "c", "a"), (0.25, -0.125, -0.25), 0.03125),
    }
    return Difference(**(fields | changes))


def redundancy(features=("b", "a", "c"), r2=(0.6875, 0.5, -0.125), with_target=False, **changes):
    """Make a redundancy in which the target adds 0.25 to every R2; NaN marks a constant feature."""
    r2 = np.array(r2, dtype=float)
    joint = r2 + (0.25 if with_target else np.nan)
    fields = {
        "features": tuple(features),
        "r2": r2,
        "low": r2 - 0.0625,
        "high": r2 + 0.03125,
        "r2_with_target": joint,
        "low_with_target": joint - 0.0625,
        "high_with_target": joint + 0.03125,
        "gain": joint - r2,
        "gain_low": joint - r2 - 0.125,
        "gain_high": joint - r2 + 0.125,
        "n_rows": np.where(np.isfinite(r2), 40, 0),
        "status": tuple(np.where(np.isfinite(r2), "ok", "constant").tolist()),
        "with_target": with_target,
        "target": "price",
        "n_estimators": 100,
        "seed": 0,
        "level": 0.95,
        "weighted": False,
        "ess": 40.0,
    }
    return Redundancy(**(fields | changes))


def dependence(grid=(1.0, 2.0, 4.0), average=(0.25, 0.5, 0.375), n_rows=4, **changes):
    grid, average = np.asarray(grid), np.array(average, dtype=float)
    fields = {
        "feature": "width",
        "measure": "prediction",
        "label": "predicted mean",
        "unit": "",
        "categorical": grid.dtype.kind == "O",
        "grid": grid,
        "spacing": "quantile",
        "center": None,
        "derivative": False,
        "relative": False,
        "average": average,
        "low": average - 0.125,
        "high": average + 0.125,
        "std_error": np.full(len(average), 0.0625),
        "curves": average[:, None] + np.linspace(-0.2, 0.2, n_rows),
        "rows": np.arange(n_rows),
        "observed": np.resize(grid, n_rows),
        "support": np.full(len(grid), 1 / len(grid)),
        "near": np.full(len(grid), True),
        "level": 0.95,
        "weighted": False,
        "ess": float(n_rows),
    }
    return Dependence(**(fields | changes))


def surface(grids=((1.0, 2.0, 4.0), (0.0, 10.0)), average=None, **changes):
    grids = tuple(np.asarray(grid) for grid in grids)
    shape = tuple(len(grid) for grid in grids)
    if average is None:
        average = np.arange(np.prod(shape)).reshape(shape) / 8
    average = np.array(average, dtype=float)
    fields = {
        "features": ("width", "length"),
        "measure": "prediction",
        "label": "predicted mean",
        "unit": "",
        "categorical": tuple(grid.dtype.kind == "O" for grid in grids),
        "grids": grids,
        "spacings": ("quantile", "quantile"),
        "average": average,
        "std_error": np.full(shape, 0.0625),
        "low": average - 0.125,
        "high": average + 0.125,
        "effects": (average.mean(axis=1), average.mean(axis=0)),
        "support": np.full(shape, 1 / np.prod(shape)),
        "near": np.full(shape, True),
        "rows": np.arange(4),
        "level": 0.95,
        "weighted": False,
        "ess": 4.0,
    }
    return Surface(**(fields | changes))


def stress(rates, features=None, taus=(-1.0, -0.5, 0.0, 0.5, 1.0), status="ok", **changes):
    """Make a stress result of one indicator, shape (p, t); NaN marks levels without weights."""
    rates, taus = np.array(rates, dtype=float), np.array(taus)
    known = np.where(np.isfinite(rates), 0.0, np.nan)
    fields = {
        "features": tuple(features or (f"f{j}" for j in range(len(rates)))),
        "indicators": ("error_rate",),
        "taus": taus,
        "target": 10.0 + np.zeros(rates.shape) + taus,
        "reached": 10.0 + known + taus,
        "ess": 40.0 + known,
        "kl": known,
        "half_share": 0.5 + known,
        "status": np.where(np.isfinite(rates), "ok", status).astype("<U15"),
        "values": {"error_rate": rates},
        "low": {"error_rate": np.full(rates.shape, np.nan)},
        "high": {"error_rate": np.full(rates.shape, np.nan)},
        "labels": {"error_rate": "error rate"},
        "units": {"error_rate": ""},
        "tail": 0.05,
        "anchor": "quantile",
        "level": None,
    }
    return Stress(**(fields | changes))


def fan(count, taus=(-1.0, -0.5, 0.0, 0.5, 1.0)):
    """Return lines through 0.5 at tau = 0; each is steeper than the one before."""
    return 0.5 + np.arange(1, count + 1)[:, None] * np.array(taus) / (4 * count)


def importance_over_tau(values, features=None, **changes):
    """Make an importance over tau; the intervals reach a third of the value to both sides."""
    values = np.asarray(values, dtype=float)
    p, t = values.shape
    fields = {
        "stressed": "age",
        "features": tuple(features or [f"x{j}" for j in range(p)]),
        "taus": np.linspace(-1, 1, t),
        "measure": "nll",
        "label": "likelihood loss",
        "unit": "nats",
        "importance": values,
        "std_error": np.abs(values) / 6,
        "low": values - np.abs(values) / 3,
        "high": values + np.abs(values) / 3,
        "ess": np.linspace(20.0, 100.0, t),
        "reached": np.linspace(30.0, 50.0, t),
        "status": np.full(t, "ok", dtype="<U15"),
        "interval": "u-statistic",
        "level": 0.95,
        "reference": "t",
        "replacement": "permutation",
        "n_repeats": 10,
        "seed": 0,
    }
    return ImportanceOverTau(**(fields | changes))


def reweighting(weights=(0.5, 0.5, 1.0, 2.0), **changes):
    """Make a reweighting that meets one constraint."""
    fields = {
        "weights": np.asarray(weights, dtype=float),
        "names": ("mean of 'age'",),
        "target": np.array([45.0]),
        "reached": np.array([45.0]),
        "xi": np.array([0.25]),
        "ess": 2.9,
        "kl": 0.17,
        "half_share": 0.25,
        "status": "ok",
    }
    return Reweighting(**(fields | changes))


def scores(names=("error_rate", "nll"), value=(0.25, 0.5), width=0.125, **changes):
    value = np.array(value)
    fields = {
        "names": tuple(names),
        "labels": tuple(name.replace("_", " ") for name in names),
        "units": tuple("nats" if name == "nll" else "" for name in names),
        "value": value,
        "std_error": np.full(len(value), width / 2),
        "low": value - width,
        "high": value + width,
        "level": 0.95,
        "weighted": False,
        "n_rows": 40,
        "ess": 40.0,
    }
    return Scores(**(fields | changes))


def confusion(classes=("no", "yes"), share=((0.5, 0.125), (0.0, 0.375)), **changes):
    fields = {
        "classes": tuple(classes),
        "share": np.array(share),
        "rows_of_pair": np.rint(40 * np.array(share)).astype(int),
        "target": "answer",
        "weighted": False,
        "n_rows": 40,
        "ess": 40.0,
    }
    return Confusion(**(fields | changes))


def calibration_along(names=("1 to 2", "2 to 3"), **changes):
    fields = {
        "by": "age",
        "is_numeric": True,
        "event": "answer is yes",
        "target": "answer",
        "names": tuple(names),
        "predicted": np.array([0.25, 0.75]),
        "observed": np.array([0.25, 0.5]),
        "low": np.array([0.125, 0.375]),
        "high": np.array([0.375, 0.625]),
        "sharpness": np.array([0.75, 0.75]),
        "sharpness_low": np.array([0.7, 0.7]),
        "sharpness_high": np.array([0.8, 0.8]),
        "of_sharpness": "highest class probability",
        "nominal": None,
        "share": np.array([0.25, 0.75]),
        "n_rows_of_part": np.array([10, 30]),
        "ess_of_part": np.array([10.0, 30.0]),
        "clear": np.array([False, True]),
        "level": 0.95,
        "weighted": False,
        "n_rows": 40,
        "ess": 40.0,
    }
    return CalibrationAlong(**(fields | changes))


def calibration(predicted=(0.25, 0.75), observed=(0.25, 0.5), width=0.125, **changes):
    observed = np.array(observed)
    fields = {
        "event": "answer is yes",
        "target": "answer",
        "predicted": np.array(predicted),
        "observed": observed,
        "low": observed - width,
        "high": observed + width,
        "share": np.full(len(observed), 1 / len(observed)),
        "n_rows_of_bin": np.full(len(observed), 20),
        "coverage": (),
        "level": 0.95,
        "clear": np.abs(observed - predicted) > 2 * width,
        "clear_coverage": (),
        "weighted": False,
        "n_rows": 40,
        "ess": 40.0,
    }
    return Calibration(**(fields | changes))

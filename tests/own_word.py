"""A matrix of models and tables, each cell held to the model's own word.

A `Row` is a model. Its cells are the containers and the dtypes that it takes, each in an Explainer,
a widget, a Learner and LOCO importance. What they show is compared with the model's own
``predict``, ``predict_proba`` and ``score`` of tables in which the values are literally replaced.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd
import pytest

import uqwidgets as uq
from uqwidgets.widgets.kernel.timing import Timing
from widgets.wire import columns

N, TRAIN = 72, 48
# Of the awkward column, "k".
DTYPES = {
    "float64": lambda k, _: k.astype(float),
    "missing": lambda k, gap: np.where(gap, np.nan, k),
    "int8": lambda k, _: k.astype(np.int8),
    "bool": lambda k, _: k > 0,
    "Int64": lambda k, gap: pd.array(np.where(gap, None, k), dtype="Int64"),
    "category": lambda k, _: pd.Categorical(np.array(["p", "q", "r"])[k]),
    "text": lambda k, _: np.array(["p", "q", "r"])[k],
    "None": lambda k, gap: pd.Series(
        np.where(gap, None, np.array(["p", "q", "r"], dtype=object)[k]), dtype=object
    ),
}
NUMBERS = ("float64", "missing", "int8")


def target(labels: str) -> np.ndarray:
    """Numbers greater than zero, bits, or texts, the same in every run."""
    a, b, k, _ = _columns()
    score = a - b + (k == 1) + np.random.default_rng(1).logistic(size=N) * 0.5
    if labels == "numbers":
        return np.exp(score / 3)
    if labels == "three":
        return np.digitize(score, [-0.5, 1.0])
    return np.array(["no", "yes"])[(score > 0) * 1] if labels == "texts" else (score > 0) * 1


def _columns() -> tuple[np.ndarray, ...]:
    rng = np.random.default_rng(0)
    return rng.normal(size=N), rng.normal(size=N), rng.integers(0, 3, N), rng.random(N) < 0.2


def frame(dtype: str) -> pd.DataFrame:
    a, b, k, gap = _columns()
    return pd.DataFrame({"a": a, "k": DTYPES[dtype](k, gap), "b": b})


# A container: from a DataFrame, some rows in an order (also repeated), and a column of other rows.
def _replaced_frame(X: pd.DataFrame, column: str, rows: np.ndarray) -> pd.DataFrame:
    return X.assign(**{column: X[column].take(rows).set_axis(X.index)})


def _replaced_array(X: np.ndarray, column: str, rows: np.ndarray) -> np.ndarray:
    place = "akb".index(column)
    X = X.copy()
    X[:, place] = X[rows, place]
    return X


def _replaced_polars(X: Any, column: str, rows: np.ndarray) -> Any:
    return X.with_columns(X[column].gather(rows))


def _replaced_arrow(X: Any, column: str, rows: np.ndarray) -> Any:
    place = X.column_names.index(column)
    return X.set_column(place, column, X.column(place).take(rows))


def _from_polars(X: pd.DataFrame) -> Any:
    import polars as pl

    return pl.from_pandas(X)


def _from_arrow(X: pd.DataFrame) -> Any:
    import pyarrow as pa

    return pa.Table.from_pandas(X, preserve_index=False)


@dataclass(frozen=True)
class Container:
    """A kind of table."""

    of: Callable[[pd.DataFrame], Any]
    replaced: Callable[[Any, str, np.ndarray], Any]
    take: Callable[[Any, np.ndarray], Any]
    select: Callable[[Any, list[str]], Any]


CONTAINERS = {
    "pandas": Container(
        lambda X: X, _replaced_frame, lambda X, rows: X.iloc[rows], lambda X, names: X[names]
    ),
    "array": Container(
        lambda X: X.to_numpy(),
        _replaced_array,
        lambda X, rows: X[rows],
        lambda X, names: X[:, ["akb".index(name) for name in names]],
    ),
    "polars": Container(
        _from_polars, _replaced_polars, lambda X, rows: X[rows], lambda X, names: X.select(names)
    ),
    "arrow": Container(
        _from_arrow, _replaced_arrow, lambda X, rows: X.take(rows), lambda X, names: X.select(names)
    ),
}


@dataclass(frozen=True)
class Row:
    """A model, and the tables that it takes.

    Attributes
    ----------
    make : callable
        ``make(names, dtype)`` returns the estimator for these columns, not fitted.
    target : {"numbers", "bits", "texts", "three"}
    tables : dict of str to tuple of str
        Dtypes of the awkward column by container.
    read : callable
        What is explained, from the fitted model.
    probabilities, predict : callable
        The model's own answers: of classes (n, k), or None; and one label or number for each row.
    named : bool
        Whether it knows the names of the columns, so that a table may have them in another order.
    refitted : bool
        Whether a Learner can fit it.
    """

    make: Callable[[list[str], str], Any]
    target: str = "numbers"
    tables: dict[str, tuple[str, ...]] = field(
        default_factory=lambda: dict.fromkeys(("pandas", "array"), NUMBERS)
    )
    read: Callable[[Any], Any] = lambda model: model
    probabilities: Callable[[Any, Any], Any] | None = None
    predict: Callable[[Any, Any], Any] = lambda model, X: model.predict(X)
    named: bool = True
    refitted: bool = True


def of_classes(**options: Any) -> dict[str, Any]:
    """What rows of classifiers with probabilities have in common."""
    own = {"target": "texts", "probabilities": lambda model, X: model.predict_proba(X)}
    return own | options


class Cell:
    """A row in one container with one dtype."""

    def __init__(self, row: Row, container: str, dtype: str) -> None:
        self.row, self.container, self.dtype = row, CONTAINERS[container], dtype
        self.X, self.y = self.container.of(frame(dtype)), target(row.target)
        self.is_array = container == "array"
        self.measure = (
            "squared_error"
            if row.target == "numbers"
            else "zero_one"
            if row.probabilities is None
            else "nll"
        )

    def fitted(self, X: Any, y: Any, names: str = "akb") -> Any:
        return self.row.make(list(names), self.dtype).fit(X, y)

    def labels_or_numbers(self, model: Any, X: Any) -> np.ndarray:
        return np.ravel(np.asarray(self.row.predict(model, X)))

    def loss(self, model: Any, X: Any, y: Any, measure: str) -> np.ndarray:
        """Loss of each row by the model's own answers."""
        if measure == "zero_one":
            return (self.labels_or_numbers(model, X) != y) * 1.0
        if measure == "squared_error":
            return (self.labels_or_numbers(model, X) - y) ** 2
        p = np.asarray(self.row.probabilities(model, X), dtype=float)
        # In single precision they sum to one only nearly.
        return -np.log(p[np.arange(len(y)), np.searchsorted(np.unique(self.y), y)])

    def importance(self, model: Any, explainer: uq.Explainer, measure: str) -> dict[str, float]:
        """Importance of each column, from the literally replaced tables."""
        base = self.loss(model, self.X, self.y, measure)
        result = {}
        for place, name in enumerate(explainer.features):
            donors = explainer.evaluations.donors((place,), "permutation", explainer.seed, 2)
            column = "akb"[place] if self.is_array else name
            tables = [self.container.replaced(self.X, column, rows) for rows in donors]
            losses = [self.loss(model, X, self.y, measure) - base for X in tables]
            result[name] = float(np.mean(losses))
        return result

    def explained(self) -> tuple[Any, uq.Explainer]:
        """The fitted model and its explainer, of a table with the columns in another order."""
        model = self.fitted(self.X, self.y)
        in_order = self.is_array or not self.row.named
        X = self.X if in_order else self.container.select(self.X, ["b", "k", "a"])
        return model, uq.Explainer(self.row.read(model), X, self.y)


def check_explainer(cell: Cell) -> None:
    model, explainer = cell.explained()
    original = explainer.evaluations.original
    own = cell.labels_or_numbers(model, cell.X)
    if cell.row.probabilities is not None:
        p = np.asarray(cell.row.probabilities(model, cell.X), dtype=float)
        np.testing.assert_allclose(original.probabilities, p, rtol=1e-6, atol=1e-7)
    if cell.row.target == "numbers":
        shown = explainer.evaluations.original_values(explainer.measure("prediction"))
        np.testing.assert_allclose(shown, own, rtol=1e-6)
        rmse = np.sqrt(np.mean((own - cell.y) ** 2))
        assert explainer.scores("rmse").value[0] == pytest.approx(rmse, rel=1e-6)
    else:
        assert explainer.scores("accuracy").value[0] == pytest.approx(np.mean(own == cell.y))
    for measure in {cell.measure, "zero_one"} - ({"zero_one"} if cell.measure[0] == "s" else set()):
        result = explainer.importance(measure, n_repeats=2)
        expected = cell.importance(model, explainer, measure)
        for name, value in zip(result.features, result.importance, strict=True):
            assert value == pytest.approx(expected[name], rel=1e-5, abs=1e-7), (measure, name)
    check_curve(cell, model, explainer)


def check_curve(cell: Cell, model: Any, explainer: uq.Explainer) -> None:
    """Compare the mean loss where all rows have the value of one of them."""
    table = frame(cell.dtype)
    for name, column in (("b", "b"), ("k", "k")):
        row = int(np.flatnonzero(table[column].notna())[0])
        feature = explainer.features["akb".index(name)] if cell.is_array else name
        X = cell.container.replaced(cell.X, column, np.full(N, row))
        curve = explainer.dependence(feature, cell.measure, grid=[table[column].tolist()[row]])
        expected = cell.loss(model, X, cell.y, cell.measure).mean()
        assert curve.average[0] == pytest.approx(expected, rel=1e-5, abs=1e-7), name


def check_widget(cell: Cell) -> None:
    model, explainer = cell.explained()
    timing = Timing(summing=60.0, long_work=60.0, frame_interval=60.0, heartbeat=60.0)
    widget_class = type("Whole", (uq.Explorer,), {"_timing": timing})
    with widget_class(explainer, n_repeats=2, ice_lines=3, importance_of=[cell.measure]) as widget:
        assert widget.wait(60)
        shown = columns(widget._frame)["importance.base"][0]
    expected = cell.importance(model, explainer, cell.measure)
    np.testing.assert_allclose(
        shown, [expected[name] for name in explainer.features], rtol=1e-5, atol=1e-7
    )


def check_learner(cell: Cell) -> None:
    estimator = cell.row.make(["a", "k", "b"], cell.dtype)
    learner = uq.Learner(estimator, cell.X, cell.y, n_refits=2, adapter=cell.row.read).fit()
    for refit in learner.refits:
        train, test = refit.rows.train, refit.held_out
        model = cell.fitted(cell.container.take(cell.X, train), cell.y[train])
        X = cell.container.take(cell.X, test)
        measure = refit.explainer.measure(cell.measure)
        np.testing.assert_allclose(
            refit.explainer.evaluations.original_values(measure),
            cell.loss(model, X, cell.y[test], cell.measure),
            rtol=1e-5,
            atol=1e-7,
        )


def check_loco(cell: Cell) -> None:
    parts = [np.arange(TRAIN), np.arange(TRAIN, N)]
    (train, y), (test, truth) = (
        (cell.container.take(cell.X, rows), cell.y[rows]) for rows in parts
    )
    estimator = cell.row.make(["a", "k", "b"], cell.dtype)
    result = uq.loco_importance(
        estimator, train, y, test, truth, cell.measure, adapter=cell.row.read
    )
    whole = cell.loss(cell.fitted(train, y), test, truth, cell.measure).mean()
    names = {f"x{j}": "akb"[j] for j in range(3)}
    for feature, value in zip(result.features, result.importance, strict=True):
        others = "akb".replace(names.get(feature, feature), "")
        smaller, scored = (cell.container.select(X, list(others)) for X in (train, test))
        model = cell.fitted(smaller, y, others)
        expected = cell.loss(model, scored, truth, cell.measure).mean() - whole
        assert value == pytest.approx(expected, rel=1e-5, abs=1e-7), feature


CHECKS = {
    "Explainer": check_explainer,
    "widget": check_widget,
    "Learner": check_learner,
    "LOCO": check_loco,
}


def cells(rows: dict[str, Row]) -> list[Any]:
    """Return every cell of a matrix as a parameter of a test: row, container, dtype and check."""
    return [
        pytest.param(row, container, dtype, check, id=f"{name}-{container}-{dtype}-{what}")
        for name, row in rows.items()
        for container, dtypes in row.tables.items()
        for dtype in dtypes
        for what, check in CHECKS.items()
        if row.refitted or what in ("Explainer", "widget")
    ]

"""All six lessons of `uq.teach`, small enough for a browser test."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from sklearn.tree import DecisionTreeRegressor

import uqwidgets as uq

if TYPE_CHECKING:
    from uqwidgets.teach.lesson import Lesson


def linear() -> uq.Explainer:
    """Explain a model of 80 rows that leaves one of three features out."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 3))
    y = X[:, 0] + X[:, 1] + 0.5 * rng.normal(size=80)
    return uq.Explainer(lambda X: (X[:, 0] + 0.9 * X[:, 1], np.ones(len(X))), X, y)


def hollow() -> uq.Explainer:
    """Explain two models of rows around an empty square, of which one is unsure within it."""
    X, y = uq.datasets.make_hollow(120)
    sure = lambda X: (X["x1"], np.ones(len(X)))  # noqa: E731
    unsure = lambda X: (X["x1"], np.exp(2 - X.abs().max(axis=1)))  # noqa: E731
    return uq.Explainer(sure, X, y, name="sure", others={"unsure": unsure})


def make() -> dict[str, Lesson]:
    """Return a lesson of each kind, by its name."""
    explainer = linear()
    return {
        "guess": uq.teach.GuessTheRanking(explainer, order=("x1", "x0", "x2")),
        "shuffle": uq.teach.ShuffleOneColumn(explainer),
        "place": uq.teach.ThePlaceNobodyHasBeen(hollow()),
        "target": uq.teach.StressToATarget(explainer, target=0.2),
        "coverage": uq.teach.WhatTheBarCovers(n=20),
        "refits": uq.teach.ManyRefits(estimator=DecisionTreeRegressor(max_depth=4)),
    }

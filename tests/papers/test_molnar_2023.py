"""Paper Molnar et al. 2023, section 9: red wines, three procedures, each refitted on 15 bootstraps.

The paper's 15 bootstraps differ from ours: the mean square error of the linear model over 15
bootstraps is 0.429 on average with a standard deviation of 0.006. It is therefore compared over
many bootstraps, and the other results in the paper's conclusions. ``pytest -rP`` prints numbers.
"""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import RandomForestRegressor
from sklearn.linear_model import LinearRegression
from sklearn.tree import DecisionTreeRegressor

from shared import features_and_target
from uqwidgets import Explainer, Learner

# Section 9; differences are those of the forest minus the other, with their intervals.
PRINTED = {"linear model": 0.425, "forest": 0.342, "tree": 0.456}
PRINTED_DIFFERENCES = {"linear model": (-0.098, -0.069), "tree": (-0.158, -0.071)}
TOP = ("alcohol", "sulphates", "volatile acidity")


def wines():
    X, y = features_and_target("winequality_red.csv", "quality")
    return X, y.to_numpy(dtype=float)


def refitted(estimator, **options):
    X, y = wines()
    return Learner(estimator, X, y, **options)


@pytest.fixture(scope="module")
def procedures():
    variance = wines()[1].var()
    return {
        "linear model": refitted(LinearRegression()),
        # The defaults of R's forests and trees: a third of the features at each split; no split
        # that explains less than a hundredth of the variance.
        "forest": refitted(RandomForestRegressor(100, max_features=1 / 3)),
        "tree": refitted(
            DecisionTreeRegressor(
                min_samples_split=20, min_samples_leaf=7, ccp_alpha=0.01 * variance
            )
        ),
    }


def report(title, lines):
    """Print our numbers beside the paper's; pytest shows them with ``-rP`` or if a test fails."""
    print(f"{title}\n{pd.DataFrame(lines).to_string(index=False)}")  # noqa: T201


def test_the_linear_model_has_the_papers_error():
    result = refitted(LinearRegression(), n_refits=60).performance("squared_error")
    report("linear model, 60 bootstraps", {"mse": [result.mean], "paper, 15": [0.425]})
    assert result.mean == pytest.approx(0.425, abs=0.01)


@pytest.mark.thorough
def test_the_forest_is_significantly_better_than_the_others(procedures):
    lines = []
    for name, learner in procedures.items():
        result = learner.performance("squared_error")
        lines.append((name, result.mean, result.std_error, PRINTED[name]))
        # The tolerance is for the difference between two sets of 15 bootstraps.
        assert result.mean == pytest.approx(PRINTED[name], abs=0.03)
    report("mean square error", pd.DataFrame(lines, columns=["", "ours", "std_error", "paper"]))
    lines = []
    for name, printed in PRINTED_DIFFERENCES.items():
        result = procedures["forest"].compare(procedures[name], "squared_error")
        lines.append((name, result.difference, result.low, result.high, result.p_value, *printed))
        assert result.high < 0
        assert result.p_value < 0.001
        # The two intervals of the same difference overlap.
        assert max(result.low, printed[0]) < min(result.high, printed[1])
    columns = ["forest minus", "difference", "low", "high", "p_value", "paper low", "paper high"]
    report("differences", pd.DataFrame(lines, columns=columns))


@pytest.mark.thorough
def test_alcohol_sulphates_and_volatile_acidity_matter_most(procedures):
    forest = procedures["forest"]
    result = forest.importance("squared_error")
    report("learner-PFI", result.frame)
    assert result.features[:3] == TOP
    of_one = forest.refits[0].explainer.importance("squared_error", n_repeats=5)
    report("model-PFI of one of its forests", of_one.frame)
    assert set(of_one.features[:3]) == set(TOP)


@pytest.mark.thorough
def test_the_learners_band_is_wider_than_the_models_at_both_ends_of_alcohol(procedures):
    X, y = wines()
    train = np.random.default_rng(0).random(len(X)) < 0.632
    forest = RandomForestRegressor(100, max_features=1 / 3, random_state=0)
    explainer = Explainer(forest.fit(X[train], y[train]), X[~train], y[~train])
    grid = np.quantile(X["alcohol"], [0.0, 0.005, 0.25, 0.5, 0.75, 0.95, 0.995, 1.0])
    of_model = explainer.dependence("alcohol", grid=grid)
    of_learner = procedures["forest"].dependence("alcohol", grid=grid)
    widths = [result.high - result.low for result in (of_learner, of_model)]
    report("PDP of alcohol", {"alcohol": grid, "learner": widths[0], "model": widths[1]})
    ends = np.array([0, 1, 5, 6, 7])
    assert (widths[0][ends] > 1.2 * widths[1][ends]).all()
    assert (widths[0][ends] > widths[0][2:5].min()).all()

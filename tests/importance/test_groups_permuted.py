"""Values that move between whole groups of rows, against a loop over all pairs of groups."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import uqwidgets as uq

RNG = np.random.default_rng(0)
SIZES = RNG.integers(1, 9, size=25)
CODES = RNG.permutation(np.repeat(np.arange(25), SIZES))
N = len(CODES)
AGE, SITE = RNG.normal(size=25)[CODES], RNG.choice(list("ab"), 25)[CODES]
X = pd.DataFrame({"age": AGE, "site": SITE, "dose": RNG.normal(size=N)})
Y = AGE + X["dose"] * (SITE == "a") + RNG.normal(size=25)[CODES] + RNG.normal(size=N)
WEIGHTS = RNG.uniform(0.5, 1.5, size=N)
ROWS = np.flatnonzero(RNG.random(N) < 0.7)


def model(X):
    return X["age"] * (1 + 0.5 * X["dose"]) + (X["site"] == "a") * X["dose"]


def explainer(**options):
    return uq.Explainer(
        model, X, Y, groups=CODES, feature_groups={"patient": ["age", "site"]}, **options
    )


EX = explainer()
OPTIONS = {
    "plain": {},
    "weighted": {"sample_weight": WEIGHTS},
    "rows": {"rows": ROWS},
    "both": {"sample_weight": WEIGHTS, "rows": ROWS},
}


def looped(name, kept=None):
    """Return the mean change over all pairs of a scored row and a donor group."""
    weights = WEIGHTS if "sample_weight" in OPTIONS[name] else np.ones(N)
    kept = np.ones(N, dtype=bool) if kept is None else kept
    is_scored = np.isin(np.arange(N), OPTIONS[name].get("rows", np.arange(N))) & kept
    own = np.square(Y - model(X))
    total = mean = 0.0
    for donor in np.unique(CODES[kept]):
        members = kept & (donor == CODES)
        moved = X.assign(age=AGE[members][0], site=SITE[members][0])
        pairs = weights * weights[members].mean() * is_scored
        mean += pairs @ (np.square(Y - model(moved)) - own)
        total += pairs.sum()
    return mean / total


@pytest.mark.parametrize("name", OPTIONS)
def test_all_donor_groups_are_those_of_a_loop(name):
    result = EX.importance(
        "squared_error", ["patient"], n_repeats="all", permute="groups", **OPTIONS[name]
    )
    assert result.importance[0] == pytest.approx(looped(name))
    assert "permutation of whole groups" in repr(result)
    without = [looped(name, kept=g != CODES) for g in range(25)]
    jackknife = np.sqrt(24 / 25 * np.square(np.array(without) - np.mean(without)).sum())
    assert result.std_error[0] == pytest.approx(jackknife, rel=0.1)
    weights = WEIGHTS if "sample_weight" in OPTIONS[name] else np.ones(N)
    rows = OPTIONS[name].get("rows", np.arange(N))
    assert np.average(result.per_row[0], weights=weights[rows]) == pytest.approx(looped(name))


@pytest.mark.parametrize("name", OPTIONS)
def test_each_repeat_moves_values_between_whole_groups(name):
    result = EX.importance("squared_error", n_repeats=40, permute="groups", **OPTIONS[name])
    at = result.features.index("patient")
    donors = EX.evaluations.donors((0, 1), "permutation of groups", EX.seed, 40)
    for line in donors:
        of_groups = pd.Series(CODES[line]).groupby(CODES).agg(["nunique", "first"])
        assert (of_groups["nunique"] == 1).all()
        assert sorted(of_groups["first"]) == list(range(25))
    weights = WEIGHTS if "sample_weight" in OPTIONS[name] else np.ones(N)
    scored = np.isin(np.arange(N), OPTIONS[name].get("rows", np.arange(N))) * weights
    means = pd.Series(weights).groupby(CODES).mean().to_numpy()
    changes, pairs = [], []
    for line in donors:
        moved = X.assign(age=AGE[line], site=SITE[line])
        changes.append(np.square(Y - model(moved)) - np.square(Y - model(X)))
        pairs.append(scored * means[CODES[line]])
    assert result.importance[at] == pytest.approx(np.average(changes, weights=pairs))
    assert abs(result.importance[at] - looped(name)) < 3 * result.std_error[at]
    one_by_one = explainer(memory_limit="60kB").importance(
        "squared_error", ["patient"], n_repeats=40, permute="groups", **OPTIONS[name]
    )
    assert one_by_one.high[0] == pytest.approx(result.high[at], rel=1e-9)


def test_groups_of_one_size_have_nearly_the_interval_of_rows():
    rng = np.random.default_rng(1)
    codes = np.repeat(np.arange(40), 6)
    table = np.column_stack([rng.normal(size=40)[codes], rng.normal(size=240)])
    y = table[:, 0] + rng.normal(size=240)
    ex = uq.Explainer(lambda X: X[:, 0], table, y, groups=codes)
    whole, single = (
        ex.importance("squared_error", ["x0"], n_repeats="all", permute=permute)
        for permute in ("groups", "rows")
    )
    for name in ("importance", "std_error", "low", "high"):
        np.testing.assert_allclose(getattr(whole, name), getattr(single, name), rtol=0.03)


def test_a_feature_that_varies_within_groups_moves_between_rows_and_is_named():
    whole, single = (
        EX.importance("squared_error", ["patient", "dose"], n_repeats=3, permute=permute)
        for permute in ("groups", "rows")
    )
    of = {
        name: list(result.features).index("dose")
        for name, result in (("whole", whole), ("single", single))
    }
    assert whole.importance[of["whole"]] == single.importance[of["single"]]
    (remark,) = (r for r in whole.remarks if r.code == "varies-within-groups")
    assert remark.startswith("Within the 25 groups, dose varies")
    assert not [r for r in single.remarks if r.code == "varies-within-groups"]
    *_, last = EX.importance("squared_error", n_repeats=3, permute="groups", stream=True)
    again = EX.importance("squared_error", n_repeats=3, permute="groups")
    np.testing.assert_array_equal(last.importance, again.importance)


def test_what_cannot_move_between_groups_is_refused():
    plain = uq.Explainer(model, X, Y)
    with pytest.raises(ValueError, match="the rows have none"):
        plain.importance("squared_error", permute="groups")
    with pytest.raises(ValueError, match="replacement='permutation'"):
        EX.importance("squared_error", permute="groups", replacement="ablation")
    with pytest.raises(ValueError, match="for measures of rows"):
        EX.importance("r2", permute="groups")
    with pytest.raises(ValueError, match="permute"):
        EX.importance("squared_error", permute="patients")
    with pytest.raises(ValueError, match="replacement"):
        EX.importance("squared_error", replacement="permutation of groups")


def test_simulated_intervals_of_moved_groups_hold():
    rng, held, tables = np.random.default_rng(2), 0, 120
    for _ in range(tables):
        codes = np.repeat(np.arange(30), 6)
        table = np.column_stack([rng.normal(size=30)[codes], rng.normal(size=180)])
        y = table[:, 0] + rng.normal(size=30)[codes] + rng.normal(size=180)
        ex = uq.Explainer(lambda X: X[:, 0], table, y, groups=codes)
        result = ex.importance("squared_error", ["x0"], n_repeats=5, permute="groups")
        held += bool(result.low[0] <= 2 <= result.high[0])
    assert held >= 0.87 * tables

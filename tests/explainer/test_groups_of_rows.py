"""Rows that belong together: `Explainer(groups=)` in every result, and what it refuses."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy.stats import t as student

import uqwidgets as uq


def linear(X):
    X = np.asarray(X, dtype=float)
    return X[:, 0] + X[:, 1]


def patients(seed=0, groups=30, size=10):
    """Patients whose first feature is constant and whose errors have a common part."""
    rng = np.random.default_rng(seed)
    of = np.repeat(np.arange(groups), size)
    X = pd.DataFrame(rng.normal(size=(len(of), 3)), columns=["a", "b", "c"])
    X["a"] = rng.normal(size=groups)[of]
    y = X["a"] + X["b"] + rng.normal(size=groups)[of] + rng.normal(size=len(of))
    return X, y.to_numpy(), of


def explainer(seed=0, groups="patient", **options):
    X, y, of = patients(seed, **options)
    return uq.Explainer(linear, X, y, extra={"patient": of}, groups=groups)


def test_groups_are_named_or_passed():
    X, y, of = patients()
    texts = np.array([f"p{i}" for i in of], dtype=object)
    frame = explainer().importance("squared_error").frame
    for groups in (of, texts, pd.Series(texts), list(texts), pd.Categorical(texts)):
        other = uq.Explainer(linear, X, y, groups=groups).importance("squared_error")
        pd.testing.assert_frame_equal(other.frame, frame)
    # A column of X that the model uses, and one that it does not.
    with_column = uq.Explainer(linear, X.assign(a=X["a"].round(3)), y, groups="a")
    assert str(with_column.importance("squared_error").groups) == "30 as"
    fitted = uq.as_predictive(lambda X: linear(X[["a", "b"]]))
    assert uq.Explainer(fitted, X.assign(id=of), y, groups="id").scores().groups.number == 30


@pytest.mark.parametrize(
    ("groups", "message"),
    [
        ("patiant", "there is no column 'patiant'; did you mean 'patient'"),
        ([0, 1, 2], "groups has 3 values but X has 300 rows; pass one value per row"),
        ([[0]] * 300, "pass the name of a column, or one value per row"),
        (np.zeros(300), "groups has the same label in every row"),
        ([None, *range(299)], r"groups is missing in 1 of 300 rows \(the first is row 0\)"),
        (pd.Series(range(300), index=range(299, -1, -1)), "has the index of X in another order"),
    ],
)
def test_groups_that_cannot_be_used_are_refused_in_one_sentence(groups, message):
    with pytest.raises(ValueError, match=message):
        explainer(groups=groups)


def test_groups_of_one_row_each_are_no_groups():
    alone = explainer(groups=np.arange(300))
    result = alone.importance("squared_error")
    assert result.groups is None
    # The patients are found too.
    assert [remark.code for remark in result.remarks] == ["single-groups", "rows-of-groups"]
    pd.testing.assert_frame_equal(
        result.frame, explainer(groups=None).importance("squared_error").frame
    )


def test_few_groups_have_a_remark():
    result = explainer(groups=np.arange(300) // 50).importance("squared_error")
    assert [remark.code for remark in result.remarks] == ["few-groups"]
    assert "6 groups" in result.remarks[0]


RESULTS = {
    "importance": lambda ex: ex.importance("squared_error"),
    "ratio": lambda ex: ex.importance("squared_error", compare="ratio"),
    "every donor": lambda ex: ex.importance("squared_error", n_repeats="all"),
    "model interval": lambda ex: ex.importance("squared_error", interval="model"),
    "conditional": lambda ex: ex.importance("squared_error", replacement="conditional"),
    "metric": lambda ex: ex.importance("neg_root_mean_squared_error"),
    "curve": lambda ex: ex.dependence("b", measure="squared_error"),
    "surface": lambda ex: ex.dependence(("a", "b"), measure="squared_error"),
    "scores": lambda ex: ex.scores(["rmse", "r2", "neg_median_absolute_error"]),
    "redundancy": lambda ex: ex.redundancy(n_estimators=60),
}


@pytest.mark.parametrize("name", RESULTS)
def test_estimates_stay_and_intervals_are_for_groups(name):
    """The rows of a patient are alike, so that intervals for other patients are wider."""
    of_rows, of_groups = (RESULTS[name](explainer(groups=g)) for g in (None, "patient"))
    own, other = of_groups.frame, of_rows.frame
    if name != "redundancy":  # its forests leave out whole groups
        ends = [name for name in own if name in ("low", "high", "std_error")]
        pd.testing.assert_frame_equal(own.drop(columns=ends), other.drop(columns=ends))
    widths = ((frame["high"] - frame["low"]).mean() for frame in (own, other))
    assert next(widths) > 1.1 * next(widths)
    assert of_groups.groups.number == 30
    assert of_groups.groups.ess == pytest.approx(30)
    assert of_rows.groups is None


def test_a_choice_of_rows_counts_their_groups():
    X, *_ = patients()
    result = explainer().scores(["rmse"], rows=np.flatnonzero(np.arange(len(X)) < 95))
    assert result.groups.number == 10
    assert "95 rows of 10 patients" in repr(result)


def test_the_error_under_stress_is_that_of_leaving_out_groups():
    X, y, of = patients(groups=20, size=5)
    options = {
        "indicators": ["prediction", "squared_error"],
        "taus": [-0.5, 0.5],
        "features": ["a"],
    }
    result = uq.Explainer(linear, X, y, groups=of).stress(level=0.95, **options)
    left_out = []
    for g in range(20):
        kept = of != g
        one = uq.Explainer(linear, X[kept], y[kept]).stress(**options)
        left_out.append([one.values[name][0] for name in result.indicators])
    deviations = np.array(left_out) - np.mean(left_out, axis=0)
    error = np.sqrt(19 / 20 * np.square(deviations).sum(axis=0))
    for q, name in enumerate(result.indicators):
        half = (result.high[name][0] - result.low[name][0]) / 2
        # Fewer degrees of freedom and the correction of the bias widen an interval.
        ratio = half / (student.ppf(0.975, 19) * error[q])
        # At the ends, quantiles jump from row to row, which no jackknife follows.
        assert ((ratio > 0.8) & (ratio < 1.7))[1:-1].all(), (name, ratio)
    assert (result.effective_groups[0] <= 20).all()
    assert result.frame.columns.tolist().index("effective_groups") == 9


def test_calibration_and_error_rates_are_for_groups():
    X, _, of = patients(3)
    p = 1 / (1 + np.exp(-linear(X)))
    outcome = (np.random.default_rng(0).random(30)[of] < p).astype(int)

    def model(X):
        p = 1 / (1 + np.exp(-linear(X)))
        return np.column_stack([1 - p, p])

    both = [uq.Explainer(model, X, outcome, groups=groups) for groups in (None, of)]
    for analysis in (
        lambda ex: ex.calibration(n_bins=3),
        lambda ex: ex.scores(["error_rate", "nll", "roc_auc"]),
    ):
        of_rows, of_groups = map(analysis, both)
        wider = (of_groups.high - of_groups.low) / (of_rows.high - of_rows.low)
        assert (wider > 1.0).all()
        assert wider.mean() > 1.3


def test_comparisons_are_for_groups():
    X, y, of = patients(4)
    results = []
    for groups in (None, of):
        ex = uq.Explainer(linear, X, y, groups=groups)
        half = uq.Explainer(lambda X: linear(X) / 2, X, y, groups=groups)
        models, rows = ex.compare(half), ex.compare_rows(X["c"] > 0)
        results.append(
            [
                one
                for compared in (models, rows)
                for one in (
                    compared.importance("squared_error"),
                    compared.scores(["rmse"]),
                    compared.dependence("a", measure="squared_error"),
                    compared.stress(["a"], ["squared_error"], taus=[0.5], level=0.95),
                )
            ]
        )
    for of_rows, of_groups in zip(*results, strict=True):
        wide, narrow = (
            np.concatenate([np.ravel(v) for v in _ends(one)]) for one in (of_groups, of_rows)
        )
        assert wide.mean() > narrow.mean(), type(of_rows)


def _ends(result):
    """Widths of the intervals of a difference."""
    difference = result.difference
    low, high = difference.low, difference.high
    if isinstance(low, dict):
        return [high[name] - low[name] for name in low]
    return [high - low]


def test_intervals_hold_for_other_patients():
    """A quick form of benchmarks/bench_groups.py: 60 tables of 30 patients x 10 rows."""
    truth = {"a": 2.0, "b": 2.0, "c": 0.0}
    held = np.zeros(4)
    for seed in range(60):
        ex = explainer(seed + 1)
        frame = ex.importance("squared_error", n_repeats=5).frame.set_index("feature")
        held[:3] += [frame.low[f] <= v <= frame.high[f] for f, v in truth.items()]
        low, high = ex.scores(["rmse"]).frame.loc[0, ["low", "high"]]
        held[3] += low <= np.sqrt(2) <= high
    # Without groups about 44 of 100 hold for a, and 54 for the error.
    assert (held >= 60 * (0.95 - 3 * np.sqrt(0.95 * 0.05 / 60))).all(), held

"""Scores of each group of rows beside those of all other rows, all at once."""

import numpy as np
import pandas as pd
import pytest

import uqwidgets as uq


def people(n=900, seed=0, worse=0.0):
    """Return people, and labels that the model gets wrong more often for women by ``worse``."""
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(
        {
            "x": rng.normal(size=n),
            "sex": rng.choice(["f", "m"], n),
            "age": rng.integers(20, 80, n),
            "town": rng.choice(["Bern", "Graz", "Oslo", "Rome"], n, p=[0.5, 0.3, 0.195, 0.005]),
        }
    )
    p = 1 / (1 + np.exp(-X["x"]))
    y = (rng.random(n) < p).astype(int)
    flips = (X["sex"] == "f") & (rng.random(n) < worse)
    return X, np.where(flips, 1 - y, y)


def model(X):
    p = 1 / (1 + np.exp(-X["x"].to_numpy()))
    return np.column_stack([1 - p, p])


def test_each_number_is_that_of_scores_in_the_group_and_in_all_other_rows():
    X, y = people(worse=0.3)
    ex = uq.Explainer(model, X, y)
    calls = ex.model_calls
    result = ex.compare_groups("sex")
    assert ex.model_calls == calls
    assert {"error_rate", "roc_auc", "share:1", "tpr", "fpr", "entropy"} <= set(result.names)
    women = (X["sex"] == "f").to_numpy()
    own, rest = (ex.scores(list(result.names), rows=rows) for rows in (women, ~women))
    np.testing.assert_allclose(result.value[0], own.value)
    np.testing.assert_allclose(result.low[0], own.low)
    np.testing.assert_allclose(result.rest[0], rest.value)
    np.testing.assert_allclose(result.difference[0], own.value - rest.value)
    # Of two groups, one is the rest of the other.
    np.testing.assert_allclose(result.difference[0], -result.difference[1])
    # All at once, so each interval of a difference is wider than by itself.
    alone = ex.compare_rows(women).scores(list(result.names)).difference
    assert (result.difference_low[0] <= alone.low + 1e-12).all()
    assert result.pointwise_level > result.level
    frame = result.frame.set_index(["group", "score"])
    assert frame.loc[("sex = f", "error_rate"), "clear"]
    assert not frame.loc[("sex = f", "entropy"), "clear"]
    assert "sex = f in" in result.summary
    assert "sex = f" in result._repr_html_()
    assert result.to_altair().to_dict()


def test_groups_that_are_alike_are_seldom_found_to_differ():
    found = 0
    for seed in range(60):
        X, y = people(400, seed)
        result = uq.Explainer(model, X, y).compare_groups("town", ["error_rate", "nll", "roc_auc"])
        found += bool(result.frame["clear"].any())
    assert found <= 7  # 5 % are 3, and their standard error is 1.7


def test_ranges_small_groups_extra_columns_and_weights():
    X, y = people()
    ex = uq.Explainer(model, X, y, extra={"site": np.arange(900) % 3})
    ages = ex.compare_groups("age", ["nll"])
    assert len(ages.groups) == 8
    assert ages.rows.sum() == 900
    towns = ex.compare_groups("town", ["nll"])
    assert len(towns.groups) == 3
    assert [one.code for one in towns.remarks] == ["groups-of-few-rows"]
    assert "Rome" in towns.remarks[0]
    weights = ex.stress_weights("x", 0.5)
    weighted = ex.compare_groups("site", ["nll"], sample_weight=weights)
    rows = np.arange(900) % 3 == 0
    assert weighted.value[0, 0] == pytest.approx(
        ex.scores("nll", rows=rows, sample_weight=weights).value[0]
    )


def test_rows_that_belong_together_widen_the_intervals():
    rng = np.random.default_rng(0)
    patient = np.repeat(np.arange(60), 10)
    X = pd.DataFrame({"x": rng.normal(size=600), "arm": (patient % 2).astype(str)})
    y = X["x"] + rng.normal(size=60)[patient] + 0.3 * rng.normal(size=600)
    widths = []
    for groups in (None, patient):
        ex = uq.Explainer(lambda X: X["x"], X, y, groups=groups)
        result = ex.compare_groups("arm", ["squared_error"])
        widths.append(result.difference_high[0, 0] - result.difference_low[0, 0])
    assert widths[1] > 1.8 * widths[0]


@pytest.mark.parametrize(
    ("by", "sentence"), [("height", "no feature or extra column"), ("name", "no group by 'name'")]
)
def test_bad_input_is_one_sentence(by, sentence):
    X, y = people(60)
    X["name"] = [f"person {i}" for i in range(60)]
    with pytest.raises(ValueError, match=sentence):
        uq.Explainer(model, X, y).compare_groups(by)

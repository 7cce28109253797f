"""Calibration along a column: compared with shares of groups of rows, and with known models."""

import numpy as np
import pandas as pd
import pytest

import uqwidgets as uq


def table(n=1500, seed=0):
    rng = np.random.default_rng(seed)
    X = pd.DataFrame({"a": rng.normal(size=n), "c": rng.choice(["x", "y", "z"], n)})
    return X, X["a"].to_numpy() + rng.normal(size=n) * np.where(X["c"] == "z", 2, 1)


def numbers(X):
    return X["a"].to_numpy(), np.ones(len(X))


def sharp(X):
    """Return probabilities near 0 and 1."""
    p = 1 / (1 + np.exp(-8 * X["a"].to_numpy()))
    return np.column_stack([1 - p, p])


def test_categories_have_the_coverage_of_their_rows():
    X, y = table()
    ex = uq.Explainer(numbers, X, y)
    n_evaluated, w = ex.rows_evaluated, np.random.default_rng(1).random(len(X))
    result = ex.calibration(by="c", sample_weight=w)
    assert ex.rows_evaluated == n_evaluated
    inside = np.abs(y - X["a"]) <= 1.6448536269514722
    assert result.names == ("x", "y", "z")
    for k, name in enumerate(result.names):
        rows = (X["c"] == name).to_numpy()
        assert result.observed[k] == pytest.approx(np.average(inside[rows], weights=w[rows]))
        assert result.share[k] == pytest.approx(w[rows].sum() / w.sum())
    np.testing.assert_allclose(result.sharpness, 2 * 1.6448536269514722)
    assert result.clear.tolist() == [False, False, True]
    assert result.verdict.startswith("Too sure where c is z: 6")


def test_ranges_have_about_equal_weight_and_missing_values_are_a_part():
    X, y = table()
    X.loc[:99, "a"] = np.nan
    ex = uq.Explainer(lambda X: (X["a"].fillna(0).to_numpy(), np.ones(len(X))), X, y)
    result = ex.calibration(by="a", n_bins=4)
    assert result.names[-1] == "missing"
    assert result.n_rows_of_part.tolist() == [350, 350, 350, 350, 100]
    a = np.sort(X["a"].dropna().to_numpy())
    assert result.names[0].split(" to ")[1] == f"{a[349]:.3g}".replace("-", "\N{MINUS SIGN}")


def test_along_the_predicted_spread_and_along_dates():
    X, y = table(400)
    days = pd.Series(pd.Timestamp("2024-01-01") + pd.to_timedelta(np.arange(400), unit="D"))
    spread = 0.5 + np.arange(400) / 400
    X["s"] = spread
    ex = uq.Explainer(lambda X: (X["a"].to_numpy(), X["s"].to_numpy()), X, y, extra={"day": days})
    result = ex.calibration(by="std", n_bins=2)
    assert result.observed[0] < result.observed[1]
    np.testing.assert_allclose(
        result.sharpness, 2 * 1.6448536269514722 * np.r_[spread[:200].mean(), spread[200:].mean()]
    )
    assert ex.calibration(by="day", n_bins=2).names[0] == "2024-01-01 to 2024-07-18"
    with pytest.raises(ValueError, match="feature, extra column or measure 'nll'"):
        ex.calibration(by="nll")


@pytest.mark.parametrize("groups", [None, np.arange(300) // 3])
def test_a_calibrated_classifier_is_rarely_refused_along_a_feature(groups):
    """Wilson's interval of the share would be far wider: hardly any share varies so much."""
    missed = directions = parts = 0
    for seed in range(150):
        X, _ = table(300, seed)
        y = (np.random.default_rng(seed).random(300) < sharp(X)[:, 1]).astype(int)
        result = uq.Explainer(sharp, X, y, groups=groups).calibration(by="c")
        missed += int(result.outside.sum())
        parts += len(result.names)
        directions += result.clear.any()
    assert 0.01 < missed / parts < 0.08
    assert directions <= 15


def test_a_classifier_that_is_wrong_for_one_category_is_found():
    X, _ = table(900)
    rng = np.random.default_rng(0)
    p = sharp(X)[:, 1]
    y = (rng.random(900) < np.where(X["c"] == "y", 0.8 * p, p)).astype(int)
    ex = uq.Explainer(sharp, X, y)
    result = ex.calibration(by="c")
    assert result.verdict.startswith("Too high where c is y: predicted ")
    assert ex.calibration().n_outside < 10  # bins of the probability mix the categories
    together = ex.calibration(by="c", simultaneous=True)
    np.testing.assert_array_equal(together.clear, together.outside)


def test_the_picture_says_which_parts_are_wrong_and_which_rest_on_few_rows():
    X, y = table()
    X.loc[:9, "c"] = "rare"
    result = uq.Explainer(numbers, X, y).calibration(by="c")
    assert result.few.tolist() == [True, False, False, False]
    html = result._repr_html_()
    assert "Hollow: fewer than 30 effective rows." in html
    assert "inside 90 % intervals" in html
    chart = result.to_altair().to_dict()
    (rings,) = (layer for layer in chart["concat"][0]["layer"] if layer["mark"].get("size") == 130)
    assert [row["part"] for row in chart["datasets"][rings["data"]["name"]]] == ["z"]

"""The result of `stress_to`: moments, divergence, and its use as sample weights."""

from __future__ import annotations

from dataclasses import FrozenInstanceError

import numpy as np
import pandas as pd
import pytest

import uqwidgets as uq
from example_results import reweighting
from reading_html import StaticHtml, points


@pytest.fixture(scope="module")
def explainer():
    rng = np.random.default_rng(3)
    X = pd.DataFrame({"age": rng.normal(50, 10, 200), "sex": rng.choice(["f", "m"], 200)})
    y = X["age"] + rng.normal(0, 5, 200)
    return uq.Explainer(lambda X: (X["age"].to_numpy(), np.full(len(X), 5.0)), X, y)


@pytest.fixture(scope="module")
def result(explainer):
    return explainer.stress_to({"age": 55.0}, variances={"age": 80.0}, shares={"sex": {"f": 0.4}})


def test_reached_moments_and_divergence_are_those_of_the_weights(explainer, result):
    w, age = result.weights, explainer.table.numbers("age")
    assert isinstance(result, uq.Reweighting)
    assert result.names == ("mean of 'age'", "variance of 'age'", "share of 'f' in 'sex'")
    np.testing.assert_array_equal(result.target, [55.0, 80.0, 0.4])
    women = (explainer.table.column("sex") == "f").to_numpy()
    moments = [np.average(v, weights=w) for v in (age, (age - 55) ** 2, women)]
    np.testing.assert_allclose(result.reached, moments, rtol=1e-9)
    np.testing.assert_allclose(result.reached, result.target, rtol=1e-9)
    assert w.mean() == pytest.approx(1)
    assert result.ess == pytest.approx(w.sum() ** 2 / (w**2).sum())
    assert result.kl == pytest.approx(np.mean(w * np.log(w)))
    heaviest = np.sort(w)[::-1].cumsum() / w.sum()
    assert result.half_share == (np.argmax(heaviest >= 0.5) + 1) / 200
    assert (result.status, result.remarks) == ("ok", ())


def test_a_reweighting_is_accepted_as_sample_weight(explainer, result):
    np.testing.assert_array_equal(np.asarray(result), result.weights)
    assert np.asarray(result) is result.weights
    assert np.array(result) is not result.weights
    assert np.asarray(result, dtype=np.float32).dtype == np.float32
    assert len(result) == 200
    one = explainer.importance("nll", n_repeats=2, sample_weight=result)
    other = explainer.importance("nll", n_repeats=2, sample_weight=result.weights)
    np.testing.assert_array_equal(one.importance, other.importance)
    np.testing.assert_array_equal(one.low, other.low)


def test_repr_and_frame_show_the_constraints(result):
    assert list(result.frame.columns) == ["constraint", "target", "reached", "xi"]
    assert list(result.frame["constraint"]) == list(result.names)
    text = repr(result)
    assert text.startswith("Weights of 200 rows that meet 3 constraints: effective sample size ")
    assert "variance of 'age'" in text
    with pytest.raises(FrozenInstanceError):
        result.status = "edge"


def test_on_the_edge_a_remark_counts_rows_without_weight(explainer):
    result = explainer.stress_to(shares={"sex": {"f": 1.0}})
    women = (explainer.table.column("sex") == "f").to_numpy()
    np.testing.assert_allclose(result.weights, women * (200 / women.sum()))
    assert result.status == "edge"
    assert np.isnan(result.xi).all()
    (remark,) = result.remarks
    assert f"only {women.sum()} of 200 rows carry weight" in remark
    assert f"note: {remark}" in repr(result)


def test_infeasible_constraints_give_no_result(explainer):
    with pytest.raises(ValueError, match="mean of 'age' cannot be 1e\\+09: weights of these rows"):
        explainer.stress_to({"age": 1e9})


def test_its_picture_holds_the_numbers():
    read = StaticHtml(reweighting()._repr_html_())
    assert "4 rows are worth 2.9 with these weights; 25 % of the rows carry half" in read.text
    (table,) = read.tables
    assert table == [["constraint", "target", "reached"], ["mean of 'age'", "45", "45"]]
    equal, half, shares = (points(attributes["d"]) for attributes in read.all("path"))
    left, right = equal[0]
    assert equal[1].tolist() == [204.0, 24.0]
    # Half of the weight, and the cumulative weights 2, 3, 3.5 and 4 of 4.
    assert half[1].tolist() == [114.0, 114.0, 204.0]
    assert shares[0] == pytest.approx(np.linspace(left, right, 5), abs=0.1)
    assert shares[1].tolist() == [204.0, 114.0, 69.0, 46.5, 24.0]

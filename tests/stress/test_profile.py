"""Stress profiles: indicators over tau."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from models import classification, regression, table
from uqwidgets import Explainer
from uqwidgets.stress.columns import unstressable


def awkward(n=100):
    """Make a table with features that can, cannot and can partly be stressed."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {
            "good": rng.normal(size=n),
            "constant": np.full(n, 0.1),
            "inflated": np.where(np.arange(n) < 3, 50.0 + np.arange(n), 0.0),
            "gaps": np.where(np.arange(n) < 2, np.nan, rng.normal(size=n)),
            "endless": np.where(np.arange(n) < 1, np.inf, rng.normal(size=n)),
            "text": rng.choice(["a", "b"], n),
        }
    )
    return Explainer(lambda d: d["good"].to_numpy(), frame, frame["good"].to_numpy() + 0.1)


def test_tau_zero_gives_unweighted_indicators():
    explainer = regression()
    result = explainer.stress()
    zero = result.taus.tolist().index(0)
    for name, indicator in explainer.indicators.items():
        plain = indicator.combine(*(v.mean() for v in indicator.per_row))
        np.testing.assert_allclose(result.values[name][:, zero], plain)
    np.testing.assert_allclose(result.ess[:, zero], 60)
    assert (result.kl[:, zero] == 0).all()
    assert (explainer.stress_weights("x0", 0.0) == 1).all()


def test_every_point_equals_the_numbers_of_its_weights():
    explainer = classification()
    result = explainer.stress(taus=7)
    assert result.taus.shape == (7,)
    for j, feature in enumerate(result.features):
        column = table()[0][:, j]
        for t, tau in enumerate(result.taus):
            w = explainer.stress_weights(feature, tau)
            end = np.quantile(column, 0.05 if tau < 0 else 0.95)
            assert result.target[j, t] == pytest.approx(
                column.mean() + abs(tau) * (end - column.mean())
            )
            assert result.reached[j, t] == pytest.approx(np.average(column, weights=w), abs=1e-9)
            assert result.ess[j, t] == pytest.approx(w.sum() ** 2 / (w**2).sum())
            assert result.kl[j, t] == pytest.approx((w * np.log(w)).mean(), abs=1e-8)


def test_kl_grows_and_ess_falls_with_the_level():
    result = regression().stress()
    outwards = np.abs(result.taus)
    for side in (result.taus >= 0, result.taus <= 0):
        order = np.argsort(outwards[side])
        assert (np.diff(result.kl[:, side][:, order], axis=1) > 0).all()
        assert (np.diff(result.ess[:, side][:, order], axis=1) < 0).all()


def test_features_that_cannot_be_stressed_have_a_status_or_remark():
    result = awkward().stress(taus=5, indicators=["mean"])
    assert result.features == ("good", "constant", "inflated", "text=a", "text=b")
    assert result.status[1].tolist() == ["constant"] * 5
    assert result.status[2].tolist() == ["edge", "ok", "ok", "beyond quantile", "beyond quantile"]
    missing = ~np.isin(result.status, ["ok", "edge"])
    for values in (result.values["mean"], result.reached, result.ess, result.kl):
        np.testing.assert_array_equal(np.isnan(values), missing)
    assert np.isfinite(result.target).all()
    assert set(result.remarks) == {
        "gaps is left out: missing or infinite in 2 of 100 rows",
        "endless is left out: missing or infinite in 1 of 100 rows",
    }


@pytest.mark.parametrize(
    ("feature", "reason"),
    [
        ("good", None),
        ("constant", "constant"),
        ("gaps", "missing or infinite in 2 of 100 rows"),
        ("text", None),
    ],
)
def test_why_a_feature_cannot_be_stressed(feature, reason):
    assert unstressable(awkward().table, feature) == reason


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"features": ["gaps"]}, "'gaps' is missing or infinite in 2 of 100 rows"),
        ({"features": "endless"}, "'endless' is missing or infinite in 1 of 100 rows"),
        (
            {"features": ["good"], "anchor": "tail"},
            "no anchor 'tail'; did you mean 'tail-mean'",
        ),
        ({"features": ["good"], "missing": "ignore"}, "missing is 'ignore'; it must be"),
        ({"features": ["good"], "level": 95}, "level is 95; it must be between 0 and 1"),
        ({"features": ["goood"]}, "there is no feature 'goood'; did you mean 'good'"),
        ({"features": []}, "features is empty"),
        ({"tail": 0.6}, "tail is 0.6; it must be between 0 and 0.5, such as 0.05"),
        ({"tail": 0}, "tail is 0; it"),
        ({"taus": [0, 2]}, r"tau is 2; it must lie within \[-1, 1\]"),
        ({"taus": 1}, "taus is 1; give at least 3 levels"),
        ({"indicators": ["men"]}, "there is no indicator 'men'; did you mean 'mean'"),
        ({"indicators": []}, "indicators is empty"),
    ],
)
def test_invalid_arguments_are_refused(options, message):
    with pytest.raises(ValueError, match=message):
        awkward().stress(**options)


@pytest.mark.parametrize(
    ("feature", "tau", "message"),
    [
        ("constant", 0.5, r"'constant' cannot be stressed to tau = 0.5 \(mean 0.1\): constant"),
        ("inflated", 0.5, r"'inflated' cannot be stressed.*beyond quantile"),
        ("gaps", 0.5, "'gaps' is missing or infinite"),
        ("text", 0.5, "'text' is categorical; say which category's share to move, one of 'a', 'b'"),
        ("good", 2, "tau is 2"),
        ("good", float("nan"), "tau is nan"),
    ],
)
def test_weights_of_infeasible_stress_are_refused(feature, tau, message):
    with pytest.raises(ValueError, match=message):
        awkward().stress_weights(feature, tau)


def test_a_table_without_stressable_features_is_refused():
    frame = pd.DataFrame({"text": ["a", None, "b", "a"], "gaps": [1.0, np.nan, 2.0, 3.0]})
    explainer = Explainer(lambda d: np.arange(4.0)[: len(d)], frame, np.arange(4.0))
    message = "no feature can be stressed: text is left out: missing .*; gaps is left out"
    with pytest.raises(ValueError, match=message):
        explainer.stress()


def test_frame_and_repr_of_a_stress():
    result = classification().stress(["x1", "x0"], ["error_rate", "nll"], taus=5)
    assert result.features == ("x1", "x0")
    frame = result.frame
    assert list(frame.columns) == [
        "feature",
        "tau",
        "target",
        "reached",
        "indicator",
        "value",
        "low",
        "high",
        "ess",
        "kl",
        "status",
    ]
    assert len(frame) == 2 * 5 * 2
    line = frame[(frame["feature"] == "x0") & (frame["tau"] == 0.5) & (frame["indicator"] == "nll")]
    assert line["value"].item() == result.values["nll"][1, 3]
    assert line["ess"].item() == result.ess[1, 3]
    assert "Stress of 2 features at 5 levels of tau (tail 0.05): error_rate, nll" in repr(result)
    with pytest.raises(AttributeError):
        result.tail = 0.1

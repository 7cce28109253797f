"""Likelihood and entropy importance read together."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from sklearn.linear_model import BayesianRidge, LinearRegression

from made import importance
from uqwidgets import Explainer
from uqwidgets.importance.diagnosis import diagnose
from uqwidgets.importance.diagnosis_result import Diagnosis

NAN = np.nan
# What an interval may say, with the widest of them at 1.
POSITIVE, SMALL, NEGATIVE, OPEN = (0.4, 0.6), (-0.05, 0.1), (-0.6, -0.4), (-0.05, 0.6)
LARGEST = (0.9, 1.1)


def told(measure, intervals, **more):
    """An importance with these intervals, the first being that of a feature of no doubt."""
    low, high = np.array([LARGEST, *intervals], dtype=float).T
    middle = (low + high) / 2
    features = [f"f{j}" for j in range(len(low))]
    return importance(features, middle, measure=measure, low=low, high=high, **more)


def verdict(nll, entropy, **more):
    """Verdict on one feature beside one of no doubt."""
    found = diagnose(told("nll", [nll]), told("entropy", [entropy]), **more)
    return found.verdict[1]


class TestReading:
    @pytest.mark.parametrize(
        ("nll", "entropy", "expected"),
        [
            (POSITIVE, POSITIVE, "shares information"),
            (POSITIVE, SMALL, "informative, independent"),
            (POSITIVE, NEGATIVE, "informative, falsely sure"),
            (POSITIVE, OPEN, "informative"),
            (SMALL, POSITIVE, "confidence only"),
            (SMALL, SMALL, "not used"),
            (SMALL, NEGATIVE, "doubt only"),
            (SMALL, OPEN, "not informative"),
            (NEGATIVE, POSITIVE, "misleading"),
            (NEGATIVE, SMALL, "misleading"),
            (NEGATIVE, NEGATIVE, "misleading"),
            (NEGATIVE, OPEN, "misleading"),
            (OPEN, POSITIVE, "undecided"),
            (OPEN, SMALL, "undecided"),
            (OPEN, NEGATIVE, "undecided"),
            (OPEN, OPEN, "undecided"),
            ((NAN, NAN), POSITIVE, "undecided"),
            (POSITIVE, (NAN, NAN), "informative"),
        ],
    )
    def test_every_pair_of_signs(self, nll, entropy, expected):
        assert verdict(nll, entropy) == expected

    @pytest.mark.parametrize(
        ("interval", "sign"),
        [
            ((-0.1, 0.1), "zero"),
            ((0.0, 0.0), "zero"),
            ((0.02, 0.09), "zero"),  # not nothing, and known to be small
            ((0.02, 0.11), "positive"),
            ((-0.11, -0.02), "negative"),
            ((-0.11, 0.0), "undecided"),
            ((0.0, 0.2), "undecided"),
            ((-0.2, 0.2), "undecided"),
            ((-9.0, 9.0), "undecided"),
        ],
    )
    def test_small_is_a_tenth_of_the_largest_of_its_kind(self, interval, sign):
        nll = told("nll", [interval])
        scaled = told("entropy", np.array([interval]) / 100)
        hundredth = dataclasses.replace(
            scaled,
            low=np.array([0.009, *scaled.low[1:]]),
            high=np.array([0.011, *scaled.high[1:]]),
            importance=np.array([0.01, *scaled.importance[1:]]),
        )
        found = diagnose(nll, hundredth)
        assert found.nll_sign[1] == sign
        assert found.entropy_sign[1] == sign
        assert (found.nll_margin, found.entropy_margin) == pytest.approx((0.1, 0.001))

    def test_what_is_small_is_for_the_reader_to_say(self):
        assert verdict(POSITIVE, (-0.2, 0.2)) == "informative"
        assert verdict(POSITIVE, (-0.2, 0.2), negligible=0.3) == "informative, independent"
        assert verdict(POSITIVE, SMALL, negligible=0) == "informative"
        assert verdict(POSITIVE, (0, 0), negligible=0) == "informative, independent"
        with pytest.raises(ValueError, match="negligible is 1; it must be at least 0 and less"):
            verdict(POSITIVE, SMALL, negligible=1)

    def test_an_entropy_that_never_moves_says_nothing_of_independence(self):
        # Wood et al. 2024, section 4.1: it takes another feature that moves it.
        still = [(0, 0), (0, 0)]
        flat = importance(
            ["f0", "f1"], [0, 0], measure="entropy", low=np.zeros(2), high=np.zeros(2)
        )
        found = diagnose(told("nll", still[:1]), flat)
        assert found.verdict == ("informative", "not used")
        assert "no feature moves the model's entropy" in found.explanation[0]
        noise = dataclasses.replace(flat, low=np.full(2, -1.0), high=np.full(2, 1.0))
        assert diagnose(told("nll", [POSITIVE]), noise).verdict == ("informative", "informative")

    def test_chance_is_no_measure_of_what_is_small(self):
        wide = importance(["a", "b"], [0.4, 0.1], measure="nll", width=0.5)
        found = diagnose(wide, dataclasses.replace(wide, measure="entropy"))
        assert (found.nll_margin, found.entropy_margin) == (0, 0)
        assert found.verdict == ("undecided", "undecided")


class TestModels:
    """Models of which the truth is known."""

    def explainer(self, n=1500):
        """x0 and x1 tell of each other, x2 of the target alone; the model sees only these."""
        rng = np.random.default_rng(3)
        X = np.column_stack(
            [
                rng.multivariate_normal([0, 0], [[1, 0.8], [0.8, 1]], n),
                rng.normal(size=(n, 3)),
            ]
        )
        X[:, 3] = X[:, 0] - X[:, 1] + 0.1 * X[:, 3]
        y = X[:, :3].sum(axis=1) + np.sqrt(2) * rng.normal(size=n)

        def model(X):
            return X[:, :3].sum(axis=1), np.sqrt(2 + (X[:, 0] - X[:, 1]) ** 2)

        return Explainer(model, X, y)

    def test_figure_3(self):
        # Wood et al. 2024, section 3.4.1: what x0 and x1 share, x2 does not.
        explainer = self.explainer()
        found = diagnose(explainer.importance("nll"), explainer.importance("entropy"))
        said = dict(zip(found.features, found.verdict, strict=True))
        assert said == {
            "x0": "shares information",
            "x1": "shares information",
            "x2": "informative, independent",
            "x3": "not used",
            "x4": "not used",
        }
        j = found.features.index("x2")
        assert found.entropy[j] == found.entropy_low[j] == found.entropy_high[j] == 0

    def test_under_stress_it_is_of_that_population(self):
        explainer = self.explainer()
        weights = explainer.stress_weights("x0", 0.6)
        before = explainer.model_calls
        found = diagnose(
            *(explainer.importance(m, sample_weight=weights) for m in ("nll", "entropy"))
        )
        asked = explainer.model_calls
        diagnose(*(explainer.importance(m, sample_weight=weights) for m in ("nll", "entropy")))
        assert asked > before
        assert explainer.model_calls == asked
        assert found.weighted
        assert found.ess == pytest.approx(weights.sum() ** 2 / np.square(weights).sum())

    def test_one_uncertainty_for_all_rows_cannot_show_what_is_shared(self):
        rng = np.random.default_rng(0)
        X = rng.normal(size=(400, 2))
        X[:, 1] += X[:, 0]
        y = X.sum(axis=1) + rng.normal(size=400)
        model = LinearRegression().fit(X, y)
        explainer = Explainer(lambda X: (model.predict(X), np.ones(len(X))), X, y)
        found = diagnose(explainer.importance("nll"), explainer.importance("entropy"))
        assert found.verdict == ("informative", "informative")

    def test_a_model_without_uncertainty_says_why(self):
        X = np.random.default_rng(0).normal(size=(50, 2))
        explainer = Explainer(LinearRegression().fit(X, X[:, 0]), X, X[:, 0])
        with pytest.raises(ValueError, match="'nll' is not available: the model gives one value"):
            diagnose(explainer.importance("nll"), explainer.importance("entropy"))


class TestResult:
    def test_it_keeps_the_order_and_the_numbers_of_the_likelihood(self):
        nll = importance(["b", "a", "c"], [0.5, 0.25, -0.125], remarks=("mind", "this"))
        entropy = importance(["c", "b", "a"], [0.4, 0.3, 0.0], measure="entropy", remarks=("this",))
        found = diagnose(nll, entropy)
        assert isinstance(found, Diagnosis)
        assert found.features == ("b", "a", "c")
        np.testing.assert_array_equal(found.nll, nll.importance)
        np.testing.assert_array_equal(found.entropy, [0.3, 0.0, 0.4])
        np.testing.assert_array_equal(found.entropy_low, [0.2375, -0.0625, 0.3375])
        assert found.remarks == ("mind", "this")
        assert found.verdict == ("shares information", "informative", "misleading")
        frame = found.frame
        assert list(frame) == [
            *("feature", "nll", "nll_low", "nll_high"),
            *("entropy", "entropy_low", "entropy_high", "verdict", "explanation"),
        ]
        assert frame["explanation"][0] == (
            "without its own value predictions get worse, and the model is less sure; other "
            "features tell of the target what it tells, and may hide a part of its importance"
        )
        assert frame["explanation"][1] == (
            "without its own value predictions get worse, and it is undecided whether the model is "
            "less sure"
        )
        assert "misleading: without its own value predictions get better" in repr(found)
        assert "note: mind" in repr(found)
        with pytest.raises(dataclasses.FrozenInstanceError):
            found.level = 0.5

    @pytest.mark.parametrize(
        ("nll", "entropy", "says"),
        [
            ({"measure": "entropy"}, {}, "given as nll is that of 'entropy'; pass the nll"),
            ({}, {"measure": "nll"}, "given as entropy is that of 'nll'"),
            ({"compare": "ratio"}, {}, "the nll importance compares by ratio; .* needs compare"),
            (
                {"replacement": "conditional"},
                {"replacement": "conditional"},
                r"makes every entropy importance zero \(Wood et al. 2024, proposition 3\)",
            ),
            ({"replacement": "ablation"}, {}, "differ in replacement"),
            ({"level": 0.9}, {}, r"differ in level \(0.9 and 0.95\); compute them alike"),
            ({"interval": "model"}, {}, "differ in interval"),
            ({"ess": 3.0}, {}, "differ in ess"),
            ({"features": ("b", "a", "x")}, {}, "only one of the two importances has 'c'"),
            ({"rows": np.arange(7)}, {}, "of different rows"),
            ({"rows": np.arange(7)}, {"rows": np.arange(1, 8)}, "of different rows"),
        ],
    )
    def test_two_that_do_not_belong_together(self, nll, entropy, says):
        with pytest.raises(ValueError, match=says):
            diagnose(importance(**nll), importance(**({"measure": "entropy"} | entropy)))

    def test_the_same_rows_belong_together(self):
        rows = np.arange(7)
        pair = (importance(measure=m, rows=rows.copy()) for m in ("nll", "entropy"))
        assert len(diagnose(*pair).features) == 3


def test_a_bayesian_regression_of_a_repeated_feature():
    # Two copies that disagree lie off the data, and the model knows it.
    rng = np.random.default_rng(1)
    X = rng.normal(size=(600, 3))
    X[:, 1] = X[:, 0] + 0.05 * rng.normal(size=600)
    y = X[:, 0] + X[:, 2] + 0.5 * rng.normal(size=600)
    explainer = Explainer(BayesianRidge().fit(X[:300], y[:300]), X[300:], y[300:])
    found = diagnose(explainer.importance("nll"), explainer.importance("entropy"))
    said = dict(zip(found.features, found.entropy_sign, strict=True))
    assert (said["x0"], said["x1"], said["x2"]) == ("positive", "positive", "zero")
    assert found.verdict[found.features.index("x2")] == "informative, independent"

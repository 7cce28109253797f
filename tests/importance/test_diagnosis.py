"""Diagnosis: the verdict from the intervals of likelihood and entropy importance."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from sklearn.linear_model import BayesianRidge, LinearRegression

from example_results import importance, redundancy
from uqwidgets import Explainer
from uqwidgets.importance.diagnosis import diagnose
from uqwidgets.importance.diagnosis_result import Diagnosis

NAN = np.nan
# Intervals of every sign, with a margin of 0.1 nats.
POSITIVE, NEGATIVE, OPEN = (0.4, 0.6), (-0.6, -0.4), (-0.05, 0.6)
SMALL, SLIGHT = (-0.05, 0.1), (0.02, 0.09)  # both are within the margin, the second excludes zero
MISSING = (NAN, NAN)


def importance_with_intervals(measure, intervals, **more):
    """Make an importance with these intervals."""
    low, high = np.array(intervals, dtype=float).T
    middle = (low + high) / 2
    features = [f"f{j}" for j in range(len(low))]
    return importance(features, middle, measure=measure, low=low, high=high, **more)


def redundancy_of_f0(low, high):
    """Make a redundancy of f0 with this interval of R2, of the same rows as the importance."""
    return redundancy(
        ["f0"], [(low + high) / 2], low=np.array([low]), high=np.array([high]), ess=7.0
    )


def verdict(nll, entropy, **more):
    """Return the verdict on one feature; the margin is 0.1 nats by default."""
    result = diagnose(
        importance_with_intervals("nll", [nll]),
        importance_with_intervals("entropy", [entropy]),
        **{"margin": 0.1, **more},
    )
    return result.verdict[0]


class TestReading:
    @pytest.mark.parametrize(
        ("nll", "entropy", "expected"),
        [
            (POSITIVE, POSITIVE, "shares information"),
            (POSITIVE, SMALL, "informative"),
            (POSITIVE, SLIGHT, "informative"),
            (POSITIVE, NEGATIVE, "informative, falsely sure"),
            (POSITIVE, OPEN, "informative"),
            (SMALL, POSITIVE, "confidence only"),
            (SLIGHT, POSITIVE, "confidence only"),
            (SMALL, SMALL, "not used"),
            (SLIGHT, SMALL, "hardly used"),
            (SMALL, SLIGHT, "hardly used"),
            (SMALL, NEGATIVE, "doubt only"),
            (SMALL, OPEN, "not informative"),
            (NEGATIVE, POSITIVE, "misleading"),
            (NEGATIVE, SMALL, "misleading"),
            (NEGATIVE, NEGATIVE, "misleading"),
            (NEGATIVE, OPEN, "misleading"),
            (OPEN, POSITIVE, "not clear"),
            (OPEN, SMALL, "not clear"),
            (OPEN, NEGATIVE, "not clear"),
            (OPEN, OPEN, "not clear"),
            (MISSING, POSITIVE, "not available"),
            (POSITIVE, MISSING, "informative"),
        ],
    )
    def test_verdict_of_every_pair_of_signs(self, nll, entropy, expected):
        assert verdict(nll, entropy) == expected

    @pytest.mark.parametrize(
        ("interval", "sign"),
        [
            ((-0.1, 0.1), "negligible"),
            ((0.0, 0.0), "negligible"),
            ((0.02, 0.09), "negligible"),  # not zero, but known to be small
            ((0.02, 0.11), "positive"),
            ((-0.11, -0.02), "negative"),
            ((-0.11, 0.0), "not clear"),
            ((0.0, 0.2), "not clear"),
            ((-9.0, 9.0), "not clear"),
            (MISSING, "not available"),
        ],
    )
    @pytest.mark.parametrize("beside", [(0.0, 0.0), (90.0, 110.0)])
    def test_the_sign_depends_on_the_own_interval_only(self, interval, sign, beside):
        pair = (
            importance_with_intervals(measure, [interval, beside]) for measure in ("nll", "entropy")
        )
        result = diagnose(*pair, margin=0.1)
        assert result.nll_sign[0] == result.entropy_sign[0] == sign
        assert result.margin == 0.1

    def test_a_small_importance_beside_a_large_one_is_not_negligible(self):
        # The interval 0.010 to 0.016 nats excludes zero and is outside the default margin.
        result = diagnose(
            importance_with_intervals("nll", [(0.9, 1.1), (0.02, 0.05)]),
            importance_with_intervals("entropy", [(0.9, 1.1), (0.010, 0.016)]),
        )
        assert result.entropy_sign == ("positive", "positive")
        assert result.verdict == ("shares information", "shares information")

    @pytest.mark.parametrize(
        ("entropy", "r2", "expected"),
        [
            (SMALL, (-0.2, 0.05), "informative, independent"),
            ((0, 0), (-0.2, 0.05), "informative, independent"),
            (
                SLIGHT,
                (-0.2, 0.05),
                "informative",
            ),  # the entropy importance of an independent feature is 0
            (OPEN, (-0.2, 0.05), "informative"),
            (SMALL, (0.55, 0.7), "informative, not independent"),
            (SMALL, (0.01, 0.05), "informative, not independent"),
            (SMALL, (-0.2, 0.5), "informative"),
            (SMALL, MISSING, "informative"),
            (POSITIVE, (-0.2, 0.05), "shares information"),
        ],
    )
    def test_independence_needs_an_r2_interval_that_includes_zero(self, entropy, r2, expected):
        assert verdict(POSITIVE, entropy, redundancy=redundancy_of_f0(*r2)) == expected

    def test_the_redundancy_is_in_the_result(self):
        # f0 is called independent although no feature shares information.
        result = diagnose(
            importance_with_intervals("nll", [POSITIVE, POSITIVE]),
            importance_with_intervals("entropy", [(0, 0), (0, 0)]),
            redundancy=redundancy_of_f0(-0.25, 0.0),
        )
        assert result.verdict == ("informative, independent", "informative")
        np.testing.assert_array_equal(result.r2_low, [-0.25, NAN])
        assert list(result.frame)[7:10] == ["r2", "r2_low", "r2_high"]
        assert "other features tell nothing of its values" in result.explanation[0]
        assert "redundancy= tells these apart" in result.explanation[1]
        alone = diagnose(
            importance_with_intervals("nll", [POSITIVE]),
            importance_with_intervals("entropy", [SMALL]),
        )
        assert "r2" not in alone.frame
        other = dataclasses.replace(redundancy_of_f0(0, 0), ess=3.0)
        with pytest.raises(ValueError, match=r"the redundancy differ in ess \(7.0 and 3.0\)"):
            verdict(POSITIVE, SMALL, redundancy=other)

    def test_the_margin_is_an_argument(self):
        assert verdict(SMALL, (-0.2, 0.2)) == "not informative"
        assert verdict(SMALL, (-0.2, 0.2), margin=0.3) == "not used"
        assert verdict(SMALL, SMALL, margin=0) == "not clear"
        assert verdict((0, 0), (0, 0), margin=0) == "not used"
        for margin in (-1, NAN, np.inf):
            with pytest.raises(ValueError, match=r"margin is .*; give nats, as a finite number"):
                verdict(POSITIVE, SMALL, margin=margin)

    def test_each_feature_has_its_own_explanation(self):
        nll = importance_with_intervals("nll", [OPEN, OPEN, POSITIVE, MISSING])
        entropy = importance_with_intervals("entropy", [POSITIVE, OPEN, POSITIVE, POSITIVE])
        result = diagnose(nll, entropy, margin=0.1)
        assert result.verdict[:2] == ("not clear", "not clear")
        assert result.explanation[0].endswith("and the model is less sure")
        assert (
            "whether the model is less sure (the interval of the entropy" in result.explanation[1]
        )
        assert "the likelihood loss is not available" in result.explanation[3]
        text = repr(result)
        assert f"note: not clear (f0): {result.explanation[0]}" in text
        assert f"note: not clear (f1): {result.explanation[1]}" in text
        assert f"note: shares information: {result.explanation[2]}" in text

    def test_no_explanation_contradicts_an_interval(self):
        intervals = [POSITIVE, NEGATIVE, OPEN, SMALL, SLIGHT, (0, 0), MISSING]
        pairs = [(nll, entropy) for nll in intervals for entropy in intervals]
        result = diagnose(
            importance_with_intervals("nll", [nll for nll, _ in pairs]),
            importance_with_intervals("entropy", [e for _, e in pairs]),
            margin=0.1,
        )
        for (nll, entropy), explanation in zip(pairs, result.explanation, strict=True):
            assert ("predictions get worse, and" in explanation) == (nll == POSITIVE)
            assert ("predictions get better" in explanation) == (nll == NEGATIVE)
            assert (", and the model is less sure" in explanation) == (entropy == POSITIVE)
            assert ("and the entropy changes by at most 0.1 nats" in explanation) == (
                entropy in (SMALL, SLIGHT, (0, 0))
            )


class TestModels:
    """Models whose true dependences are known."""

    def explainer(self, n=1500):
        """Explain a model of correlated x0, x1 and independent x2; x3 and x4 are not used."""
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

    @pytest.mark.thorough
    def test_verdicts_on_figure_3_of_wood_2024(self):
        # Wood et al. 2024, section 3.4.1: x0 and x1 share information, x2 does not.
        explainer = self.explainer()
        result = explainer.diagnose(redundancy=explainer.redundancy(n_estimators=50))
        verdicts = dict(zip(result.features, result.verdict, strict=True))
        assert verdicts == {
            "x0": "shares information",
            "x1": "shares information",
            "x2": "informative, independent",
            "x3": "not used",
            "x4": "not used",
        }
        j = result.features.index("x2")
        assert result.entropy[j] == result.entropy_low[j] == result.entropy_high[j] == 0

    def test_diagnosis_under_weights_uses_cached_predictions(self):
        explainer = self.explainer()
        weights = explainer.stress_weights("x0", 0.6)
        before = explainer.model_calls
        result = diagnose(
            *(explainer.importance(m, sample_weight=weights) for m in ("nll", "entropy"))
        )
        calls = explainer.model_calls
        diagnose(*(explainer.importance(m, sample_weight=weights) for m in ("nll", "entropy")))
        assert calls > before
        assert explainer.model_calls == calls
        assert result.weighted
        assert result.ess == pytest.approx(weights.sum() ** 2 / np.square(weights).sum())

    def test_constant_uncertainty_cannot_show_shared_information(self):
        # Wood et al. 2024, section 4.1.
        rng = np.random.default_rng(0)
        X = rng.normal(size=(400, 2))
        X[:, 1] += X[:, 0]
        y = X.sum(axis=1) + rng.normal(size=400)
        model = LinearRegression().fit(X, y)
        explainer = Explainer(lambda X: (model.predict(X), np.ones(len(X))), X, y)
        result = explainer.diagnose()
        assert result.verdict == ("informative", "informative")
        result = explainer.diagnose(redundancy=explainer.redundancy(n_estimators=50))
        assert result.verdict == ("informative, not independent",) * 2

    def test_conditional_replacement_is_refused_before_the_model_is_called(self):
        explainer = self.explainer(60)
        calls = explainer.model_calls
        with pytest.raises(ValueError, match="conditional replacement keeps what features share"):
            explainer.diagnose(replacement="conditional")
        assert explainer.model_calls == calls

    def test_a_model_without_uncertainty_is_refused_with_the_reason(self):
        X = np.random.default_rng(0).normal(size=(50, 2))
        explainer = Explainer(LinearRegression().fit(X, X[:, 0]), X, X[:, 0])
        with pytest.raises(ValueError, match="'nll' is not available: the model gives one value"):
            diagnose(explainer.importance("nll"), explainer.importance("entropy"))


class TestResult:
    def test_the_result_has_the_order_and_numbers_of_the_likelihood(self):
        nll = importance(["b", "a", "c"], [0.5, 0.25, -0.125], remarks=("mind", "this"))
        entropy = importance(["c", "b", "a"], [0.4, 0.3, 0.0], measure="entropy", remarks=("this",))
        result = diagnose(nll, entropy)
        assert isinstance(result, Diagnosis)
        assert result.features == ("b", "a", "c")
        np.testing.assert_array_equal(result.nll, nll.importance)
        np.testing.assert_array_equal(result.entropy, [0.3, 0.0, 0.4])
        np.testing.assert_array_equal(result.entropy_low, [0.2375, -0.0625, 0.3375])
        assert result.remarks == ("mind", "this")
        assert result.verdict == ("shares information", "informative", "misleading")
        assert result.entropy_sign == ("positive", "not clear", "positive")
        frame = result.frame
        assert list(frame) == [
            *("feature", "nll", "nll_low", "nll_high"),
            *("entropy", "entropy_low", "entropy_high", "verdict", "explanation"),
        ]
        assert frame["explanation"][0] == (
            "without its own values predictions get worse, and the model is less sure; the model "
            "is surer where it agrees with other features, which may hide a part of its importance"
        )
        assert frame["explanation"][1] == (
            "without its own values predictions get worse, and it is not clear from these rows "
            "whether the model is less sure (the interval of the entropy importance includes zero)"
        )
        assert "misleading: without its own values predictions get better" in repr(result)
        assert "note: mind" in repr(result)
        with pytest.raises(dataclasses.FrozenInstanceError):
            result.level = 0.5

    @pytest.mark.parametrize(
        ("nll", "entropy", "message"),
        [
            ({"measure": "entropy"}, {}, "passed as nll is that of 'entropy'; pass the nll"),
            ({}, {"measure": "nll"}, "passed as entropy is that of 'nll'"),
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
    def test_incompatible_importances_are_refused(self, nll, entropy, message):
        with pytest.raises(ValueError, match=message):
            diagnose(importance(**nll), importance(**({"measure": "entropy"} | entropy)))

    def test_importances_of_equal_rows_are_compatible(self):
        rows = np.arange(7)
        pair = (importance(measure=m, rows=rows.copy()) for m in ("nll", "entropy"))
        assert len(diagnose(*pair).features) == 3


def test_a_bayesian_regression_of_a_repeated_feature():
    # Replaced values make the two copies disagree; the model is uncertain off the data.
    rng = np.random.default_rng(1)
    X = rng.normal(size=(600, 3))
    X[:, 1] = X[:, 0] + 0.05 * rng.normal(size=600)
    y = X[:, 0] + X[:, 2] + 0.5 * rng.normal(size=600)
    explainer = Explainer(BayesianRidge().fit(X[:300], y[:300]), X[300:], y[300:])
    result = explainer.diagnose(redundancy=explainer.redundancy(n_estimators=50))
    signs = dict(zip(result.features, result.entropy_sign, strict=True))
    assert (signs["x0"], signs["x1"], signs["x2"]) == ("positive", "positive", "negligible")
    assert result.verdict[result.features.index("x2")] == "informative, independent"

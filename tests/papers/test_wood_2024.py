"""Paper Wood et al. 2024, section 3.4.1: what figures 2 and 3 show, with other seeds."""

from __future__ import annotations

import pytest
from sklearn.calibration import CalibratedClassifierCV
from sklearn.ensemble import RandomForestClassifier
from sklearn.frozen import FrozenEstimator
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF, ConstantKernel, WhiteKernel

from agreement import agreement, assert_agreed
from uqwidgets import Explainer, GroundTruth
from uqwidgets.datasets import CORRELATED_PAIRS, make_correlated_pairs, make_redundant

SHARES = "shares information"
slow = pytest.mark.slow


def importances(explainer, **options):
    """Importance for the likelihood and for the entropy, by feature, with its interval."""
    both = (explainer.importance(measure, **options) for measure in ("nll", "entropy"))
    return [result.frame.set_index("feature").loc[list(explainer.features)] for result in both]


def verdicts(explainer, redundancy=None):
    result = explainer.diagnose(redundancy=redundancy)
    return dict(zip(result.features, result.verdict, strict=True))


def redundant(copied, trees, seed):
    """Explain the calibrated forest of B.2 on 1250 rows; calibration does not refit the forest."""
    X, y = make_redundant(5000, copied, random_state=seed)
    forest = RandomForestClassifier(trees, max_depth=8, random_state=seed)
    frozen = FrozenEstimator(forest.fit(X[:3000], y[:3000]))
    model = CalibratedClassifierCV(frozen, method="sigmoid").fit(X[3000:3750], y[3000:3750])
    return Explainer(model, X[3750:], y[3750:])


def figure_2(trees, seed):
    """Check the claims of text and caption on three data sets, which differ in x10."""
    relevant, others = ["x1", "x2", "x3", "x4"], ["x5", "x6", "x7", "x8", "x9", "x10"]
    first, second = ["x1", "x10"], ["x5", "x10"]
    explainers = [redundant(copied, trees, seed) for copied in (None, "x1", "x5")]
    (nll, entropy), (nll_1, entropy_1), (nll_5, entropy_5) = map(importances, explainers)
    verdict, verdict_1 = map(verdicts, explainers[:2])
    least, most = nll.importance[relevant].min(), nll.importance[relevant].max()
    rise_1 = (entropy_1.importance - entropy.importance)[first]
    rise_5 = (entropy_5.importance - entropy.importance)[second]
    return {
        "no copy: the four relevant features matter alike, to a third": most < 4 / 3 * least,
        "no copy: the six others matter less than a 25th of that": (
            nll.importance[others].abs().max() < least / 25
        ),
        "no copy: none shares information": SHARES not in verdict.values(),
        "x1 twice: its likelihood drops by more than half": (
            nll_1.importance["x1"] < nll.importance["x1"] / 2
        ),
        "x1 twice: x1 is the last of the relevant four": (
            nll_1.high["x1"] < nll_1.low[relevant[1:]].min()
        ),
        "x1 twice: the likelihood of x10 rises": nll_1.low["x10"] > nll.high["x10"],
        "x1 twice: the entropy of both rises": (entropy_1.low > entropy.high)[first].all(),
        "x1 twice: both matter most for the entropy": (
            entropy_1.low[first].min() > entropy_1.high.drop(first).max()
        ),
        "x1 twice: they alone share information": (
            [name for name, verdict in sorted(verdict_1.items()) if verdict == SHARES] == first
        ),
        "x5 twice: the likelihood of neither moves by a 25th": (
            (nll_5.importance - nll.importance)[second].abs().max() < least / 25
        ),
        "x5 twice: the entropy of both rises": (entropy_5.low > entropy.high)[second].all(),
        "x5 twice: by less than a fifth of that of x1": rise_5.max() < rise_1.min() / 5,
    }


@pytest.mark.parametrize(
    ("trees", "seeds"),
    [
        pytest.param(50, range(3), marks=pytest.mark.thorough),
        pytest.param(500, range(12), marks=[slow, pytest.mark.timeout(1800)]),
    ],
)
def test_figure_2_entropy_importance_detects_a_copy(trees, seeds):
    shares = agreement(f"figure 2, {trees} trees", lambda seed: figure_2(trees, seed), seeds)
    # By chance, one of four 95 % intervals is above zero in a tenth of the draws.
    assert_agreed(shares, {"no copy: none shares information": 0.75})


def figure_3(seed):
    """Check the claims of text and caption on two correlated pairs and an independent feature."""
    pairs, of_one_slope = ["x1", "x2", "x3", "x4"], ["x1", "x2", "x4"]
    X, y = make_correlated_pairs(1000, random_state=seed)
    kernel = ConstantKernel() * RBF(2.0) + WhiteKernel()
    process = GaussianProcessRegressor(kernel, normalize_y=True).fit(X[:500], y[:500])
    explainer = Explainer(process, X[500:], y[500:])
    known = explainer.redundancy(features=["x5"], n_estimators=50)
    (nll, entropy), verdict = importances(explainer), verdicts(explainer, known)
    conditional, surprise = importances(explainer, replacement="conditional")
    return {
        "x5 matters for the likelihood": nll.low["x5"] > 0.1,
        "x5 does not matter for the entropy": entropy.low["x5"] <= 0 <= entropy.high["x5"],
        "its entropy is less than a 20th of that of any other": (
            20 * abs(entropy.importance["x5"]) < entropy.importance[pairs].min()
        ),
        "x1 to x4 matter for the entropy": entropy.low[pairs].min() > entropy.high["x5"],
        "x1 to x4 share information": {verdict[name] for name in pairs} == {SHARES},
        "x5 is informative": verdict["x5"].startswith("informative"),
        "x5 is beyond doubt independent": verdict["x5"] == "informative, independent",
        "x5 matters more for the likelihood than x1, x2 and x4": (
            nll.importance["x5"] > nll.importance[of_one_slope].max()
        ),
        "x5 matters more for the likelihood than x1 to x4": (
            nll.importance["x5"] > nll.importance[pairs].max()
        ),
        "given the others, it does so than x1, x2 and x4": (
            conditional.importance["x5"] > conditional.importance[of_one_slope].max()
        ),
        "given the others, x1, x2 and x4 matter less than half of what they did": (
            (conditional.importance < nll.importance / 2)[of_one_slope].all()
        ),
        "given the others, none matters for the entropy": (
            surprise.importance.abs().max() < entropy.importance[pairs].min() / 10
        ),
    }


@pytest.mark.thorough
@pytest.mark.parametrize("seeds", [range(3), pytest.param(range(20), marks=slow)])
def test_figure_3_entropy_importance_detects_correlation(seeds):
    shares = agreement("figure 3", figure_3, seeds)
    # The caption claims this. It holds in few draws, and not in expectation (see below).
    assert shares.pop("x5 matters more for the likelihood than x1, x2 and x4") < 0.5
    assert shares.pop("x5 matters more for the likelihood than x1 to x4") < 0.5
    assert_agreed(shares, {"x5 is beyond doubt independent": 0.6})


def test_figure_3_correlation_does_not_lower_the_true_likelihood_importance():
    # In a sum, the Likelihood-PFI of a slope b is b^2 Var(x_j) / sigma^2 whatever the correlations;
    # that of 0.9 x3^2 is 0.81 Var(x3^2) / sigma^2 = 0.81.
    result = GroundTruth(*CORRELATED_PAIRS).importance("nll", n_repeats=20, level=0.999)
    frame = result.frame.set_index("feature")
    for feature in ("x1", "x2", "x4", "x5"):
        assert frame.low[feature] < 0.5 < frame.high[feature]
    assert frame.low["x3"] < 0.81 < frame.high["x3"]
    assert result.features[0] == "x3"

"""Poisson and negative binomial distributions against scipy and brute force, and their models."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from sklearn.compose import TransformedTargetRegressor
from sklearn.ensemble import BaggingRegressor, HistGradientBoostingRegressor
from sklearn.linear_model import PoissonRegressor, TweedieRegressor
from sklearn.metrics import mean_poisson_deviance
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import uqwidgets as uq
from uqwidgets.predictive.adapters.mixing import mixture_of
from uqwidgets.predictive.distributions import InvalidRowError

MEANS = np.array([1e-9, 1e-3, 0.3, 1.0, 7.0, 60.0, 299.0, 301.0, 2000.0])
DISPERSIONS = [0.01, 0.5, 1.0, 3.0]
LEVELS = (1e-6, 0.025, 0.5, 0.9, 0.999)


def cases():
    yield "Poisson", uq.Poisson(MEANS), stats.poisson(MEANS)
    for a in DISPERSIONS:
        theirs = stats.nbinom(1 / a, 1 / (1 + a * MEANS))
        yield f"dispersion {a}", uq.NegativeBinomial(MEANS, a), theirs


@pytest.fixture(params=cases(), ids=lambda case: case[0])
def both(request):
    return request.param[1:]


def test_methods_equal_those_of_scipy(both):
    ours, theirs = both
    for p in LEVELS:
        y = theirs.ppf(p)
        np.testing.assert_array_equal(ours.quantile(p), y)
        np.testing.assert_allclose(ours.log_prob(y), theirs.logpmf(y), rtol=1e-10, atol=1e-11)
        np.testing.assert_allclose(ours.cdf(y), theirs.cdf(y), rtol=1e-10, atol=1e-15)
    np.testing.assert_array_equal(ours.mean(), MEANS)
    # The parameter p = 1 / (1 + dispersion * mean) of scipy is rounded where it is nearly one.
    np.testing.assert_allclose(ours.variance(), theirs.var(), rtol=1e-12, atol=1e-14)
    np.testing.assert_allclose(ours.std(), theirs.std(), rtol=1e-12, atol=1e-11)


def test_entropy_and_crps_equal_sums_over_all_counts(both):
    ours, theirs = both
    y = theirs.ppf(0.8)
    k = np.arange(2 * int(theirs.ppf(1 - 1e-15).max()) + 50)[:, None]
    log_p = theirs.logpmf(k)
    p = np.exp(log_p)
    # Of counts without any probability, the logarithm is minus infinity.
    entropy = -(p * np.where(p > 0, log_p, 0)).sum(axis=0)
    np.testing.assert_allclose(ours.entropy(), entropy, rtol=1e-10, atol=1e-14)
    crps = np.square(p.cumsum(axis=0) - (k >= y)).sum(axis=0)
    np.testing.assert_allclose(ours.crps(y), crps, rtol=1e-9, atol=1e-15)


def test_the_entropy_of_large_means_continues_that_of_small_ones():
    below, above = uq.Poisson([300.0, 300.0 + 1e-9]).entropy()
    assert above == pytest.approx(below, abs=2e-11)


def test_the_entropy_of_a_geometric_distribution_is_that_in_closed_form():
    mean = np.array([1e-6, 1.0, 1e4, 1e8, 1e12])
    expected = np.log1p(mean) + mean * np.log1p(1 / mean)
    entropy = uq.NegativeBinomial(mean, 1.0).entropy()
    np.testing.assert_allclose(entropy, expected, rtol=1e-12)


def test_a_poisson_is_the_limit_of_no_dispersion():
    mean, y = [0.2, 5.0, 100.0], [0, 3, 120]
    q, limit = uq.NegativeBinomial(mean, 1e-12), uq.Poisson(mean)
    np.testing.assert_allclose(q.entropy(), limit.entropy(), rtol=0, atol=1e-9)
    for name in ("log_prob", "crps", "deviance", "cdf"):
        expected = getattr(limit, name)(y)
        np.testing.assert_allclose(getattr(q, name)(y), expected, rtol=0, atol=1e-8)


def test_a_mean_of_zero_is_certain():
    for q in (uq.Poisson([0.0, 0.0]), uq.NegativeBinomial([0.0, 0.0], 2.0)):
        y = [0, 1]
        for zeros in (q.entropy(), q.std(), q.quantile(0.99)):
            np.testing.assert_array_equal(zeros, 0)
        np.testing.assert_allclose(q.log_prob(y), [0, -np.inf], atol=1e-15)
        np.testing.assert_allclose(q.crps(y), y, atol=1e-15)
        np.testing.assert_array_equal(q.deviance(y), [0, np.inf])


def test_the_deviance_is_twice_the_lost_likelihood(both):
    ours, theirs = both
    y = np.maximum(theirs.ppf(0.9), 1)
    saturated = uq.Poisson(y)
    if isinstance(ours, uq.NegativeBinomial):
        saturated = uq.NegativeBinomial(y, ours.dispersion)
    lost = 2 * (saturated.log_prob(y) - ours.log_prob(y))
    np.testing.assert_allclose(ours.deviance(y), lost, rtol=1e-8, atol=1e-9)


def test_the_randomised_transform_is_uniform_only_of_the_right_distribution():
    rng = np.random.default_rng(3)
    mean = np.exp(rng.normal(size=4000))
    y = stats.nbinom(2, 1 / (1 + mean / 2)).rvs(random_state=rng)
    right, wrong = uq.NegativeBinomial(mean, 0.5), uq.Poisson(mean)
    assert stats.kstest(right.pit(y), "uniform").pvalue > 0.05
    assert stats.kstest(wrong.pit(y), "uniform").pvalue < 1e-6
    u = right.pit(y)
    assert ((right.cdf(np.maximum(y - 1, 0)) <= u) | (y == 0)).all()
    assert (u <= right.cdf(y)).all()
    np.testing.assert_array_equal(u, right.pit(y))
    drawn = [np.abs(right.pit(y, seed) - 0.5) > 0.45 for seed in range(200)]
    np.testing.assert_allclose(right.outside(y, 0.9), np.mean(drawn, axis=0), atol=0.2)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: uq.Poisson([1.0, -1.0]), "mean, -1, is negative in row 1"),
        (lambda: uq.Poisson([np.nan]), "mean is nan in row 0"),
        (lambda: uq.Poisson([1e16]), "too large for a count in row 0"),
        (lambda: uq.Poisson([[1.0]]), r"mean of shape \(1, 1\) must be one number for each row"),
        (lambda: uq.NegativeBinomial([1.0], 0.0), "dispersion is 0, .* row 0; use Poisson"),
        (lambda: uq.NegativeBinomial([1.0], [1.0, 2.0]), r"dispersion of shape \(2,\) must be one"),
        (lambda: uq.Poisson([1.0, 2.0]).log_prob([1, 0.5]), "y is 0.5, which is no count, in row"),
        (lambda: uq.Poisson([1.0]).crps([-1]), r"y is -1, .*pass lambda X: model.predict\(X\)"),
        (lambda: uq.Poisson([1.0]).quantile(1.0), "p must lie between 0 and 1"),
    ],
)
def test_bad_input_is_refused_in_one_sentence(make, message):
    with pytest.raises(ValueError, match=message):
        make()


def table(n=400, seed=0):
    rng = np.random.default_rng(seed)
    X = pd.DataFrame({"a": rng.normal(size=n), "b": rng.normal(size=n), "c": rng.normal(size=n)})
    return X, rng.poisson(np.exp(0.3 + 0.8 * X["a"] - 0.4 * X["b"]))


X, Y = table()
BOOSTING = HistGradientBoostingRegressor(loss="poisson", max_iter=10, early_stopping=False)
MODELS = {
    "regressor": PoissonRegressor(),
    "Tweedie": TweedieRegressor(power=1),
    "boosting": BOOSTING,
    "pipeline": make_pipeline(StandardScaler(), PoissonRegressor()),
    "search": GridSearchCV(PoissonRegressor(), {"alpha": [0.1, 1.0]}, cv=2),
    "target": TransformedTargetRegressor(PoissonRegressor()),
    "pipeline in target": TransformedTargetRegressor(make_pipeline(StandardScaler(), BOOSTING)),
}


@pytest.mark.parametrize("model", MODELS.values(), ids=MODELS)
def test_models_of_counts_are_poisson_with_the_mean_they_predict(model):
    model.fit(X, Y)
    q = uq.as_predictive(model)(X)
    assert isinstance(q, uq.Poisson)
    np.testing.assert_array_equal(q.mean(), model.predict(X))


@pytest.mark.parametrize("model", [TweedieRegressor(power=1.5), HistGradientBoostingRegressor()])
def test_other_losses_stay_points(model):
    assert isinstance(uq.as_predictive(model.fit(X, Y))(X), uq.Point)


def test_noise_and_a_function_of_predict_read_the_same_model_otherwise():
    model = PoissonRegressor().fit(X, Y)
    assert isinstance(uq.as_predictive(model, noise=1.0)(X), uq.Normal)
    assert isinstance(uq.as_predictive(lambda X: model.predict(X))(X), uq.Point)
    with pytest.raises(ValueError, match="samples has no effect here, because PoissonRegressor g"):
        uq.as_predictive(model, samples=True)


def test_members_that_predict_counts_are_read_by_their_means():
    bag = BaggingRegressor(PoissonRegressor(), n_estimators=3, random_state=0).fit(X, Y)
    q = uq.as_predictive(bag, members=True)(X)
    assert isinstance(q, uq.Mixture)
    np.testing.assert_allclose(q.mean(), bag.predict(X), rtol=1e-12)
    with pytest.raises(ValueError, match="one kind of counts; these are Normal, Poisson"):
        mixture_of([uq.Poisson([1.0]), uq.Normal([1.0], [1.0])], None)


def test_results_of_the_house_follow_without_further_code():
    ex = uq.Explainer(PoissonRegressor(alpha=1e-3).fit(*table(seed=1)), X, Y)
    assert {"nll", "entropy", "deviance", "crps", "std"} <= set(ex.measures["measure"])
    expected = mean_poisson_deviance(Y, ex.evaluations.original.mean())
    deviance = ex.importance("deviance", n_repeats=2)
    assert deviance.baseline == pytest.approx(expected)
    assert deviance.features[int(np.argmax(deviance.importance))] == "a"
    nll = -stats.poisson(ex.evaluations.original.mean()).logpmf(Y).mean()
    assert ex.importance("nll", n_repeats=2).baseline == pytest.approx(nll)
    assert ex.dependence("a", "entropy", grid=5).frame.notna().all(axis=None)
    stressed = ex.stress("a", taus=3).frame
    assert np.isfinite(stressed.loc[stressed["indicator"] == "deviance", "value"]).all()
    assert {"nll", "crps"} <= set(ex.scores(scoring=["nll", "crps"]).frame["score"])
    ex.slices()
    # Half of these rows are of small means, whose interval may hold the single count 0.
    sets = ex.prediction_sets(level=0.9)
    assert sets.coverage["calibrated"][0] >= 0.9 - 0.05
    assert np.isfinite(sets.frame.select_dtypes("number")).all(axis=None)


def test_the_calibration_of_counts_has_nothing_to_say_of_the_right_model():
    rows, y = table(2000, seed=5)
    mean = np.exp(0.3 + 0.8 * rows["a"] - 0.4 * rows["b"]).to_numpy()
    right = uq.Explainer(uq.Poisson(mean), rows, y).calibration()
    assert not right.clear.any()
    assert not any(right.clear_coverage)
    ex = uq.Explainer(uq.Poisson(mean), rows, y)
    assert not ex.calibration(by="a").clear.any()
    assert uq.Poisson(mean).outside(y, 0.9).mean() == pytest.approx(0.1, abs=0.015)
    # The intervals themselves hold more than their level.
    low, high = uq.Poisson(mean).interval(0.9)
    assert ((low <= y) & (y <= high)).mean() > 0.93
    wrong = uq.Explainer(uq.Poisson(mean / 2), rows, y)
    assert wrong.calibration().clear.sum() > 10
    assert wrong.calibration(by="a").clear.any()


def test_targets_that_are_no_counts_are_read_as_numbers_or_refused_with_the_way_out():
    model = PoissonRegressor().fit(X, Y / 2)
    # Rates are no counts, so that the model has no distribution for them.
    ex = uq.Explainer(model, X, Y / 2)
    assert ex.scores().names == ("rmse", "absolute_error", "r2")
    result = ex.importance("squared_error", n_repeats=2)
    assert "rates-of-counts" in [one.code for one in result.remarks]
    assert "rates-of-counts" not in [
        one.code for one in uq.Explainer(model, X, Y).importance("nll", n_repeats=2).remarks
    ]
    with pytest.raises(ValueError, match="one value per row"):
        ex.importance("nll")
    # Who asks for counts is told where y holds none.
    ex = uq.Explainer(uq.as_predictive(model), X, Y / 2)
    with pytest.raises(
        ValueError, match=r"y is \d\.5, which is no count.*lambda X: model\.predict"
    ):
        ex.importance("nll")


def test_distributions_are_cut_and_joined_like_all_others():
    q = uq.NegativeBinomial([1.0, 2.0, 3.0], [0.1, 0.2, 0.3])
    np.testing.assert_array_equal(q.take(slice(1, None)).dispersion, [0.2, 0.3])
    np.testing.assert_array_equal(q.take(slice(0, 1)).joined([q]).rate, [1, 1, 2, 3])
    with pytest.raises(InvalidRowError):
        q.log_prob([0, 1, -2])

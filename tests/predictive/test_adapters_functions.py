"""Functions, read by what they return and by the options of `as_predictive`."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from models import normal_model, table, three_classes, two_classes
from uqwidgets import Explainer, ModelError
from uqwidgets.predictive import Categorical, Mixture, Normal, Point, Quantiles, as_predictive

X, Y = table(50)
LABELS = np.array(["no", "yes"])[(Y > 0) * 1]
LEVELS = [0.05, 0.25, 0.5, 0.75, 0.95]


def draws(X):
    """Return seven samples of the mean, shape (7, n)."""
    mean, _ = normal_model(X)
    return mean + np.linspace(-1, 1, 7)[:, None]


def samples_of_probabilities(X):
    p = two_classes(X)
    return np.stack([p, p[:, ::-1], np.full(p.shape, 0.5)])


def test_samples_of_numbers_are_a_kernel_density_or_normal_with_noise():
    q = as_predictive(draws, samples=True)(X)
    assert isinstance(q, Mixture)
    np.testing.assert_allclose(q.members.loc, draws(X).T)
    np.testing.assert_allclose(q.members.scale, Mixture.from_samples(draws(X)).members.scale)
    q = as_predictive(draws, samples=True, noise=0.5)(X)
    np.testing.assert_allclose(q.mean(), normal_model(X)[0], atol=1e-12)
    np.testing.assert_allclose(q.variance(), np.linspace(-1, 1, 7).var() + 0.25, rtol=1e-12)


def test_samples_of_probabilities_are_members():
    q = as_predictive(samples_of_probabilities, classes=["no", "yes"])(X)
    assert q.classes.tolist() == ["no", "yes"]
    np.testing.assert_allclose(q.probabilities, samples_of_probabilities(X).mean(axis=0))
    np.testing.assert_array_equal(q.members.probabilities[:, 0], two_classes(X))


def test_an_explainer_names_the_classes_of_samples_by_its_target():
    explainer = Explainer(samples_of_probabilities, X, LABELS)
    assert explainer.classes.tolist() == ["no", "yes"]
    q = explainer.evaluations.original
    assert isinstance(q, Mixture)
    np.testing.assert_array_equal(q.members.probabilities[:, 0], two_classes(X))


def test_columns_with_levels_are_quantiles():
    def quantiles(X):
        mean, std = normal_model(X)
        return mean[:, None] + std[:, None] * stats.norm.ppf(LEVELS)

    q = as_predictive(quantiles, levels=LEVELS)(X)
    assert isinstance(q, Quantiles)
    np.testing.assert_allclose(q.quantile(0.5), normal_model(X)[0], atol=1e-12)


def test_noise_makes_one_value_a_normal_distribution():
    q = as_predictive(lambda X: X[:, 0], noise=0.5)(X)
    np.testing.assert_array_equal(q.loc, X[:, 0])
    assert (q.scale == 0.5).all()


@pytest.mark.parametrize(
    ("frozen", "kind"),
    [
        (lambda X: stats.norm(*normal_model(X)), Normal),
        (lambda X: stats.laplace(*normal_model(X)), Quantiles),
        (lambda X: stats.gamma(1 + X[:, 0] ** 2), Quantiles),
        (lambda X: stats.poisson(np.exp(X[:, 0])), Categorical),
    ],
    ids=["normal", "laplace", "gamma", "poisson"],
)
def test_frozen_distributions_of_scipy_are_accepted(frozen, kind):
    counts = range(80) if kind is Categorical else None
    q = as_predictive(frozen, classes=counts)(X)
    assert isinstance(q, kind)
    assert len(q) == len(X)
    exact = frozen(X)
    y = exact.rvs(random_state=0)
    np.testing.assert_allclose(q.mean(), exact.mean(), rtol=0.01, atol=0.02)
    np.testing.assert_allclose(q.quantile(0.9), exact.ppf(0.9), rtol=0.01, atol=0.005)
    of = "logpmf" if kind is Categorical else "logpdf"
    np.testing.assert_allclose(q.log_prob(y), getattr(exact, of)(y), atol=0.2)
    np.testing.assert_allclose(q.entropy(), exact.entropy(), atol=0.002)


def test_a_function_may_reuse_its_buffer():
    buffer = np.empty(len(X))

    def reusing(X):
        buffer[:] = X[:, 0]
        return buffer

    first = as_predictive(reusing)(X)
    buffer[:] = 0
    np.testing.assert_array_equal(first.value, X[:, 0])


def test_read_only_tables_and_answers_are_accepted():
    fixed, target = X.copy(), Y.copy()
    fixed.flags.writeable = target.flags.writeable = False

    def model(X):
        mean, std = normal_model(X)
        mean.flags.writeable = std.flags.writeable = False
        return mean, std

    explainer = Explainer(model, fixed, target)
    expected = Explainer(normal_model, X, Y)
    for measure in ("nll", "entropy"):
        np.testing.assert_array_equal(
            explainer.importance(measure, n_repeats=2).importance,
            expected.importance(measure, n_repeats=2).importance,
        )


@pytest.mark.parametrize(
    ("function", "options", "message"),
    [
        (two_classes, {}, r"shape \(50, 2\), which may be probabilities, samples or quantiles; p"),
        (draws, {}, r"shape \(7, 50\), which may be.*samples=True for \(members, rows\)"),
        (draws, {"classes": ["no", "yes"]}, r"shape \(7, 50\), which does not fit 50 rows and 2"),
        (lambda X: draws(X).T, {"samples": True}, r"shape \(50, 7\) must be \(members, 50 rows\)"),
        (lambda X: draws(X)[:1], {"samples": True}, "the array of samples has one member; a mix"),
        (samples_of_probabilities, {}, r"samples of probabilities; pass.*classes=\[\.\.\.\]"),
        (samples_of_probabilities, {"classes": list("abc")}, r"\(3, 50, 2\) must be \(members, 50"),
        (lambda X: samples_of_probabilities(X)[:1], {"classes": [0, 1]}, "has one member; a mixt"),
        (lambda X: draws(X)[0], {"samples": True}, "samples was passed, but the function returned"),
        (lambda X: draws(X)[0], {"levels": LEVELS}, "levels was passed, but the function returne"),
        (draws, {"levels": LEVELS}, r"values of shape \(7, 50\) do not fit 5 levels; expecte"),
        (normal_model, {"noise": 1.0}, "noise was passed, but the function returned a Normal"),
        (two_classes, {"classes": [0, 1], "noise": 1.0}, "noise was passed, but the function ret"),
        (lambda X: np.full(len(X), "up"), {"noise": 1.0}, "noise is for predicted numbers, but"),
        (lambda _: 5.0, {}, r"array of shape \(\); it may return a distribution, \(mean, std\)"),
        (lambda _: np.zeros((2, 2, 2, 2)), {}, r"shape \(2, 2, 2, 2\); it may return"),
        (lambda X: X[:7, 0], {}, "the model returned 7 rows for 50 rows"),
        (lambda X: Normal(X, np.ones(X.shape)), {}, r"\(50, 3\) must be \(rows,\).*make a Mixture"),
        (
            three_classes,
            {"classes": [0, 1]},
            r"\(50, 3\), which does not fit.*2 classes; if it holds",
        ),
        (lambda X: two_classes(X) * 0.98, {"classes": [0, 1]}, r"sum to 0\.98, off from 1 by -0"),
        (lambda X: (X[:, 0], X[:, 0] * 0), {}, "std, which must be greater than zero, is 0 in ro"),
        (lambda X: (X[:, 0], X[:, 0] ** 2 - 9), {}, "std, which must be greater than zero, is -"),
        (lambda X: (X[:, 0] * np.nan, X[:, 0] ** 2), {}, "mean is nan in row 0"),
        (lambda X: X[:, 0] * np.nan, {}, "prediction is nan in row 0"),
        (lambda X: stats.poisson(np.exp(X[:, 0])), {}, r"poisson is a distribution of counts; p"),
        (
            lambda X: stats.poisson(np.full(len(X), 3.0)),
            {"classes": range(5)},
            "counts other than the classes 0 to 4 have the probability 0.185 in row 0; name more",
        ),
    ],
)
def test_an_unreadable_answer_is_explained_in_one_sentence(function, options, message):
    with pytest.raises(ValueError, match=message):
        as_predictive(function, **options)(X)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"levels": 0.5}, "levels are 0.5; they must be at least two increasing numbers betwee"),
        ({"levels": [0.5, 0.1]}, r"levels are \[0.5, 0.1\]; they must be"),
        ({"levels": [0.0, 0.5]}, "they must be at least two increasing"),
        ({"levels": ["low", "high"]}, r"levels are \['low', 'high'\]; they must be"),
        ({"levels": LEVELS, "samples": True}, "samples and levels both say what the columns are"),
        ({"classes": "ab"}, "classes are 'ab'; they must be a list of at least two labels"),
        ({"classes": ["a"]}, r"classes are \['a'\]; they must be a list of at least two"),
    ],
)
def test_options_are_checked_immediately(options, message):
    with pytest.raises(ValueError, match=message):
        as_predictive(two_classes, **options)


def test_an_explainer_names_the_row_of_a_wrong_answer():
    def wrong(X):
        p = two_classes(X)
        p[3] *= 1.1
        return p

    with pytest.raises(ModelError, match=r"sum to 1\.1, off from 1 by \+0\.1, in row 3 of X; if"):
        Explainer(wrong, X, LABELS)


def test_options_are_refused_for_predictive_models():
    predictive = as_predictive(lambda X: X[:, 0], noise=1.0)
    assert as_predictive(predictive) is predictive
    with pytest.raises(ValueError, match="noise was passed with a Predictive; pass it when maki"):
        as_predictive(predictive, noise=2.0)
    assert isinstance(as_predictive(lambda X: X[:, 0])(X), Point)


@pytest.mark.parametrize("tail", [1e-4, 1e-6, 1e-9])
@pytest.mark.parametrize("side", ["ppf", "isf"])
def test_targets_far_in_a_tail_have_the_exact_score(tail, side):
    # Replaced rows put y in a tail.
    for family in (stats.norm(2, 3), stats.laplace(2, 3), stats.gumbel_r(2, 3)):
        y = np.full(3, getattr(family, side)(tail))
        q = as_predictive(lambda X, family=family: stats_of_rows(family, len(X)))(X[:3])
        np.testing.assert_allclose(q.log_prob(y), family.logpdf(y), rtol=0.05)


def stats_of_rows(family, n):
    """The same frozen distribution for each row, and never as the normal one that it may be."""
    name = "gennorm" if family.dist.name == "norm" else family.dist.name
    loc, scale = (np.full(n, v, dtype=float) for v in family.args)
    if name == "gennorm":
        return stats.gennorm(2.0, loc, scale * np.sqrt(2))
    return getattr(stats, name)(loc, scale)


def test_numbers_in_an_array_of_objects_are_numbers():
    X, y = table(30)
    explainer = Explainer(lambda X: (X[:, 0] + X[:, 1]).astype(object), X, y)
    assert explainer.classes is None
    floats = Explainer(lambda X: X[:, 0] + X[:, 1], X, y)
    np.testing.assert_array_equal(
        explainer.importance("squared_error").importance,
        floats.importance("squared_error").importance,
    )

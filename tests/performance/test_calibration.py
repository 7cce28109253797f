"""Calibration and confusion, compared with scikit-learn and with calibrated models."""

import numpy as np
import pytest
from scipy.stats import norm
from sklearn.calibration import calibration_curve
from sklearn.ensemble import RandomForestClassifier
from sklearn.metrics import confusion_matrix

import uqwidgets as uq


def two_classes(n=500, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 1))
    return X, (rng.random(n) < 1 / (1 + np.exp(-2 * X[:, 0]))).astype(int)


def logistic(A):
    p = 1 / (1 + np.exp(-2 * A[:, 0]))
    return np.column_stack([1 - p, p])


@pytest.fixture(scope="module")
def three():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(150, 2)), np.repeat(["a", "b", "c"], 50)
    X[y == "b", 0] += 1
    model = RandomForestClassifier(20, max_depth=2, random_state=0).fit(X[::2], y[::2])
    return uq.Explainer(model, X, y), y


class TestClasses:
    def test_bins_agree_with_scikit_learn(self):
        X, y = two_classes()
        result = uq.Explainer(logistic, X, y).calibration()
        share, mean = calibration_curve(y, logistic(X)[:, 1], n_bins=10, strategy="quantile")
        np.testing.assert_allclose(result.predicted, mean)
        np.testing.assert_allclose(result.observed, share)
        assert result.n_rows_of_bin.sum() == len(y)

    def test_a_whole_weight_counts_like_repeated_rows(self):
        X, y = two_classes(120)
        w = np.random.default_rng(1).integers(1, 4, len(y))
        weighted = uq.Explainer(logistic, X, y).calibration(sample_weight=w, n_bins=4)
        repeated = uq.Explainer(logistic, X.repeat(w, 0), y.repeat(w)).calibration(n_bins=4)
        # A row on the border of two bins belongs to one of them with its whole weight.
        np.testing.assert_allclose(weighted.predicted, repeated.predicted, atol=0.02)
        assert weighted.share.sum() == pytest.approx(1)

    def test_equal_probabilities_share_a_bin(self):
        def model(A):
            p = np.where(A[:, 0] > 0, 0.8, 0.2)
            return np.column_stack([1 - p, p])

        X, y = two_classes()
        result = uq.Explainer(model, X, y).calibration()
        np.testing.assert_allclose(result.predicted, [0.2, 0.8])
        for predicted, observed in zip([0.2, 0.8], result.observed, strict=True):
            rows = np.isclose(model(X)[:, 1], predicted)
            assert observed == pytest.approx(y[rows].mean())

    def test_the_default_event_is_the_second_of_two_classes(self):
        X, y = two_classes()
        explainer = uq.Explainer(logistic, X, y)
        first, second = explainer.calibration(0), explainer.calibration(1)
        np.testing.assert_allclose(explainer.calibration().predicted, second.predicted)
        np.testing.assert_allclose(np.sort(1 - first.predicted), second.predicted)

    def test_calibration_of_three_classes_is_that_of_the_confidence(self, three):
        explainer, y = three
        result = explainer.calibration(n_bins=1)
        q = explainer.evaluations.original
        right = explainer.classes[q.mode()] == y
        assert result.event == "the predicted class is right"
        assert result.observed[0] == pytest.approx(right.mean())
        assert result.predicted[0] == pytest.approx(q.probabilities.max(axis=1).mean())

    def test_intervals_contain_the_probability_of_a_calibrated_model(self):
        covered = total = 0
        for seed in range(60):
            result = uq.Explainer(logistic, *two_classes(400, seed)).calibration()
            covered += len(result.predicted) - result.n_outside
            total += len(result.predicted)
        assert 0.92 < covered / total < 0.98

    def test_rows_of_weight_zero_do_not_count(self):
        X, y = two_classes(200)
        explainer = uq.Explainer(logistic, X, y)
        half = np.arange(100)
        w = np.r_[np.ones(100), np.zeros(100)]
        np.testing.assert_allclose(
            explainer.calibration(sample_weight=w).observed,
            explainer.calibration(rows=half).observed,
        )


class TestNumbers:
    def explainer(self, scale, n=2000):
        rng = np.random.default_rng(0)
        X = rng.normal(size=(n, 1))
        return uq.Explainer(
            lambda A: (A[:, 0], np.full(len(A), scale)), X, X[:, 0] + rng.normal(size=n)
        )

    def test_quantiles_agree_with_the_known_noise(self):
        result = self.explainer(0.5).calibration()
        expected = norm.cdf(norm.ppf(result.predicted) * 0.5)
        np.testing.assert_allclose(result.observed, expected, atol=0.04)
        assert result.n_outside > 10

    def test_the_quantiles_of_a_calibrated_distribution_have_their_coverage(self):
        result = self.explainer(1.0).calibration()
        assert result.n_outside <= 2
        for nominal, _, low, high in result.coverage:
            assert low - 0.01 < nominal < high + 0.01

    def test_coverage_is_the_share_of_rows_inside_the_central_interval(self):
        explainer = self.explainer(1.0, 300)
        q, y = explainer.evaluations.original, explainer.evaluations.truth
        w = np.random.default_rng(0).random(300)
        for nominal, inside, *_ in explainer.calibration(sample_weight=w).coverage:
            low, high = q.interval(nominal)
            assert inside == pytest.approx(np.average((low <= y) & (y <= high), weights=w))

    def test_an_interval_includes_its_ends(self):
        def model(A):
            return A[:, 0], np.ones(len(A))

        X = np.arange(8.0).reshape(4, 2)
        for end in uq.Normal(X[:, 0], np.ones(4)).interval(0.9):
            coverage = uq.Explainer(model, X, end).calibration().coverage
            assert [inside for _, inside, *_ in coverage] == [0, 0, 1, 1]


@pytest.mark.parametrize("weighted", [False, True])
def test_confusion_agrees_with_scikit_learn(three, weighted):
    explainer, y = three
    w = np.random.default_rng(0).random(len(y)) if weighted else None
    predicted = explainer.classes[explainer.evaluations.original.mode()]
    result = explainer.confusion(sample_weight=w)
    expected = confusion_matrix(y, predicted, sample_weight=w, normalize="all")
    np.testing.assert_allclose(result.share, expected)
    by_class = confusion_matrix(y, predicted, sample_weight=w, normalize="true")
    np.testing.assert_allclose(result.recall, np.diagonal(by_class))


def test_confusion_of_a_model_that_predicts_labels_only():
    X = np.arange(12.0).reshape(6, 2)
    y = np.array(["a", "b", "a", "b", "a", "b"])
    explainer = uq.Explainer(lambda A: np.where(A[:, 0] > 5, "a", "b"), X, y)
    predicted = np.where(X[:, 0] > 5, "a", "b")
    np.testing.assert_allclose(
        explainer.confusion().share, confusion_matrix(y, predicted, normalize="all")
    )
    assert explainer.scores().names == ("error_rate", "balanced_accuracy")


def test_a_model_without_calibration_is_an_error_of_one_sentence(three):
    X = np.arange(20.0).reshape(10, 2)
    point = uq.Explainer(lambda A: A[:, 0], X, X[:, 0])
    with pytest.raises(ValueError, match="single values without a probability"):
        point.calibration()
    with pytest.raises(ValueError, match="only classes are confused"):
        point.confusion()
    with pytest.raises(ValueError, match="class 'd'"):
        three[0].calibration("d")
    with pytest.raises(ValueError, match="n_bins"):
        three[0].calibration(n_bins=0)
    distribution = uq.Explainer(lambda A: (A[:, 0], np.ones(len(A))), X, X[:, 0])
    with pytest.raises(ValueError, match="has no class"):
        distribution.calibration("a")


class TestVerdict:
    def of_numbers(self, scale=1.0, shift=0.0, n=2000, seed=0):
        rng = np.random.default_rng(seed)
        X = rng.normal(size=(n, 1))
        y = X[:, 0] + rng.normal(size=n)
        model = lambda A: (A[:, 0] + shift, np.full(len(A), scale))  # noqa: E731
        return uq.Explainer(model, X, y).calibration()

    def of_classes(self, distorted, n=4000):
        """Return the calibration of a model whose log-odds are distorted."""
        X, y = two_classes(n)

        def model(A):
            p = 1 / (1 + np.exp(-distorted(2 * A[:, 0])))
            return np.column_stack([1 - p, p])

        return uq.Explainer(model, X, y).calibration()

    def test_of_numbers_says_the_direction_with_the_share_inside(self):
        wide, narrow = self.of_numbers(1.5), self.of_numbers(0.5)
        inside = wide.coverage[2][1]
        assert wide.verdict == (
            f"Too cautious: {100 * inside:.3g} % of the rows lie inside the 90 % intervals."
        )
        assert narrow.verdict.startswith("Too sure: ")

    def test_of_numbers_says_that_predictions_are_too_high(self):
        below = self.of_numbers(shift=0.3).verdict
        assert "Too high: " in below
        assert "of the rows lie below the predicted median" in below
        assert "Too low: " in self.of_numbers(shift=-0.3).verdict

    def test_of_two_classes_says_where(self):
        assert self.of_classes(lambda z: 3 * z).verdict.count("Too sure") == 1
        assert "Too cautious" in self.of_classes(lambda z: z / 3).verdict
        assert self.of_classes(lambda z: z + 1).verdict.startswith("Too high")
        above = self.of_classes(lambda z: np.where(z > 1, 3 * z - 2, z)).verdict
        assert above.startswith("Too sure above 0.")

    def test_of_the_confidence_in_three_classes(self):
        X, y = np.arange(90.0).reshape(-1, 1), np.tile(["a", "b", "c"], 30)

        def model(A):  # right in every row, with a confidence of 0.4
            return 0.3 + 0.1 * np.eye(3)[A[:, 0].astype(int) % 3]

        result = uq.Explainer(uq.as_predictive(model, classes=["a", "b", "c"]), X, y).calibration()
        assert result.verdict == "Too cautious: predicted 0.4 on average, observed 1."

    def test_a_calibrated_model_rarely_gets_a_direction(self):
        verdicts = [self.of_numbers(n=200, seed=seed).verdict for seed in range(200)]
        directions = sum("Calibrated" not in verdict for verdict in verdicts)
        assert directions <= 18  # P = 1 % if one in 20 tables has one

    def test_counts_what_would_miss_by_chance(self):
        assert self.of_numbers(0.5).misses.endswith("about 1 would by chance.")
        assert self.of_numbers(n=50).expected_outside == pytest.approx(0.95)
        X, y = two_classes()
        together = uq.Explainer(logistic, X, y).calibration(simultaneous=True)
        assert together.misses.endswith("by chance any would in 5 % of tables.")
        np.testing.assert_array_equal(together.clear, together.outside)

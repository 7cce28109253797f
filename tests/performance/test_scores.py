"""Scores of a model: values compared with scikit-learn, intervals with simulation."""

import numpy as np
import pytest
from scipy.stats import binomtest
from sklearn import metrics
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression

import uqwidgets as uq
from uqwidgets.performance.metrics import RankIndicator
from uqwidgets.performance.shares import wilson


@pytest.fixture(scope="module")
def binary():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 3))
    y = np.where(rng.random(300) < 1 / (1 + np.exp(-2 * X[:, 0])), "yes", "no")
    return uq.Explainer(LogisticRegression().fit(X[:150], y[:150]), X[150:], y[150:]), y[150:]


def standard_normal(A):
    return A[:, 0], np.ones(len(A))


@pytest.fixture(scope="module")
def numbers():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(200, 2))
    y = X[:, 0] + rng.normal(size=200)
    return uq.Explainer(standard_normal, X, y), y


def weights_of(n):
    return np.random.default_rng(5).exponential(size=n)


class TestValues:
    @pytest.mark.parametrize("weighted", [False, True])
    def test_scores_of_classes_are_those_of_scikit_learn(self, binary, weighted):
        explainer, y = binary
        w = weights_of(len(y)) if weighted else None
        q = explainer.evaluations.original
        p, predicted = q.probabilities[:, 1], explainer.classes[q.mode()]
        result = explainer.scores(sample_weight=w)
        assert result.names == ("error_rate", "nll", "brier", "roc_auc")
        expected = [
            1 - metrics.accuracy_score(y, predicted, sample_weight=w),
            metrics.log_loss(y, q.probabilities, sample_weight=w),
            metrics.brier_score_loss(y, p, sample_weight=w, pos_label="yes"),
            metrics.roc_auc_score(y, p, sample_weight=w),
        ]
        np.testing.assert_allclose(result.value, expected, rtol=1e-10)

    @pytest.mark.parametrize("weighted", [False, True])
    def test_scores_of_numbers_are_those_of_scikit_learn(self, numbers, weighted):
        explainer, y = numbers
        w = weights_of(len(y)) if weighted else None
        prediction = explainer.evaluations.original.mean()
        result = explainer.scores(["rmse", "absolute_error", "r2"], sample_weight=w)
        expected = [
            metrics.root_mean_squared_error(y, prediction, sample_weight=w),
            metrics.mean_absolute_error(y, prediction, sample_weight=w),
            metrics.r2_score(y, prediction, sample_weight=w),
        ]
        np.testing.assert_allclose(result.value, expected, rtol=1e-10)

    def test_a_dict_gives_scores_their_names(self, numbers):
        explainer, _ = numbers
        pinball = metrics.make_scorer(metrics.mean_pinball_loss, alpha=0.9)
        named = {"R squared": "r2", "error": "rmse", "pinball": pinball}
        result, plain = explainer.scores(named), explainer.scores([*named.values()])
        assert result.names == result.labels == ("R squared", "error", "pinball")
        for numbers_of in ("value", "std_error", "low", "high"):
            np.testing.assert_array_equal(getattr(result, numbers_of), getattr(plain, numbers_of))
        assert result.units == plain.units
        assert explainer.compare(explainer).scores(named).difference.names == result.names
        halves = explainer.compare_rows(np.arange(len(explainer.table)) % 2 == 0)
        assert halves.scores(named).first.names == result.names
        stressed = explainer.stress([explainer.features[0]], named, taus=[0.5])
        assert stressed.indicators == result.names
        with pytest.raises(ValueError, match="scoring is empty"):
            explainer.scores({})
        with pytest.raises(TypeError, match="give one name, scorer or function of"):
            explainer.importance(named)

    def test_scores_of_selected_rows_use_these_rows_only(self, numbers):
        explainer, y = numbers
        rows = np.flatnonzero(y > 0)
        X = np.column_stack([explainer.table.numbers(name) for name in explainer.features])
        some = explainer.scores(rows=rows)
        alone = uq.Explainer(standard_normal, X[rows], y[rows]).scores()
        for numbers_of in ("value", "std_error", "low", "high"):
            np.testing.assert_allclose(getattr(some, numbers_of), getattr(alone, numbers_of))
        assert some.n_rows == len(rows)

    def test_three_classes_have_balanced_accuracy(self):
        rng = np.random.default_rng(0)
        X, y = rng.normal(size=(90, 2)), np.repeat(["a", "b", "c"], 30)
        explainer = uq.Explainer(RandomForestClassifier(5, random_state=0).fit(X, y), X, y)
        assert explainer.scores().names == ("error_rate", "nll", "brier", "balanced_accuracy")

    def test_the_model_is_not_called(self, binary):
        explainer, _ = binary
        before = explainer.model_calls
        explainer.scores()
        explainer.confusion()
        explainer.calibration()
        assert explainer.model_calls == before


class TestClosedForms:
    """Metrics with closed forms: values of scikit-learn, influences by numeric derivatives."""

    NAMES = ("accuracy", "balanced_accuracy", "roc_auc")

    @pytest.mark.parametrize("weighted", [False, True])
    @pytest.mark.parametrize("name", NAMES)
    def test_values_are_those_of_scikit_learn(self, binary, name, weighted):
        explainer, y = binary
        w = weights_of(len(y)) if weighted else None
        q = explainer.evaluations.original
        predictions = q.probabilities[:, 1] if name == "roc_auc" else explainer.classes[q.mode()]
        score = metrics.get_scorer(name)._score_func
        expected = score(y, predictions, sample_weight=w)
        assert explainer.scores(name, sample_weight=w).value[0] == pytest.approx(expected)

    def test_ties_count_one_half(self):
        y, p = np.array([0, 0, 1, 1, 1, 0]), np.array([0.2, 0.4, 0.4, 0.4, 0.9, 0.9])
        w = np.arange(1.0, 7.0)
        value, _ = RankIndicator("auc", "", "", p, y == 1).influence(w)
        assert value == pytest.approx(metrics.roc_auc_score(y, p, sample_weight=w))

    @pytest.mark.parametrize("name", ["roc_auc", "balanced_accuracy", "r2", "rmse"])
    def test_the_standard_error_is_that_of_numeric_derivatives(self, binary, numbers, name):
        explainer, y = numbers if name in ("r2", "rmse") else binary
        w = weights_of(len(y))
        result = explainer.scores(name, sample_weight=w)
        step, influence = 1e-5, np.empty(len(y))
        for i in range(len(y)):
            more = w.copy()
            more[i] *= 1 + step
            influence[i] = (
                explainer.scores(name, sample_weight=more).value[0] - result.value[0]
            ) / step
        error = np.sqrt(np.square(influence).sum() * result.ess / (result.ess - 1))
        assert result.std_error[0] == pytest.approx(error, rel=1e-3)

    def test_balanced_accuracy_leaves_out_a_class_without_rows(self):
        rng = np.random.default_rng(0)
        X, y = rng.normal(size=(60, 2)), np.repeat(["a", "b", "c"], 20)
        explainer = uq.Explainer(RandomForestClassifier(5, random_state=0).fit(X, y), X, y)
        rows = y != "c"
        predicted = explainer.classes[explainer.evaluations.original.mode()][rows]
        recalls = [(predicted[y[rows] == c] == c).mean() for c in "ab"]
        value = explainer.scores("balanced_accuracy", rows=rows).value[0]
        assert value == pytest.approx(np.mean(recalls))


class TestIntervals:
    def test_wilson_agrees_with_scipy(self):
        for successes, n in [(0, 10), (3, 10), (10, 10), (77, 200)]:
            exact = binomtest(successes, n).proportion_ci(0.9, method="wilson")
            low, high = wilson(np.array(successes / n), np.array(float(n)), 0.9)
            np.testing.assert_allclose([low, high], [exact.low, exact.high], atol=1e-12)

    def test_an_error_rate_has_wilsons_interval(self, binary):
        explainer, y = binary
        result = explainer.scores("error_rate")
        wrong = round(result.value[0] * len(y))
        exact = binomtest(wrong, len(y)).proportion_ci(method="wilson")
        np.testing.assert_allclose([result.low[0], result.high[0]], [exact.low, exact.high])

    def test_the_standard_error_of_a_mean_is_that_of_independent_rows(self, numbers):
        explainer, y = numbers
        loss = np.abs(y - explainer.evaluations.original.mean())
        result = explainer.scores("absolute_error")
        assert result.std_error[0] == pytest.approx(loss.std(ddof=1) / np.sqrt(len(y)))

    def test_the_standard_error_of_the_root_follows_from_the_delta_method(self, numbers):
        explainer, y = numbers
        squared = np.square(y - explainer.evaluations.original.mean())
        result = explainer.scores("rmse")
        expected = squared.std(ddof=1) / np.sqrt(len(y)) / (2 * result.value[0])
        assert result.std_error[0] == pytest.approx(expected)

    def test_weights_count_like_repeated_rows_in_the_value_only(self, numbers):
        explainer, y = numbers
        twice = np.ones(len(y))
        twice[:50] = 2
        result = explainer.scores("absolute_error", sample_weight=twice)
        loss = np.abs(y - explainer.evaluations.original.mean())
        assert result.value[0] == pytest.approx(np.r_[loss, loss[:50]].mean())
        assert result.ess < len(y)

    def test_a_single_row_has_a_value_without_an_interval(self, numbers):
        result = numbers[0].scores("absolute_error", rows=[3])
        assert np.isfinite(result.value[0])
        assert np.isnan(result.low[0])

    def test_an_undefined_metric_has_a_remark(self, binary):
        explainer, y = binary
        result = explainer.scores("roc_auc", rows=y == "yes")
        assert np.isnan(result.value[0])
        assert "not defined" in result.remarks[0]

    def test_intervals_stay_within_the_range_of_the_score(self, binary):
        result = binary[0].scores(["roc_auc", "brier"], rows=np.arange(12))
        assert (result.low[np.isfinite(result.low)] >= 0).all()
        assert (result.high[np.isfinite(result.high)] <= 1).all()

    def test_intervals_cover_the_score_in_the_population(self):
        scores, covered, runs = ["error_rate", "nll", "brier", "roc_auc"], np.zeros(4), 200

        def draw(n, seed):
            rng = np.random.default_rng(seed)
            X = rng.normal(size=(n, 1))
            return X, (rng.random(n) < 1 / (1 + np.exp(-1.5 * X[:, 0]))).astype(int)

        def model(A):
            p = 1 / (1 + np.exp(-A[:, 0]))
            return np.column_stack([1 - p, p])

        truth = uq.Explainer(model, *draw(200_000, 10**6)).scores(scores).value
        for seed in range(runs):
            result = uq.Explainer(model, *draw(100, seed)).scores(scores)
            covered += (result.low <= truth) & (truth <= result.high)
        # Four standard errors of a simulated coverage of .95 are .062.
        assert (np.abs(covered / runs - 0.95) < 0.062).all(), covered / runs


def test_unknown_scores_are_an_error_of_one_sentence(binary, numbers):
    with pytest.raises(ValueError, match="indicator"):
        binary[0].scores("acuracy")
    with pytest.raises(ValueError, match="level"):
        binary[0].scores(level=95)
    with pytest.raises(ValueError, match="roc_auc"):
        numbers[0].scores("roc_auc")


def test_pictures_show_the_numbers_and_escape_names():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 2)), np.repeat(["<b>a</b>", "b"], 30)
    explainer = uq.Explainer(RandomForestClassifier(5, random_state=0).fit(X, y), X, y)
    for result in (explainer.scores(), explainer.confusion(), explainer.calibration("<b>a</b>")):
        html = result._repr_html_()
        assert "<b>" not in html
        assert result.to_altair().to_dict()
        assert repr(result)


def test_a_probability_of_zero_is_remarked_on_wherever_nll_is_averaged():
    X, y = np.arange(40.0)[:, None], np.arange(40) % 2

    def model(X):
        p = np.where(X[:, 0] > 30, 0.0, 0.5)
        return np.column_stack([p, 1 - p])

    explainer = uq.Explainer(model, X, y)
    for result in (explainer.scores("nll"), explainer.stress(indicators="nll")):
        assert (
            "in 4 of 40 rows the model gives the observed class probability 0" in result.remarks[0]
        )
    for result in (explainer.scores("nll", rows=X[:, 0] < 30), explainer.scores("error_rate")):
        assert not any(remark.code == "probability-zero" for remark in result.remarks)


def test_r2_of_a_constant_target_is_not_defined_and_no_class_is_spoken_of():
    X = np.arange(20.0)[:, None]
    scores = uq.Explainer(lambda X: X[:, 0], X, np.ones(20)).scores("r2")
    assert np.isnan(scores.value)
    assert scores.remarks == ("R² is not defined for these rows, whose y is constant",)

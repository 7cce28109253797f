"""Properties that all predictive distributions share, and single predicted values."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest

from uqwidgets.predictive import Categorical, Mixture, Normal, Point, Quantiles

P = np.array([[0.2, 0.5, 0.3], [1.0, 0.0, 0.0], [1 / 3, 1 / 3, 1 / 3]])
MEANS, STDS = np.array([[0.0, 1.0], [-3.0, 2.0], [50.0, 0.0]]), np.array([[1, 2], [0.2, 1], [9, 1]])
WEIGHTS = np.array([[0.5, 0.5], [0.1, 0.9], [1.0, 0.0]])
MEMBERS = np.stack([P, P[::-1]], axis=1)

EVERY_KIND = {
    "categorical": Categorical(P, list("abc")),
    "categorical of numbers": Categorical(P, [3, 1, 2]),
    "normal": Normal(MEANS[:, 0], STDS[:, 0]),
    "mixture of normals": Mixture(Normal(MEANS, STDS)),
    "mixture of normals with weights": Mixture(Normal(MEANS, STDS), WEIGHTS),
    "mixture of classes": Mixture(Categorical(MEMBERS, list("abc")), [0.25, 0.75]),
    "mixture of classes with weights": Mixture(Categorical(MEMBERS, [3, 1, 2]), WEIGHTS),
    "quantiles": Quantiles([0.1, 0.5, 0.9], [[0, 1, 2], [3, 5, 4], [-1, 0, 9]]),
    "point": Point(np.array([1.0, 2.0, 3.0])),
    "labels": Point(np.array(["a", "b", "a"])),
}
OF_LABELS = ("categorical", "mixture of classes", "labels")


def kinds(*without):
    names = [name for name in EVERY_KIND if name not in without]
    return pytest.mark.parametrize("q", [EVERY_KIND[name] for name in names], ids=names)


every_kind = kinds()


def answers(q):
    """Return every method of this distribution that gives a number per row."""
    y = np.array([2.0, 1.0, 2.0])
    methods = {
        "entropy": q.entropy,
        "log_prob": lambda: q.log_prob(q.classes[[1, 0, 2]] if q.classes is not None else y),
        "mean": q.mean,
        "variance": q.variance,
        "std": q.std,
        "low": lambda: q.interval(0.8)[0],
        "high": lambda: q.interval(0.8)[1],
        "quantile": lambda: q.quantile(0.3),
        "crps": lambda: q.crps(y),
    }
    if isinstance(q, Mixture):
        methods |= {"aleatoric": q.aleatoric, "epistemic": q.epistemic}
    result = {}
    for name, ask in methods.items():
        try:
            result[name] = ask()
        except ValueError as error:
            result[name] = str(error)
    return result


@every_kind
def test_every_method_returns_one_number_per_row_or_an_explained_error(q):
    for name, result in answers(q).items():
        if isinstance(result, str):
            assert result.endswith("."), name
        else:
            assert result.shape == (3,), name
            assert result.dtype == np.float64, name
            assert np.isfinite(result).all() or name == "log_prob", name


@every_kind
def test_slices_concatenate_to_the_whole(q):
    back = q.take(slice(2, 3)).joined([q.take(np.array([0, 1])), q.take(slice(0, 0))])
    assert type(back) is type(q)
    assert len(back) == len(q) == 3
    assert back.nbytes == q.nbytes > 0
    whole = answers(q.take(np.array([2, 0, 1])))
    for name, result in answers(back).items():
        np.testing.assert_array_equal(result, whole[name])
    assert back.classes is q.classes


@kinds(*OF_LABELS, "point")
def test_a_row_alone_has_the_same_numbers_as_among_others(q):
    alone = q.take(slice(1, 2))
    assert len(alone) == 1
    for ask in (
        lambda q: q.mean(),
        lambda q: q.std(),
        lambda q: q.entropy(),
        lambda q: q.interval(0.8)[0],
    ):
        np.testing.assert_allclose(ask(alone), ask(q)[1:2], rtol=1e-13)


@every_kind
def test_zero_rows_give_zero_numbers(q):
    none = q.take(slice(0, 0))
    assert len(none) == 0
    assert none.nbytes <= q.nbytes
    for name, result in answers(q).items():
        if name in ("entropy", "mean", "variance", "std", "epistemic") and not isinstance(
            result, str
        ):
            assert getattr(none, name)().shape == (0,)


@every_kind
def test_distributions_can_be_sent_to_another_process_and_stay_as_they_are(q):
    back = pickle.loads(pickle.dumps(q))
    for name, result in answers(copy.deepcopy(back)).items():
        np.testing.assert_array_equal(result, answers(q)[name])
    with pytest.raises(AttributeError):
        q.members = None


@kinds(*OF_LABELS, "point")
def test_levels_lie_between_0_and_1(q):
    for level in (0.0, 1.0, 95, np.nan):
        with pytest.raises(ValueError, match=r"level must lie between 0 and 1, not (0|1|95|nan)\."):
            q.interval(level)
        with pytest.raises(ValueError, match="p must lie between 0 and 1"):
            q.quantile(level)


@kinds(*OF_LABELS)
def test_true_values_must_be_one_finite_number_per_row(q):
    with pytest.raises(
        ValueError, match=r"y has shape \(2,\); pass one value for each of the 3 rows"
    ):
        q.crps([1.0, 2.0])
    with pytest.raises(ValueError, match=r"y is nan in row 1"):
        q.crps([1.0, np.nan, 2.0])


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Normal("a", [1.0]), "mean must be numbers in rows of equal length, not 'a'"),
        (lambda: Normal([1.0], {"a": 1}), "std must be numbers .*, not {'a': 1}"),
        (lambda: Normal(np.array([1j]), [1.0]), "mean must be numbers"),
        (lambda: Normal(np.array(["2020-01-01"], "M8[D]"), [1.0]), "mean must be numbers"),
        (lambda: Categorical([["a", "b"]], ["a", "b"]), "probabilities must be numbers"),
        (lambda: Categorical([[0.5, 0.5], [1.0]], [0, 1]), "probabilities must be numbers"),
        (lambda: Quantiles([0.1, 0.9], [["a", "b"]]), "values must be numbers"),
        (lambda: Quantiles("ab", [[1.0, 2.0]]), "levels must be numbers"),
        (lambda: Mixture.from_samples("ab"), "draws must be numbers"),
        (lambda: Normal([0.0], [1.0]).crps("a"), "y must be numbers"),
        (lambda: Normal([0.0], [1.0]).quantile("a"), "p must lie between 0 and 1, not 'a'"),
        (
            lambda: Categorical([[0.5, 0.5]], [0, 1]).log_prob(3),
            r"y has shape \(\); pass",
        ),
    ],
)
def test_what_is_no_number_is_named(make, message):
    with pytest.raises(ValueError, match=message):
        make()


def test_inputs_are_not_modified():
    p, values = P.copy(), np.array([[3.0, 1.0], [0.0, 1.0]])
    p.flags.writeable = values.flags.writeable = False
    for q in (Categorical(p, [0, 1, 2]), Quantiles([0.2, 0.8], values), Mixture(Normal(p, p + 1))):
        answers(q.take(np.zeros(3, dtype=np.intp)))
    np.testing.assert_array_equal(p, P)
    np.testing.assert_array_equal(values, [[3.0, 1.0], [0.0, 1.0]])


def test_single_precision_is_accepted():
    narrow = np.float32(0.1)
    q = Mixture(Normal(np.float32([[0, 1]]), np.full((1, 2), narrow)), np.float32([0.3, 0.7]))
    assert q.mean().dtype == q.entropy().dtype == np.float64
    assert q.members.scale[0, 0] == float(narrow)
    assert q.weights.sum() == 1.0


class TestPoint:
    def test_a_point_is_a_number_or_a_label(self):
        assert Point([1, 2]).value.dtype.kind == "i"
        assert Point(np.array(["a", "b"])).value.tolist() == ["a", "b"]

    def test_a_number_is_its_own_mean_and_its_score_the_absolute_error(self):
        q = Point([1, 4])
        np.testing.assert_array_equal(q.mean(), [1.0, 4.0])
        np.testing.assert_array_equal(q.crps([3.0, 3.5]), [2.0, 0.5])

    def test_a_point_has_no_uncertainty(self):
        q = Point([1.0, 2.0])
        for name, ask in {
            "entropy": q.entropy,
            "log probability": lambda: q.log_prob([1, 2]),
            "variance": q.std,
            "quantile": lambda: q.interval(0.9),
        }.items():
            with pytest.raises(ValueError, match=f"has no {name}; use a model that says how sure"):
                ask()
        with pytest.raises(ValueError, match="predicted labels have no mean"):
            Point(np.array(["a"])).mean()

    @pytest.mark.parametrize(
        ("value", "message"),
        [
            ([[1.0], [2.0]], r"predictions of shape \(2, 1\) must be \(rows,\)"),
            (3.0, r"predictions of shape \(\) must"),
            ([1.0, np.nan], r"prediction is nan in row 1"),
        ],
    )
    def test_invalid_predictions_are_refused(self, value, message):
        with pytest.raises(ValueError, match=message):
            Point(value)

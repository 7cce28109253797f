"""Measures compared with their definitions."""

from __future__ import annotations

import re

import numpy as np
import pytest
import scoringrules
from hypothesis import given
from hypothesis import strategies as st
from scipy.integrate import quad
from scipy.stats import norm
from sklearn.metrics import brier_score_loss, log_loss

from models import classification, normal_model, regression, table, three_classes, two_classes
from uqwidgets import Categorical, Explainer, ModelError, Normal, Point
from uqwidgets._utils.choices import unknown
from uqwidgets.measures import (
    NLL_CEILING,
    available,
    class_of,
    described,
    find,
    probability_of,
)
from uqwidgets.predictive import Mixture, Quantiles

P = np.array([[0.2, 0.8], [0.6, 0.4], [1.0, 0.0]])
CODES = np.array([1, 1, 1])


def of(name, q, y, classifier=False):
    return find(name, available(q, classifier)).of(q, y)


def test_measures_of_two_classes():
    q = Categorical(P, ["no", "yes"])
    np.testing.assert_allclose(of("nll", q, CODES), [-np.log(0.8), -np.log(0.4), NLL_CEILING])
    np.testing.assert_allclose(of("entropy", q, CODES), q.entropy())
    np.testing.assert_allclose(of("prediction", q, CODES), [0.8, 0.4, 0.0])
    np.testing.assert_allclose(of("squared_error", q, CODES), [0.04, 0.36, 1.0])
    np.testing.assert_allclose(of("zero_one", q, CODES), [0, 1, 1])
    np.testing.assert_allclose(of("probability:no", q, CODES), P[:, 0])


def test_nll_has_the_ceiling_of_scikit_learn():
    q = Categorical(P, ["no", "yes"])
    expected = [log_loss([1], [row], labels=[0, 1]) for row in P]
    np.testing.assert_allclose(of("nll", q, CODES), expected, rtol=1e-9)


def test_the_margin_is_the_log_odds_of_two_classes():
    p = np.array([[0.2, 0.5, 0.3], [0.6, 0.4, 0.0], [0.0, 0.0, 1.0]])
    q = Categorical(p, ["a", "b:c", 3])
    log_odds = of("margin:a:b:c", q, np.zeros(3, int))
    np.testing.assert_allclose(log_odds, [np.log(0.2 / 0.5), np.log(0.6 / 0.4), 0])
    np.testing.assert_allclose(of("margin:b:c:a", q, np.zeros(3, int)), -log_odds)
    # A probability of 0 is cut off, as in nll.
    assert of("margin:3:a", q, np.zeros(3, int)).tolist()[1:] == [
        pytest.approx(-NLL_CEILING - np.log(0.6), abs=1),
        NLL_CEILING,
    ]
    for name in ("margin:a:a", "margin:a", "margin:a:d"):
        with pytest.raises(ValueError, match=r"name two different classes, as in 'margin:a:b:c'"):
            of(name, q, np.zeros(3, int))


def test_the_margin_has_importance_curves_and_a_mean_under_stress():
    explainer = classification(60)
    a, b = (str(label) for label in explainer.classes[:2])
    name = f"margin:{a}:{b}"
    shown = explainer.measures.set_index("measure").loc[name]
    assert shown["label"] == "log-odds of two classes"
    importance = explainer.importance(name, n_repeats=2)
    assert importance.label == f"log-odds of {a} against {b}"
    p = explainer.evaluations.original.probabilities
    stressed = explainer.stress(explainer.features[:1], indicators=[name])
    at = stressed.taus.tolist().index(0)
    assert stressed.values[name][0, at] == pytest.approx(np.log(p[:, 0] / p[:, 1]).mean())
    assert explainer.dependence(explainer.features[0], name, grid=3).label == importance.label


def test_a_margin_of_probability_zero_has_a_remark():
    X = np.arange(20.0)[:, None]
    sure = Explainer(lambda X: np.tile([1.0, 0.0], (len(X), 1)), X, X[:, 0] > 9)
    (remark,) = (
        r
        for r in sure.importance("margin:False:True", n_repeats=2).remarks
        if r.code == "probability-zero"
    )
    assert "in 20 of 20 rows the model gives one of both classes hardly any" in remark


def test_measures_of_three_classes_name_the_class():
    q = Categorical([[0.2, 0.5, 0.3]], ["a", "b", 3])
    assert of("probability:3", q, np.array([0]))[0] == 0.3
    for name in ("prediction", "squared_error"):
        with pytest.raises(
            ValueError, match=rf"'{name}' is not available: 3 classes.*probability:"
        ):
            of(name, q, np.array([0]))


def test_measures_of_a_normal():
    q, y = Normal([1.0, 2.0], [0.5, 2.0]), np.array([1.5, -1.0])
    np.testing.assert_allclose(of("nll", q, y), -q.log_prob(y))
    np.testing.assert_allclose(of("entropy", q, y), q.entropy())
    np.testing.assert_allclose(of("prediction", q, y), [1.0, 2.0])
    np.testing.assert_allclose(of("squared_error", q, y), [0.25, 9.0])


def mixture(n=5, m=4, seed=0):
    rng = np.random.default_rng(seed)
    q = Mixture(Normal(rng.normal(size=(n, m)), rng.uniform(0.3, 2, size=(n, m))))
    return q, rng.normal(size=n)


def test_losses_and_widths_of_a_normal_against_scipy_and_scoringrules():
    q, y = Normal([1.0, 2.0], [0.5, 2.0]), np.array([1.5, -1.0])
    np.testing.assert_allclose(of("std", q, y), [0.5, 2.0])
    np.testing.assert_allclose(of("absolute_error", q, y), [0.5, 3.0])
    np.testing.assert_allclose(of("crps", q, y), scoringrules.crps_normal(y, q.loc, q.scale))
    for level in (0.5, 0.9):
        low, high = norm(q.loc, q.scale).interval(level)
        np.testing.assert_allclose(of(f"interval_width:{level}", q, y), high - low)


def test_measures_of_a_normal_mixture_against_its_density():
    q, y = mixture()
    loc, scale = q.members.loc, q.members.scale
    np.testing.assert_allclose(
        of("crps", q, y), scoringrules.crps_mixnorm(y, loc, scale), rtol=1e-10
    )
    result = {name: of(name, q, y) for name in ("nll", "entropy", "aleatoric", "epistemic", "std")}
    for i in range(len(y)):

        def density(x, i=i):
            return norm.pdf(x, loc[i], scale[i]).mean()

        ends, options = (-15, 15), {"points": np.sort(loc[i]), "limit": 400}
        entropy = quad(lambda x: -density(x) * np.log(density(x) + 1e-300), *ends, **options)[0]
        mean = quad(lambda x: x * density(x), *ends, **options)[0]
        square = quad(lambda x: x**2 * density(x), *ends, **options)[0]
        assert result["nll"][i] == pytest.approx(-np.log(density(y[i])))
        assert result["entropy"][i] == pytest.approx(entropy, rel=1e-6)
        assert result["std"][i] == pytest.approx(np.sqrt(square - mean**2), rel=1e-6)
        assert of("prediction", q, y)[i] == pytest.approx(mean, abs=1e-6)
    np.testing.assert_allclose(result["aleatoric"], norm.entropy(loc, scale).mean(axis=1))
    np.testing.assert_allclose(result["epistemic"], result["entropy"] - result["aleatoric"])
    assert (result["epistemic"] > 0).all()
    low, high = q.interval(0.8)
    np.testing.assert_allclose(of("interval_width:0.8", q, y), high - low)


def test_measures_of_members_that_give_classes():
    p = np.array([[[0.2, 0.8], [0.6, 0.4]], [[1.0, 0.0], [1.0, 0.0]]])
    q, codes = Mixture(Categorical(p, ["no", "yes"])), np.array([0, 1])
    np.testing.assert_allclose(of("nll", q, codes), [-np.log(0.4), NLL_CEILING])
    np.testing.assert_allclose(of("prediction", q, codes), [0.6, 0.0])
    np.testing.assert_allclose(of("zero_one", q, codes), [1, 1])
    each = -(p[0] * np.log(p[0])).sum(axis=1)
    np.testing.assert_allclose(of("aleatoric", q, codes), [each.mean(), 0])
    together = -(0.4 * np.log(0.4) + 0.6 * np.log(0.6))
    np.testing.assert_allclose(of("epistemic", q, codes), [together - each.mean(), 0], atol=1e-15)


def test_measures_of_quantiles():
    q, y = Quantiles([0.1, 0.5, 0.9], [[-1.0, 0.0, 2.0]]), np.array([0.5])
    for name in ("nll", "entropy", "crps", "std", "prediction", "interval_width:0.8"):
        assert np.isfinite(of(name, q, y)).all()
    assert of("interval_width:0.8", q, y)[0] == pytest.approx(3)
    flat = Quantiles([0.1, 0.5, 0.9], [[-1.0, 0.0, 2.0], [0.0, 0.0, 2.0]])
    for name in ("nll", "entropy"):
        with pytest.raises(ValueError, match=f"'{name}' is not available: .* both 0 .* in row 1"):
            of(name, flat, np.zeros(2))
    assert of("crps", flat, np.zeros(2)).shape == (2,)


def test_quantiles_that_coincide_only_where_values_are_replaced():
    X = np.array([[0.0, 0.0], [1.0, 1.0], [2.0, 2.0]])

    def model(X):
        apart = 1.0 - (X[:, 0] > X[:, 1] + 1)
        return Quantiles([0.1, 0.9], np.column_stack([X[:, 0], X[:, 0] + apart]))

    explainer = Explainer(model, X, X[:, 0])
    assert np.isfinite(explainer.importance("crps").importance).all()
    for name in ("nll", "entropy"):
        assert np.isfinite(explainer.stress(indicators=[name]).values[name][:, 10]).all()
        with pytest.raises(ModelError, match=rf"no {name}: .* both .* with 'x\d' replaced"):
            explainer.importance(name)


@pytest.mark.parametrize("k", [2, 3])
def test_brier_is_that_of_scikit_learn(k):
    rng = np.random.default_rng(k)
    p, codes = rng.dirichlet(np.ones(k), size=50), rng.integers(k, size=50)
    labels = np.array(list("abc"[:k]))
    q = Categorical(p, labels)
    expected = brier_score_loss(
        labels[codes],
        p[:, 1] if k == 2 else p,
        **({"pos_label": "b"} if k == 2 else {"labels": labels}),
    )
    assert of("brier", q, codes).mean() == pytest.approx(expected)
    if k == 2:
        np.testing.assert_array_equal(of("brier", q, codes), of("squared_error", q, codes))


def test_measures_of_points():
    numbers, y = Point([1, 2]), np.array([1.5, -1.0])
    np.testing.assert_allclose(of("prediction", numbers, y), [1, 2])
    assert of("prediction", numbers, y).dtype == float
    np.testing.assert_allclose(of("squared_error", numbers, y), [0.25, 9.0])
    np.testing.assert_allclose(of("absolute_error", numbers, y), [0.5, 3.0])
    np.testing.assert_allclose(of("crps", numbers, y), [0.5, 3.0])
    labels = Point(np.array(["a", "b"]))
    np.testing.assert_allclose(of("zero_one", labels, np.array(["a", "a"]), True), [0, 1])


KINDS = {
    "normal": (Normal([0.0], [1.0]), False),
    "mixture": (mixture(1)[0], False),
    "quantiles": (Quantiles([0.2, 0.8], [[0.0, 1.0]]), False),
    "point": (Point([1.0]), False),
    "two classes": (Categorical([[0.5, 0.5]], ["a", "b"]), True),
    "three classes": (Categorical([[0.5, 0.5, 0.0]], ["a", "b", "c"]), True),
    "members": (Mixture(Categorical([[[0.5, 0.5], [0.1, 0.9]]], [0, 1])), True),
    "labels": (Point(["a"]), True),
}
NAMES = ["nll", "entropy", "aleatoric", "epistemic", "prediction", "probability", "std"]
NAMES += ["squared_error", "absolute_error", "zero_one", "brier", "crps", "interval_width"]


@pytest.mark.parametrize("kind", KINDS)
def test_every_distribution_has_each_measure_or_a_reason(kind):
    q, classifier = KINDS[kind]
    offered = available(q, classifier)
    kinds = dict.fromkeys(name.partition(":")[0] for name in offered)
    assert [name for name in kinds if name in NAMES] == NAMES
    y = np.array(["a"]) if kind == "labels" else np.zeros(len(q), dtype=int)
    for name, one in described(offered):
        if isinstance(one, str):
            with pytest.raises(ValueError, match=re.escape(f"{name!r} is not available: {one}")):
                find(name, offered)
            assert len(one) > 30
        else:
            values = find(name, offered).of(q, y)
            assert values.shape == (1,)
            assert np.isfinite(values).all()
            assert one.label
            assert name not in NAMES or (one.unit == "nats") == (name in NAMES[:4])


@pytest.mark.parametrize(
    ("kind", "name", "reason"),
    [
        ("normal", "epistemic", "read as an ensemble.*members=True"),
        ("normal", "brier", "target is a number.*use squared_error or crps"),
        ("mixture", "probability:yes", "target is a number.*use prediction"),
        ("point", "interval_width:0.9", "no uncertainty; use a model with"),
        ("point", "interval_width", "no uncertainty; use a model with"),
        ("members", "squared_erro", "there is no measure 'squared_erro'; did you mean 'squared_"),
        ("three classes", "squared_error", "3 classes .* or brier"),
        ("two classes", "crps", "target is a class, not a number; use brier"),
        ("two classes", "interval_width:0.5", "target is a class.* use entropy"),
        ("two classes", "probability:c", "no measure 'probability:c'; did you mean 'probability:"),
        ("labels", "std", "target is a class.* use a model with predict_proba"),
        ("labels", "probability:a", "class labels only; use a model with predict_proba"),
        ("normal", "roc_auc", "'roc_auc' is a metric of all rows together, not a measure of each"),
    ],
)
def test_reasons_name_a_remedy(kind, name, reason):
    with pytest.raises(ValueError, match=reason):
        find(name, available(*KINDS[kind]))


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("interval_width", "'interval_width' lacks its parameter, as in interval_width:0.9"),
        ("interval_width:", "'interval_width:' lacks its parameter"),
        ("interval_width:<level>", "lacks its parameter"),
        ("interval_width:90", "has the level '90'; give one between 0 and 1, such as"),
        ("interval_width:0", "has the level '0'"),
        ("interval_width:1.0", "has the level '1.0'"),
        ("interval_width:nan", "has the level 'nan'"),
        ("interval_width:wide", "has the level 'wide'"),
        ("interval:0.9", "there is no measure 'interval:0.9'; did you mean 'interval_width:0.9'"),
    ],
)
def test_an_invalid_level_is_refused(name, message):
    with pytest.raises(ValueError, match=message):
        find(name, available(*KINDS["normal"]))


def test_a_level_is_the_same_however_it_is_written():
    offered = available(*KINDS["normal"])
    ways = [find(f"interval_width:{level}", offered) for level in ("0.9", ".90", " 9e-1 ")]
    assert {one.key for one in ways} == {("interval_width:0.9", None)}
    assert ways[0].label == "width of the 90 % interval"
    assert find("interval_width:0.995", offered).label == "width of the 99.5 % interval"


@pytest.mark.parametrize("classes", [[0, 1], [1990, 2000, 2010], [0.5, 1.5]])
def test_numeric_classes_are_not_treated_as_numbers(classes):
    k = len(classes)
    offered = available(Categorical([np.full(k, 1 / k)], classes), True)
    for name in ("std", "absolute_error", "crps", "interval_width:<level>"):
        assert "target is a class" in offered[name]


@pytest.mark.parametrize("explainer", [regression(), classification(labels="abc")])
def test_the_table_of_measures_is_complete_and_gives_reasons(explainer):
    listed = explainer.measures
    assert list(listed.columns) == ["measure", "label", "unit", "available", "reason"]
    assert {"nll", "entropy", "prediction", "squared_error", "zero_one"} <= set(listed["measure"])
    assert (listed["reason"].str.len() > 0).eq(~listed["available"]).all()
    assert set(listed.loc[listed["measure"].isin(["nll", "entropy"]), "unit"]) == {"nats"}


def test_an_observed_class_of_probability_zero_is_reported():
    X, y = table(40)

    def sure(X):
        return np.where(np.asarray(X)[:, :1] > 0, [0.0, 1.0], [1.0, 0.0])

    explainer = Explainer(sure, X, y > 0)
    wrong = int(((X[:, 0] > 0) != (y > 0)).sum())
    assert wrong > 0
    for result in (explainer.importance(n_repeats=1), explainer.dependence("x0", "nll")):
        assert f"in {wrong} of 40 rows the model gives the observed class prob" in result.remarks[0]
        assert "36.0 nats" in result.remarks[0]
    assert explainer.importance("entropy", n_repeats=5).remarks == ()


def test_classes_that_all_members_exclude_are_reported():
    X, y = table(40)

    def sure(X):
        p = np.where(np.asarray(X)[:, :1] > 0, [0.0, 1.0], [1.0, 0.0])
        return Mixture(Categorical(np.stack([p, p], axis=1), [False, True]))

    result = Explainer(sure, X, y > 0).importance(n_repeats=1)
    wrong = int(((X[:, 0] > 0) != (y > 0)).sum())
    assert f"in {wrong} of 40 rows the model gives the observed class prob" in result.remarks[0]
    assert np.isfinite(result.importance).all()


def test_a_row_far_from_a_normal_is_not_of_probability_zero():
    X, y = table(40)
    explainer = Explainer(normal_model, X, y + 100)
    result = explainer.importance("nll", n_repeats=5)
    assert result.baseline > NLL_CEILING
    assert result.remarks == ()


@pytest.mark.parametrize("model", [two_classes, three_classes])
def test_measures_of_an_explainer_are_those_of_its_rows(model):
    X, _ = table(50)
    k = model(X).shape[1]
    y = np.arange(50) % k
    baseline = Explainer(model, X, y).importance("nll", n_repeats=1).baseline
    assert baseline == pytest.approx(log_loss(y, model(X)))


@pytest.mark.parametrize(
    ("name", "near"), [("nl", "'nll'"), ("entropie", "'entropy'"), ("zzz", "'nll', 'entropy'")]
)
def test_an_unknown_measure_is_an_error_that_names_similar_ones(name, near):
    with pytest.raises(ValueError, match=f"there is no measure '{name}'; did you mean {near}"):
        regression().importance(name)


@given(st.text(max_size=8), st.lists(st.text(max_size=8), min_size=1, max_size=30))
def test_an_unknown_name_raises_one_sentence(name, known):
    message = unknown("thing", name, known)
    assert message.startswith(f"there is no thing {name!r}; did you mean ")
    assert message.endswith("?")
    assert any(repr(k) in message for k in known)


def test_the_class_of_a_probability_is_in_its_name():
    assert class_of(probability_of("a:b")) == "a:b"
    assert [class_of(name) for name in ("nll", "prediction", "probability")] == [None] * 3

"""Results of several models or tables in one picture."""

from __future__ import annotations

import json

import numpy as np
import pytest
from sklearn.linear_model import LinearRegression

import uqwidgets as uq
from example_results import HOSTILE, dependence, importance, stress
from reading_charts import AWKWARD
from reading_html import StaticHtml

RATES = [[0.1, 0.2, 0.3, 0.4, 0.5], [0.3, 0.3, 0.3, 0.3, 0.4]]


def classifier(shift):
    def model(X):
        high = 1 / (1 + np.exp(-X[:, 0] - shift))
        return np.column_stack([1 - high, high])

    return model


@pytest.fixture(scope="module")
def rates():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 2))
    y = (X[:, 0] + rng.normal(size=200) > 0).astype(int)
    explainers = (uq.Explainer(classifier(shift), X, y) for shift in (0, 1))
    return [one.stress(indicators=["error_rate", "fpr", "tpr"], taus=5) for one in explainers]


def test_importances_have_the_order_of_the_first():
    both = uq.overlay(one=importance(), two=importance(("a", "c", "b"), (0.5, 0.25, 0.125)))
    assert both.features == ("b", "a", "c")
    marks = both.marks
    assert marks["x"].tolist() == ["b", "a", "c"] * 2
    assert marks["value"].tolist() == [0.5, 0.25, -0.125, 0.125, 0.5, 0.25]
    assert both.frame.columns[:2].tolist() == ["result", "feature"]
    np.testing.assert_allclose(marks["high"] - marks["low"], 0.125)


def test_a_model_without_distribution_shares_the_axis_of_one_with():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 2))
    single = uq.Explainer(lambda X: X[:, 0], X, X[:, 0])
    gaussian = uq.Explainer(lambda X: (X[:, 0], np.ones(len(X))), X, X[:, 0])
    curves = [one.dependence("x0", "prediction") for one in (single, gaussian)]
    assert curves[0].label != curves[1].label
    assert len(uq.overlay(*curves).marks) == sum(len(one.grid) for one in curves)


def test_a_model_a_learner_and_other_rows_share_one_scale_and_one_order():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(90, 3))
    y = X[:, 1] + 0.5 * X[:, 2] + 0.1 * rng.normal(size=90)
    model = LinearRegression().fit(X[:60], y[:60])
    here, there = (uq.Explainer(model, X[rows], y[rows]) for rows in (slice(0, 60), slice(60, 90)))
    learner = uq.Learner(LinearRegression(), X, y, n_refits=3)
    each = {"model": here, "other rows": there, "learner": learner}
    bars = uq.overlay({name: one.importance("squared_error") for name, one in each.items()})
    assert bars.names == ("model", "other rows", "learner")
    assert bars.features == here.importance("squared_error").features
    order = bars.marks.groupby("result", sort=False)["x"].apply(list)
    assert order.tolist() == [["x1", "x2", "x0"]] * 3
    grid = np.linspace(-1, 1, 5)
    curves = uq.overlay({name: one.dependence("x1", grid=grid) for name, one in each.items()})
    spec = curves.to_altair().to_dict()
    band, line = spec["layer"]
    assert line["encoding"]["y"]["title"] == band["encoding"]["y"]["title"]
    assert line["encoding"]["color"]["scale"]["domain"] == list(each)
    assert "resolve" not in spec


def test_the_legend_is_readable_beside_faint_bands(rates):
    for both in pictures(rates).values():
        for node in legends(both.to_altair().to_dict()):
            assert node["symbolOpacity"] == 1


def legends(node):
    """Return all legends within a specification."""
    children = node.values() if isinstance(node, dict) else node if isinstance(node, list) else ()
    own = [node["legend"]] if isinstance(node, dict) and node.get("legend") else []
    return own + [legend for child in children for legend in legends(child)]


def test_curves_keep_their_own_grids():
    both = uq.overlay(one=dependence(), two=dependence(grid=(1.5, 3.0), average=(0.5, 0.25)))
    assert both.marks["x"].tolist() == [1.0, 2.0, 4.0, 1.5, 3.0]
    assert both.marks["result"].tolist() == ["one"] * 3 + ["two"] * 2
    assert not both.categorical


def test_stress_shows_the_features_that_the_first_responds_to_most():
    many = np.linspace(0, 1, 6)[:, None] * np.linspace(0, 1, 5)
    assert uq.overlay(stress(many), stress(many)).features == ("f5", "f4", "f3", "f2")
    assert uq.overlay(stress(many), stress(many), features="f1").features == ("f1",)
    one = uq.overlay(a=stress(RATES), b=stress(RATES), features=["f1", "f0"])
    assert one.features == ("f0", "f1")
    assert one.marks["value"].tolist() == np.ravel(RATES).tolist() * 2


def test_a_roc_path_joins_the_two_rates_of_a_level(rates):
    both = uq.overlay(one=rates[0], two=rates[1], features="x0", roc_path=True)
    for name, result in zip(both.names, rates, strict=True):
        path, own = result.roc_path("x0"), both.marks[both.marks["result"] == name]
        np.testing.assert_allclose(own["x"], path["fpr"])
        np.testing.assert_allclose(own["value"], path["tpr"])
        np.testing.assert_allclose(own["tau"], path["tau"])


def test_names_come_from_keywords_mappings_and_kinds():
    learner = importance(per_refit=np.zeros((3, 4)))
    assert uq.overlay(importance(), learner).names == ("model", "learner")
    assert uq.overlay(importance(), importance()).names == ("model 1", "model 2")
    assert uq.overlay({"a, b": importance()}, c=importance()).names == ("a, b", "c")


@pytest.mark.parametrize(
    ("arguments", "options", "error", "words"),
    [
        ([importance()], {}, ValueError, "overlay shows 2 to 7 results, and there is 1"),
        ([], {}, ValueError, "there is none"),
        ([importance()] * 8, {}, ValueError, "there is 8"),
        ([importance(), 3], {}, TypeError, "'model 2' is a int, which overlay cannot show"),
        ([importance(), dependence()], {}, TypeError, "are Importance and Dependence; pass"),
        ([{1: importance()}, importance()], {}, TypeError, "has the name 1; names must be text"),
        ([{"a": importance()}], {"a": importance()}, ValueError, "two results have the name 'a'"),
        (
            [importance(), importance(measure="entropy", label="entropy")],
            {},
            ValueError,
            r"increase of likelihood loss \(nats\) and increase of entropy \(nats\), which share",
        ),
        (
            [importance(), importance(("a", "b"), (1.0, 0.5))],
            {},
            ValueError,
            "'model 1' and 'model 2' do not both have c; name those to show with features=",
        ),
        (
            [importance(), importance()],
            {"features": "d"},
            ValueError,
            "no feature 'd' in 'model 1'",
        ),
        ([importance(), importance()], {"indicator": "tpr"}, ValueError, "are for results of str"),
        (
            [dependence(), dependence(feature="height")],
            {},
            ValueError,
            "the curves are along width and height",
        ),
        ([dependence(), dependence()], {"features": "width"}, ValueError, "a curve has one"),
        (
            [dependence(), dependence(grid=np.array(["a", "b", "c"], dtype=object))],
            {},
            ValueError,
            "width is a number in one result and a category in another",
        ),
        ([stress(RATES), stress(RATES)], {"indicator": "auc"}, ValueError, "no indicator 'auc'"),
        ([stress(RATES), stress(RATES)], {"roc_path": True}, ValueError, "no indicator 'fpr' in"),
        (
            [stress(RATES), stress(RATES)],
            {"roc_path": True, "indicator": "error_rate"},
            ValueError,
            "roc_path shows two rates",
        ),
        (
            [stress(RATES), stress(RATES, features=["g", "h"])],
            {},
            ValueError,
            "no stressed feature is part of every result",
        ),
    ],
)
def test_what_does_not_fit_is_one_sentence(arguments, options, error, words):
    with pytest.raises(error, match=words) as raised:
        uq.overlay(*arguments, **options)
    assert "\n" not in str(raised.value)


def pictures(rates):
    kinds = np.array(["a", "b", "c"], dtype=object)
    return {
        "importance": uq.overlay(importance(), importance()),
        "curves": uq.overlay(dependence(), dependence(grid=(1.5, 3.0), average=(0.5, 0.25))),
        "categories": uq.overlay(dependence(grid=kinds), dependence(grid=kinds)),
        "one panel": uq.overlay(*rates, features="x0"),
        "panels": uq.overlay(*rates),
        "paths": uq.overlay(*rates, roc_path=True),
    }


@pytest.mark.parametrize(
    "kind", ["importance", "curves", "categories", "one panel", "panels", "paths"]
)
def test_picture_and_chart_have_one_legend_and_all_numbers(rates, kind):
    both = pictures(rates)[kind]
    spec = both.to_altair().to_dict()
    parts = spec.get("concat", [spec])
    named = [(part.get("data") or part["layer"][0]["data"])["name"] for part in parts]
    values = [row["value"] for name in named for row in spec["datasets"][name]]
    np.testing.assert_allclose(sorted(values), sorted(both.marks["value"]))
    scales = [s for s in walk(spec) if isinstance(s.get("domain"), list)]
    assert scales
    assert all(scale["domain"] == ["model 1", "model 2"] for scale in scales)
    page = StaticHtml(both._repr_html_())
    drawn = both._repr_html_().split("<img")[0]
    assert drawn.count(">model 1</text>") == drawn.count(">model 2</text>") == 1
    assert len(page.tables[0]) == 1 + len(both.marks)


def walk(node):
    """Return all dictionaries of colours and dashes within a specification."""
    if isinstance(node, dict):
        yield from (
            node[key]["scale"] for key in ("color", "strokeDash") if "scale" in node.get(key, {})
        )
        for child in node.values():
            yield from walk(child)
    elif isinstance(node, list):
        for child in node:
            yield from walk(child)


def test_all_importances_share_one_scale():
    page = uq.overlay(importance(), importance(values=(50.0, 25.0, 1.0)))._repr_html_()
    # The first result's dots all lie near 0 on the scale that the second needs.
    circles = [tag for name, tag in StaticHtml(page).tags if name == "circle"]
    xs = np.array([float(tag["cx"]) for tag in circles])
    assert np.ptp(xs[:3]) < 0.05 * np.ptp(xs[3:])


@pytest.mark.parametrize("name", [*AWKWARD, "n" * 100])
def test_names_are_text_and_stay_within_the_picture(name):
    both = uq.overlay({name: importance(AWKWARD[:3]), "b": importance(AWKWARD[:3])})
    json.dumps(both.to_altair().to_dict(), allow_nan=False)
    assert HOSTILE not in both._repr_html_()
    assert "n" * 60 not in both.title


def test_values_that_are_missing_are_gaps():
    holes = stress([[np.nan, 0.2, 0.3, 0.4, np.nan]])
    both = uq.overlay(holes, holes)
    json.dumps(both.to_altair().to_dict(), allow_nan=False)
    assert "nan" not in both._repr_html_().split("<img")[0].lower()
    nothing = uq.overlay(*[stress([[np.nan] * 5])] * 2)
    assert "not available" in nothing._repr_html_()

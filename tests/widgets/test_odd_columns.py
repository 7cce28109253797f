"""Columns that are seldom met, in every analysis, in the widget and in a saved page."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import uqwidgets as uq
from hard_tables import ODD_COLUMNS, REFUSED_COLUMNS
from uqwidgets.evaluation.distinct import is_missing, kind_of
from uqwidgets.widgets.inputs.conditions import conditions
from uqwidgets.widgets.inputs.what_if import changes, replacement_of

Z = np.random.default_rng(1).normal(size=60)


def model(X):
    return X["z"].to_numpy(), np.full(len(X), 0.5)


def explainer_of(column):
    return uq.Explainer(model, pd.DataFrame({"odd": column, "z": Z}), Z + 0.1, random_state=0)


def is_same(one, other):
    if is_missing(one) or is_missing(other):
        return is_missing(one) and is_missing(other)
    return kind_of(one) is kind_of(other) and one == other


@pytest.mark.parametrize("name", ODD_COLUMNS)
def test_every_analysis_takes_it(name):
    explainer = explainer_of(ODD_COLUMNS[name])
    for scheme in ("permutation", "ablation", "conditional"):
        explainer.importance(replacement=scheme, n_repeats=2)._repr_html_()
    explainer.importance(n_repeats="all")
    explainer.redundancy(n_estimators=50)
    explainer.diagnose(n_repeats=2)
    explainer.stress(missing="drop", taus=3)._repr_html_()
    for spacing in ("quantile", "even", "observed"):
        curve = explainer.dependence("odd", spacing=spacing)
        curve._repr_html_()
        curve.to_altair().to_dict()
        assert np.isclose(curve.average, Z.mean()).all()
    explainer.dependence(("odd", "z"), grid=3)._repr_html_()


@pytest.mark.parametrize("name", ODD_COLUMNS)
def test_each_value_and_its_text_name_the_rows_that_have_it(name):
    column = ODD_COLUMNS[name]
    explainer = explainer_of(column)
    table = explainer.table
    if table.kind("odd") == "numeric":
        return
    labels = table.labels("odd")
    assert len(labels.texts) == len(labels.values)
    own = table.column("odd").tolist()
    is_missing_somewhere = any(map(is_missing, own))
    for value, text in zip(labels.values, labels.texts, strict=True):
        rows = np.array([is_same(value, one) for one in own])
        assert rows.any()
        for named in (text,) if isinstance(value, tuple) else (value, text):
            (condition,) = conditions([{"feature": "odd", "values": [named]}], explainer)
            np.testing.assert_array_equal(condition.mask(explainer), rows)
            assert explainer.dependence("odd", grid=[named]).grid.tolist() == [value]
            (change,) = changes([{"feature": "odd", "value": named}], explainer)
            other = int(np.argmin(rows))
            assert is_same(replacement_of(table, other, (change,)).values[0], value)
            assert replacement_of(table, int(np.argmax(rows)), (change,)) is None
            weights = explainer.stress_to(shares={"odd": {named: 0.4}}).weights
            assert weights[rows].sum() / weights.sum() == pytest.approx(0.4)
            if not is_missing_somewhere:
                weights = explainer.stress_weights("odd", 1.0, category=named)
                assert weights[rows].mean() > weights[~rows].mean()


@pytest.mark.parametrize("name", ODD_COLUMNS)
def test_the_widget_shows_it_and_a_page_holds_it(name, tmp_path):
    with uq.explore(explainer_of(ODD_COLUMNS[name]), feature="odd", n_repeats=2) as widget:
        assert widget.wait(60)
        assert widget._frame["meta"]["error"] is None
        widget.save(tmp_path / "page.html", stress_features=[], lines=0)


@pytest.mark.parametrize("name", REFUSED_COLUMNS)
def test_what_is_no_feature_is_refused_in_one_sentence(name):
    column, sentence = REFUSED_COLUMNS[name]
    with pytest.raises(ValueError, match="column 'odd' holds") as error:
        explainer_of(column)
    assert sentence in str(error.value)


def test_classes_and_targets_that_are_no_text_are_refused():
    X = pd.DataFrame({"z": Z})
    with pytest.raises(ValueError, match=r"y holds 'a.*not valid Unicode"):
        uq.Explainer(model, X, np.where(Z > 0, "a\ud800", "b"))

    def probabilities(X):
        p = 1 / (1 + np.exp(-X["z"].to_numpy()))
        return np.column_stack([p, 1 - p])

    named = uq.as_predictive(probabilities, classes=["a\ud800", "b"])
    with pytest.raises(ValueError, match=r"classes_ holds 'a.*not valid Unicode"):
        uq.Explainer(named, X)
    with pytest.raises(ValueError, match="y holds several values"):
        uq.Explainer(model, X, np.zeros(60, dtype=[("a", int), ("b", int)]))


@pytest.mark.parametrize("ends", [(-1.7e308, 1.7e308), (np.nan, np.nan), (np.inf, np.inf)])
def test_a_column_without_a_curve_is_no_obstacle_for_the_others(ends, tmp_path):
    column = np.where(np.arange(60) % 2, *ends)
    explainer = explainer_of(column)
    for scheme in ("permutation", "conditional"):
        explainer.importance(replacement=scheme, n_repeats=2)
    with pytest.raises(ValueError, match=r"'odd' has .*, so there is no curve"):
        explainer.dependence("odd")
    with pytest.raises(ValueError, match=r"'odd' (has|is)"):
        explainer.stress("odd")
    with uq.explore(explainer, feature="z", n_repeats=2, small_curves=2) as widget:
        assert widget.wait(60)
        assert widget._frame["meta"]["error"] is None
        widget.save(tmp_path / "page.html", stress_features=[], lines=0)


def test_numbers_whose_squares_overflow_have_subgroups():
    small = np.where(Z > 0, 2.0, 1.0) + np.arange(60) / 1000
    frames = [
        uq.Explainer(model, pd.DataFrame({"odd": small * size, "z": Z}), Z, random_state=0)
        .importance(features=["odd"], replacement="conditional", n_repeats=2)
        .subgroups
        for size in (1.0, 1e300)
    ]
    pd.testing.assert_frame_equal(*frames)
    assert frames[0].loc[0].notna().all()

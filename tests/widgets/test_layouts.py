"""Layouts: the chosen views are shown and computed, the others are neither."""

from __future__ import annotations

from typing import Any

import ipywidgets
import numpy as np
import pytest

import uqwidgets as uq
from uqwidgets.evaluation.consistency import ROWS_ALONE
from uqwidgets.widgets.inputs.inputs import NAMES
from uqwidgets.widgets.over_tau.following import OverTau
from uqwidgets.widgets.views import registered_views
from widgets.conftest import Counting
from widgets.test_explorer import change


@pytest.fixture
def computed(explainer: uq.Explainer, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Names of the views that are computed or that evaluate something, in this order."""
    names: list[str] = []
    for view in registered_views():
        for method in ("compute", "steps"):
            original = getattr(view, method)

            def counted(self: Any, *arguments: Any, _of: Any = original, **options: Any) -> Any:
                # Explorers of other tests may still be at work.
                if self.explainer is explainer:
                    names.append(self.name)
                return _of(self, *arguments, **options)

            monkeypatch.setattr(view, method, counted)
    return names


def test_a_layout_names_the_views(explainer: uq.Explainer) -> None:
    for layout, views in (
        ("all", []),
        ("stress", ["stress"]),
        (["dependence", "importance"], ["importance", "dependence"]),
    ):
        with uq.Explorer(explainer, n_repeats=2, layout=layout) as widget:
            assert widget.views == views
            assert isinstance(widget.layout, ipywidgets.Layout)


@pytest.mark.parametrize("layout", [{"width": "50%"}, ipywidgets.Layout(width="50%")])
def test_a_layout_of_the_notebook_stays_what_it_is(explainer: uq.Explainer, layout: Any) -> None:
    with uq.Explorer(explainer, n_repeats=2, layout=layout) as widget:
        assert (widget.layout.width, widget.views) == ("50%", [])


@pytest.mark.parametrize(
    ("views", "sentence"),
    [
        (["importances"], "there is no view 'importances'; did you mean 'importance'"),
        ([3], "an item of views is 3; it must be a text"),
    ],
)
def test_a_view_that_does_not_exist_is_an_error(
    explainer: uq.Explainer, views: Any, sentence: str
) -> None:
    with pytest.raises(Exception, match=sentence):
        uq.Explorer(explainer, views=views)


def test_views_that_are_not_shown_are_not_computed(
    explainer: uq.Explainer, model: Counting, computed: list[str]
) -> None:
    model.rows = 0
    picked = {"feature": "b", "stress_feature": "b"}
    with uq.Explorer(explainer, layout="dependence", ice_lines=6, **picked) as widget:
        assert widget.wait(30)
        change(widget, tau=0.4)
        meta = widget._frame["meta"]
    assert set(computed) == {"dependence", "stress"}
    n_grid = len(explainer.dependence("b").grid)
    assert model.rows == n_grid * 40 + ROWS_ALONE, "the curve, and no shuffle"
    # The controls say where tau stands; no feature has a profile.
    assert meta["stress"]["now"]["tau"] == 0.4
    assert meta["stress"]["features"] == []
    assert "importance" not in meta


def test_a_layout_without_importance_picks_the_first_feature(explainer: uq.Explainer) -> None:
    with uq.Explorer(explainer, layout=["stress"]) as widget:
        assert widget.wait(30)
        assert (widget.feature, widget.stress_feature) == ("a", "a")
        assert len(widget._frame["meta"]["stress"]["features"]) == 5
        assert explainer.rows_evaluated == 40


def test_a_view_that_is_added_is_computed_then(explainer: uq.Explainer) -> None:
    with uq.Explorer(explainer, layout="importance", n_repeats=3) as widget:
        assert widget.wait(30)
        assert "dependence" not in widget._frame["meta"]
        with pytest.raises(ValueError, match="dependence is not shown; add it to views"):
            widget.result("dependence")
        frame = change(widget, views=[])[-1]
        assert {view.name for view in widget._session.views} <= frame["meta"].keys()
        assert widget.result("dependence").feature == widget.feature


def test_views_are_part_of_state_code_and_picture(explainer: uq.Explainer) -> None:
    with uq.Explorer(explainer, layout=["importance"], n_repeats=3, title="a logit") as widget:
        widget.wait(30)
        state, code = widget.state, widget.code()
        assert widget._about["title"] == "a logit"
        html = widget._draw_picture()
    assert state["views"] == ["importance"]
    assert "title='a logit', views=['importance']" in code
    assert "a logit: 40 rows" in html
    assert "Dependence" not in html
    with uq.Explorer(explainer, state=state) as widget:
        assert widget.views == ["importance"]


def test_a_title_is_a_text(explainer: uq.Explainer) -> None:
    with pytest.raises(TypeError, match="title is 3; it must be a text"):
        uq.Explorer(explainer, title=3)


def test_over_tau_follows_the_views_that_are_shown(explainer: uq.Explainer) -> None:
    with uq.Explorer(explainer, layout="dependence", n_repeats=3) as widget:
        assert widget.wait(30)
        over_tau = OverTau(widget._session.views, widget._session.populations)
        *_, (_, columns) = over_tau.follow(widget._inputs()[0], lambda: None)
    assert {name.split(".")[0] for name in columns} == {"dependence", "stress"}
    assert not any(name.startswith("stress.fine") for name in columns)


def test_a_page_holds_the_views_that_are_shown(explainer: uq.Explainer, tmp_path: Any) -> None:
    with uq.Explorer(explainer, layout="dependence", n_repeats=3) as widget:
        small = widget.save(tmp_path / "small.html", stress_features=["a"], progress=False)
        widget.views = []
        assert widget.wait(30)
        whole = widget.save(tmp_path / "whole.html", stress_features=["a"], progress=False)
    assert small.nbytes < whole.nbytes


def test_views_of_one_explainer_share_what_the_model_answered(
    explainer: uq.Explainer, model: Counting
) -> None:
    with uq.ImportanceView(explainer, n_repeats=3) as one:
        assert one.wait(30)
        rows = model.rows
        with uq.ImportanceView(explainer, n_repeats=3) as same:
            assert same.wait(30)
            np.testing.assert_array_equal(
                same.result("importance").importance, one.result("importance").importance
            )
        assert model.rows == rows
        with uq.StressView(explainer) as other:
            assert other.wait(30)
        assert model.rows == rows
    for view in (uq.DependenceView, uq.SurfaceView, uq.PerformanceView):
        with view(explainer, feature="a", second="b") as widget:
            assert widget.wait(30)
            assert not widget.result(widget.views[0]).frame.empty


def test_every_input_can_be_given_to_a_single_view(explainer: uq.Explainer) -> None:
    with uq.ImportanceView(explainer, n_repeats=3, tau=0.3, stress_feature="b") as widget:
        assert (widget.tau, widget.views) == (0.3, ["importance"])
        assert set(widget.state) == {*NAMES, "pins"}

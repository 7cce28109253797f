"""Registered views: their inputs and replacements, and what a new view needs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import uqwidgets as uq
from uqwidgets.evaluation.consistency import ROWS_ALONE
from uqwidgets.widgets import views
from uqwidgets.widgets.inputs.inputs import NAMES, Inputs
from uqwidgets.widgets.rows.population import PopulationBuilder, Populations
from uqwidgets.widgets.views import registered_views, view_named
from widgets.conftest import Counting
from widgets.test_explorer import change
from widgets.wire import columns

EXAMPLES = Path(__file__).parents[1] / "example_views"
REGISTERED = Path(__file__).parents[3] / "js" / "src" / "views" / "registered.ts"


@pytest.fixture
def extended(explainer: uq.Explainer, monkeypatch: pytest.MonkeyPatch):
    # The folder of the examples joins the package of the views, and their names join the list.
    monkeypatch.setattr(views, "__path__", [*views.__path__, str(EXAMPLES)])
    monkeypatch.setattr(views, "NAMES", (*views.NAMES, "distribution", "model_call"))
    with uq.Explorer(explainer, n_repeats=4, ice_lines=6) as widget:
        assert widget.wait(30)
        yield widget


def test_a_registered_view_is_in_every_frame_without_a_model_call(
    extended: uq.Explorer, model: Counting
) -> None:
    calls = model.calls
    frame = change(extended, measure="entropy", tau=0.5)[-1]
    assert model.calls == calls
    assert frame["meta"]["distribution"] == {"label": "entropy", "stale": False}
    shown = columns(frame)
    ex = extended.explainer
    weights = ex.stress_weights(extended.stress_feature, 0.5)
    values = ex.evaluations.original_values(ex.measure("entropy"))
    np.testing.assert_allclose(
        shown["distribution.counts"],
        np.histogram(values, shown["distribution.edges"], weights=weights)[0] / 40,
        rtol=1e-12,
    )


def test_the_page_gets_the_help_of_a_registered_view(extended: uq.Explorer) -> None:
    panels = extended._about["help"]["panels"]
    assert panels["distribution"] == list(view_named("distribution").help)
    assert "model_call" not in panels, "it declares no help"


def test_a_view_is_recomputed_only_when_its_inputs_change(
    extended: uq.Explorer, monkeypatch: pytest.MonkeyPatch
) -> None:
    computed: list[str] = []
    distribution = view_named("distribution")
    compute = distribution.compute

    def counted(self: Any, inputs: Inputs, populations: Populations) -> object:
        computed.append(inputs.measure)
        return compute(self, inputs, populations)

    monkeypatch.setattr(distribution, "compute", counted)
    change(extended, ice_lines=3)
    assert computed == []
    change(extended, measure="nll")
    assert computed == ["nll"]


def test_the_replacements_of_a_view_are_evaluated_once(
    extended: uq.Explorer, model: Counting
) -> None:
    assert extended._frame["meta"]["model_call"]["feature"] == "a"
    frame = change(extended, feature="same")[-1]
    assert not frame["meta"]["model_call"]["stale"]
    calls = model.calls
    frame = change(extended, feature="a")[-1]
    assert frame["meta"]["model_call"] == {"feature": "a", "stale": False}
    assert model.calls == calls


def test_a_failed_view_leaves_the_other_views(extended: uq.Explorer) -> None:
    frame = change(extended, feature="b")[-1]
    assert frame["meta"]["error"] == "RuntimeError: there is nothing to see"
    assert frame["meta"]["model_call"] == {"feature": "a", "stale": True}
    assert frame["meta"]["dependence"]["feature"] == "b"
    assert not frame["meta"]["distribution"]["stale"]
    assert change(extended, feature="a")[-1]["meta"]["error"] is None


def test_the_static_picture_contains_the_registered_view(extended: uq.Explorer) -> None:
    shown = extended._repr_mimebundle_()
    html = (shown[0] if isinstance(shown, tuple) else shown)["text/html"]
    assert "<p>distribution of prediction</p>" in html


def test_the_example_views_are_not_registered_by_default(explorer: uq.Explorer) -> None:
    # Rows without a time have no view over time.
    expected = [name for name in views.NAMES if name != "over_time"]
    assert explorer._about["views"] == expected
    assert not {"distribution", "model_call"} & explorer._frame["meta"].keys()


def test_every_input_is_read_by_a_view_or_selects_the_rows() -> None:
    read = {*PopulationBuilder.reads, *(name for view in registered_views() for name in view.reads)}
    # The page alone switches between cohorts; views and their model are chosen by the session.
    assert read == set(NAMES) - {"cohorts", "views", "shown_model"}


def test_the_model_is_called_for_the_declared_replacements_only(explorer: uq.Explorer) -> None:
    inputs, _ = explorer._inputs()
    declared = [r for view in explorer._session.views for r in view.replacements(inputs)]
    assert len(declared) == 4 * 4 + 40, "repeats of each feature, grid points of the selected one"
    assert all(explorer.explainer.evaluations.is_cached(r) for r in declared)
    explorer.explainer.evaluations.prepare(declared)
    assert explorer.explainer.rows_evaluated == (1 + len(set(declared))) * 40 + ROWS_ALONE


def test_a_view_is_registered_by_one_line_in_python_and_in_typescript() -> None:
    text = REGISTERED.read_text(encoding="utf-8").replace("(\n  ", "(").replace(",\n)", ")")
    lines = text.replace(",\n  ", ", ").splitlines()
    exports = [line for line in lines if line.startswith("export ")]
    for name in views.NAMES:
        at_once = f'export {{ {name} }} from "./{name}/index.ts";'
        on_demand = f'export const {name} = onDemand("{name}", () => import("./{name}/index.ts")'
        assert sum(line.startswith((at_once, on_demand)) for line in exports) == 1
    assert len(exports) == len(views.NAMES)


def test_a_module_without_its_view_is_an_error() -> None:
    with pytest.raises(LookupError, match="module 'view' has no View with name = 'view'"):
        view_named("view")

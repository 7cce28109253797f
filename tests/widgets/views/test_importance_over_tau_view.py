"""The view of importance over tau draws what the page has of all levels, without another number."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import uqwidgets as uq
from uqwidgets.widgets.over_tau.following import OverTau
from uqwidgets.widgets.over_tau.levels import STOPS
from widgets.conftest import Counting
from widgets.following import at_level


def test_its_numbers_are_those_of_the_explainer(explainer: uq.Explainer, model: Counting) -> None:
    options = {"n_repeats": 4, "stress_feature": "b", "feature": "a"}
    with uq.Explorer(explainer, layout="importance_over_tau", **options) as widget:
        assert widget.wait(30)
        shown = widget._frame["meta"]["importance_over_tau"]
        assert (shown["at"], shown["label"]) == (0, "likelihood loss (nll)")
        rows = model.rows
        over_tau = OverTau(widget._session.views, widget._session.populations)
        *_, (meta, columns) = over_tau.follow(widget._inputs()[0], lambda: None)
        result = widget.result("importance_over_tau")
    assert model.rows == rows, "the levels ask the model nothing"
    expected = explainer.importance_over_tau(
        "b", "nll", explainer.features, n_repeats=4, taus=STOPS
    )
    np.testing.assert_array_equal(result.importance, expected.importance)
    for name, values in (("value", expected.importance), ("low", expected.low)):
        for t, tau in enumerate(expected.taus):
            drawn = at_level(meta, columns, f"importance.{name}", tau)[0]
            np.testing.assert_allclose(drawn, values[:, t], rtol=2e-6, atol=1e-7)


def test_levels_that_cannot_be_reached_have_no_line(explainer: uq.Explainer) -> None:
    options = {"n_repeats": 3, "stress_feature": "same", "feature": "a"}
    with uq.Explorer(explainer, layout="importance_over_tau", **options) as widget:
        assert widget.wait(30)
        result = widget.result("importance_over_tau")
        assert widget._over_tau == {}
    assert np.isnan(result.importance).all()


@pytest.mark.parametrize(
    "inputs",
    [{"compare": "ratio"}, {"replacement": "conditional"}, {"importance_of": ["nll", "accuracy"]}],
)
def test_what_has_no_levels_says_so(explainer: uq.Explainer, inputs: dict[str, Any]) -> None:
    options = {"n_repeats": 3, "feature": "a", "stress_feature": "a", **inputs}
    with uq.Explorer(explainer, layout="importance_over_tau", **options) as widget:
        assert widget.wait(30)
        assert "available for differences" in widget._frame["meta"]["importance_over_tau"]["why"]
        with pytest.raises(ValueError, match="importance_over_tau shows nothing"):
            widget.result("importance_over_tau")

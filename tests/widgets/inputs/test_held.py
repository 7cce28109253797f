"""Held means and weights of one's own: they describe tau = 0, and tau adds its target."""

from __future__ import annotations

from html import unescape
from typing import Any

import numpy as np
import pytest

import uqwidgets as uq
from uqwidgets.widgets.over_tau.levels import STOPS
from uqwidgets.widgets.picture.static_picture import static_picture
from widgets.conftest import Counting, table
from widgets.pages import index_of, stored_columns
from widgets.test_explorer import change, in_order
from widgets.wire import columns

BOTH = [{"feature": "b", "value": 0.3}, {"feature": "c", "category": "red", "value": 0.6}]


@pytest.fixture
def wide(model: Counting) -> uq.Explainer:
    return uq.Explainer(model, *table(200))


def now(widget: uq.Explorer) -> dict[str, Any]:
    return widget._frame["meta"]["stress"]["now"]


def test_tau_adds_its_target_to_the_same_projection(wide: uq.Explainer, model: Counting) -> None:
    options = {"n_repeats": 3, "stress_feature": "a", "feature": "a"}
    with uq.Explorer(wide, held=BOTH, **options) as widget:
        assert widget.wait(30)
        held = wide.stress_to(means={"b": 0.3}, shares={"c": {"red": 0.6}})
        assert now(widget)["ess"] == pytest.approx(held.ess)
        calls = model.calls
        change(widget, tau=0.5)
        assert model.calls == calls
        target = now(widget)["target"]
        assert target == pytest.approx(
            0.5 * held.weights @ wide.table.numbers("a") / 200
            + 0.5 * np.quantile(wide.table.numbers("a"), 0.95)
        )
        both = wide.stress_to(means={"b": 0.3, "a": target}, shares={"c": {"red": 0.6}})
        assert now(widget)["ess"] == pytest.approx(both.ess)
        # Importance, curves and indicators are those of these weights.
        cols = columns(widget._frame)
        importance = wide.importance("nll", n_repeats=3, sample_weight=both.weights)
        np.testing.assert_allclose(
            cols["importance.value"][0], in_order(wide, importance, importance.importance)
        )
        start = wide.importance("nll", n_repeats=3, sample_weight=held.weights)
        np.testing.assert_allclose(
            cols["importance.base"][0], in_order(wide, start, start.importance)
        )
        grid = cols["dependence.grid"]
        curve = wide.dependence("a", widget.measure, grid=grid, sample_weight=both.weights)
        np.testing.assert_allclose(cols["dependence.average"], curve.average)
        wrong = wide.evaluations.original_values(wide.measure("zero_one"))
        assert now(widget)["value"] == pytest.approx(both.weights @ wrong / 200)
        # So is the line of every feature, at its levels of tau.
        levels = cols["stress.taus"].tolist()
        line = cols["stress.reached"][0]
        assert line[levels.index(0.5)] == pytest.approx(target, abs=1e-6)
        # Its interval contains the value, and shrinks with the rows that count.
        low, high = cols["stress.ends"]
        present = np.isfinite(low)
        assert present[levels.index(0.0)]
        values = cols["stress.value"][0]
        assert (low < values + 1e-6)[present].all()
        assert (values - 1e-6 < high)[present].all()


def test_weights_describe_tau_zero(wide: uq.Explainer) -> None:
    weights = np.linspace(0.1, 1.9, 200)
    with uq.Explorer(wide, weights=weights, n_repeats=3, stress_feature="a") as widget:
        assert widget.wait(30)
        expected = wide.importance("nll", n_repeats=3, sample_weight=weights)
        np.testing.assert_allclose(
            columns(widget._frame)["importance.value"][0],
            in_order(wide, expected, expected.importance),
        )
        assert "weights=weights" in widget.code()
        change(widget, tau=0.4)
        # The closest weights to those of one's own are these times the exponential of the feature.
        ratio = np.log(
            widget._session.populations.build(widget._inputs()[0], lambda: None).now.weights
            / weights
        )
        a = wide.table.numbers("a")
        slope, start = np.polyfit(a, ratio, 1)
        np.testing.assert_allclose(ratio, slope * a + start, atol=1e-8)


def test_the_weights_of_stress_to_can_be_passed(wide: uq.Explainer) -> None:
    reweighted = wide.stress_to(means={"b": 0.3})
    with uq.Explorer(wide, weights=reweighted, n_repeats=3, stress_feature="a") as widget:
        assert widget.wait(30)
        assert now(widget)["ess"] == pytest.approx(reweighted.ess)


def test_means_that_cannot_be_had_leave_what_is_shown(wide: uq.Explainer) -> None:
    with uq.Explorer(wide, n_repeats=3, stress_feature="a", feature="a") as widget:
        assert widget.wait(30)
        before = columns(widget._frame)["importance.value"]
        meta = change(widget, held=[{"feature": "b", "value": 99.0}])[-1]["meta"]
        assert meta["error"] is None
        assert "mean of 'b' cannot be 99: weights of these rows reach" in meta["notes"][0]
        np.testing.assert_array_equal(columns(widget._frame)["importance.value"], before)
        with pytest.raises(ValueError, match="mean of 'b' cannot be 99"):
            widget.result("importance")
        notes = change(widget, held=[])[-1]["meta"]["notes"]
        assert not any("cannot be" in note for note in notes)


def test_held_means_and_a_filter_are_of_the_rows_that_meet_it(wide: uq.Explainer) -> None:
    rows = wide.table.numbers("a") > 0
    options = {"ice_filter": [{"feature": "a", "low": 0.0}], "n_repeats": 3, "feature": "a"}
    with uq.Explorer(wide, held=BOTH[:1], stress_feature="a", **options) as widget:
        assert widget.wait(30)
        expected = wide.stress_to(means={"b": 0.3}, rows=rows)
        assert now(widget)["ess"] == pytest.approx(expected.ess)


@pytest.mark.thorough
def test_a_page_holds_what_is_held(wide: uq.Explainer, tmp_path: Any) -> None:
    with uq.Explorer(wide, held=BOTH, n_repeats=3, stress_feature="a", layout="stress") as widget:
        assert "held=" in widget.code()
        assert "Stressed" not in widget._draw_picture()
        path = tmp_path / "page.html"
        widget.save(path, stress_features=["a"], progress=False)
        shown = columns(widget._frame)
    (cohort,) = index_of(path)["cohorts"]
    (entry,) = (e for key, e in cohort["entries"]["stress"].items() if "error_rate" in key)
    (stored,) = (content["columns"] for content in entry["stressed"].values())
    of_page = stored_columns(path)
    np.testing.assert_allclose(of_page[stored["end_taus"]], STOPS, atol=1e-6)
    extent = np.nanmax(shown["stress.ends"]) - np.nanmin(shown["stress.ends"])
    np.testing.assert_allclose(
        of_page[stored["ends"]], shown["stress.ends"], rtol=1e-6, atol=0.0025 * extent
    )


def test_a_level_between_two_stops_has_its_interval_too(wide: uq.Explainer) -> None:
    options = {"n_repeats": 3, "stress_feature": "a", "layout": "stress", "indicator": "brier"}
    with uq.Explorer(wide, held=BOTH, tau=0.43, **options) as widget:
        assert widget.wait(30)
        shown = columns(widget._frame)
    taus, ends = shown["stress.end_taus"], shown["stress.ends"]
    np.testing.assert_array_equal(taus, np.sort([*STOPS, 0.43]))
    place = taus.tolist().index(0.43)
    before, here, after = ends[:, place - 1 : place + 2].T
    near = before + (0.03 / 0.05) * (after - before)
    np.testing.assert_allclose(here, near, atol=0.02 * (here[1] - here[0]))


def test_why_means_cannot_be_had_together_is_said_in_their_units(wide: uq.Explainer) -> None:
    red, blue = BOTH[1], {"stress_feature": "c", "stress_category": "blue", "tau": 0.9}
    with uq.Explorer(wide, held=[red], n_repeats=2, feature="a", **blue) as widget:
        assert widget.wait(30)
        target = now(widget)["target"]
        why = (
            f"at τ = 0.9, share of 'c=blue' cannot be {target:.6g} together with share of 'red' in "
            "'c' at 0.6: weights of these rows reach only 0.4"
        )
        assert now(widget)["status"] == why
        assert widget._frame["meta"]["notes"][0].endswith(f"as they were: {why}.")
        start = wide.stress_to(shares={"c": {"red": 0.6}})
        blues = wide.table.labels("c").mask(["blue"])
        assert now(widget)["mean"] == pytest.approx(np.average(blues, weights=start.weights))
        # Without weights at tau = 0 there is no number from which stress starts.
        change(widget, held=[{"feature": "b", "value": 99.0}], tau=0.0)
        assert now(widget)["status"].startswith("mean of 'b' cannot be 99: weights of these rows")
        assert now(widget)["base"] is None
        assert now(widget)["value"] is None


def test_words_say_what_decides_the_weights(wide: uq.Explainer) -> None:
    options = {"n_repeats": 2, "stress_feature": "a", "feature": "a", "tau": 0.5}
    words = "mean of b held at 0.3, share of red in c held at 0.6"
    with uq.Explorer(wide, held=BOTH, **options) as widget:
        assert widget.wait(30)
        assert now(widget)["start"] == words
        picture = unescape(static_picture(widget._session, widget._inputs()[0]))
        assert f"Weights at τ = 0: {words}. Stressed: τ = 0.5 moves the mean of a from " in picture
        change(widget, held=[], tau=0.0)
        assert "start" not in now(widget)
        change(widget, held=BOTH[:1], stress_feature="")
        picture = unescape(static_picture(widget._session, widget._inputs()[0]))
        assert "Weights at τ = 0: mean of b held at 0.3." in picture
        assert "Stressed" not in picture
    weights = np.linspace(0.5, 1.5, 200)
    with uq.Explorer(wide, weights=weights, held=BOTH[:1], **options) as widget:
        assert widget.wait(30)
        assert now(widget)["start"] == "your weights, mean of b held at 0.3"


@pytest.mark.parametrize(
    ("held", "sentence"),
    [
        ({"b": 0.3}, r"held is \{'b': 0.3\}; it must be a list, such as \[\{'feature': 'age'"),
        (["b"], "each of held must be"),
        ([{"feature": "b"}], "each of held must be"),
        ([{"feature": "b", "value": np.inf}], "the mean of 'b' is inf; it must be finite"),
        ([{"feature": "z", "value": 1.0}], "there is no feature 'z'"),
        ([{"feature": "c", "value": 0.5}], "the category of 'c' is None; it must be a text"),
        ([{"feature": "c", "value": 2.0, "category": "red"}], "the share of 'red' in 'c' is 2"),
        ([{"feature": "c", "value": 0.5, "category": "rd"}], "there is no category 'rd' of 'c'"),
        ([{"feature": "b", "value": 0.5, "category": "red"}], "'b' is numeric; hold its mean"),
        ([BOTH[0], BOTH[0]], "held has the mean of 'b' twice"),
        ([BOTH[0]] * 3, "held has 3 means; 2 can be held"),
    ],
)
def test_what_cannot_be_held_is_an_error(explorer: uq.Explorer, held: Any, sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        explorer.held = held


@pytest.mark.parametrize(
    ("weights", "sentence"),
    [
        (np.ones(3), r"weights has shape \(3,\) but X has 40 rows"),
        (-np.ones(40), r"weights is -1 in row 0; weights must be finite"),
        (np.zeros(40), "weights is 0 everywhere"),
        (["a"] * 40, "weights must be numbers"),
    ],
)
def test_weights_are_one_number_for_each_row(
    explainer: uq.Explainer, weights: Any, sentence: str
) -> None:
    with pytest.raises(ValueError, match=sentence):
        uq.Explorer(explainer, weights=weights)

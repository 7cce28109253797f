"""Lines by class or column, changes from the row as it is, centers, spacing, dates, own values."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
import pytest
import traitlets as t

import uqwidgets as uq
from uqwidgets.widgets.inputs.inputs import NAMES, inputs_of
from uqwidgets.widgets.over_tau.levels import Level
from uqwidgets.widgets.rows.population import PopulationBuilder
from uqwidgets.widgets.views.dependence import DependenceView
from uqwidgets.widgets.views.dependence.feature_curves import FeatureCurves
from uqwidgets.widgets.views.dependence.histograms import Histograms
from widgets.wire import columns

N = 120
FEATURES = ("a", "site", "when")


class Softmax:
    classes_ = np.array(["u", "v", "w"])

    def predict_proba(self, X: pd.DataFrame) -> npt.NDArray[np.float64]:
        days = (X["when"] - pd.Timestamp("2020-01-01")).dt.days / 60
        site = X["site"].map(lambda letter: ord(letter) - ord("k")) / 5
        score = np.exp(np.column_stack([X["a"], X["a"] * site, days.astype(float)]))
        return np.asarray(score / score.sum(axis=1, keepdims=True))


@pytest.fixture(scope="module")
def explainer() -> uq.Explainer:
    rng = np.random.default_rng(0)
    X = pd.DataFrame(
        {
            "a": rng.normal(size=N),
            "site": rng.choice(list("abcdefghijklmnopqrst"), N, p=np.arange(20, 0, -1) / 210),
            "when": pd.date_range("2020-01-01", periods=N, freq="D"),
            "gap": np.where(rng.random(N) < 0.2, np.nan, rng.normal(size=N)),
        }
    )
    return uq.Explainer(Softmax(), X, rng.choice(Softmax.classes_, N))


@pytest.fixture(scope="module")
def shared(explainer: uq.Explainer) -> Iterator[uq.Explorer]:
    with uq.Explorer(explainer, feature="a", stress_feature="a", n_repeats=2) as widget:
        assert widget.wait()
        yield widget


@pytest.fixture
def widget(shared: uq.Explorer) -> uq.Explorer:
    shared.set_trait("tau", 0.0)
    for name, trait in shared.traits(sync=True).items():
        if name in ("feature", "measure", "color_by", "center_at", "spacing", "ice_filter"):
            setattr(
                shared,
                name,
                {"feature": "a", "measure": "nll", "ice_filter": []}.get(name, trait.default_value),
            )
        elif name in ("center", "relative", "derivative", "group_averages", "own_values", "rug"):
            setattr(shared, name, False)
    assert shared.wait()
    return shared


def show(widget: uq.Explorer, **inputs: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    """Change inputs, and return the meta and the columns of the curve."""
    for name, value in inputs.items():
        setattr(widget, name, value)
    assert widget.wait()
    frame = widget._frame
    assert frame["meta"]["error"] is None
    curve = {
        name.removeprefix("dependence."): values
        for name, values in columns(frame).items()
        if name.startswith("dependence.")
    }
    return frame["meta"]["dependence"], curve


def test_groups_by_class_have_the_averages_of_the_explainer(widget: uq.Explorer) -> None:
    ex = widget.explainer
    meta, curve = show(widget, group_averages=True, tau=0.4)
    assert meta["groups"] == ["u", "v", "w"]
    weights = ex.stress_weights("a", tau=0.4)
    for k, name in enumerate(meta["groups"]):
        rows = np.asarray(ex.table.y) == name
        exact = ex.dependence("a", "nll", grid=49, rows=rows, sample_weight=weights)
        np.testing.assert_allclose(curve["group_average"][k], exact.average, rtol=1e-9)
        np.testing.assert_allclose(curve["group_low"][k], exact.low, rtol=1e-6)
        np.testing.assert_allclose(curve["group_high"][k], exact.high, rtol=1e-6)


def test_a_number_colours_lines_by_a_ramp_and_groups_rows_by_thirds(widget: uq.Explorer) -> None:
    ex = widget.explainer
    meta, curve = show(widget, color_by="gap", group_averages=True)
    values = ex.table.numbers("gap")
    assert meta["groups"][0].startswith("up to ")
    assert meta["groups"][-1] == "missing"
    assert len(meta["ramp"]) == 2
    own = values[curve["ice_row"]]
    known = np.isfinite(own)
    assert (curve["ice_class"][~known] == 9).all()
    order = np.argsort(own[known])
    assert (np.diff(curve["ice_class"][known][order]) >= 0).all()
    assert set(curve["ice_class"][known]) == set(range(9))
    low, high = np.quantile(values[np.isfinite(values)], (1 / 3, 2 / 3))
    exact = ex.dependence("a", "nll", grid=49, rows=(values > low) & (values <= high))
    np.testing.assert_allclose(curve["group_average"][1], exact.average, rtol=1e-9)
    assert curve["counts"].shape == (4, 24)
    np.testing.assert_allclose(curve["counts"][3].sum(), np.mean(~np.isfinite(values)))


def test_rare_categories_share_a_group(widget: uq.Explorer) -> None:
    meta, curve = show(widget, color_by="site")
    counts = widget.explainer.table.column("site").value_counts()
    assert len(meta["groups"]) == 9
    assert meta["groups"][-1] == f"{len(counts) - 8} others"
    assert counts[meta["groups"][:8]].min() >= counts.drop(meta["groups"][:8]).max()
    assert meta["groups"][:8] == sorted(meta["groups"][:8])
    assert curve["ice_class"].max() == 8


def test_colours_ask_the_model_nothing(widget: uq.Explorer) -> None:
    show(widget)
    before = widget.explainer.rows_evaluated
    show(widget, color_by="site", group_averages=True, own_values=True, rug=True)
    show(widget, tau=-0.3)
    show(widget, measure="entropy")
    show(widget, relative=True)
    show(widget, relative=False, center=True, center_at="0.3")
    show(widget, ice_filter=[{"feature": "site", "values": ["a", "b"]}])
    assert widget.explainer.rows_evaluated == before


def test_changes_from_the_row_as_it_is_are_those_of_the_explainer(widget: uq.Explorer) -> None:
    meta, curve = show(widget, relative=True, own_values=True)
    exact = widget.explainer.dependence("a", "nll", grid=49, relative=True)
    np.testing.assert_allclose(curve["average"], exact.average, rtol=1e-12)
    assert meta["label"] == exact.quantity
    assert meta["label"].endswith("from the row's own a")
    np.testing.assert_array_equal(curve["own_value"], 0)


def test_lines_are_centred_at_the_point_that_is_nearest_to_a_value(widget: uq.Explorer) -> None:
    ex = widget.explainer
    meta, curve = show(widget, center=True, center_at="0.5", own_values=True)
    place = np.argmin(np.abs(curve["grid"] - 0.5))
    exact = ex.dependence("a", "nll", grid=49, center=curve["grid"][place])
    np.testing.assert_allclose(curve["average"], exact.average, rtol=1e-9, atol=1e-12)
    assert curve["average"][place] == 0
    assert meta["label"] == exact.quantity
    at_center = ex.dependence("a", "nll", grid=[curve["grid"][place]]).curves[0]
    own = ex.evaluations.original_values(ex.measure("nll")) - at_center
    np.testing.assert_allclose(curve["own_value"], own[curve["ice_row"]], rtol=1e-5, atol=1e-6)
    # Of another feature the text is no value, so its first value counts.
    meta, curve = show(widget, feature="site")
    assert meta["label"].endswith("from site = a")
    meta, curve = show(widget, center_at="c")
    assert meta["label"].endswith("from site = c")
    np.testing.assert_array_equal(curve["average"][2], 0)


def test_even_values_are_those_of_the_explainer(widget: uq.Explorer) -> None:
    _, curve = show(widget, spacing="even")
    exact = widget.explainer.dependence("a", "nll", grid=49, spacing="even")
    np.testing.assert_array_equal(curve["grid"], exact.grid)
    np.testing.assert_allclose(curve["average"], exact.average, rtol=1e-12)
    assert np.ptp(np.diff(curve["grid"])) < 1e-9


def test_dates_lie_on_an_axis_of_milliseconds(widget: uq.Explorer) -> None:
    meta, curve = show(widget, feature="when", own_values=True)
    assert (meta["time"], meta["categorical"]) == (True, False)
    dates = pd.to_datetime(curve["grid"], unit="ms")
    assert meta["labels"] == [str(date.date()) for date in dates]
    own = pd.to_datetime(curve["own"], unit="ms")
    column = widget.explainer.table.column("when")
    assert own.tolist() == column.iloc[curve["ice_row"]].tolist()
    assert (curve["edges"][0], curve["edges"][-1]) == (curve["grid"][0], curve["grid"][-1])
    np.testing.assert_allclose(curve["counts"].sum(), 1)


def test_own_values_of_categories_are_places_among_them(widget: uq.Explorer) -> None:
    meta, curve = show(widget, feature="site", own_values=True)
    column = widget.explainer.table.column("site")
    labels = [meta["labels"][int(place)] for place in curve["own"]]
    assert labels == column.iloc[curve["ice_row"]].tolist()
    lines = curve["ice"][np.arange(len(labels)), curve["own"].astype(int)]
    np.testing.assert_allclose(curve["own_value"], lines, rtol=1e-5)
    assert meta["n_values"] == column.nunique()


def test_other_groups_compute_no_average_of_the_curve_again(
    widget: uq.Explorer, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, before = show(widget, tau=0.4)
    computed: list[str] = []
    average, shares = FeatureCurves.dependence, Histograms.shares

    def count_average(self: Any, *args: Any, **kwargs: Any) -> Any:
        computed.append("average")
        return average(self, *args, **kwargs)

    def count_shares(self: Any, grid: Any, populations: Any, groups: Any) -> Any:
        computed.extend(["shares"] * len(populations))
        return shares(self, grid, populations, groups)

    monkeypatch.setattr(FeatureCurves, "dependence", count_average)
    monkeypatch.setattr(Histograms, "shares", count_shares)
    view = widget._session.view(DependenceView)
    inputs = inputs_of({name: getattr(widget, name) for name in NAMES}, widget.explainer)
    populations = PopulationBuilder(widget.explainer).build(inputs, lambda: None)
    assert populations is not None
    by_column = view.compute(replace(inputs, color_by="gap"), populations)
    # With and without stress.
    assert computed == ["shares", "shares"]
    np.testing.assert_array_equal(by_column.columns["average"], before["average"])
    np.testing.assert_array_equal(by_column.columns["base"], before["base"])
    assert len(by_column.columns["counts"]) == len(by_column.meta["groups"]) == 4
    np.testing.assert_allclose(
        by_column.columns["counts"].sum(axis=0), before["counts"].sum(axis=0), rtol=1e-12
    )
    # Another curve has averages of its own, and the shares of the same rows.
    view.compute(replace(inputs, color_by="gap", measure="entropy"), populations)
    assert computed == ["shares", "shares", "average", "average"]


def test_groups_move_with_tau_between_frames(widget: uq.Explorer) -> None:
    show(widget, group_averages=True, color_by="gap")
    view = widget._session.view(DependenceView)
    inputs = inputs_of({name: getattr(widget, name) for name in NAMES}, widget.explainer)
    track = next(track for track in view.over_tau(inputs) if track.name == "groups")
    builder = PopulationBuilder(widget.explainer)
    at = replace(inputs, tau=0.3)
    populations = builder.build(at, lambda: None)
    assert populations is not None
    samples = track.sample([Level.of(populations, {"tau": at.tau})], lambda: None)
    _, curve = show(widget, tau=0.3)
    for name in ("group_average", "group_low", "group_high"):
        np.testing.assert_allclose(samples[name][0], curve[name], rtol=1e-6)


@pytest.mark.parametrize(
    ("name", "value", "why"),
    [
        ("color_by", "nowhere", "no feature .nowhere."),
        ("spacing", "observed", "no spacing .observed."),
        ("category_order", "random", "no category_order .random."),
        ("center_at", "no such value", "must be the text of a number"),
        ("relative", "yes", "must be True or False"),
    ],
)
def test_wrong_values_are_refused(widget: uq.Explorer, name: str, value: Any, why: str) -> None:
    with pytest.raises((ValueError, t.TraitError), match=why):
        setattr(widget, name, value)


def test_everything_at_once_fits_in_a_small_frame(widget: uq.Explorer) -> None:
    show(widget, color_by="gap", group_averages=True, own_values=True, rug=True)
    assert sum(len(column) for column in widget._frame["cols"].values()) < 64_000
